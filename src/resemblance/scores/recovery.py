"""Procrustes distance between an embedding and a known configuration."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from resemblance.errors import SettingError
from resemblance.geometry.procrustes import as_points, procrustes_align
from resemblance.judgments.items import named_by_rows


def procrustes_distance(truth: ArrayLike, embedding: ArrayLike) -> float:
    r"""Share of the truth's variation that an embedding misses after the best similarity transform.

    .. math:: \min_{s, R, t} \frac{\|X - s Y R - 1 t^T\|_F^2}{\|X - 1 \bar x^T\|_F^2}
              = 1 - \frac{\|(Y - 1 \bar y^T)^T (X - 1 \bar x^T)\|_*^2}
                         {\|X - 1 \bar x^T\|_F^2\, \|Y - 1 \bar y^T\|_F^2}

    over translations t, rotations and reflections R, and scales s (:math:`\|\cdot\|_*` is the
    nuclear norm). This is 1 - R^2 of the fit, and it is symmetric in its arguments.

    Parameters
    ----------
    truth : array_like of shape (n, d)
        The known points, X.
    embedding : array_like of shape (n, k)
        The recovered points, Y, in the same order. The narrower of the two is padded with zeros.

    Returns
    -------
    float
        From 0, the same up to a similarity transform, to 1, nothing recovered (a collapsed
        embedding scores 1).

    Raises
    ------
    SettingError
        If the numbers of rows differ, either array is not a finite (n, d) array, or all true
        points coincide.
    JudgmentError
        If both are of pandas, and their indexes name other items, or in another order.

    References
    ----------
    Gower (1975), Generalized Procrustes analysis.

    Examples
    --------
    >>> square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    >>> round(procrustes_distance(square, [[9.0, 0.0], [9.0, 3.0], [6.0, 3.0], [6.0, 0.0]]), 9)
    0.0
    >>> round(procrustes_distance(square, [[0.0], [1.0], [1.0], [0.0]]), 9)
    0.5
    """
    named_by_rows(None, {"truth": truth, "embedding": embedding})
    points = as_points(truth, "truth")
    if not np.ptp(points, axis=0).any():
        raise SettingError("all points of truth coincide; give at least two different points")
    aligned = procrustes_align(points, embedding)
    missed = np.pad(points, ((0, 0), (0, aligned.shape[1] - points.shape[1]))) - aligned
    total = np.sum((points - points.mean(axis=0)) ** 2)
    return float(min(np.sum(missed**2) / total, 1.0))
