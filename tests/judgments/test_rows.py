"""Common behaviour of rows: slices, pickles, and scikit-learn's splits."""

import copy
import pickle

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError
from resemblance.judgments import (
    CatchTrials,
    Choices,
    Confusions,
    PairRanks,
    Quadruplets,
    Ratings,
    SimilarPairs,
    Triplets,
)

M = 6
NOTES = {
    "weight": np.arange(1.0, M + 1),
    "response_id": np.repeat([5, 6, 7], 2),
    "observer": ["ann", "bob"] * 3,
    "extra": {"rt_ms": np.arange(M) * 10},
}
ROWS = {
    "triplets": Triplets([[i, i + 1, i + 2] for i in range(M)], items=20, **NOTES),
    "quadruplets": Quadruplets([[i, i + 1, i + 2, i + 3] for i in range(M)], items=20, **NOTES),
    "choices": Choices(
        range(M), [[i + 1, i + 2, i + 3 if i % 2 else -1] for i in range(M)], range(1, M + 1),
        items=20, **NOTES,
    ),
    "ranks": PairRanks([[i, i + 1] for i in range(M)], np.arange(M), items=20, **NOTES),
    "similar": SimilarPairs([[i, i + 1] for i in range(M)], np.arange(M) < 2, items=20, **NOTES),
    "confusions": Confusions(
        [[i, i + 1] for i in range(M)], np.arange(M), np.arange(M) + 9, items=20,
        **{name: note for name, note in NOTES.items() if name != "weight"},
    ),
    "ratings": Ratings(
        [[i, i + 1] for i in range(M)], np.arange(M) + 1, np.arange(M) + 4, items=20, **NOTES
    ),
    "catches": CatchTrials([[i, i, i + 1] for i in range(M)], items=20, **NOTES),
}  # fmt: skip
CUTS = {
    "slice": (slice(1, 4), [1, 2, 3]),
    "list": ([4, 0], [4, 0]),
    "mask": (np.array([True, False] * 3), [0, 2, 4]),
    "with the columns": ((np.array([2, 3]), ...), [2, 3]),
    "empty list": ([], []),
    "empty slice": (slice(0), []),
}


def same(one, other):
    assert type(one) is type(other)
    for name in one.per_row:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.extra.keys() == other.extra.keys()
    for name, column in one.extra.items():
        np.testing.assert_array_equal(column, other.extra[name])
    assert one.items.names == other.items.names


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize(("cut", "expected"), CUTS.values(), ids=CUTS)
def test_cut_takes_the_same_rows_of_everything(rows, cut, expected):
    expected = np.array(expected, dtype=int)
    part = rows[cut]
    assert type(part) is type(rows)
    np.testing.assert_array_equal(np.asarray(part), rows.index[expected])
    for name in rows.per_row:
        np.testing.assert_array_equal(getattr(part, name), getattr(rows, name)[expected])
    np.testing.assert_array_equal(part.extra["rt_ms"], expected * 10)
    assert part.n_items == 20
    assert part.shape == part.index.shape == (len(expected), rows.shape[1])
    assert part.index.dtype == np.int32
    assert part.index.flags.c_contiguous


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_copies_are_equal_and_frozen(rows, again):
    twin = again(rows)
    same(twin, rows)
    assert not twin.index.flags.writeable
    assert not twin.extra["rt_ms"].flags.writeable


def test_columns_are_no_index():
    with pytest.raises(IndexError, match=r"columns are in \.index"):
        ROWS["triplets"][:, 0]


def test_rows_never_change_not_even_through_what_was_given():
    given = np.array([[0, 1, 2]], dtype=np.int32)
    triplets = Triplets(given)
    given[0, 0] = 9
    assert triplets.index.tolist() == [[0, 1, 2]]
    with pytest.raises(ValueError, match="read-only"):
        triplets.index[0, 0] = 9
    with pytest.raises(AttributeError, match="never changes"):
        triplets.weight = None
    triplets.extra["new"] = 1
    assert triplets.extra == {}


@pytest.mark.parametrize(
    ("notes", "message"),
    [
        ({"weight": [1, -1]}, "row 1: weight must be a finite number from 0 upwards, not -1"),
        ({"weight": [np.nan, 1]}, "row 0: weight must be a finite number .*not nan"),
        ({"weight": [1, np.inf]}, "row 1: weight must be a finite number"),
        ({"weight": [1]}, r"weight has shape \(1,\) for 2 rows"),
        ({"weight": [[1], [1]]}, "weight must be one number per row"),
        ({"response_id": [1]}, r"response_id has shape \(1,\) for 2 rows"),
        ({"response_id": [1, 0.5]}, "row 1: response_id must be whole numbers, not 0.5"),
        ({"observer": ["a"] * 3}, r"observer has shape \(3,\) for 2 rows"),
        ({"observer": ["a", None]}, "row 1: the observer is missing"),
        ({"observer": ["a", np.nan]}, "row 1: the observer is missing"),
        ({"observer": [1.0, np.nan]}, "row 1: the observer is missing"),
        ({"extra": {"rt": [1]}}, r"rt has shape \(1,\) for 2 rows"),
        ({"extra": {"near": [1, 2]}}, "extra column 'near' has the name of a column of Triplets"),
        ({"extra": {"weight": [1, 2]}}, "extra column 'weight' has the name of a column"),
    ],
)
def test_bad_notes_are_refused(notes, message):
    with pytest.raises(JudgmentError, match=message):
        Triplets([[0, 1, 2], [1, 2, 0]], **notes)


MASKED = np.ma.array([1.0, 2.0], mask=[True, False])


@pytest.mark.parametrize(
    "use",
    [
        lambda: rs.Triplets(np.ma.array([[0, 1, 2]], mask=[[True, False, False]])),
        lambda: rs.Triplets([[0, 1, 2]] * 2, weight=MASKED),
        lambda: rs.Triplets([[0, 1, 2]] * 2, weight=["a", "b"]),
        lambda: rs.Triplets([[0, 1, 2]] * 2, weight=[1j, 2.0]),
        lambda: rs.Triplets([[0, 1, 2]] * 2, weight=[[1], [1, 2]]),
        lambda: rs.Triplets([[0, 1, 2]] * 2, observer=[["a"], ["b"]]),
        lambda: rs.PairRanks([[0, 1], [1, 2]], ["first", "second"]),
        lambda: rs.Items(features=MASKED[:, None]),
        lambda: rs.Items(features=[["a"], ["b"]]),
        lambda: rs.Arrangements([[0, 1, 2]], [[["a", "b"]] * 3]),
    ],
)
def test_what_is_no_number_or_masked_is_refused(use):
    with pytest.raises(JudgmentError):
        use()
