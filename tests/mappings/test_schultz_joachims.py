"""Schultz & Joachims, and what all metric learners have from their base."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.base import clone

import resemblance as rs
from resemblance.errors import JudgmentError, NotConvergedWarning, SettingError

N = 12


def world(seed=0, m=300, features=None):
    """Triplets about a warped line, some of them wrong."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-1, 1, N)[:, None] if features is None else features
    asked = np.array([rng.choice(N, 3, replace=False) for _ in range(m)])
    answered = rs.SpaceObserver(np.exp(1.5 * x[:, :1]), lapse=0.1, random_state=0).answer(asked)
    weight = rng.integers(0, 3, m).astype(float)
    return rs.Triplets(answered.index, items=rs.Items(features=x), weight=weight)


def conic(triplets, K, C):
    h, n, f = triplets.index.T
    w = cp.Variable(K.shape[1], nonneg=True)
    margin = ((K[h] - K[f]) ** 2 - (K[h] - K[n]) ** 2) @ w
    loss = C * triplets.weights @ cp.pos(1 - margin)
    quadratic = K * K if K.shape[0] == K.shape[1] else np.eye(K.shape[1])
    problem = cp.Problem(cp.Minimize(cp.quad_form(w, cp.psd_wrap(quadratic)) / 2 + loss))
    return problem.solve(solver="CLARABEL"), w.value


@pytest.mark.parametrize(("kernel", "C"), [("rbf", 0.1), ("rbf", 10.0), ("polynomial", 1.0)])
def test_reaches_the_optimum(kernel, C):
    triplets = world()
    K = rs.geometry.kernel_matrix(triplets.items.features, kernel=kernel, bandwidth=0.5)
    best, w = conic(triplets, K, C)
    model = rs.SchultzJoachims(1, kernel=kernel, bandwidth=0.5, C=C).fit(triplets)
    assert model.converged_
    assert best - 1e-4 * abs(best) <= model.loss_ <= best + model.gap_ + 1e-4 * abs(best)
    np.testing.assert_allclose(np.diag(model.metric_) @ K, w @ K, rtol=1e-2, atol=1e-2)


def test_reaches_the_optimum_on_the_features_themselves():
    triplets = world(features=np.random.default_rng(3).normal(size=(N, 4)))
    best, w = conic(triplets, triplets.items.features, 1.0)
    model = rs.SchultzJoachims(1, kernel=None).fit(triplets)
    assert model.loss_ == pytest.approx(best, rel=1e-4)
    np.testing.assert_allclose(np.diag(model.metric_), w, atol=1e-3)


def test_all_axes_together_give_the_learned_distances():
    triplets = world()
    model = rs.SchultzJoachims(N - 1, bandwidth=0.5).fit(triplets)
    K = rs.geometry.kernel_matrix(triplets.items.features, bandwidth=0.5)
    difference = K[2] - K[9]
    assert np.sum((model.embedding_[2] - model.embedding_[9]) ** 2) == pytest.approx(
        difference @ model.metric_ @ difference
    )
    scatter = model.embedding_.T @ model.embedding_
    np.testing.assert_allclose(scatter, np.diag(np.diag(scatter)), atol=1e-7)
    assert np.all(np.diff(np.diag(scatter)) < 1e-9)
    short = clone(model).set_params(n_components=2).fit(triplets)
    np.testing.assert_allclose(short.embedding_, model.embedding_[:, :2])


def test_recovers_a_line_and_maps_new_items_onto_it():
    x = np.linspace(-1, 1, 21)[:, None]
    space = np.exp(1.5 * x)
    rng = np.random.default_rng(0)
    asked = np.array([rng.choice(21, 3, replace=False) for _ in range(1500)])
    answered = rs.SpaceObserver(space, random_state=0).answer(asked)
    triplets = rs.Triplets(answered.index, items=rs.Items(features=x))
    model = rs.SchultzJoachims(1, bandwidth=0.5).fit(triplets)
    assert rs.procrustes_distance(space, model.embedding_) < 0.05
    between = x[:-1] + 0.05
    assert rs.procrustes_distance(np.exp(1.5 * between), model.transform(between)) < 0.05


def test_units_of_the_features_go_into_the_bandwidth():
    triplets = world()
    scaled = rs.Triplets(
        triplets.index,
        items=rs.Items(features=60 * triplets.items.features),
        weight=triplets.weight,
    )
    a = rs.SchultzJoachims(1, bandwidth=0.5).fit(triplets)
    b = rs.SchultzJoachims(1, bandwidth=30).fit(scaled)
    np.testing.assert_allclose(a.embedding_, b.embedding_, atol=1e-6)


def test_triplets_equal_quadruplets():
    triplets = world()
    h, n, f = triplets.index.T
    four = rs.Quadruplets(np.c_[h, n, h, f], items=triplets.items, weight=triplets.weight)
    a, b = (rs.SchultzJoachims(1, tol=1e-7).fit(t) for t in (triplets, four))
    np.testing.assert_allclose(a.embedding_, b.embedding_, atol=1e-5)


def test_transform_gives_the_embedding_back_for_every_kernel():
    triplets = world()
    x = triplets.items.features
    kernels = ["rbf", "linear", "polynomial", None, lambda a, b: a @ b.T + 1.0]
    for kernel in kernels:
        model = rs.SchultzJoachims(2, kernel=kernel).fit(triplets)
        assert model.embedding_.shape == (N, 2)
        np.testing.assert_allclose(model.transform(x), model.embedding_, atol=1e-12)


def test_a_computed_kernel_is_the_same_fit():
    triplets = world()
    K = rs.geometry.kernel_matrix(triplets.items.features, bandwidth=0.5)
    computed = rs.Triplets(triplets.index, items=rs.Items(features=K), weight=triplets.weight)
    a = rs.SchultzJoachims(1, bandwidth=0.5).fit(triplets)
    b = rs.SchultzJoachims(1, kernel="precomputed").fit(computed)
    np.testing.assert_allclose(a.embedding_, b.embedding_)
    np.testing.assert_allclose(b.transform(K[:3]), b.embedding_[:3])


def test_prediction_and_score_agree():
    triplets = world()[world().weights > 0]
    model = rs.SchultzJoachims(1, bandwidth=0.5).fit(triplets)
    predicted = model.predict(triplets)
    assert set(predicted) <= {0, 1, -1}
    agreed = np.select([predicted == 0, predicted == -1], [1.0, 0.5], 0.0)
    assert model.score(triplets) == pytest.approx(np.average(agreed, weights=triplets.weights))
    assert 0.6 < model.score(triplets) < 1.0


def test_judgments_and_settings_are_checked():
    triplets = world()
    plain = rs.Triplets(triplets.index)
    views = rs.Triplets(triplets.index, rs.Items(features={"a": np.eye(N), "b": np.eye(N)}))
    choices = rs.Choices([0], [[1, 2, 3]], [2], items=triplets.items)
    fit = rs.SchultzJoachims().fit
    with pytest.raises(JudgmentError, match="have no features"):
        fit(plain)
    with pytest.raises(JudgmentError, match="several views, a, b"):
        fit(views)
    with pytest.raises(JudgmentError, match="triplets_from_choices"):
        fit(choices)
    with pytest.raises(JudgmentError, match="every weight is zero"):
        fit(rs.Triplets([[0, 1, 2]], items=triplets.items, weight=[0]))
    with pytest.raises(SettingError, match="C is -1"):
        rs.SchultzJoachims(C=-1).fit(triplets)
    with pytest.raises(SettingError, match="between 1 and 11"):
        rs.SchultzJoachims(12).fit(triplets)
    with pytest.warns(NotConvergedWarning, match=r"max_iter \(3\)"):
        rs.SchultzJoachims(1, max_iter=3).fit(triplets)


def test_new_features_are_checked():
    model = rs.SchultzJoachims(1, kernel=None).fit(world())
    with pytest.raises(SettingError, match="2 features, those of the fit 1"):
        model.transform([[0.0, 1.0]])
    with pytest.raises(SettingError, match="row 0, column 0"):
        model.transform([[np.nan]])
