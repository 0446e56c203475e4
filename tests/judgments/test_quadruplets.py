import pytest

from resemblance.errors import JudgmentError
from resemblance.judgments import Quadruplets


def test_comparisons_are_the_two_pairs():
    (comparison,) = Quadruplets([[0, 1, 2, 3], [4, 0, 4, 1]]).comparisons()
    (a, b), (c, d) = comparison.pairs
    assert [x.tolist() for x in (a, b, c, d)] == [[0, 4], [1, 0], [2, 4], [3, 1]]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1, 1, 2, 3], "row 1: a and b are both '1'"),
        ([1, 2, 3, 3], "row 1: c and d are both '3'"),
        ([1, 2, 1, 2], "row 1: both pairs are '1' with '2'"),
        ([1, 2, 2, 1], "row 1: both pairs are '1' with '2'"),
        ([1, 2, 2, -1], "row 1: ids must be whole numbers"),
    ],
)
def test_bad_rows_are_refused(row, message):
    with pytest.raises(JudgmentError, match=message):
        Quadruplets([[0, 1, 2, 3], row])
