"""Triplets as cblearn reads them: positions in the order of the answer."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import FileError, JudgmentError


def test_the_archive_holds_everything(tmp_path):
    triplets = rs.Triplets(
        [[0, 2, 1], [3, 0, 2]],
        items=["a", "b", "c", "d", "e"],
        weight=[1.0, 2.0],
        observer=["ann", "bob"],
    )
    rs.write_cblearn(triplets, tmp_path / "triplets.npz")
    with np.load(tmp_path / "triplets.npz") as arrays:
        assert set(arrays) == {"triplets", "items", "weight", "observer"}
        assert arrays["triplets"].dtype == np.uint32  # as cblearn's checks make it
        back = rs.Triplets(arrays["triplets"], arrays["items"], arrays["weight"])
    np.testing.assert_array_equal(back.index, triplets.index)
    assert back.items.names == triplets.items.names


def test_the_text_is_numbers_under_the_names(tmp_path):
    quadruplets = rs.Quadruplets([[0, 1, 2, 3], [3, 1, 2, 0]], items=["a", "b, c", "#d", "e"])
    rs.write_cblearn(quadruplets, tmp_path / "four.csv")
    read = np.loadtxt(tmp_path / "four.csv", delimiter=",", dtype=int)
    np.testing.assert_array_equal(read, quadruplets.index)
    header = (tmp_path / "four.csv").read_text().splitlines()[:4]
    assert header == ["# 0 a", "# 1 b, c", "# 2 #d", "# 3 e"]


def test_what_cblearn_does_not_take_is_refused(tmp_path):
    with pytest.raises(JudgmentError, match=r"no Choices: .*triplets_from_choices"):
        rs.write_cblearn(rs.Choices([0], [[1, 2]], chosen=[1]), tmp_path / "a.npz")
    with pytest.raises(FileError, match=r"unknown type '.txt': use .npz or .csv"):
        rs.write_cblearn(rs.Triplets([[0, 1, 2]]), tmp_path / "a.txt")
    with pytest.raises(FileError, match="cannot be written"):
        rs.write_cblearn(rs.Triplets([[0, 1, 2]]), tmp_path / "gone" / "a.npz")
