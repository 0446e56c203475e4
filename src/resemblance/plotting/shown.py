"""What shows an item on a still map: its name, or its picture."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.errors import ResemblanceWarning
from resemblance.plotting.apart import Places, move_apart
from resemblance.plotting.canvas import INK, MUTED, note, plain, widths_of
from resemblance.plotting.layout import crowding
from resemblance.plotting.scene import Scene
from resemblance.plotting.thumbnails import pixels, thumbnail

MOST = 300  # items that all ask for a place; of more, the least crowded do
_ASKING = 150  # of them
_LETTERS = 28
FONTS = 8.5, 7.5, 6.5, 5.5, 5.0, 4.5, 4.0  # sizes of names that are tried, in points
_WAYS = [(font, 40.0) for font in FONTS] + [(4.5, 80.0), (4.0, 80.0), (4.0, np.inf)]  # and reaches
_CLEAR = 5.5  # the smallest font that is tried so that no line crosses a name or a point
_LARGEST, _USUAL, _LEAST = 44.0, 22.0, 10.0  # sides of pictures
_EDGE, _PIXELS = 3.5, 192  # of a picture's frame; side of a picture in pixels


def on_page(ax: Axes, points: Floats) -> Floats:
    """Return positions (n, 2) on the page in typographic points."""
    return np.asarray(ax.transData.transform(points) * 72 / ax.figure.dpi)


def page_of(ax: Axes) -> Floats:
    """Return left, bottom, right and top of the axes in typographic points."""
    return np.array(ax.get_window_extent().extents) * 72 / ax.figure.dpi


def draw_names(ax: Axes, scene: Scene, points: Floats, radius: float) -> None:
    """Write the names, in a smaller font where there are many; say how many have no place."""
    n_shown = _write_names(ax, scene, points, np.arange(len(scene)), radius, np.empty((0, 4)))
    _count(ax, n_shown, len(scene), "names")


def draw_pictures(
    ax: Axes, scene: Scene, points: Floats, radius: float, colours: NDArray[np.object_]
) -> None:
    """Draw the pictures, framed in their colours, and the names of items that have none."""
    paths = scene.images or [None] * len(scene)
    have = np.array([path is not None for path in paths])
    page, frame = on_page(ax, points), page_of(ax)
    bare = page[~have]
    dots = np.hstack([bare - radius, bare + radius])
    pictures = [
        pixels(thumbnail(path, name, _PIXELS))
        for path, name in zip(paths, scene.names, strict=True)
        if path is not None
    ]
    shapes = np.array([picture.shape[1::-1] for picture in pictures], float)
    shapes /= shapes.max(axis=1, keepdims=True)
    swarm = scene.points.shape[1] == 1
    side, places = _place_pictures(page[have], shapes, frame, dots, swarm)
    for k, item in enumerate(np.flatnonzero(have).tolist()):
        if places.placed[k]:
            offset = places.offsets[k] if places.led[k] else None
            dotted = ":" if scene.flagged[item] else "-"
            _draw_picture(ax, points[item], pictures[k], side, colours[item], dotted, offset)
    boxes = np.concatenate([places.boxes(page[have], side * shapes + _EDGE), dots])
    named = _write_names(ax, scene, points, np.flatnonzero(~have), radius, boxes)
    what = "pictures" if have.all() else "items"
    _count(ax, int(places.placed.sum()) + named, len(scene), what)


def _write_names(
    ax: Axes, scene: Scene, points: Floats, chosen: NDArray[np.int64], radius: float, taken: Floats
) -> int:
    """Write the names of some items where they cover nothing, and return how many."""
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
        widths = np.maximum(font * letters, widths_of(ax, asking, font))  # on paper, on a screen
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
        line = {"arrowstyle": "-", "color": MUTED, "lw": 0.5, "shrinkA": 0, "shrinkB": radius}
        ax.annotate(
            names[k], points[chosen[k]], places.offsets[k], textcoords="offset points",
            ha="center", va="center", fontsize=font, color=INK, zorder=3, **plain,
            arrowprops={**line, "relpos": (0.5, 0.5)} if places.led[k] else None,
        ).set_in_layout(False)  # fmt: skip
    return int(places.placed.sum())


def _place_pictures(
    page: Floats, shapes: Floats, frame: Floats, taken: Floats, swarm: bool
) -> tuple[float, Places]:
    """Return the side of pictures, and their places: as large as they go near their points.

    Those of a swarm stay on their points, which are apart already, as long as they can.
    """
    apart = crowding(page)
    share, floor = (0.95, _LEAST) if swarm else (1.8, _USUAL)
    side = float(np.clip(share * np.median(apart), floor, _LARGEST))
    many, least = len(page) > MOST, _LEAST + 1e-9
    order = np.argsort(-apart if many else apart, kind="stable")
    while True:
        last = many or side <= least
        reach = 0.0 if many or swarm else side
        reach = np.inf if last and not many else reach
        places = move_apart(
            page, side * shapes + _EDGE, frame, order=order, centred=True, reach=reach,
            taken=taken, all_or_none=not last,
        )  # fmt: skip
        if last or places.placed.all():
            return side, places
        side = max(0.85 * side, _LEAST)


def _draw_picture(
    ax: Axes,
    point: Floats,
    picture: NDArray[np.uint8],
    side: float,
    colour: str,
    edge: str,
    offset: Floats | None,
) -> None:
    """Draw a picture on its point; or at an offset, with a line to the point and a dot there."""
    x, y = float(point[0]), float(point[1])
    moved: dict[str, Any] = {} if offset is None else {
        "xybox": (float(offset[0]), float(offset[1])), "boxcoords": "offset points",
        "arrowprops": {"arrowstyle": "-", "color": MUTED, "lw": 0.6, "shrinkA": 0, "shrinkB": 0},
    }  # fmt: skip
    box = AnnotationBbox(
        OffsetImage(picture, zoom=side / max(picture.shape[:2])),
        (x, y),
        pad=0.08,
        bboxprops={"edgecolor": colour, "lw": 1.2, "ls": edge},
        **moved,
    )
    box.set_in_layout(False)
    ax.add_artist(box)
    if offset is not None:
        ax.plot(x, y, "o", ms=3, color=INK, mec="white", mew=0.4, zorder=4, gid="place")


def _count(ax: Axes, n_shown: int, total: int, what: str) -> None:
    """Say, above the map and in a warning, how many are shown where some are not."""
    if n_shown == total:
        return
    note(ax, f"{n_shown:,} of {total:,} {what} shown", (1, 1), (0, 4), ha="right", va="bottom")
    warnings.warn(
        f"{total - n_shown:,} of {total:,} {what} have no room on the map and are left out: draw "
        "it wider, or draw fewer items",
        ResemblanceWarning,
        stacklevel=4,
    )


def short(name: str) -> str:
    """Return a name on one line, cut where it is too long for a map."""
    line = " ".join(name.split())
    return line if len(line) <= _LETTERS else line[: _LETTERS - 1] + "…"
