"""Place and draw the names or pictures of items on a map."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.errors import ResemblanceWarning
from resemblance.plotting.canvas import INK, MUTED, crowding, note, plain, widths_of
from resemblance.plotting.item_squares import pixels, thumbnail
from resemblance.plotting.scene import Arrow, Scene

Points = NDArray[np.float64]

STEP = 4.0  # distance between two rings of positions to try, in points
# A box may move this much farther, in points, for a line that crosses nothing.
DETOUR = 32.0
_AROUND: Points = np.arange(24.0) * (2 * np.pi / 24)
# directions to try first: right, left, above, below, then the corners
_BESIDE: Points = np.array([0, 4, 2, 6, 1, 3, 7, 5]) * (np.pi / 4)
MOST = 300  # With more items, only the least crowded are named.
_ASKING = 150  # number of names to try if there are more than MOST items
_LETTERS = 28
FONTS = 8.5, 7.5, 6.5, 5.5, 5.0, 4.5, 4.0  # font sizes of names to try, in points
# pairs of font size and largest distance of a name from its point, in points
_WAYS = [(font, 40.0) for font in FONTS] + [(4.5, 80.0), (4.0, 80.0), (4.0, np.inf)]
_CLEAR = 5.5  # With this font or a larger one, no line may cross a name or a point.
# largest, usual and smallest side of a picture, in points
_LARGEST, _USUAL, _LEAST = 44.0, 22.0, 10.0
# width of a picture's frame in points; side of the stored picture in pixels
_EDGE, _PIXELS = 3.5, 192
_STEPS = 60  # An arrow is covered by this many boxes, which names avoid.
_CAPTION = 6.0  # size of the font of the name below a picture, in points
_LINE = {
    "arrowstyle": "-",
    "color": MUTED,
    "lw": 0.5,
    "shrinkA": 0,
}  # style of the line from a moved name to its point


@dataclass(frozen=True)
class Places:
    offsets: Points  # (n, 2), from each point to the middle of its box
    placed: NDArray[np.bool_]  # (n,), whether a place was found for the box
    led: NDArray[np.bool_]  # (n,), whether the box is far from its point, so that it needs a line
    clear: NDArray[np.bool_]  # (n,), whether box and line overlap nothing else

    def boxes(self, points: Points, sizes: Points) -> Points:
        """Return left, bottom, right and top of the placed boxes, (n_placed, 4)."""
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

    One after the other, each box gets the first free place on rings around its point. A place whose
    line would cross another box, point or line is used only if there is no other place up to
    ``DETOUR`` farther away. The result is deterministic. All lengths are in points: ``points`` and
    ``sizes`` are (n, 2); ``frame`` (4,) and ``taken`` (m, 4) are left, bottom, right, top.
    ``order`` gives the order in which boxes are placed. ``centred`` boxes are first tried on their
    point, other boxes beside it.

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
    """Yield offsets of boxes ring by ring, as (how much farther than the first ring, offsets)."""
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
        """Return the indices of free offsets, and of free offsets whose line crosses no box."""
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
            others = there[~under]  # A line always crosses the boxes that cover its own point.
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
    way = end - start
    way = np.where(way == 0, 1e-12, way)
    first, second = (boxes[..., :2] - start) / way, (boxes[..., 2:] - start) / way
    enter, leave = np.minimum(first, second).max(-1), np.maximum(first, second).min(-1)
    meets: NDArray[np.bool_] = (enter < leave) & (leave > 0) & (enter < 1)
    return meets


def on_page(ax: Axes, points: Floats) -> Floats:
    return np.asarray(ax.transData.transform(points) * 72 / ax.figure.dpi)


def page_of(ax: Axes) -> Floats:
    return np.array(ax.get_window_extent().extents) * 72 / ax.figure.dpi


def draw_arrows(
    ax: Axes, arrows: list[Arrow], points: Floats, axes: Floats, radius: float
) -> Floats:
    """Draw the directions of features; return boxes of the names and shafts of arrows, (n, 4)."""
    if not arrows:
        return np.empty((0, 4))
    middle = points.mean(axis=0)
    ends = middle + np.array([arrow.to for arrow in arrows]) @ axes.T
    words = [f"{short(arrow.name)} ({arrow.strength})" for arrow in arrows]
    widths = widths_of(ax, words, FONTS[0]) + 2
    sizes = np.column_stack([widths, np.full(len(words), 1.25 * FONTS[0])])
    page, dots = on_page(ax, ends), on_page(ax, points)
    start = on_page(ax, middle[None])[0]
    steps = np.linspace(0, 1, _STEPS)[:, None, None]
    shafts = (start + steps * (page - start)).reshape(-1, 2)
    shafts = np.hstack([shafts - 1, shafts + 1])
    for taken in (np.concatenate([np.hstack([dots - radius, dots + radius]), shafts]), shafts):
        places = move_apart(page, sizes, page_of(ax), radius=1.0, reach=30.0, taken=taken)
        if places.placed.all():  # If points are too crowded for all names, names may cover points.
            break
    for end, text, offset, placed in zip(ends, words, places.offsets, places.placed, strict=True):
        style = {"arrowstyle": "->", "color": INK, "lw": 1.0, "shrinkA": 0, "shrinkB": 0}
        arrow = ax.annotate("", end, middle, arrowprops=style, zorder=2.5, gid="feature")
        arrow.set_in_layout(False)
        if placed:
            _write(ax, text, end, offset, FONTS[0], style="italic", zorder=3.5)
    return np.concatenate([places.boxes(page, sizes), shafts])


def draw_names(ax: Axes, scene: Scene, points: Floats, radius: float, taken: Floats) -> int:
    """Write the names, in a smaller font if there are many; return the number of written names."""
    return _write_names(ax, scene, points, np.arange(len(scene)), radius, taken)


def draw_pictures(
    ax: Axes,
    scene: Scene,
    points: Floats,
    radius: float,
    colours: NDArray[np.object_],
    arrows: Floats,
) -> tuple[int, NDArray[np.bool_]]:
    """Draw pictures in frames, and names if there is room.

    Returns the number of items shown by picture or name, and a mask of items whose point is not
    covered.
    """
    paths = scene.images or [None] * len(scene)
    have = np.array([path is not None for path in paths])
    own, page, frame = np.flatnonzero(have), on_page(ax, points), page_of(ax)
    pictures = [
        pixels(thumbnail(path, name, _PIXELS))
        for path, name in zip(paths, scene.names, strict=True)
        if path is not None
    ]
    shapes = np.array([picture.shape[1::-1] for picture in pictures], float)
    shapes /= shapes.max(axis=1, keepdims=True)
    names = [short(scene.names[item]) for item in own.tolist()]
    words = np.column_stack([widths_of(ax, names, _CAPTION) + 2, [1.25 * _CAPTION] * len(own)])
    dots = np.hstack([page - radius, page + radius])
    swarm = scene.points.shape[1] == 1
    before = np.concatenate([dots[~have], arrows])
    side, places = _place_pictures(page[own], shapes, words, frame, before, swarm)
    sizes = side * shapes + _EDGE
    for k in np.flatnonzero(places.placed).tolist():
        item, offset = own[k], places.offsets[k]
        away = bool((np.abs(offset) > sizes[k] / 2).any())
        dotted = ":" if scene.flagged[item] else "-"
        _draw_picture(ax, points[item], pictures[k], side, colours[item], dotted, offset, away)
    boxes = places.boxes(page[own], sizes)
    bare = ~_covered(np.hstack([page, page]), boxes)
    taken = np.concatenate([boxes, dots[bare], arrows])
    for k in np.flatnonzero(places.placed).tolist():
        offset = places.offsets[k] - [0, (sizes[k, 1] + words[k, 1]) / 2]
        middle = page[own[k]] + offset
        box = np.concatenate([middle - words[k] / 2, middle + words[k] / 2])
        inside = (box[:2] >= frame[:2]).all() and (box[2:] <= frame[2:]).all()
        if inside and not _covered(box[None], taken)[0]:
            taken = np.vstack([taken, box])
            _write(ax, names[k], points[own[k]], offset, _CAPTION)
    named = _write_names(ax, scene, points, np.flatnonzero(~have), radius, taken)
    return int(places.placed.sum()) + named, bare


def _covered(boxes: Floats, taken: Floats) -> NDArray[np.bool_]:
    low, high = taken[:, :2] < boxes[:, None, 2:], taken[:, 2:] > boxes[:, None, :2]
    return np.asarray(np.any(np.all(low & high, axis=2), axis=1))


def _write_names(
    ax: Axes, scene: Scene, points: Floats, chosen: NDArray[np.int64], radius: float, taken: Floats
) -> int:
    if not len(chosen):
        return 0
    page, frame = on_page(ax, points)[chosen], page_of(ax)
    names = [short(scene.names[item]) for item in chosen.tolist()]
    order = np.argsort(crowding(page), kind="stable")
    ways = _WAYS
    if len(chosen) > MOST:
        order, ways = order[::-1][:_ASKING], [(FONTS[0], 2.0 * FONTS[0])]
    asking = [names[k] for k in order.tolist()]
    sizes, letters = np.zeros((len(names), 2)), widths_of(ax, asking, 20.0) / 20.0
    best: tuple[float, Places] | None = None
    for font, reach in ways:
        # A name needs the larger of its widths on paper and on a screen.
        widths = np.maximum(font * letters, widths_of(ax, asking, font))
        sizes[order] = np.column_stack([widths + 2, np.full(len(widths), 1.25 * font)])
        places = move_apart(
            page, sizes, frame, order=order, radius=radius, reach=reach, taken=taken,
            all_or_none=(font, reach) != ways[-1],
        )  # fmt: skip
        if places.placed[order].all() and (best is None or places.clear[order].all()):
            best = font, places
        if best is not None and (best[1].clear[order].all() or font <= _CLEAR):
            break
    font, places = best or (font, places)
    for k in np.flatnonzero(places.placed).tolist():
        line = {**_LINE, "shrinkB": radius, "relpos": (0.5, 0.5)} if places.led[k] else None
        _write(ax, names[k], points[chosen[k]], places.offsets[k], font, arrowprops=line)
    return int(places.placed.sum())


def _write(ax: Axes, name: str, point: Any, offset: Any, font: float, **more: Any) -> None:
    style = {"ha": "center", "va": "center", "fontsize": font, "color": INK, "zorder": 3, **plain}
    place = {"textcoords": "offset points", **style, **more}
    ax.annotate(name, point, offset, **place).set_in_layout(False)


def _place_pictures(
    page: Floats, shapes: Floats, words: Floats, frame: Floats, taken: Floats, swarm: bool
) -> tuple[float, Places]:
    """Return the largest possible side of pictures, and places of pictures near the points.

    Room for names (of sizes ``words``) below the pictures is reserved if all pictures can then
    cover their points. Pictures of a swarm stay on their points if possible, because these points
    are already far enough apart.
    """
    apart = crowding(page)
    share, floor = (0.95, _LEAST) if swarm else (1.8, _USUAL)
    first = side = float(np.clip(share * np.median(apart), floor, _LARGEST))
    many, least = len(page) > MOST, _LEAST + 1e-9
    named = not (many or swarm)
    order = np.argsort(-apart if many else apart, kind="stable")
    while True:
        last = many or (side <= least and not named)
        reach = 0.0 if many or swarm else side / 2 if named else side
        reach = np.inf if last and not many else reach
        sizes, drop = side * shapes + _EDGE, words * [0, named]
        sizes = np.maximum(sizes + drop, words * [named, 0])
        places = move_apart(
            page - drop / 2, sizes, frame, order=order, centred=True, reach=reach,
            taken=taken, all_or_none=not last,
        )  # fmt: skip
        if last or places.placed.all():
            return side, places
        side = max(0.85 * side, _LEAST)
        if named and side < _USUAL:
            side, named = first, False


def _draw_picture(
    ax: Axes,
    point: Floats,
    picture: NDArray[np.uint8],
    side: float,
    colour: str,
    edge: str,
    offset: Floats,
    away: bool,
) -> None:
    x, y = float(point[0]), float(point[1])
    if away:
        _write(ax, "", point, offset, _CAPTION, arrowprops={**_LINE, "shrinkB": 0}, zorder=1.5)
    box = AnnotationBbox(
        OffsetImage(picture, zoom=side / max(picture.shape[:2])),
        (x, y),
        (float(offset[0]), float(offset[1])),
        boxcoords="offset points",
        pad=0.08,
        bboxprops={"edgecolor": colour, "lw": 1.2, "ls": edge},
    )
    box.set_in_layout(False)
    ax.add_artist(box)


def count(ax: Axes, n_shown: int, scene: Scene) -> None:
    """Report the number of items that are not shown, above the map and in a warning."""
    total, images = len(scene), scene.images
    what = "names" if images is None else "items" if None in images else "pictures"
    if n_shown == total:
        return
    note(ax, f"{n_shown:,} of {total:,} {what} shown", (1, 1), (0, 4), ha="right", va="bottom")
    warnings.warn(
        f"{total - n_shown:,} of {total:,} {what} have no room on the map and are left out: draw "
        "it wider, or draw fewer items",
        ResemblanceWarning,
        stacklevel=3,
    )


def short(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= _LETTERS else line[: _LETTERS - 1] + "…"
