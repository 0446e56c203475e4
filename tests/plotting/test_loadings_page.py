"""The page of dimensions as text: what it holds, and that it asks nobody for anything."""

import re

import numpy as np
from PIL import Image

import resemblance as rs
from plotting.test_loadings import AGAIN, LOADINGS, NAMES, SPREAD
from plotting.test_page import NASTY, Reader, contents


def page(folder, *arguments, **words):
    return rs.save_loadings(LOADINGS, folder / "d.html", *arguments, **words).read_text("utf-8")


def test_the_page_fetches_nothing(tmp_path):
    Image.new("RGB", (9, 9)).save(tmp_path / "a.png")
    reader = Reader(page(tmp_path, rs.Items(5, images=[tmp_path / "a.png"] * 5), title="http://x"))
    links = [v for name, v in reader.attributes if name in ("src", "href", "data", "action")]
    assert links == ["data:,"]
    code = "".join(reader.texts["module"] + reader.texts["style"])
    assert not re.search(r"url\(|@import|https?:|//\w+\.\w+/|fetch\(|XMLHttp|\bimport\b", code)
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|eval\(", code)
    assert ("content", "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
            "script-src 'unsafe-inline'") in reader.attributes  # fmt: skip


def test_words_cannot_leave_their_place(tmp_path):
    items = rs.Items([NASTY, *NAMES[1:]])
    text = page(tmp_path, items, names=[NASTY, "", ""], title=NASTY, subtitle=NASTY)
    held = contents(text)
    assert held["items"][0] == NASTY
    assert held["dimensions"][0]["name"] == NASTY
    assert "<script>alert" not in text


def test_the_page_holds_what_is_known_of_every_dimension(tmp_path):
    x = np.arange(5.0)
    items = rs.Items(NAMES, x[:, None], feature_names=["size"])
    held = contents(page(tmp_path, items, reproducibility=AGAIN, spread=SPREAD, top=3))
    first, second = held["dimensions"][:2]
    assert (held["top"], held["fits"]) == (3, {"seeds": 3, "splits": 5})
    assert (first["items"], first["loadings"]) == ([2, 3], [3.0, 2.5])
    assert (first["lowest"], first["highest"]) == ([1.5, 1.25], [4.5, 3.75])
    assert first["again"] == {"seeds": 0.9, "halves": 0.7, "found_again": 4, "splits": 5}
    assert second["again"] == {"seeds": 0.8, "found_again": 2, "splits": 5}
    assert first["features"] == [["size", round(np.corrcoef(x, LOADINGS[:, 0])[0, 1], 3)]]


def test_names_are_kept_for_these_dimensions_alone(tmp_path):
    key = contents(page(tmp_path))["key"]
    assert contents(page(tmp_path, title="again", reproducibility=AGAIN))["key"] == key
    assert contents(page(tmp_path, names=["a", "b", "c"]))["key"] != key
    assert contents(page(tmp_path, rs.Items(NAMES)))["key"] != key
