"""Plot the graph of comparisons, with contradictions in colour."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
from numpy.typing import NDArray

from resemblance.errors import SettingError
from resemblance.graphs import SimilarityGraph
from resemblance.plotting.canvas import (
    INK,
    LIGHT,
    MUTED,
    bare,
    legend_of,
    new_axes,
    plain,
    title_of,
)

MOST = 500  # largest number of pairs in a plot
NAMED = 60  # largest number of pairs whose names are legible
SWEEPS = 8
KINDS = {  # colour and opacity of edges by kind; later kinds are drawn above earlier kinds
    "redundant": (MUTED, 0.25),
    "comparison": (MUTED, 0.8),
    "closes a cycle": (LIGHT[1], 0.9),
    "contradiction": (LIGHT[3], 0.9),
}


def plot_similarity_graph(
    graph: SimilarityGraph,
    ax: Axes | None = None,
    *,
    random_state: int | np.random.RandomState | None = 0,
    title: str | None = None,
) -> Axes:
    """Draw a graph of comparisons: arrows point from more similar to less similar pairs.

    Pairs of items are in layers. The layer of a pair is the length of the longest chain of
    consistent comparisons that ends at the pair, so all more similar pairs are to its left.
    Comparisons that contradict another comparison directly, or that :meth:`SimilarityGraph.acyclic`
    would remove, have their own colours and do not affect layers. Comparisons that follow from
    other comparisons are pale.

    Parameters
    ----------
    graph : SimilarityGraph
        A graph of at most 500 pairs; names are written for up to 60 pairs.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure (`ax.figure.savefig(path)` writes it).
    random_state : int, RandomState or None, default 0
        The seed for choosing consistent comparisons.
    title : str, optional
        Title of the picture.

    Raises
    ------
    SettingError
        If there are more than 500 pairs.

    Examples
    --------
    >>> ax = plot_similarity_graph(SimilarityGraph([[0, 1, 2], [1, 2, 0], [2, 1, 0]]))
    >>> [text.get_text() for text in ax.texts]
    ['0 – 1', '0 – 2', '1 – 2']
    """
    if graph.n_vertices > MOST:
        raise SettingError(
            f"{graph!r} is too large to be drawn: a picture shows {MOST} pairs at most. Draw the "
            "graph of some of the judgments, such as those of a few items"
        )
    ax = new_axes((8.0, 5.0)) if ax is None else ax
    consistent = graph.prune_contradictions().acyclic(random_state=random_state)
    places = _places(consistent)
    _draw_edges(ax, graph, _kinds(graph, consistent), places)
    ax.plot(*places.T, "o", ms=5, color=INK, zorder=3)
    if graph.n_vertices <= NAMED:
        _write_names(ax, graph, places)
    ax.set(xlabel="more similar  →  less similar", xticks=[], yticks=[])
    ax.margins(0.12)
    bare(ax)
    title_of(ax, title)
    return ax


def _kinds(graph: SimilarityGraph, consistent: SimilarityGraph) -> NDArray[Any]:
    kinds = np.full(graph.n_edges, "closes a cycle", dtype=object)
    codes = graph.edges @ [graph.n_vertices, 1]
    for name, part in (("redundant", consistent), ("comparison", consistent.reduced())):
        kinds[np.isin(codes, part.edges @ [graph.n_vertices, 1])] = name
    kinds[graph.contradictions()] = "contradiction"
    return kinds


def _places(consistent: SimilarityGraph) -> NDArray[np.float64]:
    x = consistent.levels()
    y = np.arange(len(x), dtype=float)
    for _ in range(SWEEPS):
        y = _spread(x, _pulled(consistent.edges, y))
    return np.column_stack([x, y])


def _pulled(edges: NDArray[np.int32], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean height of each vertex and its neighbours, to reduce crossings."""
    near, far = np.concatenate([edges, edges[:, ::-1]]).T
    n = len(y)
    return (y + np.bincount(near, y[far], n)) / (1.0 + np.bincount(near, minlength=n))


def _spread(x: NDArray[np.int64], wish: NDArray[np.float64]) -> NDArray[np.float64]:
    order = np.lexsort((wish, x))
    size = np.bincount(x)
    place = np.arange(len(x)) - np.repeat(np.cumsum(size) - size, size)
    y = np.empty(len(x))
    y[order] = place - 0.5 * (size[x[order]] - 1)
    return y


def _draw_edges(
    ax: Axes, graph: SimilarityGraph, kinds: NDArray[Any], places: NDArray[np.float64]
) -> None:
    for zorder, (kind, (colour, alpha)) in enumerate(KINDS.items()):
        for tail, head in graph.edges[kinds == kind]:
            arrow = FancyArrowPatch(
                *places[[tail, head]], arrowstyle="-|>", mutation_scale=9, shrinkA=4, shrinkB=4,
                connectionstyle="arc3,rad=0.12", color=colour, alpha=alpha, lw=1, zorder=zorder / 4,
            )  # fmt: skip
            ax.add_patch(arrow)
    present = [kind for kind in KINDS if (kinds == kind).any()]
    if present != ["comparison"]:
        lines = [Line2D([], [], color=KINDS[kind][0], alpha=KINDS[kind][1]) for kind in present]
        legend_of(ax, lines, present, loc="best")


def _write_names(ax: Axes, graph: SimilarityGraph, places: NDArray[np.float64]) -> None:
    names = graph.items.names
    style: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": 8, "color": INK, **plain}
    for (a, b), place in zip(graph.pairs, places, strict=True):
        words = f"{names[a]} – {names[b]}"
        ax.annotate(words, place, (0, 5), textcoords="offset points", **style)
