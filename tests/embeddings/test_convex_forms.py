"""The convex Gram forms against an independent conic solver."""

import cvxpy as cp
import numpy as np
import pytest

import resemblance as rs
from resemblance.choice.models import HINGE_WIDTHS

N = 25


@pytest.fixture(scope="module")
def triplets():
    rng = np.random.default_rng(0)
    space = rng.normal(size=(N, 3))
    asked = np.array([rng.choice(N, 3, replace=False) for _ in range(800)])
    answered = rs.SpaceObserver(space, lapse=0.1, random_state=0).answer(asked)
    weight = rng.integers(1, 3, 800).astype(float)
    return rs.Triplets(answered.index, items=N, weight=weight)


def conic(triplets, penalty, loss, **solver):
    h, n, f = triplets.index.T
    K = cp.Variable((N, N), PSD=True)
    diagonal = cp.diag(K)
    near = diagonal[h] + diagonal[n] - 2 * K[h, n]
    far = diagonal[h] + diagonal[f] - 2 * K[h, f]
    objective = triplets.weights @ loss(near - far) + penalty * cp.trace(K)
    return cp.Problem(cp.Minimize(objective)).solve(**solver)


@pytest.mark.parametrize("penalty", [1.0, 20.0])
def test_gnmds_in_gram_form_is_optimal(triplets, penalty):
    best = conic(triplets, penalty, lambda u: cp.pos(1 + u), solver="CLARABEL")
    model = rs.GNMDS(form="gram", penalty=penalty, tol=1e-8, max_iter=20_000).fit(triplets)
    assert model.converged_
    rounding = triplets.weights.sum() * HINGE_WIDTHS[-1] / 8  # at most, of the last hinge
    assert rounding < 5e-3 * best
    assert best * (1 - 1e-5) <= model.loss_ <= best * (1 + 1e-4) + rounding


@pytest.mark.parametrize("penalty", [1.0, 20.0])
def test_ste_in_gram_form_is_optimal(triplets, penalty):
    best = conic(triplets, penalty, cp.logistic, solver="CLARABEL")
    model = rs.STE(form="gram", penalty=penalty, tol=1e-8, max_iter=20_000).fit(triplets)
    assert model.converged_
    assert best * (1 - 1e-5) <= model.loss_ <= best * (1 + 1e-3)


@pytest.mark.parametrize("estimator", [rs.STE, rs.GNMDS, rs.TSTE])
def test_gram_matrix_is_psd_and_gives_the_embedding(triplets, estimator):
    model = estimator(n_components=N - 1, form="gram", penalty=5.0, random_state=0).fit(triplets)
    K = model.gram_
    np.testing.assert_allclose(K, K.T)
    assert np.linalg.eigvalsh(K)[0] > -1e-9
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, centred, atol=1e-6)


def test_crowd_kernel_in_gram_form_has_a_unit_diagonal(triplets):
    K = rs.CKL(form="gram", random_state=0).fit(triplets).gram_
    np.testing.assert_allclose(np.diag(K), 1.0)
    assert np.linalg.eigvalsh(K)[0] > -1e-8


def test_crowd_kernel_with_unit_rows(triplets):
    X = rs.CKL(n_components=3, unit_norm=True, random_state=0).fit(triplets).embedding_
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0)
