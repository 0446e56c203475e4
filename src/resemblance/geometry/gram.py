"""Compute positions from Gram matrices, principal axes, and projections of matrices."""

from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, cg, eigsh
from scipy.spatial.distance import pdist, squareform

from resemblance.arrays import Floats

STEPS = 100
LEAST_STEP = 1e-6  # iteration ends when points move by less than this share of their size


def principal_axes(X: Floats, center: bool = True) -> Floats:
    """Rotate positions X (n, d) to their principal axes.

    The result is (X - mean) V. The columns of V are the eigenvectors of the scatter matrix, in
    order of decreasing variance. Signs are chosen so that the largest absolute entry of each column
    is positive.
    """
    V, mean = principal_rotation(X, center)
    return np.ascontiguousarray((X - mean) @ V)


def principal_rotation(X: Floats, center: bool = True) -> tuple[Floats, Floats]:
    """Return V (d, d) and the mean (d,) of :func:`principal_axes`; the mean is 0 if not centred."""
    mean = X.mean(axis=0) if center else np.zeros(X.shape[1])
    _, V = np.linalg.eigh((X - mean).T @ (X - mean))
    ends = (X - mean) @ V[:, ::-1]
    return V[:, ::-1] * _signs(ends), mean


def positions_from_gram(K: Floats, n_components: int, center: bool = True) -> Floats:
    """Return positions X (n, d), where X X' is nearest to a Gram matrix K (n, n).

    X = V_d diag(max(l_d, 0))^(1/2) with the d largest eigenvalues l_d of K and their eigenvectors
    V_d. With ``center``, K is first replaced by H K H with H = I - 11'/n (classical scaling,
    Torgerson 1952).
    """
    if center:
        K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    n = len(K)
    values, vectors = eigenvectors_between(K, n - n_components, n - 1)
    return _signed(vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0)))


def landmark_positions(D: Floats, landmarks: NDArray[np.integer[Any]], n_components: int) -> Floats:
    """Return positions (n, d) of points from distances D (l, n) to l landmark points.

    The landmarks are placed by classical scaling of B = V L V'. Another point is placed at
    -L_d^(-1/2) V_d' (s - mean s) / 2, where s are its squared distances to the landmarks, and mean
    s the mean squared distances between landmarks. Source: de Silva & Tenenbaum 2004, Sparse
    multidimensional scaling using landmark points, section 3.
    """
    S = D**2
    own = S[:, landmarks]
    B = -0.5 * (own - own.mean(axis=0) - own.mean(axis=1)[:, None] + own.mean())
    values, vectors = eigenvectors_between(B, max(len(B) - n_components, 0), len(B) - 1)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = values > 1e-12 * max(values[0], 1e-300)
    X = np.zeros((len(S.T), n_components))
    X[:, : len(kept)] = -0.5 * (S - own.mean(axis=1)[:, None]).T @ vectors
    X[:, np.flatnonzero(kept)] /= np.sqrt(values[kept])
    X[:, np.flatnonzero(~kept)] = 0.0
    return _signed(X)


def eigenvectors_between(
    A: Floats, first: int, last: int, metric: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the eigenvalues from ``first`` to ``last``, in rising order, and their eigenvectors.

    These solve A v = l v, or A v = l M v with a ``metric`` M.
    """
    values, vectors = eigh(A, metric, subset_by_index=(first, last))
    if len(values) <= last - first:  # LAPACK may miss eigenvalues that are nearly the same.
        values, vectors = (part[..., first : last + 1] for part in eigh(A, metric))
    return values, vectors


def _signed(X: Floats) -> Floats:
    return np.ascontiguousarray(X * _signs(X))


def _signs(X: Floats) -> Floats:
    largest = X[np.abs(X).argmax(axis=0), np.arange(X.shape[1])]
    return np.where(largest < 0, -1.0, 1.0)


def some_eigenvectors(A: Any, k: int, rng: np.random.Generator, **how: Any) -> Any:
    """Call SciPy's `eigsh` with random vectors from `rng`, so that results are reproducible.

    ARPACK restarts from a random vector if a Krylov space is exhausted early. SciPy 1.17 has an
    argument for its generator; older versions use a fixed seed.
    """
    drawn = {"rng": rng} if "rng" in signature(eigsh).parameters else {}
    return eigsh(A, k=k, v0=rng.standard_normal(A.shape[0]), **drawn, **how)


def plane_of(points: ArrayLike) -> Floats:
    r"""Return positions in a plane (n, 2) whose distances are as near as possible to the points'.

    .. math:: \min_Y \sum_{i < j} (\lVert y_i - y_j \rVert - \lVert x_i - x_j \rVert)^2

    SMACOF starts from the two principal axes. Points in one or two dimensions are only centred.
    Source: Borg, Groenen (2005), Modern Multidimensional Scaling, chapter 8.

    >>> plane_of([[0.0], [2.0]])
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    X = np.asarray(points, dtype=float)
    X = X - X.mean(axis=0)
    if X.shape[1] <= 2:
        return np.pad(X, ((0, 0), (0, 2 - X.shape[1])))
    wanted, Y = squareform(pdist(X)), principal_axes(X)[:, :2]
    for _ in range(STEPS):
        apart = squareform(pdist(Y))
        ratio = np.divide(wanted, apart, out=np.zeros_like(apart), where=apart > 0)
        B = np.diag(ratio.sum(axis=1)) - ratio
        moved = B @ Y / len(X)
        still = np.abs(moved - Y).max() <= LEAST_STEP * np.abs(Y).max()
        Y = moved
        if still:
            break
    return np.asarray(Y)


def project_psd(A: Floats) -> Floats:
    """Return the nearest psd matrix: V diag(max(l, 0)) V' for A = V diag(l) V', (n, n)."""
    values, vectors = eigh(A, driver="evd")
    return _rebuild(values, vectors)


def project_correlation(
    A: Floats, dual: Floats | None = None, tol: float = 1e-8, max_iter: int = 100
) -> tuple[Floats, Floats]:
    """Return the nearest positive semidefinite matrix with unit diagonal to A (n, n).

    It minimises ||K - A||^2 / 2 over positive semidefinite (psd) K with K_ii = 1. The minimum is K
    = (A + diag(y))_+, where (.)_+ is the projection onto psd matrices, and the dual solution y (n,)
    solves diag((A + diag(y))_+) = 1. A semismooth Newton method with conjugate gradients and a line
    search finds y. The result is K and y.

    Source: Qi & Sun 2006, A quadratically convergent Newton method for computing the nearest
    correlation matrix. Alternate clipping and rescaling would not give the nearest matrix.
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
    kept = values > 0
    half = vectors[:, kept] * np.sqrt(values[kept])
    return np.asarray(half @ half.T)


def _dual(A: Floats, y: Floats) -> tuple[float, Floats, Floats, Floats]:
    B = A.copy()
    B[np.diag_indices_from(B)] += y
    values, vectors = eigh(B, driver="evd")
    clipped = np.maximum(values, 0.0)
    residual = np.einsum("ij,j,ij->i", vectors, clipped, vectors) - 1.0
    return 0.5 * float(clipped @ clipped) - float(y.sum()), residual, values, vectors


def _newton_step(residual: Floats, values: Floats, vectors: Floats) -> Floats:
    n = len(residual)
    up = values > 0
    if not up.any() or up.all():
        return -residual
    P, Q = vectors[:, up], vectors[:, ~up]
    ratio = values[up][:, None] / (values[up][:, None] - values[~up][None, :])
    damping = min(1e-3, 0.1 * float(np.linalg.norm(residual)))

    def hessian(h: Floats) -> Floats:
        # Entry (a, b) of W is 1 if eigenvalues a and b are positive, 0 if none is, otherwise
        # ``ratio``.
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
