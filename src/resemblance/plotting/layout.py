"""Where things go on a page: swarms of points on a line, and names that do not collide."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

# A name is tried beside its point first, then around it.
_DIRECTIONS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]


def beeswarm(x: Points, diameter: float) -> Points:
    """Lift points off their line, each as little as keeps it clear of those before it.

    Point i gets the height y of smallest |y| with (x_i - x_j)^2 + (y - y_j)^2 >= diameter^2
    for every point j placed before, in the order of x.

    Parameters
    ----------
    x : ndarray of shape (n,)
        Positions along the line.
    diameter : float
        Distance to keep, in the units of x.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
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


class Taken:
    """Boxes (left, bottom, right, top) that are taken on a page."""

    def __init__(self, boxes: Points, page: Points, room: int) -> None:
        self._boxes = np.concatenate([boxes, np.empty((room, 4))])
        self._count = len(boxes)
        self._page = page

    def free(self, box: Points, itself: int = -1) -> bool:
        """Say whether a box lies on the page and meets no taken box but the one it belongs to."""
        left, bottom, right, top = self._boxes[: self._count].T
        meets = (left < box[2]) & (right > box[0]) & (bottom < box[3]) & (top > box[1])
        if itself >= 0:
            meets[itself] = False
        inside = bool((box[:2] >= self._page[:2]).all() and (box[2:] <= self._page[2:]).all())
        return inside and not meets.any()

    def take(self, box: Points) -> None:
        """Add a box."""
        self._boxes[self._count] = box
        self._count += 1


@dataclass(frozen=True)
class Placed:
    """A name that found its place: the offset of its middle from its point."""

    item: int
    offset: tuple[float, float]
    leader: bool


def place_names(
    points: Points,
    sizes: Points,
    order: NDArray[np.int64],
    radius: float,
    page: Points,
    rings: Sequence[float],
) -> list[Placed]:
    """Find places for names: on the page, over no point and over no other name.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Middles of the points on the page.
    sizes : ndarray of shape (n, 2)
        Width and height of each name.
    order : ndarray of int
        Who chooses first; items left out get no name.
    radius : float
        Radius of a point.
    page : ndarray of shape (4,)
        Left, bottom, right and top of the page, all in one unit.
    rings : sequence of float
        How far from its point a name is tried; away from it, it needs a leader line.

    Returns
    -------
    list of Placed
        Names that find no place are left out.
    """
    taken = Taken(np.hstack([points - radius, points + radius]), page, len(order))
    placed = []
    for item in order.tolist():
        for offset, leader in _places(sizes[item], radius + 2, rings):
            middle = points[item] + offset
            box = np.concatenate([middle - sizes[item] / 2, middle + sizes[item] / 2])
            if taken.free(box, itself=item):
                taken.take(box)
                placed.append(Placed(item, (float(offset[0]), float(offset[1])), leader))
                break
    return placed


def _places(size: Points, gap: float, rings: Sequence[float]) -> Iterator[tuple[Points, bool]]:
    """Yield the offsets to try for a name, and whether each needs a leader line."""
    for ring in rings:
        for direction in np.array(_DIRECTIONS, dtype=float):
            reach = (gap + ring) / np.hypot(*direction)
            yield direction * (reach + size / 2), ring > 0


def crowding(points: Points) -> Points:
    """Return the distance of each point to its nearest neighbour: small where it is crowded."""
    from scipy.spatial import KDTree

    if len(points) < 2:
        return np.full(len(points), np.inf)
    distances, _ = KDTree(points).query(points, k=2)
    return distances[:, 1]
