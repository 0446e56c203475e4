import struct
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import rcParams

from resemblance.errors import FileError
from resemblance.judgments import Items
from resemblance.plotting import save_map

STARTS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".html": b"<!doctype html>"}


@pytest.mark.parametrize("suffix", STARTS)
def test_the_suffix_says_what_is_written(tmp_path, suffix):
    words = {"labels": ["a", "b", "a"], "flagged": [1], "title": "Title", "subtitle": "Line"}
    path = save_map(np.eye(3), str(tmp_path / f"map{suffix.upper()}"), **words)
    assert path == tmp_path / f"map{suffix.upper()}"
    assert path.read_bytes().startswith(STARTS[suffix])


@pytest.mark.parametrize("name", ["map.gif", "map"])
def test_another_suffix_is_refused_with_those_that_do(tmp_path, name):
    with pytest.raises(FileError, match=r"\.png.*\.svg.*\.pdf.*\.html"):
        save_map(np.eye(3), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileError, match=r"no folder .*nowhere"):
        save_map(np.eye(3), tmp_path / "nowhere" / "map.png")


def test_names_stay_text(tmp_path):
    names, before = [f"item <{i}> & more" for i in range(40)], dict(rcParams)
    points = np.random.default_rng(0).normal(size=(40, 2))
    path = save_map(points, tmp_path / "map.svg", Items(names), title="A title", width=12)
    texts = ["".join(one.itertext()) for one in ElementTree.parse(path).iter() if is_text(one)]
    assert {*names, "A title"} <= set(texts)
    pdf = save_map(points, tmp_path / "map.pdf", Items(names), width=12).read_bytes()
    assert b"/Type3" not in pdf
    assert b"/TrueType" in pdf or b"/CIDFontType2" in pdf
    assert {name: rcParams[name] for name in before} == before


def is_text(element):
    return element.tag.endswith("}text")


def test_a_picture_is_as_wide_as_it_is_asked_to_be(tmp_path):
    path = save_map(np.eye(3), tmp_path / "map.png", width=5.08, dpi=100)
    assert struct.unpack(">II", path.read_bytes()[16:24]) == (200, 150)
