"""Confusion matrices in files."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError

FACES = np.array([[8, 2, 0], [4, 6, 0], [1, 0, 9]])


@pytest.fixture
def write(tmp_path):
    def write(text, name="m.csv"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def same(found, expected):
    np.testing.assert_array_equal(found.index, expected.index)
    np.testing.assert_array_equal(found.errors, expected.errors)
    np.testing.assert_array_equal(found.trials, expected.trials)
    assert found.items.names == expected.items.names


@pytest.mark.parametrize("corner", ["", "shown"])
@pytest.mark.parametrize("names", [("x", "y", "z"), ("007", "1", "2.5"), ("low, short", "b", "c")])
def test_a_matrix_is_that_of_the_array(write, corner, names):
    quoted = [f'"{name}"' for name in names]
    lines = [",".join([corner, *quoted])]
    lines += [f"{name}," + ",".join(map(str, row)) for name, row in zip(quoted, FACES, strict=True)]
    expected = rs.Confusions.from_matrix(FACES, items=names)
    same(rs.read_confusion_matrix(write("\n".join(lines))), expected)


def test_columns_in_another_order_are_found_by_name(write):
    found = rs.read_confusion_matrix(write(",z,x,y\nx,0,8,2\ny,0,4,6\nz,9,1,0\n"))
    same(found, rs.Confusions.from_matrix(FACES, items=["x", "y", "z"]))


def test_counts_of_2afc_with_their_trials(write):
    errors, trials = np.triu([[0, 3, 5], [0, 0, 7], [0, 0, 0]]), np.triu(np.full((3, 3), 20), 1)
    lines = ",x,y,z\nx,0,3,5\ny,0,0,7\nz,0,0,0\n"
    expected = rs.Confusions.from_matrix(errors, trials, ["x", "y", "z"])
    turned = write(",z,y,x\nz,0,0,0\ny,20,0,0\nx,20,20,0\n", "trials.csv")
    same(rs.read_confusion_matrix(write(lines), trials=turned), expected)
    both = write(",x,y\nx,0,3\ny,3,0\n", "both.csv")
    one = rs.read_confusion_matrix(both, trials=20, mirrored=True)
    two = rs.read_confusion_matrix(both, trials=20, mirrored=False)
    assert (one.errors[0], one.trials[0], two.errors[0], two.trials[0]) == (3, 20, 6, 40)


def test_items_of_their_own(write):
    items = rs.Items(["z", "w", "y", "x"], features=np.eye(4))
    found = rs.read_confusion_matrix(write(",x,y,z\nx,8,2,0\ny,4,6,0\nz,1,0,9\n"), items)
    assert found.items is items
    assert found.index.tolist() == [[2, 3], [0, 3], [0, 2]]
    assert found.errors.tolist() == [6, 1, 0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (",x,y\nx,1,2\n", "m.csv: the rows are x|the columns are x, y"),
        (",x,y\nx,1,2\nx,1,2\n", "m.csv: the .* are x"),
        (",x,y\nx,1,2\ny,a,2\n", "m.csv, line 3: the count in column 'x' must be a number"),
        (",x,y\nx,1,2\ny,0.5,2\n", "m.csv, line 3: .*whole numbers"),
        (",x,y\nx,1,\ny,1,2\n", "m.csv, line 2: the count in column 'y' is empty"),
    ],
)
def test_what_is_no_matrix_is_refused_by_place(write, text, said):
    with pytest.raises(JudgmentError, match=said):
        rs.read_confusion_matrix(write(text))
