"""The choice of penalty and bandwidth."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError

X = np.linspace(-1, 1, 9)[:, None]
PAIRS = np.column_stack(np.triu_indices(9, 1))
GAP = np.abs(np.exp(X[PAIRS[:, 0]]) - np.exp(X[PAIRS[:, 1]])).ravel()
COUNTS = rs.Confusions(
    PAIRS,
    np.random.default_rng(0).binomial(80, 0.5 * np.exp(-(GAP**2))),
    80,
    rs.Items(features=X),
)
GRID = {"penalties": [1e-3, 1.0], "bandwidths": [0.5, 2.0]}


def test_a_walk_scores_as_fits_from_scratch():
    """In 25 draws .0002 apart at most; with few trials a walk may end in another optimum."""
    p = 0.5 * np.exp(-(GAP**2))
    errors = np.random.default_rng(0).binomial(2000, p)
    counts = rs.Confusions(PAIRS, errors, 2000, rs.Items(features=X))
    found = rs.YadaCV(rs.Yada(1), **GRID, cv=3).fit(counts)
    for row, bandwidth in enumerate(GRID["bandwidths"]):
        for column, penalty in enumerate(GRID["penalties"]):
            scores = [
                rs.Yada(1, penalty=penalty, bandwidth=bandwidth).fit(counts[a]).score(counts[b])
                for a, b in found._folds().split(counts)
            ]
            assert found.scores_[row, column] == pytest.approx(np.mean(scores), abs=2e-3)
    best = found.scores_.max()
    row = GRID["bandwidths"].index(found.best_bandwidth_)
    column = GRID["penalties"].index(found.best_penalty_)
    assert found.scores_[row, column] == best == found.best_score_


def test_one_process_and_two_find_the_same():
    one, two = (rs.YadaCV(rs.Yada(1), **GRID, n_jobs=jobs).fit(COUNTS) for jobs in (1, 2))
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.transform(X), two.best_estimator_.embedding_)


def test_the_estimator_keeps_its_other_settings():
    found = rs.YadaCV(rs.Yada(1, choice="exponential", lapse=0.1), **GRID).fit(COUNTS)
    assert found.best_estimator_.choice_ == rs.choice.Exponential(lapse=0.1)
    assert found.score(COUNTS) > found.best_score_ - 0.02


def test_other_judgments_are_refused():
    with pytest.raises(JudgmentError, match="Confusions, not Triplets"):
        rs.YadaCV().fit(rs.Triplets([[0, 1, 2]]))
