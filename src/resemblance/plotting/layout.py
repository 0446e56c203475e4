"""Beeswarms of points on a line, and a measure of crowding."""

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def beeswarm(x: Points, diameter: float) -> Points:
    """Lift points off their line by the least heights that keep a distance.

    Point i gets the height y of smallest |y| with (x_i - x_j)^2 + (y - y_j)^2 >= diameter^2 for
    every point j placed before, in the order of x. The diameter is in units of x.

    >>> beeswarm(np.array([0.0, 0.0, 5.0]), diameter=1.0)
    array([0., 1., 0.])
    """
    order = np.argsort(x, kind="stable")
    xs, ys = x[order], np.zeros(len(x))
    starts = np.searchsorted(xs, xs - diameter, side="right")
    for i, start in enumerate(starts):
        reach = np.sqrt(np.maximum(diameter**2 - (xs[i] - xs[start:i]) ** 2, 0))
        ys[i] = _nearest_gap(ys[start:i] - reach, ys[start:i] + reach)
    heights = np.empty_like(ys)
    heights[order] = ys
    return heights


def _nearest_gap(low: Points, high: Points) -> float:
    """Return the height nearest 0, positive first, strictly inside none of the intervals."""
    heights = np.concatenate([[0.0], high, low])
    inside = (heights[:, None] > low + 1e-9) & (heights[:, None] < high - 1e-9)
    free = heights[~inside.any(axis=1)]
    return float(free[np.abs(free).argmin()])


def crowding(points: Points) -> Points:
    from scipy.spatial import KDTree

    if len(points) < 2:
        return np.full(len(points), np.inf)
    distances, _ = KDTree(points).query(points, k=2)
    return distances[:, 1]
