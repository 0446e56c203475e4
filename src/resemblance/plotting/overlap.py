"""Move overlapping boxes, such as names and pictures, apart."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

STEP = 4.0  # typographic points between two rings of places that are tried
DETOUR = 32.0  # detour of a box that avoids crossing a line
_AROUND: Points = np.arange(24.0) * (2 * np.pi / 24)
_BESIDE: Points = np.array([0, 4, 2, 6, 1, 3, 7, 5]) * (
    np.pi / 4
)  # right, left, above, below, corners


@dataclass(frozen=True)
class Places:
    """Placed boxes."""

    offsets: Points  # (n, 2), from each point to the middle of its box
    placed: NDArray[np.bool_]  # (n,)
    led: NDArray[np.bool_]  # (n,), whether the box is so far away that it needs a line to its point
    clear: NDArray[np.bool_]  # (n,), whether box and line overlap nothing

    def boxes(self, points: Points, sizes: Points) -> Points:
        """Return left, bottom, right and top of the boxes found, of shape (n_found, 4)."""
        middles = (points + self.offsets)[self.placed]
        return np.hstack([middles - sizes[self.placed] / 2, middles + sizes[self.placed] / 2])


def move_apart(
    points: Points,
    sizes: Points,
    frame: Points,
    *,
    order: NDArray[np.int64] | None = None,
    radius: float = 0.0,
    centred: bool = False,
    reach: float = np.inf,
    taken: Points | None = None,
    all_or_none: bool = False,
) -> Places:
    """Place each box as near its point as possible, without overlap, inside the frame.

    Boxes in turn take the first free place on rings around their points. Places whose line would
    cross another box, point or line are used only if there is none else within a detour. The
    result is deterministic. All lengths are in typographic points: points and sizes (n, 2), frame
    and taken (m, 4) as left, bottom, right, top. ``order`` says who chooses first, and leaves out
    other boxes; ``centred`` boxes lie on their point, others beside it.

    >>> places = move_apart(np.zeros((2, 2)), np.full((2, 2), 10.0), np.array([-50, -50, 50, 50]))
    >>> places.offsets.tolist()
    [[7.0, 0.0], [-7.0, 0.0]]
    """
    n = len(points)
    dots = np.hstack([points - radius, points + radius])[: 0 if centred else n]
    table = _Table(np.concatenate([dots, np.empty((0, 4)) if taken is None else taken]), frame, n)
    offsets, (placed, led, clears) = np.zeros((n, 2)), np.zeros((3, n), bool)
    reach = min(reach, float(np.hypot(*(frame[2:] - frame[:2]))))
    for item in (np.arange(n) if order is None else order).tolist():
        own = -1 if centred else item
        nearest: tuple[float, Points] | None = None
        for ring, tried in _rings(sizes[item], radius + 2, reach, centred):
            if nearest is not None and ring > nearest[0] + DETOUR:
                break
            free, clear = table.free(points[item], tried, sizes[item], own, ring > 0)
            if clear.size:
                nearest = ring, tried[clear[0]]
                clears[item] = True
                break
            if free.size and nearest is None:
                nearest = ring, tried[free[0]]
        if nearest is not None:
            ring, offset = nearest
            offsets[item], placed[item], led[item] = offset, True, ring > 0
            table.take(points[item], offset, sizes[item], ring > 0)
        if all_or_none and not placed[item]:
            break
    return Places(offsets, placed, led, clears)


def _rings(size: Points, gap: float, reach: float, centred: bool) -> Iterator[tuple[float, Points]]:
    """Yield rings of offsets to try, with their distance from the place at the point."""
    if centred:
        yield 0.0, np.zeros((1, 2))
        circle = np.column_stack([np.cos(_AROUND), np.sin(_AROUND)])
        for ring in np.arange(STEP, reach + STEP / 2, STEP).tolist():
            yield ring, ring * circle
        return
    yield 0.0, _beside(_BESIDE, gap, size)
    for ring in np.arange(1.5 * STEP, reach + STEP / 2, STEP).tolist():
        yield ring, _beside(_AROUND, gap + ring, size)


def _beside(angles: Points, distance: float, size: Points) -> Points:
    """Return offsets of a box at a distance from its point, in some directions."""
    way = np.column_stack([np.cos(angles), np.sin(angles)])
    return np.round(distance * way + np.clip(np.sqrt(2) * way, -1, 1) * size / 2, 9)


class _Table:
    """Occupied boxes (left, bottom, right, top) and lines (x, y, x, y) on the page."""

    def __init__(self, boxes: Points, frame: Points, room: int) -> None:
        self._boxes = np.concatenate([boxes, np.empty((room, 4))])
        self._lines = np.empty((room, 4))
        self._n_boxes = len(boxes)
        self._n_lines = 0
        self._frame = frame

    def free(
        self, point: Points, tried: Points, size: Points, own: int, line: bool
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return which offsets are free, and which of these have a line that crosses no box."""
        middles = point + tried
        boxes = np.hstack([middles - size / 2, middles + size / 2])
        free = (boxes[:, :2] >= self._frame[:2]).all(1) & (boxes[:, 2:] <= self._frame[2:]).all(1)
        at = np.flatnonzero(free)
        there = self._boxes[: self._n_boxes]
        low, high = boxes[at, None, :2], boxes[at, None, 2:]
        meets = np.all((there[:, :2] < high) & (there[:, 2:] > low), axis=2)
        if own >= 0:
            meets[:, own] = False
        at = at[~meets.any(axis=1)]
        if not at.size:
            return at, at
        lines = self._lines[: self._n_lines]
        crossed = _cross(lines[:, :2], lines[:, 2:], boxes[at, None]).any(axis=1)
        if line:
            under = ((there[:, :2] < point) & (there[:, 2:] > point)).all(1)
            others = there[~under]  # boxes on the point itself are crossed anyway
            crossed |= _cross(point, middles[at, None], others).any(axis=1)
        return at, at[~crossed]

    def take(self, point: Points, offset: Points, size: Points, line: bool) -> None:
        middle = point + offset
        self._boxes[self._n_boxes] = [*(middle - size / 2), *(middle + size / 2)]
        self._n_boxes += 1
        if line:
            self._lines[self._n_lines] = [*point, *middle]
            self._n_lines += 1


def _cross(start: Points, end: Points, boxes: Points) -> NDArray[np.bool_]:
    """Return which straight lines meet which boxes, by broadcasting."""
    way = end - start
    way = np.where(way == 0, 1e-12, way)
    first, second = (boxes[..., :2] - start) / way, (boxes[..., 2:] - start) / way
    enter, leave = np.minimum(first, second).max(-1), np.maximum(first, second).min(-1)
    meets: NDArray[np.bool_] = (enter < leave) & (leave > 0) & (enter < 1)
    return meets
