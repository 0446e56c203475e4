import numpy as np
import pytest

from resemblance.errors import FileError
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
    with pytest.raises(FileError, match=r"\.png, \.svg, \.pdf or \.html"):
        save_map(np.eye(3), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileError, match=r"no folder .*nowhere"):
        save_map(np.eye(3), tmp_path / "nowhere" / "map.png")
