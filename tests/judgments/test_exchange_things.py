"""Odd ones out as THINGS publishes them: text, arrays, and tables of raw responses."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import FileError, JudgmentError

ROWS = np.array([[4, 0, 7], [7, 9, 0], [0, 4, 9]])  # the last is odd


def answers(odd):
    """The odd one of each row, and the pair that was kept."""
    names = odd.items.names
    return [(names[row[0]], {names[i] for i in row[1:]}) for row in odd.index.tolist()]


EXPECTED = [(odd, {i, j}) for i, j, odd in ROWS.astype(str).tolist()]


@pytest.fixture
def table(tmp_path):
    """The same responses as they were given: images from 1, the odd one anywhere."""
    rows = ["8\t5\t1\t1\tann\t812", "8\t1\t10\t2\tann\t977", "1\t5\t10\t3\tbob\t1024"]
    header = "image1\timage2\timage3\tchoice\tsubject_id\tRT"
    path = tmp_path / "triplets.csv"
    path.write_text("\n".join([header, *rows]))
    return path


def test_every_format_says_the_same(tmp_path, table):
    (tmp_path / "trainset.txt").write_text("4 0 7\n\n7 9 0\n0 4 9\n")
    (tmp_path / "floats.txt").write_text("4.0e+00 0 7\n7 9 0.000e+00\n0 4 9\n")
    (tmp_path / "commas.csv").write_text(table.read_text().replace("\t", ","))
    np.save(tmp_path / "train_90.npy", ROWS)
    names = ("trainset.txt", "floats.txt", "train_90.npy", "triplets.csv", "commas.csv")
    for name in names:
        odd = rs.read_things(tmp_path / name)
        assert answers(odd) == EXPECTED, name
        assert odd.items.names == ("0", "4", "7", "9")


def test_tables_say_who_answered_and_what_else(table):
    odd = rs.read_things(table)
    assert odd.observer.tolist() == ["ann", "ann", "bob"]
    assert odd.extra["RT"].tolist() == [812, 977, 1024]
    assert set(odd.extra) == {"RT"}


def test_stimuli_lend_their_names_and_all_are_items(tmp_path, table):
    (tmp_path / "unique_id.txt").write_text("".join(f"thing{n}\n" for n in range(12)))
    np.save(tmp_path / "train_90.npy", ROWS)
    one = rs.read_things(table, tmp_path / "unique_id.txt")
    other = rs.read_things(tmp_path / "train_90.npy", tmp_path / "unique_id.txt")
    assert one.n_items == other.n_items == 12
    assert answers(one) == answers(other)
    assert answers(one)[0] == ("thing7", {"thing4", "thing0"})
    (tmp_path / "short.txt").write_text("a\nb\nc\nd\ne\nf\ng\nh\n")
    with pytest.raises(
        JudgmentError, match=r"row 1: there is no stimulus 9 \(from 0\) among the 8"
    ):
        rs.read_things(tmp_path / "train_90.npy", tmp_path / "short.txt")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1 2 3\n\n1 2\n", "line 3: give three numbers a line, the odd one last"),
        ("1 2 3\n1 2 cat\n", "line 2: give three numbers"),
        ("1 2 3 4\n", "line 1: give three numbers"),
        ("", "line 1: give three numbers"),
        ("1 2 3\n\n1 2 2\n", "line 3: the item .* is shown twice"),
        ("1 2 3\n1 2.5 3\n", "line 2: stimuli must be whole numbers"),
    ],
)
def test_lines_that_are_no_response_are_refused(tmp_path, text, problem):
    path = tmp_path / "trainset.txt"
    path.write_text(text)
    with pytest.raises((FileError, JudgmentError), match=f"trainset.txt, {problem}"):
        rs.read_things(path)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("10\t2\tann", "10\t4\tann", "line 3: choice is 4, but says which was odd"),
        ("8\t1\t10", "8\t0\t10", "line 3: images must be whole numbers from 1"),
        ("8\t1\t10", "8\t\t10", "line 3: image2 is empty"),
    ],
)
def test_rows_of_tables_that_cannot_be_are_refused(table, old, new, problem):
    table.write_text(table.read_text().replace(old, new))
    with pytest.raises(JudgmentError, match=problem):
        rs.read_things(table)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(FileError, match=r"a.csv has no column 'image1'; it has 'a', 'b'"):
        rs.read_things(tmp_path / "a.csv")
    np.save(tmp_path / "a.npy", np.zeros((2, 4)))
    with pytest.raises(FileError, match=r"has shape \(2, 4\): give three columns"):
        rs.read_things(tmp_path / "a.npy")
    with pytest.raises(FileError, match=r"unknown type '.mat'"):
        rs.read_things(tmp_path / "a.mat")
    with pytest.raises(FileError, match=r"gone.txt is not there"):
        rs.read_things(tmp_path / "gone.txt")
