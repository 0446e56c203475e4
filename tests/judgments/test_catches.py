import numpy as np
import pytest

from resemblance.errors import JudgmentError
from resemblance.judgments import CatchTrials, Choices, Triplets, as_judgments

INDEX = [[0, 1, 2], [0, 0, 4], [1, 2, 0], [2, 1, 2]]
OBSERVER = ["ann", "ann", "bob", "bob"]


@pytest.fixture
def triplets():
    return Triplets.split_catches(INDEX, observer=OBSERVER, extra={"rt": [1, 2, 3, 4]})


def test_split_keeps_every_row_on_one_side(triplets):
    assert triplets.index.tolist() == [INDEX[0], INDEX[2]]
    assert triplets.catches.index.tolist() == [INDEX[1], INDEX[3]]
    assert triplets.catches.extra["rt"].tolist() == [2, 4]
    assert triplets.n_items == triplets.catches.n_items == 5


def test_split_of_clean_rows_is_the_constructor():
    assert Triplets.split_catches(INDEX[:1]).catches is None
    np.testing.assert_array_equal(Triplets.split_catches(INDEX[:1]), Triplets(INDEX[:1]))


def test_passing_is_choosing_the_head(triplets):
    assert triplets.catches.passed.tolist() == [True, False]
    assert triplets.catches.pass_rate == 0.5
    assert triplets.catches.pass_rates_by_observer() == {"ann": 1.0, "bob": 0.0}


def test_choices_split_alike(triplets):
    index = np.array(INDEX)
    choices = Choices.split_catches(index[:, 0], index[:, 1:], index[:, 1])
    np.testing.assert_array_equal(choices, triplets)
    np.testing.assert_array_equal(choices.catches, triplets.catches)


def test_a_slice_has_no_catches(triplets):
    assert triplets[:].catches is None
    assert triplets.merge_repeats(drop_extra=True).catches is None


def test_catches_are_never_fitted(triplets):
    with pytest.raises(JudgmentError, match="CatchTrials are not comparisons"):
        as_judgments(triplets.catches)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CatchTrials([[0, 0, 1], [0, 1, 2]]), "row 1: the head is not among"),
        (lambda: CatchTrials([[0, 0, 1], [1, -1, 1]]), "row 1: the head is not among"),
        (lambda: CatchTrials([[0, 0]]), "need a head, the option chosen and others"),
        (lambda: Triplets.split_catches([[0, 0, 1]]), "every row is a catch trial"),
        (lambda: Triplets.split_catches([[0, 1, 2], [0, 0, 0]]), "row 1: near and far are both"),
        (lambda: CatchTrials([[0, 0, 1]]).pass_rates_by_observer(), "give observer="),
    ],
)
def test_bad_catches_are_refused(make, message):
    with pytest.raises(JudgmentError, match=message):
        make()
