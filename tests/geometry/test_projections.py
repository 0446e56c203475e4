import numpy as np
import pytest

from resemblance.geometry import project_correlation, project_psd


def symmetric(n, seed=0):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return (A + A.T) / 2


def test_psd_projection_splits_into_orthogonal_parts():
    A = symmetric(15)
    P = project_psd(A)
    assert np.linalg.eigvalsh(P)[0] > -1e-10
    assert np.linalg.eigvalsh(A - P)[-1] < 1e-10
    assert np.vdot(P, A - P) == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(project_psd(P), P, atol=1e-10)


def dykstra(A, n_rounds=4000):
    """Alternate projections with Dykstra's corrections: slow, and right."""
    X, correction = A.copy(), np.zeros_like(A)
    for _ in range(n_rounds):
        Y = project_psd(X - correction)
        correction = Y - (X - correction)
        X = Y.copy()
        np.fill_diagonal(X, 1.0)
    return Y


@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
def test_correlation_projection_is_the_nearest_one(scale):
    A = scale * symmetric(8)
    K, _ = project_correlation(A)
    np.testing.assert_allclose(np.diag(K), 1.0)
    assert np.linalg.eigvalsh(K)[0] > -1e-8
    np.testing.assert_allclose(K, dykstra(A), atol=1e-5)


def test_a_correlation_matrix_is_its_own_projection():
    K, _ = project_correlation(np.eye(5) * 0.5 + 0.5)
    np.testing.assert_allclose(K, np.eye(5) * 0.5 + 0.5, atol=1e-7)


def test_a_good_guess_of_the_dual_gives_the_same_answer():
    A = symmetric(40)
    K, dual = project_correlation(A)
    again, _ = project_correlation(A + 1e-3 * symmetric(40, 1), dual)
    fresh, _ = project_correlation(A + 1e-3 * symmetric(40, 1))
    np.testing.assert_allclose(again, fresh, atol=1e-6)
    assert np.abs(again - K).max() < 0.05
