"""Match the dimensions of two spaces by their correlations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.geometry.procrustes import as_points, procrustes_align
from resemblance.judgments.items import named_by_rows

ALIKE = 0.85  # smallest correlation at which dimensions match
MOST = 0.5  # A dimension recurs if it has a match in at least this share of the other spaces.


def match_dimensions(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.intp], Floats]:
    r"""Match the dimensions of two spaces of the same items, one to one.

    .. math:: \max_\pi \sum_k \mathrm{corr}(x_k, y_{\pi(k)})

    is maximised over one-to-one matchings :math:`\pi` of columns x_k of the first space and y of
    the second. If the second space has fewer columns, the worst-matching columns of the first have
    no match.

    Parameters
    ----------
    first : array (n_items, d)
        The first space, such as the loadings of :class:`~resemblance.SPoSE`.
    second : array (n_items, e)
        The second space.

    Returns
    -------
    columns : array (d,) of int
        The index, in the second space, of the match of each column of the first; -1 without a
        match.
    correlations : array (d,)
        Pearson's correlation of each column with its match, over items; 0 without a match.

    Raises
    ------
    SettingError
        If the numbers of items differ.

    Examples
    --------
    >>> space = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 0.5]])
    >>> match_dimensions(space, space[:, ::-1])[0]
    array([1, 0])
    """
    X, Y = np.asarray(first, float), np.asarray(second, float)
    if X.ndim != 2 or Y.ndim != 2 or len(X) != len(Y):
        raise SettingError(
            f"the spaces have shapes {X.shape} and {Y.shape}: give both the same items, one row "
            "for each"
        )
    C = _standard(X).T @ _standard(Y)
    rows, partners = linear_sum_assignment(-C)
    columns, correlations = np.full(X.shape[1], -1), np.zeros(X.shape[1])
    columns[rows], correlations[rows] = partners, C[rows, partners]
    return columns, correlations


def recurring_dimensions(
    spaces: Sequence[Floats],
) -> tuple[int, NDArray[np.bool_]]:
    r"""Return the space whose dimensions recur most often, and a mask of recurring dimensions.

    .. math:: \frac{1}{K - 1} \sum_{j \ne i}
       \big[ \mathrm{corr}(x^i_k, x^j_{\pi_j(k)}) \ge 0.85 \big] \ge 0.5

    is the criterion for dimension k of space i of K, (n_items, d), to recur. :math:`\pi_j` matches
    the dimensions of space i with the dimensions of space j.
    """
    shares = []
    for i, X in enumerate(spaces):
        others = [match_dimensions(X, Y)[1] for j, Y in enumerate(spaces) if j != i]
        shares.append(np.mean(np.array(others) >= ALIKE, axis=0))
    best = int(np.argmax([share.sum() for share in shares]))
    return best, shares[best] >= MOST


def column_correlations(first: Floats, second: Floats) -> Floats:
    return np.asarray((_standard(first) * _standard(second)).sum(axis=0))


def _standard(X: Floats) -> Floats:
    centred = X - X.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    return centred / np.where(lengths > 0, lengths, 1.0)


def procrustes_distance(truth: ArrayLike, embedding: ArrayLike) -> float:
    r"""Return the share of the truth's variance that an embedding does not explain.

    .. math:: \min_{s, R, t} \frac{\|X - s Y R - 1 t^T\|_F^2}{\|X - 1 \bar x^T\|_F^2}
              = 1 - \frac{\|(Y - 1 \bar y^T)^T (X - 1 \bar x^T)\|_*^2}
                         {\|X - 1 \bar x^T\|_F^2\, \|Y - 1 \bar y^T\|_F^2}

    X is ``truth`` and Y is ``embedding``. The minimum is over translations t, rotations and
    reflections R, and scales s; :math:`\|\cdot\|_*` is the nuclear norm. The result is 1 - R^2 of
    the best similarity transform, and symmetric in its arguments. Source: Gower (1975), Generalized
    Procrustes analysis.

    Parameters
    ----------
    truth : array_like of shape (n, d)
        The known points, X.
    embedding : fitted model, or array_like of shape (n, k)
        The recovered points, Y, in the order of ``truth``. Missing columns are filled with zeros.

    Returns
    -------
    float
        From 0 (equal up to a similarity transform) to 1 (nothing recovered, such as if all points
        coincide).

    Raises
    ------
    SettingError
        If the numbers of rows differ, an array is not finite and (n, d), or all true points
        coincide.
    JudgmentError
        If both are pandas objects whose indexes differ.

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
