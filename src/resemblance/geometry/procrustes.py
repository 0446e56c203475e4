"""Fit one set of points to another by a similarity transform (Procrustes analysis)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import orthogonal_procrustes

from resemblance.errors import SettingError
from resemblance.geometry.kernels import floats_or_nan

ALIGNMENTS = 30  # number of iterations of reweighted least squares
TINY = np.finfo(float).tiny


def positions_of(given: Any) -> Any:
    return given.embedding_ if hasattr(given, "fit") or hasattr(given, "embedding_") else given


def as_points(points: Any, name: str) -> np.ndarray:
    """Return the points of an array or a fitted model as floats (n, d), after checks.

    Models of inner products raise an error, because distances between their positions have no
    meaning.

    >>> as_points([[0, 1]], "embedding")
    array([[0., 1.]])
    """
    if getattr(getattr(points, "choice_", None), "reads", None) == "inner":
        raise SettingError(
            f"{name} is a {type(points).__name__}, which compares by inner products, not by "
            "distances: use its own methods, such as score."
        )
    array = floats_or_nan(positions_of(points), name)
    if array.ndim != 2 or array.size == 0:
        raise SettingError(
            f"{name} has shape {array.shape}; give one row per item and at least one column"
        )
    if is_whole(array):
        raise SettingError(
            f"{name} is a dissimilarity matrix (symmetric, 0 on the diagonal): give coordinates, "
            "such as those of an embedding"
        )
    finite = np.isfinite(array).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        raise SettingError(f"{name} has NaN or infinity in row {row}; give finite coordinates")
    return array


def is_whole(values: np.ndarray) -> bool:
    """Return whether an array is a dissimilarity matrix: square, symmetric, 0 on the diagonal.

    >>> is_whole(np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]])), is_whole(np.eye(3))
    (True, False)
    """
    if values.ndim != 2 or not 2 < len(values) == values.shape[1]:
        return False
    filled = np.nan_to_num(values)
    return bool(filled.any() and not np.diag(filled).any() and np.allclose(filled, filled.T))


def procrustes_align(truth: ArrayLike, embedding: ArrayLike) -> np.ndarray:
    r"""Align an embedding with the truth by translation, rotation, reflection and scaling.

    .. math:: \hat Y = 1\bar x^T + s\,(Y - 1\bar y^T) R, \qquad
              (s, R) = \arg\min_{s,\; R^T R = I} \|X - \hat Y\|_F^2

    X (n, d) is the truth and Y (n, k) the embedding. With the singular value decomposition :math:`U
    \Sigma V^T` of :math:`(Y - 1\bar y^T)^T (X - 1\bar x^T)`, the rotation is :math:`R = U V^T` and
    the scale :math:`s = tr(\Sigma) / \|Y - 1\bar y^T\|_F^2`. The result is (n, max(d, k)). Source:
    Schönemann (1966), A generalized solution of the orthogonal Procrustes problem; Gower (1975),
    Generalized Procrustes analysis.
    """
    target, points = _same_width(as_points(truth, "truth"), as_points(embedding, "embedding"))
    centre = target.mean(axis=0)
    points = points - points.mean(axis=0)
    rotation, strength = orthogonal_procrustes(points, target - centre)
    size = np.sum(points**2)
    scale = strength / size if size > 0 else 0.0
    return centre + scale * (points @ rotation)


def align_by_certainty(
    truth: ArrayLike, embedding: ArrayLike, deviation: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    r"""Align an embedding with the truth, with more weight on certain items.

    .. math:: \hat Y = 1 b^T + Y A, \qquad A = s R, \qquad (s, R, b) = \arg\min
              \sum_i \rho\!\left(\frac{\lVert x_i - \hat y_i \rVert}{s \sigma_i}\right)

    where :math:`\rho(z)` is :math:`z^2 / 2` up to 1 and :math:`z - 1/2` above (Huber), so that a
    few outliers have little influence. It is solved by iterative reweighting. The truth X and the
    embedding Y are (n, d), and the standard deviations sigma of positions (n,). The result is the
    aligned embedding (n, d) and A (d, d). Source: Verboon & Heiser (1992), Resistant orthogonal
    Procrustes analysis.
    """
    target, points = _same_width(as_points(truth, "truth"), as_points(embedding, "embedding"))
    sigma = np.maximum(np.asarray(deviation, dtype=float), TINY)[:, None]
    weight = sigma.min() ** 2 / sigma**2
    for _ in range(ALIGNMENTS):
        moved, A = _weighted_alignment(target, points, weight)
        scale = np.sqrt((A**2).sum() / len(A))
        off = np.linalg.norm(target - moved, axis=1, keepdims=True)
        weight = (sigma.min() / sigma) ** 2 / np.maximum(off / np.maximum(scale * sigma, TINY), 1.0)
    return moved, A


def _weighted_alignment(
    target: np.ndarray, points: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    centre, middle = ((weight * x).sum(axis=0) / weight.sum() for x in (target, points))
    root = np.sqrt(weight)
    rotation, strength = orthogonal_procrustes(root * (points - middle), root * (target - centre))
    size = (weight * (points - middle) ** 2).sum()
    A = (strength / size if size > 0 else 0.0) * rotation
    return centre + (points - middle) @ A, A


def _same_width(truth: np.ndarray, embedding: np.ndarray) -> list[np.ndarray]:
    if len(truth) != len(embedding):
        raise SettingError(
            f"truth has {len(truth)} rows and embedding {len(embedding)}; "
            "give the same items in the same order"
        )
    width = max(truth.shape[1], embedding.shape[1])
    return [np.pad(x, ((0, 0), (0, width - x.shape[1]))) for x in (truth, embedding)]
