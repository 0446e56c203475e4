"""Partial order embedding: against conic and linear programs, its relatives and ground truth."""

import pickle

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.base import clone

import resemblance as rs
from resemblance.errors import JudgmentError, NotConvergedWarning, SettingError
from resemblance.geometry import kernel_matrix

N, M = 14, 120
RNG = np.random.default_rng(0)
SPACE = RNG.normal(size=(N, 3))
VIEWS = {
    "shape": np.column_stack([SPACE[:, :2], RNG.normal(size=N)]),
    "colour": np.column_stack([SPACE[:, 2:], RNG.normal(size=N)]),
}
KERNELS = {name: kernel_matrix(view, bandwidth="median") for name, view in VIEWS.items()}


def judged(space=SPACE, m=M, seed=0, lapse=0.1, weight=None, features=VIEWS):
    rng = np.random.default_rng(seed)
    asked = np.array([rng.choice(len(space), 3, replace=False) for _ in range(m)])
    index = rs.SpaceObserver(space, lapse=lapse, random_state=seed).answer(asked).index
    return rs.Triplets(index, items=rs.Items(features=features), weight=weight)


WEIGHT = RNG.integers(1, 4, M).astype(float)
TRIPLETS = judged(weight=WEIGHT)


def gaps(columns):
    h, n, f = TRIPLETS.index.T
    return columns[h] - columns[n], columns[h] - columns[f]


def conic(columns, trace, beta):
    """Solve algorithm 4 (or 2) as it is printed; give the objective and the matrices."""
    W = [cp.Variable((c.shape[1],) * 2, PSD=True) for c in columns]
    z = 1.0
    for c, w in zip(columns, W, strict=True):
        near, far = gaps(c)
        outer = near[:, :, None] * near[:, None] - far[:, :, None] * far[:, None]
        z = z + outer.reshape(M, -1) @ cp.vec(w, order="C")
    size = sum(cp.trace(w @ t) for w, t in zip(W, trace, strict=True))
    hinge = beta / WEIGHT.sum() * (WEIGHT @ cp.pos(z))
    return cp.Problem(cp.Minimize(size + hinge)).solve(solver="CLARABEL")


def linear(columns, cost, beta):
    """Solve the diagonal problem as a linear program."""
    D = np.column_stack([near**2 - far**2 for near, far in map(gaps, columns)])
    c = np.concatenate([*cost, beta * WEIGHT / WEIGHT.sum()])
    found = linprog(c, A_ub=np.column_stack([D, -np.eye(M)]), b_ub=-np.ones(M))
    return found.fun


@pytest.mark.parametrize("beta", [20.0, 1000.0])
def test_full_matrices_are_optimal(beta):
    K = list(KERNELS.values())
    best = conic(K, K, beta)
    model = rs.MKPOE(beta=beta, tol=1e-4).fit(TRIPLETS)
    assert model.converged_
    assert model.loss_ == pytest.approx(best, rel=1e-4)  # CLARABEL calls its own inaccurate
    assert model.loss_ - model.gap_ <= best * (1 + 1e-5)


@pytest.mark.parametrize("beta", [20.0, 1000.0, 1e7])
def test_diagonal_matrices_are_optimal(beta):
    K = list(KERNELS.values())
    best = linear(K, [np.diag(k) for k in K], beta)
    model = rs.MKPOE(beta=beta, diagonal=True, tol=1e-4).fit(TRIPLETS)
    assert model.converged_
    assert best * (1 - 1e-6) <= model.loss_ <= best * (1 + 1e-4)
    assert model.loss_ - model.gap_ <= best * (1 + 1e-6)


def test_features_themselves_are_algorithm_2():
    X = VIEWS["shape"]
    one = rs.Triplets(TRIPLETS.index, items=rs.Items(features=X), weight=WEIGHT)
    full = rs.POE(kernel=None, beta=50.0, tol=1e-4).fit(one)
    assert full.loss_ == pytest.approx(conic([X], [np.eye(3)], 50.0), rel=1e-4)
    diagonal = rs.POE(kernel=None, beta=50.0, tol=1e-4, diagonal=True).fit(one)
    assert diagonal.loss_ == pytest.approx(linear([X], [np.ones(3)], 50.0), rel=1e-4)
    linear_kernel = rs.POE(kernel="linear", beta=50.0, tol=1e-4).fit(one)
    assert linear_kernel.loss_ == pytest.approx(full.loss_, rel=1e-4)


def test_gnmds_is_the_identity_as_kernel():
    one = rs.Triplets(TRIPLETS.index, items=rs.Items(features=np.eye(N)), weight=WEIGHT)
    total, beta = WEIGHT.sum(), 30.0
    gram = rs.GNMDS(form="gram", penalty=total / beta, tol=1e-7, max_iter=5000).fit(one)
    poe = rs.POE(kernel="precomputed", beta=beta, tol=1e-4).fit(one)
    assert poe.loss_ * total / beta == pytest.approx(gram.loss_, rel=1e-3)
    np.testing.assert_allclose(poe.metrics_["features"], gram.gram_, atol=0.05)


@pytest.fixture(scope="module", params=[False, True], ids=["full", "diagonal"])
def fitted(request):
    return rs.MKPOE(beta=100.0, diagonal=request.param).fit(TRIPLETS)


class TestWhatAFitLeaves:
    def test_metrics_are_psd_and_give_the_distances(self, fitted):
        total = np.zeros((N, N))
        for name, W in fitted.metrics_.items():
            W = np.diag(W) if fitted.diagonal else W
            assert np.linalg.eigvalsh(W)[0] > -1e-8
            total += KERNELS[name] @ W @ KERNELS[name]
        d = np.diag(total)[:, None] + np.diag(total) - 2 * total
        X = fitted.embedding_
        np.testing.assert_allclose(((X[:, None] - X) ** 2).sum(axis=2), d, atol=1e-8)

    def test_weights_are_shares_of_the_trace(self, fitted):
        sizes = {
            name: (np.diag(K) @ W if fitted.diagonal else np.trace(W @ K))
            for (name, K), W in zip(KERNELS.items(), fitted.metrics_.values(), strict=True)
        }
        total = sum(sizes.values())
        expected = {name: size / total for name, size in sizes.items()}
        assert fitted.kernel_weights_ == pytest.approx(expected)

    def test_items_are_mapped_to_where_they_are(self, fitted):
        np.testing.assert_allclose(fitted.transform(VIEWS), fitted.embedding_, atol=1e-9)
        few = {name: view[:3] for name, view in VIEWS.items()}
        np.testing.assert_allclose(fitted.transform(few), fitted.embedding_[:3], atol=1e-9)

    def test_loss_is_that_of_the_positions(self, fitted):
        X, (h, n, f) = fitted.embedding_, TRIPLETS.index.T
        z = 1 + ((X[h] - X[n]) ** 2).sum(axis=1) - ((X[h] - X[f]) ** 2).sum(axis=1)
        hinge = 100.0 / WEIGHT.sum() * (WEIGHT @ np.maximum(z, 0))
        trace = sum(
            np.diag(K) @ W if fitted.diagonal else np.trace(W @ K)
            for K, W in zip(KERNELS.values(), fitted.metrics_.values(), strict=True)
        )
        assert fitted.loss_ == pytest.approx(hinge + trace)

    def test_saved_pickled_and_cloned(self, fitted, tmp_path):
        for twin in (
            rs.load(rs.save(fitted, tmp_path / "model")),
            pickle.loads(pickle.dumps(fitted)),
        ):
            np.testing.assert_array_equal(twin.transform(VIEWS), fitted.transform(VIEWS))
            assert twin.kernel_weights_ == fitted.kernel_weights_
        again = clone(fitted).fit(TRIPLETS)
        np.testing.assert_array_equal(again.embedding_, fitted.embedding_)

    def test_fewer_dimensions_are_the_leading_ones(self, fitted):
        two = clone(fitted).set_params(n_components=2).fit(TRIPLETS)
        np.testing.assert_array_equal(two.embedding_, fitted.embedding_[:, :2])


def test_sum_is_poe_on_the_sum_of_the_kernels():
    K = sum(KERNELS.values())
    summed = rs.Triplets(TRIPLETS.index, items=rs.Items(features=K), weight=WEIGHT)
    one = rs.POE(kernel="precomputed", tol=1e-5).fit(summed)
    other = rs.MKPOE(combine="sum", tol=1e-5).fit(TRIPLETS)
    assert one.loss_ == pytest.approx(other.loss_, rel=1e-5)
    np.testing.assert_allclose(other.transform(VIEWS), other.embedding_, atol=1e-9)
    assert other.kernel_weights_ == {"sum": 1.0}


@pytest.mark.parametrize("diagonal", [False, True])
def test_path_of_beta_gives_what_each_fit_gives(diagonal):
    path = rs.MKPOE(diagonal=diagonal, tol=1e-4, warm_start=True)
    for beta in (1.0, 10.0, 100.0, 1000.0, 1100.0):
        path.set_params(beta=beta).fit(TRIPLETS)
        cold = rs.MKPOE(diagonal=diagonal, tol=1e-4, beta=beta).fit(TRIPLETS)
        assert path.loss_ == pytest.approx(cold.loss_, rel=1e-4)
    if diagonal:  # the last step is a small one
        assert path.n_iter_ < cold.n_iter_


def test_noise_gets_no_weight_and_new_items_a_place():
    rng = np.random.default_rng(1)
    space = rng.normal(size=(60, 2))
    views = {"seen": space, "noise": rng.normal(size=(60, 4))}
    triplets = judged(space, 1500, features=views)
    head, near, far = triplets.index.T
    closer = ((space[head] - space[near]) ** 2).sum(1) < ((space[head] - space[far]) ** 2).sum(1)
    right = np.where(closer[:, None], triplets.index, triplets.index[:, [0, 2, 1]])
    triplets = rs.Triplets(right, items=triplets.items)
    about_known = (triplets.index < 50).all(axis=1)
    known = rs.Items(features={name: view[:50] for name, view in views.items()})
    model = rs.MKPOE(kernels="linear", beta=1000.0).fit(
        rs.Triplets(right[about_known], items=known)
    )
    assert model.kernel_weights_["noise"] < 0.03  # of 1 in all
    points = model.transform(views)
    assert rs.triplet_error(points, triplets[~about_known]) < 0.06


def test_small_beta_gives_a_point():
    model = rs.MKPOE(beta=1e-6).fit(TRIPLETS)
    assert model.loss_ == pytest.approx(1e-6)
    assert model.score(TRIPLETS) == 0.5
    assert model.kernel_weights_ == {"shape": 0.0, "colour": 0.0}


@pytest.mark.parametrize("diagonal", [False, True])
def test_stops_early_and_keeps_what_it_has(diagonal):
    told = []

    def callback(progress):
        told.append(progress.iteration)
        return len(told) == 4

    model = rs.MKPOE(beta=1000.0, diagonal=diagonal, callback=callback)
    with pytest.warns(NotConvergedWarning, match=r"MKPOE was stopped after 4 iterations"):
        model.fit(TRIPLETS)
    assert told == [1, 2, 3, 4]
    assert model.score(TRIPLETS) > 0.6


class TestBadInput:
    def test_judgments_that_do_not_compare_two(self):
        items = TRIPLETS.items
        with pytest.raises(SettingError, match="triplets_from_choices"):
            rs.MKPOE().fit(rs.Choices([0, 1], [[1, 2, 3], [0, 2, 3]], [1, 2], items=items))
        with pytest.raises(SettingError, match="confusion"):
            rs.MKPOE().fit(rs.Confusions([[0, 1]], [3], [10], items=items))

    def test_settings(self):
        with pytest.raises(SettingError, match="beta is 0"):
            rs.MKPOE(beta=0).fit(TRIPLETS)
        with pytest.raises(SettingError, match="'concatenate'"):
            rs.MKPOE(combine="product").fit(TRIPLETS)
        with pytest.raises(SettingError, match="kernels are given for 'shape', and the items have"):
            rs.MKPOE(kernels={"shape": "rbf"}).fit(TRIPLETS)
        with pytest.raises(SettingError, match="features cannot be summed"):
            rs.MKPOE(kernels=None, combine="sum").fit(TRIPLETS)

    def test_features(self):
        with pytest.raises(SettingError, match="maps features, and the items have none"):
            rs.POE().fit(TRIPLETS.index)
        with pytest.raises(JudgmentError, match="several views, shape, colour"):
            rs.POE().fit(TRIPLETS)
        model = rs.MKPOE().fit(TRIPLETS)
        with pytest.raises(SettingError, match="views 'shape', those of the fit 'shape', 'colour'"):
            model.transform({"shape": VIEWS["shape"]})
        with pytest.raises(SettingError, match=r"'shape' has 2 rows, 'colour' has 14 rows"):
            model.transform({"shape": VIEWS["shape"][:2], "colour": VIEWS["colour"]})
        with pytest.raises(SettingError, match=r"row 0, column 1 of view 'shape' is nan"):
            model.transform({"shape": [[0, np.nan, 0]], "colour": [[0.0, 0.0]]})

    def test_kernels_name_their_view(self):
        views = {"a": np.eye(N)[:, :5], "b": np.eye(N)}
        triplets = rs.Triplets(TRIPLETS.index, items=rs.Items(features=views))
        with pytest.raises(SettingError, match=r"view 'a': the kernel has shape \(14, 5\)"):
            rs.MKPOE(kernels="precomputed").fit(triplets)
        views["a"] = np.diag([*np.ones(N - 1), -0.5])
        triplets = rs.Triplets(TRIPLETS.index, items=rs.Items(features=views))
        with pytest.raises(SettingError, match=r"view 'a': .* -0.5. Shift it, K \+ 0.5 I"):
            rs.MKPOE(kernels="precomputed").fit(triplets)
