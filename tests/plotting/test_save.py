import struct
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import rcParams

from resemblance.errors import FileError, SettingError
from resemblance.judgments import Items
from resemblance.plotting import plot_loadings, plot_map, save_map
from resemblance.plotting.canvas import figures

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


@pytest.mark.parametrize("width", ["5.08cm", "50.8mm", "2in", "2 in", 5.08])
def test_a_width_is_a_length(tmp_path, width):
    path = save_map(np.eye(3), tmp_path / "map.png", width=width, dpi=100)
    assert struct.unpack(">II", path.read_bytes()[16:24]) == (200, 150)


@pytest.mark.parametrize("width", ["85", "85px", "mm", "1mm", "200cm", "nan cm", ""])
def test_what_is_no_length_is_refused(tmp_path, width):
    with pytest.raises(SettingError) as refused:
        save_map(np.eye(3), tmp_path / "map.png", width=width)
    assert refused.value.setting == "width"


def test_words_have_the_font_that_is_named(tmp_path):
    path = save_map(np.arange(3.0), tmp_path / "map.svg", font="DejaVu Serif", title="A title")
    texts = [one for one in ElementTree.parse(path).iter() if is_text(one)]
    assert len(texts) > 5
    assert all("DejaVu Serif" in text.get("style").split(",")[0] for text in texts)
    ax = plot_map(np.arange(3.0), font="dejavu serif")
    labels = [*ax.texts, ax.xaxis.label, *ax.get_xticklabels()]
    assert {text.get_fontname() for text in labels} == {"DejaVu Serif"}
    assert rcParams["font.family"] == ["sans-serif"]


def test_a_font_that_is_not_installed_is_refused_with_those_of_similar_names():
    with pytest.raises(SettingError, match="DejaVu Serif") as refused:
        plot_map(np.eye(2), font="Dejavu Seriff")
    assert refused.value.setting == "font"


def test_figures_are_as_wide_as_asked_and_letters_stay_as_large():
    loadings = np.abs(np.random.default_rng(0).normal(size=(20, 3)))
    usual = plot_loadings(loadings)
    with figures("17cm"):
        narrow, map_ = plot_loadings(loadings), plot_map(loadings)
    wide = [one.figure.get_size_inches()[0] * 2.54 for one in (narrow, map_, plot_map(loadings))]
    assert wide == pytest.approx([17, 17, 20.32])
    assert len(narrow.patches) < len(usual.patches)
    assert {text.get_fontsize() for text in narrow.texts} == {7, 8, 9}
    edges = narrow.figure.bbox.x1
    narrow.figure.draw_without_rendering()
    assert all(
        0 <= t.get_window_extent().x0 < t.get_window_extent().x1 <= edges for t in narrow.texts
    )
