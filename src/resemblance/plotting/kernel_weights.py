"""Plot the weight of each kernel, and of each item in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from resemblance.plotting.canvas import INK, MUTED, bare, new_figure, plain, title_of
from resemblance.plotting.palette import LIGHT

if TYPE_CHECKING:
    from resemblance.mappings.poe import PartialOrderMapping


def plot_kernel_weights(
    model: PartialOrderMapping,
    title: str | None = None,
    figure: Figure | SubFigure | None = None,
) -> list[Axes]:
    r"""Draw the share of each kernel, and the weights of the items in it.

    A row for each kernel, the largest share first: :math:`W^m_{ii} K^m_{ii}` of each item i, as a
    share of the sum over all items and kernels where W is diagonal; else of
    :math:`W^m_{ii}`, scaled to the kernel's share of the trace.

    Parameters
    ----------
    model : POE or MKPOE
        Fitted.
    title : str, optional
        Title of the picture.
    figure : matplotlib Figure or SubFigure, optional
        Where to draw; by default on one of its own.

    Returns
    -------
    list of matplotlib Axes
        One for each kernel; ``axes[0].figure.savefig(path)`` writes the picture.

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
    """Return the weights of items (or features), which sum to the kernel's share."""
    weights = np.diag(W) if W.ndim == 2 else W
    total = weights.sum()
    return weights * (share / total) if total > 0 else weights
