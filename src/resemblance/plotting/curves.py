"""Plot the error against the number of answers, or against the number of dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from resemblance.errors import SettingError
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

if TYPE_CHECKING:
    from resemblance.fitting import DimensionCurve
    from resemblance.scaling import MLDS, ScaleIntervals

_CURVE, _CHOSEN = LIGHT[0], LIGHT[3]


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
    """Plot the error against the number of answers: the median of runs, and a band.

    Parameters
    ----------
    answers : array (M,)
        Numbers of answers.
    errors : array (W, M)
        The errors of each run, for each number of answers.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure (`ax.figure.savefig(path)` writes it).
        A second curve on the same axes takes the next colour.
    ceiling : float, optional
        The lowest error that any model can reach, drawn as a line.
    target : float, optional
        The desired error, drawn as a line.
    level : float, default 0.8
        The share of runs inside the band.
    label : str, optional
        The name of the curve in the legend.
    title : str, optional
        Title of the picture.

    Raises
    ------
    SettingError
        If there is not one error for each number of answers.

    Examples
    --------
    >>> ax = plot_learning_curve([100, 200], [[0.3, 0.2], [0.32, 0.24]], target=0.25)
    >>> ax.get_xlabel()
    'answers'
    """
    outer, runs = 0.5 * (1.0 - level), np.atleast_2d(np.asarray(errors, float))
    if runs.shape[1:] != (n := len(np.asarray(answers)),):
        raise SettingError(
            f"errors have shape {runs.shape}: give one for each of the {n} numbers of answers, a "
            "row for each run.",
            setting="errors",
        )
    ax = new_axes((6.4, 4.2)) if ax is None else ax
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
        legend_of(ax)
    bare(ax, "left", "bottom")
    title_of(ax, title)
    return ax


def plot_dimensions(
    curve: DimensionCurve, ax: Axes | None = None, *, chance: bool = False, title: str | None = None
) -> Axes:
    """Plot held-out error against the number of dimensions.

    Dots are means over the folds, and bars are one standard error. The best number of dimensions
    has the lowest mean error. The chosen number is the smallest whose mean is at most the lowest
    mean plus its standard error (dotted line).

    Parameters
    ----------
    curve : object
        An object with `dims`, `error_mean` and `error_se` of shape (n_dims,), the numbers of
        dimensions `best` and `chosen`, and `noise_ceiling`: the lowest error that any model can
        reach on these people's answers, or None.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure (`ax.figure.savefig(path)` writes it).
    chance : bool, default False
        Also draw a line at 0.5, the error of guessing.
    title : str, optional
        Title of the picture.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> curve = SimpleNamespace(dims=[1, 2, 3], error_mean=[0.3, 0.21, 0.2],
    ...                         error_se=[0.02, 0.02, 0.02], best=3, chosen=2, noise_ceiling=None)
    >>> ax = plot_dimensions(curve)
    >>> ax.get_xlabel()
    'number of dimensions'

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone, *Classification and Regression Trees*,
       1984, section 3.4.3: the one-standard-error rule.
    """
    ax = new_axes((6.4, 4.2)) if ax is None else ax
    dims, mean, se = (np.asarray(v, float) for v in (curve.dims, curve.error_mean, curve.error_se))
    at = {int(d): i for i, d in enumerate(dims)}
    best, chosen = at[curve.best], at[curve.chosen]
    ax.errorbar(dims, mean, se, color=_CURVE, marker="o", ms=5, lw=1.4, elinewidth=1, capsize=3)
    _line(ax, mean[best] + se[best], "one standard error above the best", ":")
    _mark(ax, dims[best], mean[best], f"best: {curve.best}", mfc="none", mec=INK)
    _mark(ax, dims[chosen], mean[chosen], f"chosen: {curve.chosen}", mfc=_CHOSEN, mec=_CHOSEN)
    if chance:
        _line(ax, 0.5, "guessing", "--")
    if curve.noise_ceiling is not None:
        _line(ax, curve.noise_ceiling, "noise ceiling", "-.")
    ax.set(xlabel="number of dimensions", ylabel="held-out error")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend_of(ax)
    bare(ax, "left", "bottom")
    title_of(ax, title)
    return ax


def _mark(ax: Axes, x: float, y: float, label: str, **style: Any) -> None:
    ax.plot([x], [y], "o", ms=10, mew=1.5, zorder=4, label=label, **style)


def _line(ax: Axes, height: float, label: str, dashes: str) -> None:
    ax.axhline(height, color=MUTED, lw=1, ls=dashes, zorder=1, label=label)


def plot_scale(
    model: MLDS,
    intervals: ScaleIntervals | None = None,
    ax: Axes | None = None,
    *,
    normalised: bool = False,
    xlabel: str = "physical level",
    label: str | None = None,
    title: str | None = None,
) -> Axes:
    """Plot a difference scale against the physical levels, with optional intervals.

    Parameters
    ----------
    model : MLDS
        The fitted model.
    intervals : ScaleIntervals, optional
        Intervals to draw as bars. The scale is drawn in their unit: the noise, or from 0 to 1.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure (`ax.figure.savefig(path)` writes it).
        A second scale on the same axes takes the next colour.
    normalised : bool
        Whether to draw the scale from 0 to 1; ignored if there are intervals.
    xlabel : str
        The label of the axis of levels.
    label : str, optional
        The name of the scale in the legend, such as the observer.
    title : str, optional
        Title of the picture.

    Raises
    ------
    SettingError
        If the intervals have another number of items.
    JudgmentError
        If the scale should be drawn from 0 to 1 and does not rise.

    References
    ----------
    Knoblauch & Maloney 2008, figure 5.

    Examples
    --------
    >>> import resemblance as rs
    >>> ax = plot_scale(rs.MLDS(levels=[0, 10, 30]).set_scale([0.0, 1.0, 2.0]))
    >>> ax.get_xlabel()
    'physical level'
    """
    normalised = normalised if intervals is None else intervals.normalised
    scale = model.normalised() if normalised else model.scale_
    at = model.order_
    ax = new_axes((5.2, 4.2)) if ax is None else ax
    colour = LIGHT[len(ax.lines) % len(LIGHT)]
    ax.plot(model.levels_[at], scale[at], "o-", color=colour, lw=1.4, ms=5, label=label)
    if intervals is not None:
        if intervals.scale.shape != scale.shape:
            raise SettingError(
                f"the intervals are of {len(intervals.scale)} items and the scale of {len(scale)}: "
                "give those of this model",
                setting="intervals",
            )
        low, high = intervals.low[at], intervals.high[at]
        ax.vlines(model.levels_[at], low, high, color=colour, lw=1.2)
    unit = "from 0 to 1" if normalised else "in units of the noise"
    ax.set(ylabel=f"difference scale, {unit}")
    ax.set_xlabel(xlabel, **plain)
    if label is not None:
        legend_of(ax)
    bare(ax, "left", "bottom")
    title_of(ax, title)
    return ax
