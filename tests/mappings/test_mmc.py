import cvxpy as cp
import numpy as np
import pytest
from sklearn.base import clone

import resemblance as rs
from resemblance.errors import JudgmentError, NotConvergedWarning, SettingError

N = 12
PAIRS = np.transpose(np.triu_indices(N, 1))


def world(d=1, seed=0, threshold=0.8, spaced=False):
    """Pairs of a line that is the first of d features, similar where they are near."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(N, d))
    if spaced:  # no item is far from all others
        x[:, 0] = np.linspace(-1, 1, N) + 0.05 * x[:, 0]
    gap = np.abs(x[PAIRS[:, 0], 0] - x[PAIRS[:, 1], 0]) + rng.normal(0, 0.05, len(PAIRS))
    weight = rng.integers(0, 3, len(PAIRS)).astype(float)
    return rs.SimilarPairs(PAIRS, gap < threshold, items=rs.Items(features=x), weight=weight)


def differences(pairs, columns):
    return columns[pairs.index[:, 0]] - columns[pairs.index[:, 1]]


def conic(pairs, columns, gram, penalty, diagonal):
    """Solve the first line of the docstring, as it stands."""
    p = columns.shape[1]
    a = cp.Variable(p, nonneg=True)
    A = cp.diag(a) if diagonal else cp.Variable((p, p), PSD=True)
    D = differences(pairs, columns)
    d = cp.sum(cp.multiply(D @ A, D), axis=1)
    similar, w = pairs.similar, pairs.weights
    loss = w[similar] @ d[similar] + penalty * cp.trace(A @ gram)
    spread = w[~similar] @ cp.sqrt(d[~similar])
    return cp.Problem(cp.Minimize(loss), [spread >= 1]).solve(solver="CLARABEL")


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_reaches_the_optimum(kernel, diagonal):
    pairs = world(d=3)
    x = pairs.items.features
    columns = x if kernel is None else rs.geometry.kernel_matrix(x)
    gram = np.eye(3) if kernel is None else columns
    best = conic(pairs, columns, gram, 0.01, diagonal)
    model = rs.MMC(2, kernel=kernel, diagonal=diagonal, penalty=0.01).fit(pairs)
    assert model.converged_
    assert best * (1 - 1e-3) <= model.loss_ <= best * (1 + 1e-3)
    D = differences(pairs, columns)
    d = np.sum(D @ model.metric_ * D, axis=1)
    assert pairs.weights[~pairs.similar] @ np.sqrt(d[~pairs.similar]) == pytest.approx(1.0)
    loss = pairs.weights[pairs.similar] @ d[pairs.similar] + 0.01 * np.trace(model.metric_ @ gram)
    assert model.loss_ == pytest.approx(loss)


def test_diagonal_minimises_the_other_objective_of_the_paper_up_to_scale():
    pairs = world(d=3)
    D = differences(pairs, pairs.items.features) ** 2
    similar, w = pairs.similar, pairs.weights / pairs.weights.sum()
    a = cp.Variable(3, nonneg=True)
    loss = (w[similar] @ D[similar]) @ a - cp.log(w[~similar] @ cp.sqrt(D[~similar] @ a))
    cp.Problem(cp.Minimize(loss)).solve(solver="CLARABEL")
    found = np.diag(rs.MMC(1, kernel=None, diagonal=True, penalty=1e-9).fit(pairs).metric_)
    np.testing.assert_allclose(found / found.sum(), a.value / a.value.sum(), atol=1e-3)


def test_recovers_a_line_and_maps_new_items_onto_it():
    missed, new = [], np.linspace(-0.8, 0.8, 9)[:, None]
    for seed in range(2):
        pairs = world(seed=seed, spaced=True)
        x = pairs.items.features
        model = rs.MMC(1, bandwidth=2.0).fit(pairs)
        places = (x, model.embedding_), (new, model.transform(new))
        missed.append([rs.procrustes_distance(*pair) for pair in places])
        assert model.score(pairs) > 0.9
        np.testing.assert_allclose(model.transform(x), model.embedding_, atol=1e-9)
    assert (np.mean(missed, axis=0) < 0.1).all()


def test_a_full_metric_does_not_depend_on_the_units_of_the_features():
    pairs = world(d=3)
    mixed = pairs.items.features @ np.random.default_rng(1).normal(size=(3, 3))
    other = rs.SimilarPairs(PAIRS, pairs.similar, rs.Items(features=mixed), weight=pairs.weight)
    model = rs.MMC(2, kernel=None, penalty=1e-9, tol=1e-8)
    a, b = (clone(model).fit(p).embedding_ for p in (pairs, other))
    np.testing.assert_allclose(np.abs(a), np.abs(b), atol=1e-4)


def test_judgments_and_settings_are_checked():
    pairs = world()
    with pytest.raises(JudgmentError, match="MMC takes SimilarPairs, not Triplets"):
        rs.MMC().fit(rs.Triplets([[0, 1, 2]]))
    with pytest.raises(JudgmentError, match="pairs are similar"):
        rs.MMC().fit(pairs[pairs.similar])
    with pytest.raises(JudgmentError, match="pairs are dissimilar"):
        rs.MMC().fit(pairs[~pairs.similar])
    with pytest.raises(JudgmentError, match="every dissimilar pair have the same features"):
        rs.MMC().fit(rs.SimilarPairs(PAIRS, pairs.similar, rs.Items(features=np.ones((N, 1)))))
    with pytest.raises(SettingError, match="penalty is 0"):
        rs.MMC(penalty=0).fit(pairs)
    with pytest.raises(SettingError, match="below rounding error"):
        rs.MMC(penalty=1e-18).fit(pairs)
    with pytest.warns(NotConvergedWarning, match="MMC stopped after 1 iterations"):
        rs.MMC(max_iter=1, tol=1e-12).fit(world(d=3))
    with pytest.raises(JudgmentError, match="items"):
        rs.MMC().fit(pairs).score(rs.SimilarPairs([[0, 13], [1, 2]], [True, False], items=20))
