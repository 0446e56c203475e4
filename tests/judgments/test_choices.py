import numpy as np
import pytest

from resemblance.errors import JudgmentError
from resemblance.judgments import Choices


def pairs_of(judgments):
    """The compared pairs of each row, chosen first, as plain lists."""
    found = {}
    for comparison in judgments.comparisons():
        rows = np.arange(len(judgments))[comparison.rows]
        for place, row in enumerate(rows):
            found[int(row)] = [(int(a[place]), int(b[place])) for a, b in comparison.pairs]
    return [found[row] for row in range(len(judgments))]


def test_index_is_head_chosen_others():
    choices = Choices([0, 4], [[3, 1, 2], [-1, 0, 2]], chosen=[2, 0])
    assert choices.index.tolist() == [[0, 2, 1, 3], [4, 0, 2, -1]]
    assert choices.n_options.tolist() == [3, 2]


def test_comparisons_by_number_of_options():
    choices = Choices([0, 4, 1], [[3, 1, 2], [-1, 0, 2], [0, 2, 3]], chosen=[2, 0, 3])
    assert [len(c.pairs) for c in choices.comparisons()] == [2, 3]
    assert pairs_of(choices) == [
        [(0, 2), (0, 1), (0, 3)],
        [(4, 0), (4, 2)],
        [(1, 3), (1, 0), (1, 2)],
    ]
    assert pairs_of(choices[[2, 1]]) == [pairs_of(choices)[2], pairs_of(choices)[1]]


@pytest.mark.parametrize(
    ("head", "options", "chosen", "message"),
    [
        (0, [1, 2, 3], 4, "row 1: the chosen item 4 is not among the options"),
        (0, [1, 2, 2], 1, "row 1: the option 2 is repeated"),
        (0, [1, 1, 2], 1, "row 1: the option 1 is repeated"),
        (0, [1, -1, -1], 1, "row 1: there are fewer than 2 options"),
        (0, [1, 2, 0], 1, r"row 1: the head '0' is also among .*Choices\.split_catches"),
        (-1, [1, 2, 3], 1, "row 1: heads must be whole numbers from 0 upwards, not -1"),
        (0, [1, 2, -2], 1, "row 1: options must be whole numbers from -1 upwards, not -2"),
        (0, [1, 2, 3], 0.5, "row 1: chosen items must be whole numbers"),
    ],
)
def test_bad_rows_are_refused(head, options, chosen, message):
    with pytest.raises(JudgmentError, match=message):
        Choices([0, head], [[1, 2, 3], options], [1, chosen])


def test_lengths_must_agree():
    with pytest.raises(JudgmentError, match="one per row"):
        Choices([0], [[1, 2], [1, 2]], [1, 1])
    with pytest.raises(JudgmentError, match="one chosen item per row"):
        Choices([0, 0], [[1, 2], [1, 2]], [1])


@pytest.mark.parametrize(
    ("head", "options"), [([0, 0], [[1, 2, 3], [1, 2]]), (0, [[1, 2, 3]]), ([0], [[1], [2, 3]])]
)
def test_what_is_no_array(head, options):
    with pytest.raises(JudgmentError):
        Choices(head, options, [1])
