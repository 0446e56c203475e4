"""Plot the items with the largest loadings on each sparse dimension."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from resemblance.errors import SettingError
from resemblance.files import FIGURE_WIDTH, UNITS
from resemblance.plotting.canvas import INK, MUTED, bare, fitted, new_axes, plain, title_of
from resemblance.plotting.dimensions import Dimensions, Names, check_top, dimensions_of
from resemblance.plotting.item_squares import HALF, INCH, atlas, draw_cell, pictured
from resemblance.plotting.page import LARGEST, built_page, filled, rounded

if TYPE_CHECKING:
    from resemblance.embeddings import LoadingSpread, Reproducibility
    from resemblance.judgments import Items

_MOST_ROWS, _MOST_COLUMNS = 100, 40  # Larger figures become blurred.
_WORDS = 2.3  # width of the text before each row, in cells
_LINE = 0.15  # height of a line of text below an item, in cells
_HEAD, _LINES = 115, 2  # width in points and number of lines for the name of a dimension


def plot_loadings(
    model: Any,
    items: Items | Sequence[str] | None = None,
    *,
    n_dimensions: int = 10,
    top: int = 8,
    names: Names | None = None,
    reproducibility: Reproducibility | None = None,
    spread: LoadingSpread | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    subtitle: str | None = None,
) -> Axes:
    r"""Draw each dimension as a row of the items with the largest loadings on it.

    Dimensions k are sorted by their shares :math:`\sum_i x_{ik} / \sum_{il} x_{il}`, and items i by
    their loadings :math:`x_{ik} > 0`, which are written below the items; the largest is first.
    Items are drawn as thumbnails of their pictures, or as names, in frames with the colours of
    classes in :func:`plot_map`.

    Source: Hebart, Zheng, Pereira & Baker 2020, figure 2.

    Parameters
    ----------
    model : SPoSE, or array-like of shape (n_items, d)
        The fitted model, or its loadings.
    items : Items or sequence of str, optional
        Names, labels and images, or only names; by default the model's items, or row numbers.
    n_dimensions : int, default 10
        The largest number of dimensions to draw.
    top : int, default 8
        The largest number of items to draw for each dimension.
    names : sequence of d str, mapping or path, optional
        The name of each dimension, or None; a mapping from numbers (from 1) to names; or the CSV
        file from the page of :func:`save_loadings`.
    reproducibility : Reproducibility, optional
        The reproducibility of each dimension, from :func:`reproducibility`.
    spread : LoadingSpread, optional
        The spread of each loading over refits, from :func:`loading_spread`.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure (`ax.figure.savefig(path)` writes it).
    title, subtitle : str, optional
        Lines above the rows.

    Raises
    ------
    SettingError
        If a loading is negative or not finite, if names, reproducibility or spread do not match the
        dimensions, or if ``n_dimensions`` or ``top`` is out of range.
    FileError
        If the picture of an item, or the file of names, cannot be read.

    Examples
    --------
    >>> import resemblance as rs
    >>> items = rs.Items(["dog", "cat", "oak"])
    >>> loadings = [[0.0, 2.0], [0.1, 1.5], [1.0, 0.0]]
    >>> ax = plot_loadings(loadings, items, top=2, names=["plant", "animal"])
    >>> [text.get_text() for text in ax.texts][:4]
    ['2  animal', '76% of all loadings', 'dog', '2.00']
    """
    dimensions = dimensions_of(model, items, names, reproducibility, spread)
    columns = dimensions.order[: _checked(n_dimensions, "n_dimensions", _MOST_ROWS)].tolist()
    top = min(_checked(check_top(top), "top", _MOST_COLUMNS), len(dimensions.scene))
    height = 1.2 + _LINE * (dimensions.scene.images is not None) + _LINE * (spread is not None)
    if ax is None:
        if (width := FIGURE_WIDTH.get()) is not None:
            top = min(top, max(int(width / UNITS["in"] / INCH - _WORDS - 0.5), 1))
        ax = new_axes((INCH * (top + _WORDS + 0.5), INCH * height * len(columns) + 0.8))
    bare(ax)
    ax.set(xticks=[], yticks=[], aspect="equal")
    for row, column in enumerate(columns):
        _draw_row(ax, dimensions, column, row * height, top)
    ax.set(xlim=(-_WORDS - 0.5, top - 0.4), ylim=(height * len(columns) - 0.5, -0.55))
    title_of(ax, title, subtitle)
    return ax


def _checked(value: Any, setting: str, most: int) -> int:
    if not isinstance(value, Integral) or not 1 <= int(value) <= most:
        raise SettingError(
            f"{setting} is {value!r}: give an integer from 1 to {most}; a page or a table "
            "(save_loadings) can have more",
            setting=setting,
        )
    return int(value)


def _draw_row(ax: Axes, dimensions: Dimensions, column: int, y: float, top: int) -> None:
    name = f"{column + 1}  {dimensions.names[column]}".strip()
    head, font = fitted(ax, name, _HEAD, 9, _LINES)
    at, style = -_WORDS - 0.4, {"ha": "left", **plain}
    ax.text(at, y - 0.12, head, va="bottom", fontsize=font, fontweight="bold", color=INK, **style)
    lines = row_words(dimensions, column)
    ax.text(at, y - 0.06, lines, va="top", fontsize=8, color=MUTED, linespacing=1.4, **style)
    style |= {"ha": "center", "va": "top", "color": MUTED}
    for x, item in enumerate(dimensions.items_of(column)[:top].tolist()):
        draw_cell(ax, dimensions.scene, item, (x, y))
        below = y + HALF + 0.05
        if pictured(dimensions.scene, item):
            name, font = fitted(ax, dimensions.scene.names[item], 72 * INCH, 7)
            ax.text(x, below, name, fontsize=font, **style)
            below += _LINE
        ax.text(x, below, _numbers(dimensions, item, column), fontsize=7, **style)


def row_words(dimensions: Dimensions, column: int) -> str:
    share = dimensions.shares[column]
    lines = [f"{'<1%' if share < 0.01 else f'{share:.0%}'} of all loadings"]
    again = dimensions.found_again(column)
    if "seeds" in again:
        lines.append(f"other starts: r = {again['seeds']:.2f}".replace("-", "−"))
    if "found_again" in again:
        lines.append(f"again in {again['found_again']} of {again['splits']} splits")
    return "\n".join(lines)


def _numbers(dimensions: Dimensions, item: int, column: int) -> str:
    lines = [f"{dimensions.scene.points[item, column]:.2f}"]
    if (spread := dimensions.spread) is not None:
        lines.append(f"{spread.lowest[item, column]:.2f} to {spread.highest[item, column]:.2f}")
    return "\n".join(lines)


def loadings_page(dimensions: Dimensions, top: int, title: str | None, subtitle: str | None) -> str:
    page = built_page("loadings")
    scene = dimensions.scene
    if len(scene) > LARGEST:
        raise SettingError(
            f"dimensions of {len(scene):,} items are too many for a page, which holds "
            f"{LARGEST:,} at most: write a picture (.png, .svg, .pdf) or a table (.csv), or the "
            "dimensions of some of the items"
        )
    title = title or f"{len(dimensions)} dimensions of {len(scene):,} items"
    contents = {
        "title": title,
        "key": _key(dimensions),
        "top": top,
        "items": scene.names,
        "images": None if scene.images is None else atlas(scene.images, scene.names),
        "fits": _fits(dimensions),
        "dimensions": [_dimension(dimensions, column) for column in dimensions.order.tolist()],
    }
    return filled(page, title, subtitle, contents)


def _key(dimensions: Dimensions) -> str:
    held = json.dumps([dimensions.scene.names, rounded(dimensions.scene.points), dimensions.names])
    return hashlib.sha256(held.encode()).hexdigest()[:16]


def _fits(dimensions: Dimensions) -> dict[str, int]:
    again = dimensions.again
    return {
        "seeds": 0 if again is None else int(again.n_seeds),
        "splits": 0 if again is None else int(again.n_splits),
    }


def _dimension(dimensions: Dimensions, column: int) -> dict[str, Any]:
    items, spread = dimensions.items_of(column), dimensions.spread
    return {
        "number": column + 1,
        "name": dimensions.names[column],
        "share": float(dimensions.shares[column]),
        "again": dimensions.found_again(column),
        "features": [[name, round(r, 3)] for name, r in dimensions.correlations(column)],
        "items": items.tolist(),
        "loadings": _short(dimensions.scene.points[items, column]),
        "lowest": None if spread is None else _short(spread.lowest[items, column]),
        "highest": None if spread is None else _short(spread.highest[items, column]),
    }


def _short(values: NDArray[np.float64]) -> list[Any]:
    return [round(value, 4) for value in values.tolist()]
