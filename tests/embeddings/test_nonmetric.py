import itertools
import warnings

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.isotonic import isotonic_regression
from sklearn.manifold import smacof

import resemblance as rs
from resemblance.errors import (
    DisconnectedWarning,
    JudgmentError,
    NotConvergedWarning,
    SettingError,
    UndeterminedWarning,
    UnmentionedWarning,
)

N = 15
PAIRS = np.array(list(itertools.combinations(range(N), 2)))


@pytest.fixture(scope="module")
def space():
    return np.random.default_rng(0).normal(size=(N, 2))


def ranks_of(space, noise=0.0, rows=slice(None), seed=0):
    d = np.linalg.norm(space[PAIRS[:, 0]] - space[PAIRS[:, 1]], axis=1)
    d = d + np.random.default_rng(seed).normal(0, noise, len(d))
    return rs.PairRanks(PAIRS[rows], rankdata(d[rows]), items=N)


def test_recovers_the_space_from_ranks_alone(space):
    model = rs.NonmetricMDS(random_state=0).fit(ranks_of(space))
    assert rs.procrustes_distance(space, model.embedding_) < 0.01
    assert model.score(ranks_of(space)) > 0.99


def stress_1(X, ranked):
    """Kruskal's stress-1 of positions, by which both are judged.

    What smacof returns is none before scikit-learn 1.7: it replaced the distances by disparities
    above the diagonal only, so the other half of them counted as fitted perfectly.
    """
    a, b = ranked.index[np.argsort(ranked.ranks)].T
    d = np.linalg.norm(X[a] - X[b], axis=1)
    return np.sqrt(((d - isotonic_regression(d)) ** 2).sum() / (d**2).sum())


def test_no_worse_than_scikit_learn_on_complete_ranks(space):
    ranked = ranks_of(space, noise=0.4)
    D = np.zeros((N, N))
    D[tuple(PAIRS.T)] = ranked.ranks
    settings = {"n_init": 3, "random_state": 0, "eps": 1e-9, "max_iter": 2000}
    theirs = smacof(D + D.T, metric=False, normalized_stress=True, **settings)[0]
    ours = rs.NonmetricMDS(random_state=0).fit(ranked)
    assert stress_1(ours.embedding_, ranked) <= stress_1(theirs, ranked) * 1.01
    assert ours.stress_ == pytest.approx(stress_1(ours.embedding_, ranked), rel=1e-6)


def test_any_rising_change_of_the_ranks_is_the_same_fit(space):
    ranked = ranks_of(space, noise=0.4)
    model = rs.NonmetricMDS(random_state=0, n_init=3)
    warped = rs.PairRanks(PAIRS, np.exp(ranked.ranks / 40), items=N)
    a, b = clone(model).fit(ranked), clone(model).fit(warped)
    assert a.stress_ == pytest.approx(b.stress_, rel=0.05)


def test_weights_equal_repeats(space):
    ranked = ranks_of(space, noise=0.4)
    w = np.random.default_rng(0).integers(1, 3, len(PAIRS))
    weighted = rs.PairRanks(PAIRS, ranked.ranks, items=N, weight=w.astype(float))
    repeated = rs.PairRanks(np.repeat(PAIRS, w, axis=0), np.repeat(ranked.ranks, w), items=N)
    a, b = (rs.NonmetricMDS(random_state=0, n_init=1).fit(x) for x in (weighted, repeated))
    assert a.stress_ == pytest.approx(b.stress_, rel=1e-3)


def test_settings_and_data_are_checked(space):
    with pytest.raises(JudgmentError, match="PairRanks"):
        rs.NonmetricMDS().fit([[0, 1, 2]])
    with pytest.raises(SettingError, match="between 1 and 14"):
        rs.NonmetricMDS(0).fit(ranks_of(space))
    with pytest.raises(SettingError, match="n_init"):
        rs.NonmetricMDS(n_init=0).fit(ranks_of(space))
    with pytest.warns(NotConvergedWarning, match="max_iter=2"):
        rs.NonmetricMDS(max_iter=2, random_state=0).fit(ranks_of(space, noise=0.5))


def test_a_descent_starts_where_it_is_told():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 2))
    pairs = np.column_stack(np.triu_indices(9, 1))
    d = np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1)
    ranks = rs.PairRanks(pairs, rankdata(d), items=rs.Items(features=X))
    for init in ("features", X):
        fitted = rs.NonmetricMDS(2, n_init=1, init=init).fit(ranks)
        assert fitted.stress_ < 1e-6  # the start is the answer
        assert fitted.n_iter_ <= 3
    assert rs.NonmetricMDS(2, n_init=1, init="random", random_state=0).fit(ranks).n_iter_ > 3
    with pytest.raises(SettingError, match="init is 'best'"):
        rs.NonmetricMDS(init="best").fit(ranks)
    with pytest.raises(SettingError, match="shape"):
        rs.NonmetricMDS(init=X[:3]).fit(ranks)
    with pytest.raises(SettingError, match="have features"):
        rs.NonmetricMDS(init="features").fit(rs.PairRanks(pairs, rankdata(d)))


@pytest.mark.parametrize(("noise", "d"), [(0.2, 1), (1.5, 2)])
def test_the_stress_is_that_of_kruskal(space, noise, d):
    """Of the distances and their isotonic regression as it is, however large it is."""
    ranked = ranks_of(space, noise=noise)
    model = rs.NonmetricMDS(d, n_init=2, random_state=0).fit(ranked)
    assert model.stress_ == pytest.approx(stress_1(model.embedding_, ranked), rel=1e-6)


def test_parts_and_items_without_a_pair_are_told(space):
    inside = [pair for pair in PAIRS.tolist() if pair[1] < 6 or pair[0] > 6]
    pairs = np.array([pair for pair in inside if 6 not in pair])
    d = np.linalg.norm(space[pairs[:, 0]] - space[pairs[:, 1]], axis=1)
    with pytest.warns(UnmentionedWarning, match="6"), pytest.warns(DisconnectedWarning):
        model = rs.NonmetricMDS(random_state=0).fit(rs.PairRanks(pairs, rankdata(d), items=N))
    assert model.unmentioned_.tolist() == [6]
    assert model.parts_.tolist() == [0] * 6 + [-1] + [1] * 8
    others = np.delete(model.embedding_, 6, axis=0)
    np.testing.assert_allclose(model.embedding_[6], others.mean(axis=0), atol=1e-9)


def test_pairs_that_weigh_nothing_are_refused():
    with pytest.raises(JudgmentError):
        rs.NonmetricMDS(1).fit(rs.PairRanks([[0, 1], [1, 2]], [1, 2], weight=[0, 0]))


@pytest.mark.parametrize(("n_items", "d", "n_pairs"), [(15, 3, 30), (6, 2, 8)])
def test_too_few_pairs_are_told(n_items, d, n_pairs):
    pairs = np.column_stack(np.triu_indices(n_items, 1))
    rows = np.random.default_rng(0).permutation(len(pairs))
    chain = np.isin(rows, np.flatnonzero(pairs[:, 0] == 0))  # so that they hang together
    rows = np.concatenate([rows[chain], rows[~chain]])[:n_pairs]
    told = rs.PairRanks(pairs[rows], np.arange(n_pairs), items=n_items)
    with pytest.warns(UndeterminedWarning, match=str(n_pairs)):
        rs.NonmetricMDS(d, n_init=1, max_iter=3000, random_state=0).fit(told)


@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_similarities_taken_as_dissimilarities_are_told(space, noise):
    ranked = ranks_of(space, noise=noise)
    turned = rs.PairRanks(PAIRS, -ranked.ranks, items=N)
    with pytest.warns(UndeterminedWarning, match="reversed ranks"):
        rs.NonmetricMDS(random_state=0).fit(turned)
    with warnings.catch_warnings(action="error"):
        rs.NonmetricMDS(random_state=0).fit(ranked)
        noise = np.random.default_rng(0).permutation(len(PAIRS))
        rs.NonmetricMDS(random_state=0, max_iter=3000).fit(rs.PairRanks(PAIRS, noise, items=N))
