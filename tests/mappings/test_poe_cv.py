import numpy as np
import pytest

import resemblance as rs

N = 30
RNG = np.random.default_rng(0)
SPACE = RNG.normal(size=(N, 2))
ASKED = [RNG.choice(N, 3, replace=False) for _ in range(400)]
INDEX = rs.SpaceObserver(2 * SPACE, random_state=0).answer(ASKED).index
TRIPLETS = rs.Triplets(INDEX, rs.Items(features=SPACE), response_id=np.arange(400) // 4)
BETAS = [0.1, 10.0, 1000.0]


def test_scores_are_those_of_separate_fits():
    search = rs.POECV(rs.POE(tol=1e-4), betas=BETAS[::-1], cv=3, random_state=1).fit(TRIPLETS)
    folds = list(rs.GroupedKFold(3, random_state=1).split(TRIPLETS))
    for row, beta in enumerate(BETAS):
        for column, (train, test) in enumerate(folds):
            alone = rs.POE(beta=beta, tol=1e-4).fit(TRIPLETS[train]).score(TRIPLETS[test])
            assert search.scores_[row, column] == pytest.approx(alone, abs=0.03)
    means = search.scores_.mean(axis=1)
    assert search.best_beta_ == BETAS[int(means.argmax())]
    assert search.best_score_ == means.max() > 0.8
    assert search.best_estimator_.beta == search.best_beta_
    assert search.score(TRIPLETS) == search.best_estimator_.score(TRIPLETS)
    assert search.transform(SPACE[:2]).shape[0] == 2
    assert set(search.predict(TRIPLETS)) <= {-1, 0, 1}


def test_groups_are_never_divided():
    for train, test in rs.POECV(cv=4)._folds().split(TRIPLETS):
        assert not set(TRIPLETS.response_id[train]) & set(TRIPLETS.response_id[test])


def test_several_kernels_with_items_held_out():
    views = {"seen": SPACE, "noise": RNG.normal(size=(N, 2))}
    triplets = rs.Triplets(INDEX, rs.Items(features=views))
    folds = rs.ItemKFold(3, random_state=0)
    search = rs.MKPOECV(betas=BETAS, cv=folds, n_jobs=1).fit(triplets)
    assert search.best_beta_ > BETAS[0]
    assert search.best_estimator_.kernel_weights_["seen"] > 0.6
    given = rs.MKPOECV(betas=BETAS, cv=list(folds.split(triplets))).fit(triplets)
    np.testing.assert_array_equal(given.scores_, search.scores_)
