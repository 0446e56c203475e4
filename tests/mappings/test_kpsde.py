import cvxpy as cp
import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError, NotConvergedWarning, SettingError

N = 12
PAIRS = np.transpose(np.triu_indices(N, 1))


def world(seed=0, threshold=0.5, noise=0.05):
    """Pairs of a warped line, similar where they are near."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-1, 1, N)[:, None]
    y = np.exp(1.2 * x[:, 0])
    gap = np.abs(y[PAIRS[:, 0]] - y[PAIRS[:, 1]]) + rng.normal(0, noise, len(PAIRS))
    weight = rng.integers(0, 3, len(PAIRS)).astype(float)
    return rs.SimilarPairs(PAIRS, gap < threshold, items=rs.Items(features=x), weight=weight)


def conic(pairs, K, beta, penalty, variance):
    """Solve the first lines of the docstring, as they stand."""
    A = cp.Variable(K.shape, PSD=True)
    D = K[pairs.index[:, 0]] - K[pairs.index[:, 1]]
    sign = np.where(pairs.similar, 1.0, -1.0)
    excess = cp.multiply(sign, cp.sum(cp.multiply(D @ A, D), axis=1) - 1.0)
    centred = K - K.mean(axis=0)
    loss = penalty * cp.trace(A @ K) - variance * cp.trace(A @ (centred.T @ centred)) / len(K)
    return cp.Problem(cp.Minimize(loss + beta * pairs.weights @ cp.pos(excess))).solve(
        solver="CLARABEL"
    )


@pytest.mark.parametrize(
    ("beta", "penalty", "variance"),
    [(1.0, 1.0, 1.0), (1.0, 1.0, 0.0), (0.1, 3.0, 1.0), (5.0, 0.2, 1.0)],
)
def test_reaches_the_optimum(beta, penalty, variance):
    pairs = world()
    K = rs.geometry.kernel_matrix(pairs.items.features, bandwidth=0.4)
    best = conic(pairs, K, beta, penalty, variance)
    weights = {"beta": beta, "penalty": penalty, "variance": variance}
    model = rs.KPSDE(2, bandwidth=0.4, **weights, tol=1e-6).fit(pairs)
    assert model.converged_
    assert model.loss_ - model.gap_ - 1e-4 <= best <= model.loss_ + 1e-3 * abs(model.loss_)


def test_loss_is_that_of_the_metric():
    pairs = world()
    K = rs.geometry.kernel_matrix(pairs.items.features)
    model = rs.KPSDE(N - 1).fit(pairs)
    y = model.embedding_
    d = np.sum((y[PAIRS[:, 0]] - y[PAIRS[:, 1]]) ** 2, axis=1)
    violated = np.maximum(0.0, np.where(pairs.similar, d - 1.0, 1.0 - d))
    loss = np.trace(model.metric_ @ K) - y.var(axis=0).sum() + pairs.weights @ violated
    assert model.loss_ == pytest.approx(loss)


def test_recovers_a_line_and_maps_new_items_onto_it():
    pairs = world(noise=0.0)
    x = pairs.items.features
    model = rs.KPSDE(1, penalty=0.1, bandwidth=1.0).fit(pairs)
    assert rs.procrustes_distance(np.exp(1.2 * x), model.embedding_) < 0.05
    new = np.linspace(-0.95, 0.95, 9)[:, None]
    assert rs.procrustes_distance(np.exp(1.2 * new), model.transform(new)) < 0.05
    assert model.score(pairs) > 0.95
    np.testing.assert_allclose(model.transform(x), model.embedding_, atol=1e-9)


def test_the_features_themselves_can_be_the_columns():
    model = rs.KPSDE(2, kernel=None).fit(world())
    assert model.metric_.shape == (1, 1)
    assert not model.embedding_[:, 1].any()


def test_judgments_and_settings_are_checked():
    pairs = world()
    with pytest.raises(JudgmentError, match="KPSDE takes SimilarPairs, not Quadruplets"):
        rs.KPSDE().fit(rs.Quadruplets([[0, 1, 2, 3]]))
    with pytest.raises(JudgmentError, match="pairs are similar"):
        rs.KPSDE().fit(pairs[pairs.similar])
    for name in ("beta", "penalty"):
        with pytest.raises(SettingError, match=f"{name} is 0"):
            rs.KPSDE(**{name: 0}).fit(pairs)
    with pytest.raises(SettingError, match="variance is -1"):
        rs.KPSDE(variance=-1).fit(pairs)
    with pytest.raises(SettingError, match="nothing bounds the variance"):
        rs.KPSDE(beta=1e-4, penalty=1e-4).fit(pairs)
    with pytest.warns(NotConvergedWarning, match="KPSDE stopped after 2 iterations"):
        rs.KPSDE(max_iter=2).fit(pairs)
