"""Projections onto sets of positive semidefinite matrices, in the Frobenius norm."""

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, cg

from resemblance.arrays import Floats


def project_psd(A: Floats) -> Floats:
    """Return the positive semidefinite matrix nearest to A.

    V diag(max(l, 0)) V' with A = V diag(l) V'.

    Shapes: A (n, n), result (n, n).
    """
    values, vectors = eigh(A, driver="evd")
    return _rebuild(values, vectors)


def project_correlation(
    A: Floats, dual: Floats | None = None, tol: float = 1e-8, max_iter: int = 100
) -> tuple[Floats, Floats]:
    """Return the positive semidefinite matrix with unit diagonal that is nearest to A.

    min ||K - A||^2 / 2 over K psd with K_ii = 1, through its dual: with (.)_+ the projection onto
    the psd cone, the minimiser is K = (A + diag(y))_+ where y solves diag((A + diag(y))_+) = 1.
    A semismooth Newton method with conjugate gradients and a line search finds y.

    Source: Qi & Sun 2006, A quadratically convergent Newton method for computing the nearest
    correlation matrix. Clipping and rescaling in turn gives a correlation matrix, not the nearest.

    Shapes: A (n, n), dual (n,), K (n, n), dual (n,).
    """
    n = len(A)
    y = 1.0 - np.diag(A) if dual is None else dual
    value, residual, values, vectors = _dual(A, y)
    for _ in range(max_iter):
        if np.linalg.norm(residual) <= tol * np.sqrt(n):
            break
        step = _newton_step(residual, values, vectors)
        slope, size = residual @ step, 1.0
        while size > 1e-10:
            trial = _dual(A, y + size * step)
            if trial[0] <= value + 1e-4 * size * slope + 1e-14 * abs(value):
                break
            size *= 0.5
        y = y + size * step
        value, residual, values, vectors = trial
    K = _rebuild(values, vectors)
    scale = 1.0 / np.sqrt(np.maximum(np.diag(K), 1e-12))
    K *= scale[:, None] * scale
    np.fill_diagonal(K, 1.0)
    return K, y


def _rebuild(values: Floats, vectors: Floats) -> Floats:
    """Multiply out the nonnegative part of an eigendecomposition."""
    kept = values > 0
    half = vectors[:, kept] * np.sqrt(values[kept])
    return np.asarray(half @ half.T)


def _dual(A: Floats, y: Floats) -> tuple[float, Floats, Floats, Floats]:
    """Return the dual ||(A + diag(y))_+||^2 / 2 - sum(y), its gradient, and eigenpairs."""
    B = A.copy()
    B[np.diag_indices_from(B)] += y
    values, vectors = eigh(B, driver="evd")
    clipped = np.maximum(values, 0.0)
    residual = np.einsum("ij,j,ij->i", vectors, clipped, vectors) - 1.0
    return 0.5 * float(clipped @ clipped) - float(y.sum()), residual, values, vectors


def _newton_step(residual: Floats, values: Floats, vectors: Floats) -> Floats:
    """Solve V h = -residual, V h = diag(P (W o (P' diag(h) P)) P') the generalised Hessian."""
    n = len(residual)
    up = values > 0
    if not up.any() or up.all():
        return -residual
    P, Q = vectors[:, up], vectors[:, ~up]
    ratio = values[up][:, None] / (values[up][:, None] - values[~up][None, :])
    damping = min(1e-3, 0.1 * float(np.linalg.norm(residual)))

    def hessian(h: Floats) -> Floats:
        # W is 1 on the positive block and ratio across the blocks; it vanishes on the rest
        left = (h[:, None] * P).T @ P
        across = ratio * (P.T @ (h[:, None] * Q))
        full = P @ left + 2.0 * (Q @ across.T)
        return np.einsum("ij,ij->i", full, P) + damping * h

    square_p, square_q = P**2, Q**2
    diagonal = square_p.sum(axis=1) ** 2 + 2.0 * np.einsum(
        "ij,jk,ik->i", square_p, ratio, square_q, optimize=True
    )
    inverse = 1.0 / np.maximum(diagonal + damping, 1e-8)
    step, _ = cg(
        LinearOperator((n, n), matvec=hessian),
        -residual,
        rtol=min(0.1, float(np.linalg.norm(residual))),
        maxiter=200,
        M=LinearOperator((n, n), matvec=lambda v: inverse * v),
    )
    return step if step @ residual < 0 else -residual
