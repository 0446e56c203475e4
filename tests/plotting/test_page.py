"""The page as text: what it holds, and that it asks nobody for anything."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

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
    code = "".join(reader.texts["script"] + reader.texts["style"])
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
    assert len(reader.texts["script"]) == 1
    assert reader.texts["h1"] == [NASTY]


def test_numbers_keep_six_digits():
    points = np.random.default_rng(0).normal(size=(30, 3)) * [1e-6, 1, 1e6]
    np.testing.assert_allclose(contents(map_page(points))["points"], points, rtol=1e-5)


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


def test_one_dimension_brings_its_swarm():
    held = contents(map_page(np.zeros((3, 1))))
    assert sorted(np.round(held["swarm"], 4)) == [-0.015, 0, 0.015]
    assert contents(map_page(np.zeros((3, 2))))["swarm"] is None


def test_flags_and_classes_are_positions():
    held = contents(map_page(np.eye(3), labels=["x", "y", "x"], flagged=[False, False, True]))
    assert held["flagged"] == [2]
    assert held["classOf"] == [0, 1, 0]
    assert [own["name"] for own in held["classes"]] == ["x", "y"]


@pytest.mark.parametrize(("n", "side"), [(2, 96), (501, 64), (2501, 40)])
def test_pictures_are_smaller_the_more_there_are(tmp_path, monkeypatch, n, side):
    sides = []
    monkeypatch.setattr(
        "resemblance.plotting.page.thumbnail", lambda path, name, side: sides.append(side)
    )
    monkeypatch.setattr("resemblance.plotting.page.data_uri", lambda picture: "")
    map_page(np.zeros((n, 2)), Items(n, images=[tmp_path / "a.png"] * n))
    assert sides == [side] * n
