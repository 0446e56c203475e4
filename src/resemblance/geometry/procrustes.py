"""The similarity transform that lays one configuration of points best upon another."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import orthogonal_procrustes

from resemblance.errors import SettingError


def as_points(points: ArrayLike, name: str) -> np.ndarray:
    """Check that an array holds points, one row each, and return it as floats.

    Parameters
    ----------
    points : array_like of shape (n, d)
        Coordinates; n and d at least 1, every number finite.
    name : str
        What the caller calls the array, for the message.

    Returns
    -------
    ndarray of shape (n, d)
        The same numbers as float64, not copied where they already are.

    Raises
    ------
    SettingError
        If the array is not two-dimensional, is empty, or holds NaN or infinity.

    Examples
    --------
    >>> as_points([[0, 1]], "embedding")
    array([[0., 1.]])
    """
    array = np.asarray(points, dtype=np.float64)
    if array.ndim != 2 or array.size == 0:
        raise SettingError(
            f"{name} has shape {array.shape}; give one row per item and at least one column"
        )
    finite = np.isfinite(array).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        raise SettingError(f"{name} has NaN or infinity in row {row}; give finite coordinates")
    return array


def procrustes_align(truth: ArrayLike, embedding: ArrayLike) -> np.ndarray:
    r"""Lay an embedding upon the truth by translation, rotation or reflection, and scale.

    .. math:: \hat Y = 1\bar x^T + s\,(Y - 1\bar y^T) R, \qquad
              (s, R) = \arg\min_{s,\; R^T R = I} \|X - \hat Y\|_F^2

    With :math:`U \Sigma V^T` the singular values of :math:`(Y - 1\bar y^T)^T (X - 1\bar x^T)`, the
    rotation is :math:`R = U V^T` and the scale :math:`s = tr(\Sigma) / \|Y - 1\bar y^T\|_F^2`.

    Parameters
    ----------
    truth : array_like of shape (n, d)
        The points to lay upon, X.
    embedding : array_like of shape (n, k)
        The points to move, Y, in the same order. The narrower of the two is padded with zeros.

    Returns
    -------
    ndarray of shape (n, max(d, k))
        The moved embedding, in the units of the truth. Points that all coincide are laid upon the
        truth's centroid.

    Raises
    ------
    SettingError
        If the numbers of rows differ, or either array is not a finite (n, d) array.

    References
    ----------
    Schönemann (1966), A generalized solution of the orthogonal Procrustes problem.
    Gower (1975), Generalized Procrustes analysis.

    Examples
    --------
    >>> truth = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    >>> turned = [[5.0, 5.0], [5.0, 7.0], [3.0, 5.0]]
    >>> bool(np.allclose(procrustes_align(truth, turned), truth))
    True
    """
    target, points = _same_width(as_points(truth, "truth"), as_points(embedding, "embedding"))
    centre = target.mean(axis=0)
    points = points - points.mean(axis=0)
    rotation, strength = orthogonal_procrustes(points, target - centre)
    size = np.sum(points**2)
    scale = strength / size if size > 0 else 0.0
    return centre + scale * (points @ rotation)


def _same_width(truth: np.ndarray, embedding: np.ndarray) -> list[np.ndarray]:
    """Pad the narrower of two configurations with zero columns."""
    if len(truth) != len(embedding):
        raise SettingError(
            f"truth has {len(truth)} rows and embedding {len(embedding)}; "
            "give the same items in the same order"
        )
    width = max(truth.shape[1], embedding.shape[1])
    return [np.pad(x, ((0, 0), (0, width - x.shape[1]))) for x in (truth, embedding)]
