import numpy as np
import pytest

from resemblance.geometry import (
    eigenvectors_between,
    landmark_positions,
    positions_from_gram,
    principal_axes,
)


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(30, 3)) * [3.0, 2.0, 1.0]


def distances(X):
    return np.linalg.norm(X[:, None] - X[None], axis=2)


def test_principal_axes_keep_distances_and_centre(X):
    Y = principal_axes(X + 5.0)
    np.testing.assert_allclose(distances(Y), distances(X))
    np.testing.assert_allclose(Y.mean(axis=0), 0.0, atol=1e-12)
    scatter = Y.T @ Y
    np.testing.assert_allclose(scatter, np.diag(np.diag(scatter)), atol=1e-9)
    assert np.all(np.diff(np.diag(scatter)) < 0)


def test_principal_axes_forget_the_rotation(X):
    Q = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    np.testing.assert_allclose(principal_axes(X @ Q), principal_axes(X), atol=1e-9)


def test_positions_from_gram_give_the_distances_back(X):
    Y = positions_from_gram(X @ X.T, 3)
    np.testing.assert_allclose(distances(Y), distances(X), atol=1e-9)
    np.testing.assert_allclose(Y, principal_axes(X), atol=1e-9)


def test_a_few_landmarks_place_all_points(X):
    D, some = distances(X), np.array([0, 2, 3, 5, 6])
    np.testing.assert_allclose(distances(landmark_positions(D[some], some, 3)), D, atol=1e-9)
    everyone = np.arange(len(X))
    whole = landmark_positions(D, everyone, 2)
    np.testing.assert_allclose(whole, positions_from_gram(-0.5 * D**2, 2), atol=1e-9)


def test_landmarks_that_are_fewer_than_the_components_leave_zeros(X):
    D = distances(X)
    Y = landmark_positions(D[:2], np.arange(2), 3)
    assert np.abs(Y[:, 0]).max() > 0
    assert not Y[:, 1:].any()


@pytest.mark.parametrize("n", [15, 16, 18])
def test_eigenvalues_that_are_nearly_the_same_are_all_found(n):
    """One near pair among points: LAPACK's choice by index misses eigenvalues of some of these."""
    for other in range(1, n):
        S = np.full((n, n), 4e-6)
        S[0, other] = S[other, 0] = 1e-6
        np.fill_diagonal(S, 0.0)
        K = -0.5 * (S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean())
        values, vectors = eigenvectors_between(K, n - 2, n - 1)
        np.testing.assert_allclose(K @ vectors, vectors * values, atol=1e-12)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(K)[-2:], atol=1e-12)
        assert landmark_positions(np.sqrt(S), np.arange(n), 2).shape == (n, 2)
