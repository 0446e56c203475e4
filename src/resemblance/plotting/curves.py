"""Error against the number of answers, with a band."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from resemblance.plotting.canvas import INK, MUTED, bare, new_axes, title_of
from resemblance.plotting.palette import LIGHT


def plot_learning_curve(
    answers: ArrayLike,
    errors: ArrayLike,
    ax: Axes | None = None,
    *,
    ceiling: float | None = None,
    target: float | None = None,
    level: float = 0.8,
    label: str | None = None,
    title: str | None = None,
) -> Axes:
    """Draw error against the number of answers: the median of some runs, and a band around it.

    Parameters
    ----------
    answers : array (M,)
        Numbers of answers.
    errors : array (W, M)
        The errors of each run at those numbers.
    ax : matplotlib Axes, optional
        Where to draw; by default on a figure of its own (`ax.figure.savefig(path)` writes it).
        A second curve on the same axes takes the next colour.
    ceiling : float, optional
        The lowest error that any model can reach: a line.
    target : float, optional
        The error wanted: a line.
    level : float, default 0.8
        The share of runs inside the band.
    label : str, optional
        What the curve is called in the legend.
    title : str, optional
        Title of the picture.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = plot_learning_curve([100, 200], [[0.3, 0.2], [0.32, 0.24]], target=0.25)
    >>> ax.get_xlabel()
    'answers'
    """
    ax = new_axes((6.4, 4.2)) if ax is None else ax
    outer, runs = 0.5 * (1.0 - level), np.atleast_2d(np.asarray(errors, float))
    low, middle, high = np.quantile(runs, [outer, 0.5, 1.0 - outer], axis=0)
    colour = LIGHT[len(ax.collections) % len(LIGHT)]
    ax.fill_between(answers, low, high, color=colour, alpha=0.2, lw=0)
    ax.plot(answers, middle, color=colour, lw=1.6, label=label)
    if ceiling is not None:
        ax.axhline(ceiling, color=MUTED, lw=1, ls="-.", zorder=1, label="noise ceiling")
    if target is not None:
        ax.axhline(target, color=MUTED, lw=1, ls=":", zorder=1, label="target")
    ax.set(xlabel="answers", ylabel="error on new answers")
    if ax.get_legend_handles_labels()[1]:
        ax.legend(frameon=False, fontsize=9, labelcolor=INK)
    bare(ax, "left", "bottom")
    title_of(ax, title)
    return ax
