"""Plot the nearest neighbours of items, with one row per item."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from resemblance.errors import SettingError
from resemblance.judgments import Items
from resemblance.judgments.items import items_of
from resemblance.plotting.canvas import MUTED, bare, new_axes, title_of
from resemblance.plotting.item_squares import INCH, draw_cell, pictured
from resemblance.plotting.scene import Scene, as_items, scene_of
from resemblance.ranges import check, integers

_ROWS, _GAP = 6, 0.3  # default number of rows; gap after the first item of a row, in cells


def plot_neighbours(
    embedding: Any,
    items: Items | Sequence[str] | None = None,
    *,
    heads: Iterable[Any] | None = None,
    k: int = 8,
    ax: Axes | None = None,
    title: str | None = None,
    subtitle: str | None = None,
) -> Axes:
    """Draw each chosen item (head) in a row with its neighbours, the nearest on the left.

    The j-th neighbour of a is the item b with the j-th smallest distance ||x_a - x_b||; ties are in
    the order of the items. Items are drawn as thumbnails of their pictures, or as names, in frames
    with the colours of classes in :func:`plot_map`.

    Source: Tamuz et al. 2011, figures 4 and 5.

    Parameters
    ----------
    embedding : fitted model, or array-like of shape (n_items, n_components)
        Positions of the items, or a model that has them as `embedding_`.
    items : Items or sequence of str, optional
        Names, labels and images, or only names; by default the model's items, or row numbers.
    heads : iterable of names, optional
        The items that start a row, from top to bottom; by default six, evenly spread over items.
    k : int, default 8
        The number of neighbours to draw.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure (`ax.figure.savefig(path)` writes it).
    title, subtitle : str, optional
        Lines above the rows.

    Raises
    ------
    SettingError
        If k is not between 1 and the number of other items, there is no head, or the embedding is
        not finite or does not have one row per item.
    JudgmentError
        If a head is not among the items.
    FileError
        If the picture of an item cannot be read.

    Examples
    --------
    >>> items = Items(["sun", "star", "sea"])
    >>> ax = plot_neighbours([[0.0], [1.0], [5.0]], items, heads=["sea"], k=2)
    >>> [text.get_text() for text in ax.texts]
    ['sea', 'star', 'sun']
    """
    items = items_of(embedding, as_items(items))
    scene = scene_of(embedding, items)
    rows = _heads(heads, items or Items(len(scene)))
    strips = _strips(scene.points, rows, k)
    columns = [0.0, *(rank + _GAP for rank in range(1, strips.shape[1]))]
    if ax is None:
        ax = new_axes((INCH * (k + 2), INCH * len(rows) + 0.7))
    bare(ax)
    ax.set(xlim=(-0.5, columns[-1] + 0.5), ylim=(len(rows) - 0.5, -0.5), aspect="equal")
    ax.set_xticks(columns[1:], map(str, range(1, len(columns))))
    ax.tick_params(length=0, labelcolor=MUTED)
    for (row, column), item in np.ndenumerate(strips):
        draw_cell(ax, scene, int(item), (columns[column], row))
    _name_rows(ax, scene, rows)
    title_of(ax, title, subtitle)
    return ax


def _strips(points: NDArray[np.float64], rows: NDArray[np.intp], k: int) -> NDArray[np.intp]:
    check(k=(k, integers(1, len(points) - 1)))
    distance = cdist(points[rows], points)
    # An item comes first, before other items at the same position.
    distance[np.arange(len(rows)), rows] = -1.0
    return np.argsort(distance, axis=1, kind="stable")[:, : int(k) + 1]


def _heads(heads: Iterable[Any] | None, items: Items) -> NDArray[np.intp]:
    if heads is None:
        return np.linspace(0, len(items) - 1, min(_ROWS, len(items))).astype(np.intp)
    rows = items.positions(heads)
    if not len(rows):
        raise SettingError("there are no heads: name one item at least, or leave heads out.")
    return rows


def _name_rows(ax: Axes, scene: Scene, rows: NDArray[np.intp]) -> None:
    drawn = [i for i, row in enumerate(rows) if pictured(scene, row)]
    names = [textwrap.shorten(scene.names[rows[i]], 20, placeholder="…") for i in drawn]
    ax.set_yticks(drawn, names)
    for label in ax.get_yticklabels():
        label.set_parse_math(False)
