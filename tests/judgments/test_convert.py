import itertools

import numpy as np
import pytest

from resemblance.errors import JudgmentError
from resemblance.judgments import (
    Choices,
    Quadruplets,
    Triplets,
    as_judgments,
    triplets_from_choices,
    triplets_from_odd_one_out,
    triplets_from_ranks,
)


def rows_by_response(triplets):
    return {
        int(g): sorted(map(tuple, triplets.index[triplets.response_id == g].tolist()))
        for g in np.unique(triplets.response_id)
    }


def test_arrays_become_judgments_by_their_width():
    assert isinstance(as_judgments(np.array([[0, 1, 2]])), Triplets)
    assert isinstance(as_judgments([[0, 1, 2, 3]]), Quadruplets)
    choices = Choices([0], [[1, 2]], [1])
    assert as_judgments(choices) is choices


@pytest.mark.parametrize("bad", [[[0, 1]], [0, 1, 2], 3, np.zeros((2, 3, 4))])
def test_other_arrays_are_refused(bad):
    with pytest.raises(JudgmentError, match="holds no judgments: give three columns"):
        as_judgments(bad)


def test_odd_one_of_three_gives_two_triplets():
    triplets = triplets_from_odd_one_out(
        [[4, 1, 2], [0, 2, 3]], [1, 3], weight=[2, 3], observer=["a", "b"]
    )
    assert rows_by_response(triplets) == {0: [(2, 4, 1), (4, 2, 1)], 1: [(0, 2, 3), (2, 0, 3)]}
    assert triplets.weight.tolist() == [2, 2, 3, 3]
    assert triplets.observer.tolist() == ["a", "a", "b", "b"]


def test_odd_one_of_many_matches_plain_loops():
    options = [[0, 1, 2, 3, 4], [5, 3, 1, 0, -1], [2, 4, 5, -1, -1]]
    odd = [2, 5, 4]
    triplets = triplets_from_odd_one_out(options, odd, items=9, response_id=[7, 8, 9])
    expected = {
        number: sorted(
            (i, j, out)
            for i, j in itertools.permutations([o for o in row if o not in (out, -1)], 2)
        )
        for row, out, number in zip(options, odd, [7, 8, 9], strict=True)
    }
    assert rows_by_response(triplets) == expected
    assert triplets.n_items == 9


def test_choices_give_one_triplet_per_other_option():
    choices = Choices(
        [0, 4], [[3, 1, 2], [-1, 0, 2]], [2, 0], items=6, observer=["a", "b"], extra={"rt": [5, 6]}
    )
    triplets = triplets_from_choices(choices)
    assert rows_by_response(triplets) == {0: [(0, 2, 1), (0, 2, 3)], 1: [(4, 0, 2)]}
    assert triplets.extra["rt"].tolist() == [5, 5, 6]
    assert triplets.items is choices.items


def test_a_choice_of_two_is_its_triplet():
    index = np.array([[0, 1, 2], [3, 2, 0]])
    choices = Choices(index[:, 0], index[:, 1:], index[:, 1])
    np.testing.assert_array_equal(triplets_from_choices(choices), index)


def test_ranks_match_plain_loops():
    ranking = [[3, 1, 2, 4], [0, 2, 3, -1]]
    expected = {
        row: sorted(
            (head, i, j) for i, j in itertools.combinations([r for r in order if r >= 0], 2)
        )
        for row, (head, order) in enumerate(zip([0, 1], ranking, strict=True))
    }
    assert rows_by_response(triplets_from_ranks([0, 1], ranking)) == expected


def test_neighbouring_ranks_only():
    triplets = triplets_from_ranks([0], [[3, 1, 2]], adjacent=True, response_id=[4])
    assert rows_by_response(triplets) == {4: [(0, 1, 2), (0, 3, 1)]}


@pytest.mark.parametrize(
    ("convert", "message"),
    [
        (lambda: triplets_from_odd_one_out([[0, 1, 2]], [3]), "row 0: the odd item 3 is not among"),
        (lambda: triplets_from_odd_one_out([[0, 1, -1]], [0]), "fewer than 3 options"),
        (lambda: triplets_from_odd_one_out([[0, 1, 1]], [0]), "row 0: the item '1' is shown twice"),
        (lambda: triplets_from_odd_one_out([[0, 1, 2]], [0], weight=[1, 2]), "for 1 rows"),
        (lambda: triplets_from_ranks([0, 0], [[1, 2], [1, 0]]), "row 1: the head '0' is also"),
        (lambda: triplets_from_ranks([0], [[1, -1, 2]]), "row 0: the ranking has a gap"),
        (lambda: triplets_from_ranks([0], [[1, 1, 2]]), "option 1 is repeated"),
    ],
)
def test_bad_responses_are_refused(convert, message):
    with pytest.raises(JudgmentError, match=message):
        convert()
