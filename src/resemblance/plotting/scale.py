"""Plot a difference scale against the physical levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from resemblance.errors import SettingError
from resemblance.plotting.canvas import bare, legend_of, new_axes, plain, title_of
from resemblance.plotting.palette import LIGHT

if TYPE_CHECKING:
    from resemblance.scaling import MLDS, ScaleIntervals


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
    """Draw a difference scale against the physical levels, with intervals where there are any.

    Parameters
    ----------
    model : MLDS
        Fitted.
    intervals : ScaleIntervals, optional
        Bars; their scale, in units of the noise or from 0 to 1, is the one drawn.
    ax : matplotlib Axes, optional
        Where to draw; by default on a figure of its own (`ax.figure.savefig(path)` writes it).
        A second scale on the same axes takes the next colour.
    normalised : bool
        Whether the scale is drawn from 0 to 1, where there are no intervals to say so.
    xlabel : str
        The words below the axis of the levels.
    label : str, optional
        The name of the scale in the legend, such as the observer.
    title : str, optional
        Title of the picture.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    SettingError
        If the intervals are of another number of items.
    JudgmentError
        If the scale does not rise and is wanted from 0 to 1.

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
