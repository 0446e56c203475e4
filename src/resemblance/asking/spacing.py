"""Design stimuli on an even grid of a map, and measure how even their spacing is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from resemblance.arrays import Floats, Ints
from resemblance.fitting import MapUncertainty, OrdinalEmbedding
from resemblance.judgments import Confusions
from resemblance.notebook import Shown

HALF_WIDTH = 1.96  # half-width of a 95 % interval, in standard errors
# Intervals are from a fit with at most this penalty, because the penalty that predicts best biases
# distances, by more than a standard error.
LEAST_PENALTY = 1e-5
# The first grid is drawn when its distances are known to within this multiple of what is wanted.
FIRST = 2.0


@dataclass(frozen=True)
class Spacing(Shown):
    """Distances between neighbouring stimuli of a grid.

    Attributes
    ----------
    features : array (m, d)
        The stimuli at the nodes; the last axis of the grid varies fastest.
    pairs : array (k, 2) of int
        The rows of neighbours.
    distance : array (k,)
        The distances of neighbours, in units of the space.
    half_width : array (k,)
        The half-widths of their 95 % intervals.
    """

    features: Floats
    pairs: Ints
    distance: Floats
    half_width: Floats

    @property
    def mean(self) -> float:
        return float(self.distance.mean())

    @property
    def accuracy(self) -> float:
        """The largest deviation from the mean, or half-width, as a share of the mean."""
        return max(self._uncertainty, float(self._deviation.max()))

    def is_known(self, within: float) -> bool:
        return self._uncertainty <= within

    def is_uneven(self, within: float) -> bool:
        """Return whether a distance surely deviates from the mean by more than this share."""
        return bool((self._deviation - self.half_width / self.mean > within).any())

    @property
    def _deviation(self) -> Floats:
        return np.abs(self.distance / self.mean - 1.0)

    @property
    def _uncertainty(self) -> float:
        return float(self.half_width.max()) / self.mean


def measure_spacing(
    model: OrdinalEmbedding, confusions: Confusions, features: ArrayLike, shape: Sequence[int]
) -> Spacing:
    """Estimate the distances of neighbours among stimuli on a grid.

    Parameters
    ----------
    model : OrdinalEmbedding
        A map of features, fitted to the confusions, such as :class:`~resemblance.Yada`.
    confusions : Confusions
        The trials so far.
    features : array (m, d)
        The stimuli at the nodes of the grid; the last axis varies fastest.
    shape : sequence of int
        The number of nodes along each axis.

    Returns
    -------
    Spacing
    """
    stimuli, pairs = np.asarray(features, float), neighbours(shape)
    penalty = min(model._penalty(model.form_), LEAST_PENALTY)
    unbiased = clone(model).set_params(penalty=penalty).fit(confusions)
    distance, error = MapUncertainty(unbiased, confusions).distances(stimuli[pairs])
    return Spacing(stimuli, pairs, distance, HALF_WIDTH * error)


def next_grid(
    model: OrdinalEmbedding,
    confusions: Confusions,
    shape: Sequence[int],
    within: float,
    current: ArrayLike | None = None,
) -> tuple[Spacing | None, bool]:
    """Measure the current stimuli of a grid, or design others if they are uneven.

    A first grid is designed when its predicted distances are known to within ``2 within``. A
    current grid is replaced if a distance surely deviates from the mean by more than ``within``, or
    if it is known to within that share, and deviates.

    Parameters
    ----------
    model, confusions, shape
        As in :func:`measure_spacing`.
    within : float
        How even distances should be, and how well known, as a share of their mean.
    current : array (m, d), optional
        The features of the current stimuli; default: none are there.

    Returns
    -------
    spacing : Spacing or None
        The grid; None if no grid is known well enough, or some node has no stimulus.
    is_new : bool
        Whether the grid should be drawn.
    """
    spacing = None
    if current is not None:
        spacing = measure_spacing(model, confusions, current, shape)
        undecided = not (spacing.is_known(within) or spacing.is_uneven(within))
        if spacing.accuracy <= within or undecided:
            return spacing, False
    grid = model.perceptual_grid(tuple(shape))
    if not grid.reachable.all():
        return spacing, False
    planned = measure_spacing(model, confusions, grid.features, shape)
    if spacing is None and not planned.is_known(FIRST * within):
        return None, False
    return planned, True


def neighbours(shape: Sequence[int]) -> Ints:
    """Return the pairs of neighbours, (k, 2), among the nodes of a grid.

    >>> neighbours((2, 2)).tolist()
    [[0, 2], [1, 3], [0, 1], [2, 3]]
    """
    nodes = np.arange(np.prod(shape), dtype=np.int32).reshape(tuple(shape))
    pairs = [
        np.stack([nodes.take(range(n - 1), axis), nodes.take(range(1, n), axis)], axis=-1)
        for axis, n in enumerate(shape)
    ]
    return np.concatenate([part.reshape(-1, 2) for part in pairs])
