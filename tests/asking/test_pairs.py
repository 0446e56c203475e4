"""Choosing the pairs to test next."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, ResemblanceError, SettingError
from resemblance.fitting import MapUncertainty

X = np.linspace(-1, 1, 8)[:, None]
SEEN = np.exp(1.5 * X)
EVERY = np.column_stack(np.triu_indices(8, 1))


def counts_of(rows, trials, rng):
    d = np.abs(SEEN[rows[:, 0]] - SEEN[rows[:, 1]]).ravel()
    errors = rng.binomial(trials, 0.5 * np.exp(-(d**2)))
    return rs.Confusions(rows, errors, trials, rs.Items(features=X))


@pytest.fixture(scope="module")
def study():
    counts = counts_of(EVERY[::3], 40, np.random.default_rng(0))
    return rs.Yada(1, penalty=0.01).fit(counts), counts


def test_the_first_pair_is_the_best_by_brute_force(study):
    model, counts = study
    belief = MapUncertainty(model, counts)
    J_t = belief.distance_rows(EVERY)
    before = np.einsum("ti,ij,tj->t", J_t, belief.covariance, J_t).sum()
    gains = []
    for pair in EVERY:
        J = belief.information_rows(pair[None], 20)
        after = np.linalg.inv(np.linalg.inv(belief.covariance) + J.T @ J)
        gains.append(before - np.einsum("ti,ij,tj->t", J_t, after, J_t).sum())
    chosen = rs.asking.next_pairs(model, counts, 1, trials=20)[0]
    np.testing.assert_array_equal(chosen, EVERY[int(np.argmax(gains))])


def test_pairs_of_one_call_are_different_candidates(study):
    model, counts = study
    chosen = rs.asking.next_pairs(model, counts, 6, candidates=EVERY[:10])
    assert len({tuple(pair) for pair in chosen.tolist()}) == 6
    assert {tuple(p) for p in chosen.tolist()} <= {tuple(p) for p in EVERY[:10].tolist()}


def test_bad_settings_are_refused(study):
    model, counts = study
    with pytest.raises(SettingError, match="n_pairs is 99"):
        rs.asking.next_pairs(model, counts, 99)
    with pytest.raises(SettingError, match="trials is 0"):
        rs.asking.next_pairs(model, counts, 1, trials=0)


def test_pairs_to_rate_are_about_what_no_rating_has_told():
    rng = np.random.default_rng(0)
    space = rng.normal(size=(9, 2))
    every = np.column_stack(np.triu_indices(9, 1))
    known = every[(every < 8).all(axis=1)]  # the last item is in no rating
    ratings = rs.SpaceObserver(space, random_state=0).rate(known, 7, rs.Items(9))
    model = rs.STE(2, random_state=0).fit(ratings)
    chosen = rs.asking.next_pairs(model, ratings, 4)
    assert (chosen == 8).any(axis=1).sum() >= 2
    assert len({tuple(pair) for pair in chosen.tolist()}) == 4


@pytest.mark.parametrize(
    "pairs",
    [[[0.9, 2]], [[0, -1]], [[0, 8]], [[1, 1]], [[0, 1], [1, 0]], [[0, 1, 2]], [["a", "b"]]],
)
def test_what_is_no_pair_is_refused(study, pairs):
    for name in ("candidates", "targets"):
        with pytest.raises(ResemblanceError, match=name):
            rs.asking.next_pairs(*study, 1, **{name: pairs})


def test_a_model_of_other_items_is_refused(study):
    model, counts = study
    others = rs.Confusions(counts.index, counts.errors, 40, rs.Items(list("abcdefgh"), X))
    with pytest.raises(JudgmentError, match="other items"):
        rs.asking.next_pairs(model, others, 1)
