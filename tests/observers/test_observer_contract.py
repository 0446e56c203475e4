"""The promises of every observer."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.choice import Logistic, StudentT
from resemblance.errors import SettingError

POINTS = np.random.default_rng(0).normal(size=(7, 2))
MAKERS = {
    "space": lambda seed=None: rs.SpaceObserver(
        POINTS, StudentT(2.0), 0.1, temperature=2.0, weights=[0.5, 2.0], random_state=seed
    ),
    "inner": lambda seed=None: rs.SpaceObserver(POINTS, Logistic(), random_state=seed),
    "model": lambda seed=None: rs.ModelObserver(
        POINTS, "euclidean", temperature=0.5, lapse=0.1, random_state=seed
    ),
    "inattentive": rs.observers.InattentiveObserver,
    "sided": lambda seed=None: rs.observers.PositionBiasObserver(1, 0.8, seed),
}
TRIPLETS = rs.Triplets([[0, 1, 2], [3, 5, 4]], 7, response_id=[4, 4], extra={"rt": [7, 8]})
CHOICES = rs.Choices([0, 1], [[4, 5, 2], [6, 3, -1]], chosen=[5, 3], items=7, observer=["a", "b"])
QUADRUPLETS = rs.Quadruplets([[0, 1, 2, 3], [4, 5, 6, 0]], 7)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
class TestObserverContract:
    @pytest.mark.parametrize(
        "asked", [TRIPLETS, CHOICES, QUADRUPLETS], ids=lambda j: type(j).__name__
    )
    def test_probabilities_sum_to_one_over_the_options_there_are(self, make, asked):
        p = make().probabilities(asked)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        if asked is CHOICES:
            assert p.shape == (2, 3)
            assert p[1, 2] == 0.0
        np.testing.assert_array_equal(make().probability(asked), p[:, 0])

    @pytest.mark.parametrize("asked", [TRIPLETS, CHOICES], ids=lambda j: type(j).__name__)
    def test_answers_come_with_their_probabilities(self, make, asked):
        p = make().probabilities(asked)
        many = asked[np.repeat([0, 1], 3000)]
        chosen = make(0).answer(many).index[:, 1].reshape(2, -1)
        for options, found, expected in zip(asked.index[:, 1:], chosen, p, strict=True):
            share = (found == options[:, None]).mean(axis=1)
            np.testing.assert_allclose(share, expected, atol=0.04)

    @pytest.mark.parametrize("asked", [TRIPLETS, CHOICES], ids=lambda j: type(j).__name__)
    def test_questions_keep_their_options_and_what_goes_with_them(self, make, asked):
        answers = make(1).answer(asked)
        assert type(answers) is type(asked)
        np.testing.assert_array_equal(np.sort(answers.index), np.sort(asked.index))
        np.testing.assert_array_equal(answers.index[:, 0], asked.index[:, 0])
        assert answers.items is asked.items
        for note in ("response_id", "observer"):
            np.testing.assert_array_equal(getattr(answers, note), getattr(asked, note))
        assert answers.extra.keys() == asked.extra.keys()

    def test_one_random_state_gives_one_person(self, make):
        many = TRIPLETS[np.repeat([0, 1], 50)]
        first, again = (make(3).answer(many).index for _ in range(2))
        np.testing.assert_array_equal(first, again)

    def test_quadruplets_are_not_answered(self, make):
        with pytest.raises(SettingError, match="not Quadruplets"):
            make().answer(QUADRUPLETS)


def test_an_option_of_no_probability_is_never_picked():
    always = rs.observers.PositionBiasObserver(1, random_state=0)
    asked = CHOICES[np.ones(500, int)]
    assert (always.answer(asked).index[:, 1] == asked.index[:, 2]).all()


@pytest.mark.parametrize("asked", [CHOICES, rs.OddOneOuts([[0, 1, 2]], [0])])
def test_places_among_options_in_an_order_of_their_own_are_not_given(asked):
    with pytest.raises(SettingError, match="answered_by"):
        rs.observers.InattentiveObserver(random_state=0).pick(asked)


@pytest.mark.parametrize(("side", "share", "word"), [(2, 1.0, "side"), (0, 1.1, "share")])
def test_sides_and_shares_out_of_range(side, share, word):
    with pytest.raises(SettingError, match=word):
        rs.observers.PositionBiasObserver(side, share)
