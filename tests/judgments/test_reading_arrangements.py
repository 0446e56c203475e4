"""Arrangements in files and tables: a row for each item of each trial."""

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.errors import FileError, JudgmentError

TRIALS = rs.Arrangements(
    [[0, 1, 2, -1], [3, 2, 1, 0]],
    np.linspace(-0.6, 0.6, 16).reshape(2, 4, 2) ** 2,
    ["ball", "box", "cup", "egg"],
    observer=["ann", "bob"],
    extra={"hand": ["left", "right"]},
)
ROWS = {
    "trial": [1, 1, 1, 2, 2, 2],
    "item": ["a", "b", "c", "b", "c", "d"],
    "x": [0.0, 0.1, 0.5, 0.0, 0.3, 0.9],
    "y": [0.0, 0.2, 0.5, 0.0, -0.4, 0.1],
}


def table(**changes):
    return pd.DataFrame(ROWS | changes)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_what_is_written_is_read(tmp_path, suffix):
    path = tmp_path / f"arranged{suffix}"
    TRIALS.write(path)
    found = rs.read_arrangements(path, TRIALS.items, radius=1.0)
    assert found.index.tolist() == TRIALS.index.tolist()
    assert np.array_equal(found.places, TRIALS.places, equal_nan=True)
    assert found.observer.tolist() == ["ann", "bob"]
    assert found.extra["hand"].tolist() == ["left", "right"]


def test_rows_of_a_trial_need_not_stand_together():
    mixed = table().iloc[[0, 3, 1, 4, 2, 5]]
    found, plain = rs.read_arrangements(mixed), rs.read_arrangements(table())
    assert found.index.tolist() == plain.index.tolist() == [[0, 1, 2], [1, 2, 3]]
    assert found.distances(1) == pytest.approx(plain.distances(1))


def test_trials_of_other_people_are_others():
    people = table(trial=1, observer=["ann"] * 3 + ["bob"] * 3)
    assert rs.read_arrangements(people).observer.tolist() == ["ann", "bob"]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"item": ["a", "b", "c", "b", "b", "d"]}, ["line 5", "'b'"]),
        ({"x": [0.0, 0.1, 0.5, 0.0, 1.3, 0.9]}, ["line 5", "'c'", "circle"]),
        ({"x": [0.0, 0.1, "far", 0.0, 0.3, 0.9]}, ["line 4", "'far'"]),
        ({"y": [0.0, 0.2, 0.5, np.nan, -0.4, 0.1]}, ["line 5", "y"]),
        ({"trial": [1, 1, 1, 2, 2, 3]}, ["line 5", "2 items"]),
        ({"hand": ["l", "l", "r", "l", "l", "l"]}, ["line 4", "hand", "'r'", "'l'"]),
        ({"item": ["a", "b", "", "b", "c", "d"]}, ["line 4", "item"]),
        ({"x": 0.1, "y": 0.1}, ["line 2", "a, b, c"]),
    ],
)
def test_bad_rows_are_named(tmp_path, changes, named):
    path = tmp_path / "arranged.csv"
    table(**changes).to_csv(path, index=False)
    with pytest.raises(JudgmentError) as refused:
        rs.read_arrangements(path, radius=1.0)
    assert all(word in str(refused.value) for word in (str(path), *named))


def test_a_column_that_is_missing_is_named(tmp_path):
    path = tmp_path / "arranged.csv"
    table().rename(columns={"item": "picture"}).to_csv(path, index=False)
    with pytest.raises(FileError, match=r"'item'.*'picture'"):
        rs.read_arrangements(path)
    assert len(rs.read_arrangements(path, columns={"item": "picture"})) == 2
