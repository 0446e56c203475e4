"""The page as text: what it holds, and that it asks nobody for anything."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

import resemblance as rs
from resemblance.errors import FileError, SettingError
from resemblance.judgments import Items
from resemblance.plotting.page import map_page

NASTY = """</script><script>alert(1)</script> "q" 'x' & <!-- {{data}} ü 🙂"""


class Reader(HTMLParser):
    """Collects the attributes and the text of scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.attributes, self.texts, self.inside = [], {}, None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        self.inside = dict(attrs).get("type", tag)

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        self.texts.setdefault(self.inside, []).append(data)


def contents(page):
    (text,) = Reader(page).texts["application/json"]
    return json.loads(text)


def test_the_page_fetches_nothing(tmp_path):
    Image.new("RGB", (9, 9)).save(tmp_path / "a.png")
    page = map_page(np.eye(2), Items(2, images=[tmp_path / "a.png"] * 2), title="http://x.org")
    reader = Reader(page)
    links = [v for name, v in reader.attributes if name in ("src", "href", "data", "action")]
    assert links == ["data:,"]
    code = "".join(reader.texts["module"] + reader.texts["style"])
    code = code.replace("http://www.w3.org/", "")  # names of kinds of elements
    assert not re.search(r"url\(|@import|https?:|//\w+\.\w+/|fetch\(|XMLHttp|\bimport\b", code)
    assert ("content", "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
            "script-src 'unsafe-inline'") in reader.attributes  # fmt: skip


def test_words_cannot_leave_their_place():
    page = map_page(
        np.eye(2), Items([NASTY, "b"]), labels=[NASTY, "c"], title=NASTY, subtitle=NASTY
    )
    held = contents(page)
    assert held["names"] == [NASTY, "b"]
    assert NASTY in [own["name"] for own in held["classes"]]
    assert held["title"] == NASTY
    reader = Reader(page)
    assert len(reader.texts["module"]) == 1
    assert reader.texts["h1"] == [NASTY]


def test_principal_components_come_before_the_dimensions():
    points = np.random.default_rng(0).normal(size=(30, 3)) * [1, 5, 2]
    axes = contents(map_page(points))["axes"]
    assert [axis["name"][:5] for axis in axes] == ["PC 1 ", "PC 2 ", "PC 3 "] + ["dimen"] * 3
    weights = np.array([axis["weights"] for axis in axes])
    np.testing.assert_allclose(weights[:3] @ weights[:3].T, np.eye(3), atol=1e-5)
    np.testing.assert_array_equal(weights[3:], np.eye(3))
    assert [axis["name"] for axis in contents(map_page(points[:, :2]))["axes"]] == [
        "dimension 1",
        "dimension 2",
    ]


def test_flags_and_classes_are_positions():
    held = contents(map_page(np.eye(3), labels=["x", "y", "x"], flagged=[False, False, True]))
    assert held["flagged"] == [2]
    assert held["classOf"] == [0, 1, 0]
    assert [own["name"] for own in held["classes"]] == ["x", "y"]


def test_pictures_come_in_one_and_those_without_have_none(tmp_path):
    for i, size in enumerate([(200, 100), (40, 60)]):
        Image.new("RGB", size, "red").save(tmp_path / f"{i}.png")
    items = Items(3, images=[tmp_path / "0.png", "", tmp_path / "1.png"])
    held = contents(map_page(np.zeros((3, 2)), items))["images"]
    assert held["sizes"] == [[96, 48], None, [40, 60]]
    assert (held["side"], held["columns"]) == (96, 2)


def test_earlier_maps_are_laid_upon_the_next():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 2))
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    held = contents(map_page(points, frames={"a": 3 * points @ turn + 5, "b": points @ turn}))
    assert [frame["name"] for frame in held["frames"]] == ["a", "b"]
    for frame in held["frames"]:
        np.testing.assert_allclose(frame["points"], points, atol=1e-4)


def test_a_frame_of_other_items_is_refused():
    with pytest.raises(SettingError, match=r"frame 'old' has shape \(3, 2\), the embedding \(4, 2"):
        map_page(np.zeros((4, 2)), frames={"old": np.zeros((3, 2))})


def test_uncertainty_is_one_deviation_for_each_item():
    held = contents(map_page(np.eye(3), uncertainty=[0.5, 0.0, 0.25]))
    assert held["uncertainty"] == [0.5, 0.0, 0.25]
    assert contents(map_page(np.eye(3)))["uncertainty"] is None
    with pytest.raises(SettingError, match=r"shape \(2,\): give one .* of the 3 items"):
        map_page(np.eye(3), uncertainty=[0.5, 0.1])
    with pytest.raises(SettingError, match=r"uncertainty of '1' is -0\.1"):
        map_page(np.eye(3), uncertainty=[0.5, -0.1, np.nan])


def test_too_many_items_for_a_page_are_refused(monkeypatch):
    monkeypatch.setattr("resemblance.plotting.page.LARGEST", 3)
    with pytest.raises(SettingError, match=r"4 items is too large .* write a picture"):
        map_page(np.zeros((4, 2)))


def test_a_page_that_is_not_built_says_how(monkeypatch, tmp_path):
    monkeypatch.setattr("resemblance.plotting.page.files", lambda package: tmp_path)
    with pytest.raises(FileError, match="make frontend"):
        map_page(np.zeros((4, 2)))


def test_features_are_arrows_of_the_map():
    X = np.random.default_rng(0).normal(size=(20, 2))
    noise = np.random.default_rng(1).normal(size=20)
    found = rs.feature_directions(X, {"length": 3 * X[:, 0], "noise": noise})
    [arrow] = contents(map_page(X, directions=found))["arrows"]
    assert (arrow["name"], arrow["strength"]) == ("length", "100%")
    np.testing.assert_allclose(arrow["to"], [found.reach, 0], rtol=1e-5, atol=1e-5)
    assert contents(map_page(X))["arrows"] is None
    with pytest.raises(SettingError, match="of 2 dimensions, the embedding has 3"):
        map_page(np.eye(20, 3), directions=found)
