"""Plot the weights of kernels and items, and of dimensions for groups of people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from resemblance.plotting.canvas import (
    INK,
    LIGHT,
    MUTED,
    RULE,
    bare,
    legend_of,
    new_axes,
    new_figure,
    plain,
    title_of,
)

if TYPE_CHECKING:
    from resemblance.fitting import GroupComparison
    from resemblance.mappings.poe import PartialOrderMapping

# shares of a row's height: SHARE for all groups together, STEP at most for one group
SHARE, STEP = 0.7, 0.2
MOST_NAMED = 12  # largest number of groups in the legend
# LEAST_REACH: the axis ends at this weight or higher. MARGIN: its end over the largest weight.
LEAST_REACH, MARGIN = 1.5, 1.06
CANNOT_TELL = "these answers cannot tell"
MOST_TICKS = 9  # largest number of ticks on an axis


def plot_groups(
    comparison: GroupComparison, ax: Axes | None = None, *, title: str | None = None
) -> Axes:
    """Draw the weights of each dimension in each group, with their intervals.

    Each row is a dimension, except the first row, which shows how clearly each group answers. A dot
    is the weight relative to all groups and dimensions, on a logarithmic axis, with its 95 %
    interval. Weights that the answers do not determine are left out.

    Parameters
    ----------
    comparison : GroupComparison
        The result of :func:`resemblance.compare_groups`.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure (`ax.figure.savefig(path)` writes it).
    title : str, optional
        Title of the picture; the p-value is written below it.

    Examples
    --------
    >>> import pandas as pd
    >>> from types import SimpleNamespace
    >>> rows = {"dimension": ["1", "1"], "group": ["old", "young"], "weight": [0.8, 1.25],
    ...         "low": [0.7, 1.1], "high": [0.9, 1.4]}
    >>> comparison = SimpleNamespace(groups=("old", "young"), people=(20, 20), p_value=0.01,
    ...                              n_permutations=999, table=pd.DataFrame(rows))
    >>> [text.get_text() for text in plot_groups(comparison).get_legend().get_texts()]
    ['old (20 people)', 'young (20 people)']
    """
    names = list(dict.fromkeys(comparison.table["dimension"]))
    ax = new_axes((6.4, 1.6 + 0.5 * len(names)), shaped=False) if ax is None else ax
    step = min(STEP, SHARE / len(comparison.groups))
    offsets = step * (np.arange(len(comparison.groups)) - 0.5 * (len(comparison.groups) - 1))
    for at, (group, n_people) in enumerate(zip(comparison.groups, comparison.people, strict=True)):
        rows = comparison.table[comparison.table["group"] == group]
        weight = rows["weight"].to_numpy()
        reach = np.stack([weight - rows["low"], rows["high"] - weight])
        y = np.arange(len(names)) + offsets[at]
        style: dict[str, Any] = {"fmt": "o", "ms": 5, "capsize": 3, "color": LIGHT[at % len(LIGHT)]}
        ax.errorbar(weight, y, xerr=reach, label=f"{group} ({n_people} people)", **style)
    for y, name in enumerate(names):
        if comparison.table.loc[comparison.table["dimension"] == name, "weight"].isna().all():
            note = ax.text(0.5, y, CANNOT_TELL, transform=ax.get_yaxis_transform(), color=MUTED)
            note.set(ha="center", va="center", fontsize=9)
    ax.axvline(1.0, color=RULE, lw=1, zorder=0)
    for edge in range(1, len(names)):
        ax.axhline(edge - 0.5, color=RULE, lw=0.6, zorder=0)
    named = ["how clearly" if name == "clarity" else f"dimension {name}" for name in names]
    ax.set_yticks(range(len(names)), named, **plain)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set(xscale="log", xlabel="weight, relative to all groups")
    low = min(1 / LEAST_REACH, comparison.table["low"].min(skipna=True))
    high = max(LEAST_REACH, comparison.table["high"].max(skipna=True))
    ax.set_xlim(float(low) / MARGIN, float(high) * MARGIN)
    ax.xaxis.set_major_locator(FixedLocator(ticks_between(*ax.get_xlim())))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    bare(ax, "left", "bottom")
    if len(comparison.groups) <= MOST_NAMED:
        legend_of(ax, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    p, n = comparison.p_value, comparison.n_permutations
    words = f"p = {p:.3g} of weights ({n:,} permutations of people)"
    title_of(ax, title or "How groups weigh the dimensions", words, 0.7)
    ax.yaxis.label.set_color(MUTED)
    return ax


def ticks_between(low: float, high: float) -> list[float]:
    """Return ticks of a logarithmic axis: as many round numbers as fit.

    >>> ticks_between(0.7, 1.5)
    [0.7, 1.0, 1.5]
    >>> ticks_between(0.01, 50)
    [0.01, 0.1, 1.0, 10.0]
    """
    powers = np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    grids = [0.1 * np.arange(1, 31)]
    grids += [np.outer(10.0**powers, steps).ravel() for steps in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5))]
    grids += [10.0 ** powers[powers % step == 0] for step in range(1, len(powers) + 1)]
    for grid in grids:
        inside = grid[(low <= grid * (1 + 1e-9)) & (grid <= high * (1 + 1e-9))]
        if (np.diff(np.log(inside)) * MOST_TICKS >= np.log(high / low)).all():
            break
    return [float(f"{x:.6g}") for x in inside]


def plot_kernel_weights(
    model: PartialOrderMapping,
    title: str | None = None,
    figure: Figure | SubFigure | None = None,
) -> list[Axes]:
    r"""Draw the share of each kernel, and the weights of the items in it.

    There is a row for each kernel m, the largest share first. If W is diagonal, the row shows
    :math:`W^m_{ii} K^m_{ii}` of each item i, as a share of the sum over all items and kernels.
    Otherwise the row shows :math:`W^m_{ii}`, scaled to the kernel's share of the trace.

    Parameters
    ----------
    model : POE or MKPOE
        The fitted model.
    title : str, optional
        Title of the picture.
    figure : matplotlib Figure or SubFigure, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    list of matplotlib Axes
        The axes of each kernel; ``axes[0].figure.savefig(path)`` writes the picture.

    References
    ----------
    McFee & Lanckriet 2011, Learning multi-modal similarity, JMLR 12: figure 5.

    Examples
    --------
    >>> import numpy as np, resemblance as rs
    >>> views = {"size": [[0.0], [1.0], [2.0]], "noise": [[1.0], [0.0], [1.0]]}
    >>> triplets = rs.Triplets([[0, 1, 2], [2, 1, 0]], items=rs.Items(features=views))
    >>> axes = plot_kernel_weights(rs.MKPOE(diagonal=True, beta=100).fit(triplets))
    >>> axes[0].get_ylabel().split()[0]
    'size'
    """
    shares = model.kernel_weights_
    order = sorted(shares, key=lambda name: -shares[name])
    inches = 6.4, 1.0 + 0.8 * len(order)
    figure = new_figure(inches, shaped=False) if figure is None else figure
    axes = list(figure.subplots(len(order), 1, squeeze=False)[:, 0])
    tops = []
    for ax, name, colour in zip(axes, order, LIGHT * len(order), strict=False):
        heights = _item_weights(model.metrics_[name], shares[name])
        ax.vlines(np.arange(len(heights)), 0.0, heights, color=colour, lw=1.0)
        ax.set_ylabel(f"{name}\n{shares[name]:.1%}", rotation=0, ha="right", va="center", **plain)
        ax.set(xlim=(-1, len(heights)), xticks=[], yticks=[])
        ax.axhline(0.0, color=MUTED, lw=0.6)
        bare(ax)
        ax.yaxis.label.set_color(INK)
        tops.append(heights.max(initial=0.0))
    for ax in axes:
        ax.set_ylim(0.0, 1.05 * max(tops) or 1.0)
    axes[-1].set_xlabel("items")
    title_of(axes[0], title)
    return axes


def _item_weights(W: np.ndarray, share: float) -> np.ndarray:
    weights = np.diag(W) if W.ndim == 2 else W
    total = weights.sum()
    return weights * (share / total) if total > 0 else weights
