"""Triplet error: the share of answers that an embedding contradicts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from resemblance.errors import SettingError
from resemblance.geometry.procrustes import as_points
from resemblance.judgments import Comparison, Judgments, as_judgments
from resemblance.judgments.checks import row_names
from resemblance.judgments.items import are_numbered, named_by_rows
from resemblance.scores.weighted import weighted_mean

TIE = 1e-12
"""Relative difference up to which two distances, or probabilities, count as tied."""

_BLOCK = 2**20
"""Coordinates gathered at a time: 8 MiB for each side of a pair."""


def triplet_error(embedding: ArrayLike, judgments: Judgments | ArrayLike) -> float:
    r"""Return the weighted share of comparisons that an embedding gets wrong; ties count one half.

    .. math:: \frac{\sum_r w_r\, \ell_r}{\sum_r w_r}, \qquad
              \ell_r = [d_{near} > d_{far}] + \tfrac12 [d_{near} = d_{far}]

    Here w_r is the weight of row r, and d are distances. If all points have the same position, the
    error is 0.5. For a choice among N options, :math:`\ell_r` is 1 if another option is nearer than
    the chosen option, else :math:`1 - 1/t` if t options, including the chosen one, are nearest. For
    odd ones out, the distance of an option is the mean squared distance of the pairs without the
    option. Two squared distances tie if they differ by at most 1e-12 of the larger distance.

    Parameters
    ----------
    embedding : fitted model, or array_like of shape (n, d)
        The model, or one point per item.
    judgments : Judgments or array_like of shape (m, 3) or (m, 4)
        Triplets, quadruplets or choices; preferably answers that were not used in the fit.

    Returns
    -------
    float
        The error, from 0 to 1.

    Raises
    ------
    SettingError
        If the embedding is not a finite (n, d) array with a row for every item.
    JudgmentError
        If the judgments are not valid, or empty.

    Examples
    --------
    >>> line = [[0.0], [1.0], [3.0]]
    >>> triplet_error(line, [[0, 1, 2], [1, 2, 0]])
    0.5
    """
    judgments = as_judgments(judgments)
    return weighted_mean(triplet_losses(embedding, judgments), judgments.weight)


def triplet_losses(embedding: ArrayLike, judgments: Judgments | ArrayLike) -> np.ndarray:
    """Return the loss of each row, (m,); the weighted mean is :func:`triplet_error`."""
    judgments = as_judgments(judgments)
    points = as_points(embedding, "embedding")
    if row_names(embedding) is not None and not are_numbered(judgments.items):
        rows: Any = embedding
        named_by_rows(judgments.items, {"embedding": rows[: judgments.n_items]})
    if len(points) < judgments.n_items:
        raise SettingError(
            f"embedding has {len(points)} rows, so item {len(points)} of the judgments' "
            f"{judgments.n_items} has no point; give one row per item"
        )
    losses = np.empty(len(judgments))
    for comparison in judgments.comparisons():
        losses[comparison.rows] = _comparison_losses(points, comparison)
    return losses


def error_from_distances(
    near: ArrayLike, far: ArrayLike, weights: ArrayLike | None = None
) -> float:
    r"""Return the weighted share of rows whose near distance is not the smallest.

    .. math:: \ell_r = 1 \text{ if } \min_o far_{ro} < near_r,
              \text{ else } 1 - 1/t_r, \quad t_r = 1 + |\{o : far_{ro} = near_r\}|

    where o is another option and t_r the number of tied options in row r. Shapes: near (m,), far
    (m,) or (m, k), weights (m,).
    """
    near, far = np.asarray(near, dtype=np.float64), np.asarray(far, dtype=np.float64)
    far = far[:, None] if far.ndim == 1 else far
    if near.ndim != 1 or far.ndim != 2 or len(near) != len(far):
        raise SettingError(
            f"near has shape {near.shape} and far {far.shape}; give (m,) and (m,) or (m, k)"
        )
    finite = np.isfinite(near) & np.isfinite(far).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        raise SettingError(f"a distance of row {row} is NaN or infinite; give finite distances")
    return weighted_mean(_losses(near, far), weights)


def _comparison_losses(points: np.ndarray, comparison: Comparison) -> np.ndarray:
    pairs, layout = comparison.pairs, comparison.layout
    n_rows, size = len(pairs[0][0]), max(1, _BLOCK // points.shape[1])
    losses = np.empty(n_rows)
    for start in range(0, n_rows, size):
        block = slice(start, start + size)
        squared = np.stack([_squared_distances(points, a[block], b[block]) for a, b in pairs])
        near, *far = layout.of_options(squared)
        losses[block] = _losses(near, np.stack(far, axis=1))
    return losses


def _squared_distances(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    steps = points[a] - points[b]
    return np.einsum("ij,ij->i", steps, steps)


def _losses(near: np.ndarray, far: np.ndarray) -> np.ndarray:
    excess = near[:, None] - far
    slack = TIE * np.maximum(np.abs(near[:, None]), np.abs(far))
    tied = 1 + np.sum(np.abs(excess) <= slack, axis=1)
    return np.where((excess > slack).any(axis=1), 1.0, 1.0 - 1.0 / tied)
