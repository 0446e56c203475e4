import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import SettingError, UnknownQuestionError

SPACE = 3 * np.random.default_rng(0).normal(size=(40, 2))
MODEL = rs.STE(2).set_positions(SPACE)


def test_posterior_is_the_product_of_choice_probabilities():
    search = rs.Search(MODEL, 4)
    shown = search.show()
    search.choose(shown[2])
    d = ((SPACE[:, None] - SPACE[list(shown)]) ** 2).sum(axis=2)
    expected = np.exp(-d[:, 2]) / np.exp(-d).sum(axis=1)
    np.testing.assert_allclose(search.posterior(), expected / expected.sum())
    search.back()
    np.testing.assert_allclose(search.posterior(), 1 / 40)


@pytest.mark.parametrize("n_options", [2, 5, 9])
def test_shown_items_differ_and_find_the_target(n_options):
    search = rs.Search(MODEL, n_options, random_state=0)
    for _ in range(14):
        shown = search.show()
        assert len(set(shown)) == n_options
        search.choose(min(shown, key=lambda item: ((SPACE[item] - SPACE[17]) ** 2).sum()))
    assert search.ranking()[0] == 17


def test_adaptive_questions_find_sooner_than_random_ones():
    person = rs.SpaceObserver(SPACE, random_state=0)
    rank = {
        adaptive: rs.twenty_questions(MODEL, person, n_questions=8, adaptive=adaptive).mean()
        for adaptive in (True, False)
    }
    assert rank[True] < rank[False] - 0.3


def test_bad_use():
    with pytest.raises(SettingError, match="from 2 to 40"):
        rs.Search(MODEL, 41)
    with pytest.raises(SettingError, match="Hinge"):
        rs.Search(rs.GNMDS(2).set_positions(SPACE))
    search = rs.Search(MODEL, 3)
    with pytest.raises(UnknownQuestionError, match="not among those shown"):
        search.choose(1)
