import numpy as np
import pytest

from resemblance.errors import JudgmentError
from resemblance.judgments import Triplets


def test_comparisons_are_the_two_pairs():
    (comparison,) = Triplets([[0, 1, 2], [3, 4, 0]]).comparisons()
    (head, near), (again, far) = comparison.pairs
    assert comparison.rows == slice(None)
    assert [head.tolist(), near.tolist(), far.tolist()] == [[0, 3], [1, 4], [2, 0]]
    assert again is head
    assert all(a.dtype == np.int32 and a.flags.c_contiguous for a in (head, near, far))


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, np.float64])
def test_any_whole_numbers_are_positions(dtype):
    triplets = Triplets(np.array([[0, 1, 2]], dtype=dtype))
    assert triplets.index.dtype == np.int32
    assert triplets.index.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ([[0, 1, 2], [0, 0, 1]], "row 1: the head '0' is also among its options"),
        ([[0, 1, 2], [1, 0, 1]], r"row 1: the head '1' .*Triplets\.split_catches"),
        ([[0, 1, 2], [0, 1, 1]], "row 1: near and far are both '1'"),
        ([[0, 1, 2], [0, -1, 1]], "row 1: ids must be whole numbers from 0 upwards, not -1"),
        ([[0, 1, 2], [0, 1.5, 1]], "row 1: ids must be whole numbers from 0 upwards, not 1.5"),
        ([[0, 1, np.nan], [0, 1, 2]], "row 0: ids must be whole numbers .*not nan"),
        ([[0, 1, np.inf], [0, 1, 2]], "row 0: ids must be whole numbers .*not inf"),
        ([[0, 1, 2**31], [0, 1, 2]], "row 0: ids must be whole numbers .*not 2147483648"),
        (np.empty((0, 3)), "there are no ids: give one row at least"),
        ([], r"Triplets need an array of shape \(rows, 3\)"),
        ([[0, 1]], r"columns head, near, far, not of shape \(1, 2\)"),
        ([[0, 0, 0]], "there is only one item, '0'"),
    ],
)
def test_bad_rows_are_refused(index, message):
    with pytest.raises(JudgmentError, match=message):
        Triplets(index)


def test_position_beyond_the_items_is_refused():
    with pytest.raises(JudgmentError, match=r"row 1: id 3 is not among the 3 items.* 0 to 2"):
        Triplets([[0, 1, 2], [0, 3, 1]], items=3)


def test_validation_makes_no_large_copies():
    tracemalloc = pytest.importorskip("tracemalloc")
    index = np.tile(np.array([[0, 1, 2]], dtype=np.int32), (500_000, 1))
    tracemalloc.start()
    Triplets(index)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * index.nbytes
