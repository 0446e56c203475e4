"""Plot a map as a picture: items at their positions, with names or thumbnails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.plotting.canvas import (
    MARKERS,
    MUTED,
    RULE,
    STYLES,
    bare,
    beeswarm,
    crowding,
    figures,
    give_fonts,
    legend_of,
    new_axes,
    title_of,
)
from resemblance.plotting.markers import (
    count,
    draw_arrows,
    draw_names,
    draw_pictures,
    on_page,
    page_of,
    short,
)
from resemblance.plotting.scene import Arrow, Scene, arrows_of, principal_axes, scene_of

if TYPE_CHECKING:
    from resemblance.judgments import Items
    from resemblance.plotting.scene import SomeDirections

MOVED = 1.8  # radius of the dot at the position of an item whose picture was moved, in points


def checked_covariances(covariances: ArrayLike, shape: tuple[int, ...]) -> Floats:
    given, (n, d) = np.asarray(covariances, float), shape
    if given.shape != (n, d, d):
        raise SettingError(
            f"covariances have shape {given.shape}: give one {d} x {d} matrix for each of the {n} "
            "items, such as averaged_uncertainty(...).item_covariances."
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
    items: Items | Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
    labels: Sequence[Any] | NDArray[Any] | None = None,
    flagged: ArrayLike | None = None,
    covariances: ArrayLike | None = None,
    directions: SomeDirections = None,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | str | None = None,
    font: str | None = None,
) -> Axes:
    """Draw items at their positions; similar items are near each other.

    Both axes have the same scale. Every item has its name, and no name covers a point or another
    name. In crowded places names move away, with a thin line to their point, or all names become
    smaller, down to 4 points. Items with pictures are drawn as thumbnails, which move apart in the
    same way. Their names are below the thumbnails if there is room; a dot marks each point that no
    thumbnail covers. With more than 300 items, only the least crowded are named; a note and a
    warning give the number of other items. One dimension is drawn along a line; points that would
    overlap are moved off the line. With more than two dimensions the first two principal components
    are drawn, with their shares of the variance on the axes.

    Parameters
    ----------
    embedding : fitted model, or array-like of shape (n_items, n_components)
        The model, or the positions of the items.
    items : Items or sequence of str, optional
        Names, labels and images, or only names; by default the names are row numbers.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure (`ax.figure.savefig(path)` writes it).
    labels : sequence of n_items labels, optional
        Classes that colour the items, instead of the labels of `items`.
    flagged : array-like, optional
        Items that no judgment mentions, drawn hollow: indices, or one boolean for each item.
    covariances : array-like of shape (n_items, n_components, n_components), optional
        The uncertainty of each position, drawn as an ellipse of one standard deviation (on a line,
        as a bar). ``fitting.averaged_uncertainty(...).item_covariances`` gives them.
    directions : FeatureDirections or WordDirections, or a list of both, optional
        Results of :func:`feature_directions` and :func:`scores.word_directions`. The 12 features
        and the 12 words that the map predicts best are drawn as arrows, whose length is the
        explained share or the correlation. Not drawn on a line.
    title, subtitle : str, optional
        Lines above the map.
    width : float or str, default 20.32
        Width of a new figure: in centimetres, or a length such as `"85mm"`, `"8.5cm"` or
        `"3.35in"`. The height is 3/4 of the width, or half of it with one dimension. The size of
        letters in points does not change.
    font : str, optional
        Name of an installed font for all words; by default matplotlib's ``font.family``.

    Raises
    ------
    SettingError
        If the embedding is not finite, labels, items and embedding differ in length, directions
        have another number of dimensions, a covariance is invalid, the width is not between 4 and
        100 cm, or the font is not installed.

    Warns
    -----
    ResemblanceWarning
        If there is no room for some names or pictures.
    FileError
        If the picture of an item cannot be read.

    Examples
    --------
    >>> ax = plot_map([[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]], labels=["a", "a", "b"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    scene = scene_of(embedding, items, labels, flagged)
    if covariances is not None:
        covariances = checked_covariances(covariances, scene.points.shape)
    arrows = arrows_of(scene, directions)
    with figures(width, font):
        ax = new_axes((8, 6 if scene.points.shape[1] > 1 else 4)) if ax is None else ax
        if font is not None:  # Tick labels are created later, so their font is set here.
            ax.tick_params(labelfontfamily=rcParams["font.family"])
        kept = ax.get_children()
        n_shown = _draw(ax, scene, covariances, arrows, title, subtitle)
        if n_shown < len(scene) and not (title or subtitle):
            for artist in ax.get_children():
                if artist not in kept:
                    artist.remove()
            # A blank title reserves a line for the note about missing items.
            n_shown = _draw(ax, scene, covariances, arrows, " ", None)
        count(ax, n_shown, scene)
        give_fonts(ax)
    return ax


def _draw(
    ax: Axes,
    scene: Scene,
    covariances: Floats | None,
    arrows: list[Arrow],
    title: str | None,
    subtitle: str | None,
) -> int:
    title_of(ax, title, subtitle)
    _draw_legend(ax, scene)
    points = _lay_out(ax, scene, covariances)
    if covariances is not None:
        _draw_uncertainty(ax, scene, points, covariances)
    near = float(np.median(crowding(on_page(ax, points))))
    radius = min(_diameter(scene), max(3.0, 0.55 * near)) / 2
    bare = np.ones(len(scene), bool)
    taken = draw_arrows(ax, arrows, points, _axes_drawn(scene), radius)
    if scene.images is None:
        n_shown = draw_names(ax, scene, points, radius, taken)
    else:
        colours = _colours(scene) if scene.classes else np.full(len(scene), MUTED, dtype=object)
        n_shown, bare = draw_pictures(ax, scene, points, radius, colours, taken)
        have = np.array([path is not None for path in scene.images])
        _draw_points(ax, scene, points, min(radius, MOVED), bare & have)
        bare &= ~have
    _draw_points(ax, scene, points, radius, bare)
    return n_shown


def _diameter(scene: Scene) -> float:
    return float(np.clip(10.5 - 1.75 * np.log10(len(scene)), 3, 9))


def _lay_out(ax: Axes, scene: Scene, covariances: Floats | None) -> NDArray[np.float64]:
    """Choose two coordinates and set the limits of the axes; return the drawn coordinates."""
    if scene.points.shape[1] == 1:
        return _lay_out_line(ax, scene, covariances)
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
    ax.set_aspect("auto")
    _settle(ax)
    width, height = page_of(ax)[2:] - page_of(ax)[:2]
    ends = _ends(points, _on_plane(scene, covariances))
    reach = _reach(ends)
    reach = np.maximum(reach, reach[::-1] * [width / height, height / width])
    _frame(ax, ends, reach)
    ax.set_aspect("equal", adjustable="box")
    return points


def _lay_out_line(ax: Axes, scene: Scene, covariances: Floats | None) -> NDArray[np.float64]:
    x = scene.points[:, 0]
    bare(ax, "bottom")
    ax.set(yticks=[], xlabel="dimension 1")
    ends = _ends(x[:, None], covariances)
    ends = np.column_stack([ends, np.zeros_like(ends)])
    _frame(ax, ends, _reach(ends))
    _settle(ax)
    width, height = page_of(ax)[2:] - page_of(ax)[:2]
    roomy = float(np.clip(0.5 * np.sqrt(width * height / len(scene)), 14, 46))
    size = 1.1 * _diameter(scene) if scene.images is None else roomy
    y = beeswarm(x * width / np.ptp(ax.get_xlim()), size)
    half = max(height / 2, np.abs(y).max() + size)
    ax.set_ylim(-half, half)
    ax.axhline(0, color=RULE, lw=0.8, zorder=0)
    return np.column_stack([x, y])


def _axes_drawn(scene: Scene) -> Floats:
    k = scene.points.shape[1]
    if k <= 2:
        return np.eye(2, k)
    axes = principal_axes(scene.points)[0][:2]
    return np.pad(axes, ((0, 2 - len(axes)), (0, 0)))


def _on_plane(scene: Scene, covariances: Floats | None) -> Floats | None:
    if covariances is None or scene.points.shape[1] == 2:
        return covariances
    axes = _axes_drawn(scene)
    return axes @ covariances @ axes.T


def _ends(points: Floats, covariances: Floats | None) -> Floats:
    if covariances is None:
        return points
    half = np.sqrt(np.maximum(np.einsum("iaa->ia", covariances), 0.0))
    return np.concatenate([points - half, points + half])


def _reach(points: NDArray[np.float64]) -> NDArray[np.float64]:
    extent = np.ptp(points, axis=0)
    return 1.2 * np.maximum(extent, 0.1 * extent.max() or 1.0)


def _frame(ax: Axes, points: NDArray[np.float64], reach: NDArray[np.float64]) -> None:
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    ax.set_xlim(middle[0] - reach[0] / 2, middle[0] + reach[0] / 2)
    ax.set_ylim(middle[1] - reach[1] / 2, middle[1] + reach[1] / 2)


def _settle(ax: Axes) -> None:
    ax.figure.canvas.figure.draw_without_rendering()


def _parts(scene: Scene) -> list[tuple[NDArray[np.bool_], str, str]]:
    if scene.classes is None:
        return [(np.ones(len(scene), dtype=bool), STYLES["light"][0], MARKERS["circle"])]
    return [
        (scene.classes.index == i, STYLES["light"][style], MARKERS[STYLES["shape"][style]])
        for i, style in enumerate(scene.classes.styles)
    ]


def _colours(scene: Scene) -> NDArray[np.object_]:
    colours = np.empty(len(scene), dtype=object)
    for mask, colour, _ in _parts(scene):
        colours[mask] = colour
    return colours


def _draw_uncertainty(
    ax: Axes, scene: Scene, points: NDArray[np.float64], covariances: NDArray[np.float64]
) -> None:
    colours = _colours(scene)
    d = scene.points.shape[1]
    if d == 1:
        half = np.sqrt(covariances[:, 0, 0])
        low, high = points[:, 0] - half, points[:, 0] + half
        ax.hlines(points[:, 1], low, high, list(colours), lw=1, zorder=1)
        return
    turned = _on_plane(scene, covariances)
    assert turned is not None
    draw_ellipses(ax, points, turned, list(colours))


def _draw_points(
    ax: Axes, scene: Scene, points: Floats, radius: float, bare: NDArray[np.bool_]
) -> None:
    area = (2 * radius) ** 2
    for mask, colour, marker in _parts(scene):
        for hollow in (False, True):
            chosen = points[bare & mask & (scene.flagged == hollow)]
            if len(chosen):
                face, edge = ("white", colour) if hollow else (colour, "white")
                ax.scatter(
                    chosen[:, 0], chosen[:, 1], s=area, c=face, edgecolors=edge, marker=marker,
                    linewidths=1.4 if hollow else 0.5, zorder=2, gid="flagged" if hollow else None,
                )  # fmt: skip


def _draw_legend(ax: Axes, scene: Scene) -> None:
    entries = []
    if scene.classes is not None:
        for name, (_, colour, marker) in zip(scene.classes.names, _parts(scene), strict=True):
            entries.append(Line2D([], [], ls="", marker=marker, color=colour, label=short(name)))
    if scene.flagged.any():
        meaning = "in no judgment"
        entries.append(Line2D([], [], ls="", marker="o", color=MUTED, mfc="white", label=meaning))
    if entries:
        where = {"loc": "upper left", "bbox_to_anchor": (1.01, 1)}
        legend_of(ax, handles=entries, **where, handletextpad=0.2, borderaxespad=0)
