import pytest

from resemblance.errors import JudgmentError
from resemblance.judgments import PairRanks


def test_ranks_go_with_their_pairs():
    ranks = PairRanks([[0, 1], [0, 2], [1, 2]], [3, 1.5, 1.5], items=["a", "b", "c"])
    assert ranks[[2, 0]].ranks.tolist() == [1.5, 3]
    assert ranks.shape == (3, 2)


@pytest.mark.parametrize(
    ("pairs", "ranks", "message"),
    [
        ([[0, 1], [2, 2]], [1, 2], "row 1: '2' is paired with itself"),
        ([[0, 1], [0, 2]], [1, float("nan")], "row 1: ranks must be a finite number, not nan"),
        ([[0, 1], [0, 2]], [1], r"ranks of shape \(1,\) for 2 pairs: give one per pair"),
        ([[0, 1, 2]], [1], "shape .rows, 2. with the columns a, b"),
    ],
)
def test_bad_ranks_are_refused(pairs, ranks, message):
    with pytest.raises(JudgmentError, match=message):
        PairRanks(pairs, ranks)
