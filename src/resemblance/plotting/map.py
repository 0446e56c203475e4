"""The still map: items at their positions, with names or pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from matplotlib.patches import Ellipse
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.plotting.canvas import INK, MUTED, RULE, bare, new_axes, note, plain, title_of
from resemblance.plotting.layout import Taken, beeswarm, crowding, place_names
from resemblance.plotting.palette import MARKERS, STYLES
from resemblance.plotting.scene import Scene, principal_axes, scene_of
from resemblance.plotting.thumbnails import pixels, thumbnail

if TYPE_CHECKING:
    from resemblance.judgments import Items

_EVERY_NAME = 150  # up to here every item asks for its name, beyond it the least crowded do
_FONT, _LETTERS = 8.5, 28


def checked_covariances(covariances: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Check that every item has a symmetric, psd covariance of its dimensions."""
    given, (n, d) = np.asarray(covariances, float), shape
    if given.shape != (n, d, d):
        raise SettingError(
            f"covariances have shape {given.shape}: give one {d} x {d} matrix for each of the {n} "
            "items, such as PositionUncertainty(...).item_covariances."
        )
    symmetric = np.allclose(given, given.transpose(0, 2, 1), atol=1e-8 * np.abs(given).max())
    least = np.linalg.eigvalsh(given)[:, 0]
    bad = np.flatnonzero(least < -1e-8 * max(float(np.abs(given).max()), 1e-300))
    if not symmetric or bad.size:
        which = f"that of item {int(bad[0])}" if bad.size else "one"
        raise SettingError(
            f"covariances must be symmetric and positive semidefinite, and {which} is not."
        )
    return given


def draw_ellipses(
    ax: Axes, points: Floats, covariances: Floats, colours: list[str], deviations: float = 1.0
) -> None:
    """Draw, around each point, where its position lies within so many standard deviations."""
    values, vectors = np.linalg.eigh(covariances)
    radii = deviations * np.sqrt(np.maximum(values, 0.0))
    for point, radius, axes, colour in zip(points, radii, vectors, colours, strict=True):
        angle = np.degrees(np.arctan2(axes[1, 1], axes[0, 1]))
        middle = float(point[0]), float(point[1])
        ax.add_patch(
            Ellipse(
                middle, 2 * radius[1], 2 * radius[0], angle=angle, fc=colour, ec=colour,
                alpha=0.18, lw=0.8, zorder=1, gid="uncertainty",
            )
        )  # fmt: skip


def plot_map(
    embedding: ArrayLike,
    items: Items | None = None,
    *,
    ax: Axes | None = None,
    labels: Sequence[Any] | NDArray[Any] | None = None,
    flagged: ArrayLike | None = None,
    covariances: ArrayLike | None = None,
    title: str | None = None,
    subtitle: str | None = None,
) -> Axes:
    """Draw items at their positions: near each other means similar.

    Both axes have one scale. Names are placed where they cover neither a point nor another name;
    when some find no place, a note says how many are shown. Items with pictures are drawn as
    thumbnails. One dimension is drawn along a line, points lifted off it where they would cover
    each other; of more than two the first two principal components are drawn, and the axes say
    how much of the variance they hold.

    Parameters
    ----------
    embedding : array-like of shape (n_items, n_components)
        Positions of the items.
    items : Items, optional
        Names, labels and images; by default the numbers of the rows are the names.
    ax : matplotlib Axes, optional
        Where to draw; by default on a figure of its own (`ax.figure.savefig(path)` writes it).
    labels : sequence of n_items labels, optional
        Classes that colour the items, instead of those of `items`.
    flagged : array-like, optional
        Items that no judgment mentions, drawn hollow: positions, or one boolean for each item.
    covariances : array-like of shape (n_items, n_components, n_components), optional
        How sure each position is: an ellipse of one standard deviation is drawn around it (on a
        line, a bar). ``fitting.PositionUncertainty(...).item_covariances`` gives them.
    title, subtitle : str, optional
        Lines above the map.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    SettingError
        If the embedding is not finite, labels, items and embedding differ in length, or a
        covariance is none.
    FileError
        If the picture of an item cannot be read.

    Examples
    --------
    >>> ax = plot_map([[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]], labels=["a", "a", "b"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    scene = scene_of(embedding, items, labels, flagged)
    if ax is None:
        ax = new_axes((8, 6 if scene.points.shape[1] > 1 else 4))
    title_of(ax, title or " ", subtitle)  # a blank one keeps a line free for the count of names
    _draw_legend(ax, scene)
    points = _lay_out(ax, scene)
    if covariances is not None:
        _draw_uncertainty(ax, scene, points, checked_covariances(covariances, scene.points.shape))
    _draw_points(ax, scene, points)
    if scene.images is None:
        _draw_names(ax, scene, points)
    else:
        _draw_thumbnails(ax, scene, points)
    return ax


def _diameter(scene: Scene) -> float:
    """Return the diameter of a point in typographic points: smaller the more there are."""
    return float(np.clip(10.5 - 1.75 * np.log10(len(scene)), 3, 9))


def _side(scene: Scene, page: NDArray[np.float64]) -> float:
    """Return the side of a thumbnail from the usual distance of neighbours on the page.

    On a line the swarm keeps thumbnails apart; on a plane they may overlap a little.
    """
    share = 0.95 if scene.points.shape[1] == 1 else 1.8
    return float(np.clip(share * np.median(crowding(page)), 22, 44))


def _page(ax: Axes) -> NDArray[np.float64]:
    """Return left, bottom, right and top of the axes in typographic points."""
    return np.array(ax.get_window_extent().extents) * 72 / ax.figure.dpi


def _on_page(ax: Axes, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions on the page in typographic points."""
    return ax.transData.transform(points) * 72 / ax.figure.dpi


def _lay_out(ax: Axes, scene: Scene) -> NDArray[np.float64]:
    """Choose two coordinates, fix the limits of the axes, and return the coordinates drawn."""
    if scene.points.shape[1] == 1:
        return _lay_out_line(ax, scene)
    bare(ax, "left", "bottom", "right", "top")
    ax.set(xticks=[], yticks=[])
    points = scene.points
    if points.shape[1] > 2:
        axes, shares = principal_axes(points)
        points = (points - points.mean(axis=0)) @ axes[:2].T
        points = np.pad(points, ((0, 0), (0, 2 - points.shape[1])))
        for which, share in zip("xy", shares, strict=False):
            number = "xy".index(which) + 1
            text = f"principal component {number} ({share:.0%} of the variance)"
            ax.set(**{f"{which}label": text})
    _settle(ax)
    width, height = _page(ax)[2:] - _page(ax)[:2]
    reach = _reach(points)
    reach = np.maximum(reach, reach[::-1] * [width / height, height / width])
    _frame(ax, points, reach)
    ax.set_aspect("equal", adjustable="box")
    return points


def _lay_out_line(ax: Axes, scene: Scene) -> NDArray[np.float64]:
    """Lay one dimension along a line; heights are in points of the page around its middle."""
    x = scene.points[:, 0]
    bare(ax, "bottom")
    ax.set(yticks=[], xlabel="dimension 1")
    line = np.column_stack([x, np.zeros_like(x)])
    _frame(ax, line, _reach(line))
    _settle(ax)
    width, height = _page(ax)[2:] - _page(ax)[:2]
    roomy = float(np.clip(0.5 * np.sqrt(width * height / len(scene)), 23, 46))
    size = 1.1 * _diameter(scene) if scene.images is None else roomy
    y = beeswarm(x * width / np.ptp(ax.get_xlim()), size)
    half = max(height / 2, np.abs(y).max() + size)
    ax.set_ylim(-half, half)
    ax.axhline(0, color=RULE, lw=0.8, zorder=0)
    return np.column_stack([x, y])


def _reach(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the width and height to show: a tenth more than the points on every side."""
    extent = np.ptp(points, axis=0)
    return 1.2 * np.maximum(extent, 0.1 * extent.max() or 1.0)


def _frame(ax: Axes, points: NDArray[np.float64], reach: NDArray[np.float64]) -> None:
    """Fix the limits around the middle of the points."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    ax.set_xlim(middle[0] - reach[0] / 2, middle[0] + reach[0] / 2)
    ax.set_ylim(middle[1] - reach[1] / 2, middle[1] + reach[1] / 2)


def _settle(ax: Axes) -> None:
    """Let the figure arrange its axes, so that positions on the page are known."""
    ax.figure.canvas.figure.draw_without_rendering()


def _parts(scene: Scene) -> list[tuple[NDArray[np.bool_], str, str]]:
    """Return mask, colour and marker of each class."""
    if scene.classes is None:
        return [(np.ones(len(scene), dtype=bool), STYLES["light"][0], MARKERS["circle"])]
    return [
        (scene.classes.index == i, STYLES["light"][style], MARKERS[STYLES["shape"][style]])
        for i, style in enumerate(scene.classes.styles)
    ]


def _draw_uncertainty(
    ax: Axes, scene: Scene, points: NDArray[np.float64], covariances: NDArray[np.float64]
) -> None:
    """Draw an ellipse of one standard deviation around each item, on a line a bar."""
    colours = np.empty(len(scene), dtype=object)
    for mask, colour, _ in _parts(scene):
        colours[mask] = colour
    d = scene.points.shape[1]
    if d == 1:
        half = np.sqrt(covariances[:, 0, 0])
        low, high = points[:, 0] - half, points[:, 0] + half
        ax.hlines(points[:, 1], low, high, list(colours), lw=1, zorder=1)
        return
    if d > 2:
        axes = principal_axes(scene.points)[0][:2]
        covariances = axes @ covariances @ axes.T
    draw_ellipses(ax, points, covariances, list(colours))


def _draw_points(ax: Axes, scene: Scene, points: NDArray[np.float64]) -> None:
    """Draw each class as dots with a thin white rim, flagged items hollow."""
    area = _diameter(scene) ** 2
    for mask, colour, marker in _parts(scene):
        for hollow in (False, True):
            chosen = points[mask & (scene.flagged == hollow)]
            if len(chosen):
                face, edge = ("white", colour) if hollow else (colour, "white")
                ax.scatter(
                    chosen[:, 0], chosen[:, 1], s=area, c=face, edgecolors=edge, marker=marker,
                    linewidths=1.4 if hollow else 0.5, zorder=2, gid="flagged" if hollow else None,
                )  # fmt: skip


def _draw_legend(ax: Axes, scene: Scene) -> None:
    """List the classes, and what a hollow point means, to the right of the map."""
    entries = []
    if scene.classes is not None:
        for name, (_, colour, marker) in zip(scene.classes.names, _parts(scene), strict=True):
            entries.append(Line2D([], [], ls="", marker=marker, color=colour, label=_short(name)))
    if scene.flagged.any():
        meaning = "in no judgment"
        entries.append(Line2D([], [], ls="", marker="o", color=MUTED, mfc="white", label=meaning))
    if entries:
        legend = ax.legend(
            handles=entries, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False,
            fontsize=9, labelcolor=INK, handletextpad=0.2, borderaxespad=0,
        )  # fmt: skip
        for text in legend.get_texts():
            text.set_parse_math(False)


def _draw_names(ax: Axes, scene: Scene, points: NDArray[np.float64]) -> None:
    """Write the names that find a place, and say how many did."""
    page, radius = _on_page(ax, points), _diameter(scene) / 2
    order = np.argsort(crowding(page), kind="stable")
    rings = [0.0, 9.0, 20.0, 34.0, 50.0]
    if len(scene) > _EVERY_NAME:
        order, rings = order[::-1][:_EVERY_NAME], rings[:2]
    names = [_short(name) for name in scene.names]
    sizes = np.zeros((len(scene), 2))
    sizes[order] = _name_sizes(ax, [names[i] for i in order])
    placed = place_names(page, sizes, order, radius, _page(ax), rings)
    for name in placed:
        line = {"arrowstyle": "-", "color": MUTED, "lw": 0.5, "shrinkA": 0, "shrinkB": radius}
        ax.annotate(
            names[name.item], points[name.item], name.offset, textcoords="offset points",
            ha="center", va="center", fontsize=_FONT, color=INK, zorder=3, **plain,
            arrowprops={**line, "relpos": (0.5, 0.5)} if name.leader else None,
        ).set_in_layout(False)  # fmt: skip
    _count_shown(ax, len(placed), len(scene), "names")


def _name_sizes(ax: Axes, names: list[str]) -> list[tuple[float, float]]:
    """Measure the names in typographic points, with a little air around them."""
    text = ax.text(0, 0, "", fontsize=_FONT, **plain)
    sizes = []
    for name in names:
        text.set_text(name)
        box = text.get_window_extent()
        sizes.append((box.width * 72 / ax.figure.dpi + 2, _FONT * 1.25))
    text.remove()
    return sizes


def _draw_thumbnails(ax: Axes, scene: Scene, points: NDArray[np.float64]) -> None:
    """Draw the pictures, framed in their class's colour; many ones only where they fit."""
    page = _on_page(ax, points)
    side = _side(scene, page)
    frame = _page(ax) + np.array([-side, -side, side, side])
    taken, shown = Taken(np.empty((0, 4)), frame, len(scene)), 0
    colours = np.array([MUTED] * len(scene), dtype=object)
    for mask, colour, _ in _parts(scene) if scene.classes is not None else []:
        colours[mask] = colour
    for item in np.argsort(-crowding(page), kind="stable").tolist():
        path = (scene.images or [])[item]
        box = np.concatenate([page[item] - side / 2, page[item] + side / 2])
        if path is None or (len(scene) > _EVERY_NAME and not taken.free(box)):
            continue
        taken.take(box)
        shown += 1
        picture = pixels(thumbnail(path, scene.names[item], 96))
        _draw_picture(ax, points[item], picture, side, colours[item], bool(scene.flagged[item]))
    _count_shown(ax, shown, sum(p is not None for p in scene.images or []), "pictures")


def _draw_picture(
    ax: Axes,
    point: NDArray[np.float64],
    picture: NDArray[np.uint8],
    side: float,
    colour: str,
    flagged: bool,
) -> None:
    box = AnnotationBbox(
        OffsetImage(picture, zoom=side / max(picture.shape[:2])),
        (float(point[0]), float(point[1])),
        pad=0.08,
        bboxprops={"edgecolor": colour, "lw": 1.2, "ls": ":" if flagged else "-"},
    )
    box.set_in_layout(False)
    ax.add_artist(box)


def _count_shown(ax: Axes, shown: int, total: int, what: str) -> None:
    if shown < total:
        note(ax, f"{shown:,} of {total:,} {what} shown", (1, 1), (0, 4), ha="right", va="bottom")


def _short(name: str) -> str:
    """Return a name on one line, cut where it is too long for a map."""
    line = " ".join(name.split())
    return line if len(line) <= _LETTERS else line[: _LETTERS - 1] + "…"
