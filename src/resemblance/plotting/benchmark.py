"""Plot the agreement of networks with people on several data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from resemblance.plotting.canvas import (
    INK,
    LIGHT,
    MUTED,
    RULE,
    bare,
    legend_of,
    new_axes,
    plain,
    title_of,
)

if TYPE_CHECKING:
    from resemblance.analysis import Benchmark

ROW = 0.17  # inches per network and measure
MARKERS = "os^DvPX*<>"  # markers of networks
HALF = 0.46  # half of the height of a band


def plot_benchmark(result: Benchmark, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    r"""Draw the agreement of each network with people, in a band for each data set.

    Open markers are features as they are, filled markers learned weights, with their intervals. A
    dashed line is chance, and the shaded area the interval of the noise ceiling, if it is known.
    The verdict is below the name of each data set.

    Parameters
    ----------
    result : Benchmark
        The result of :func:`resemblance.analysis.benchmark`.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure (`ax.figure.savefig(path)` writes it).
    title : str, optional
        Title of the picture.

    Examples
    --------
    >>> import numpy as np, resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> points = rng.normal(size=(20, 2))
    >>> asked = np.array([rng.choice(20, 3, replace=False) for _ in range(500)])
    >>> answers = rs.SpaceObserver(points, random_state=0).answer(rs.Triplets(asked))
    >>> result = rs.analysis.benchmark({"dots": answers}, {"net": {"dots": points}})
    >>> [label.get_text() for label in plot_benchmark(result).get_yticklabels()]
    ['dots\nunknown']
    """
    from resemblance.analysis.benchmarking import MEASURES

    table = result.table
    networks, data = table["network"].unique(), table["data"].unique()
    inches = 0.3 + 2 * ROW * len(networks)  # height of a band
    ax = new_axes((7.2, 1.7 + inches * len(data)), shaped=False) if ax is None else ax
    limits = table.drop_duplicates("data")
    bands = np.arange(len(data))
    ends = bands - HALF, bands + HALF
    ax.vlines(limits["chance"], *ends, color=MUTED, ls="--", lw=1, zorder=1, label="chance")
    low, width = limits["ceiling_low"], limits["ceiling_high"] - limits["ceiling_low"]
    ax.barh(bands, width, 2 * HALF, low, color=RULE, alpha=0.6, zorder=0, label="noise ceiling")
    ax.vlines(limits["ceiling"], *ends, color=MUTED, lw=1, zorder=1)
    ax.hlines(bands + 0.5, 0, 1, transform=ax.get_yaxis_transform(), color=RULE, lw=0.6, zorder=0)
    for number, network in enumerate(networks):
        rows = table[table["network"] == network].set_index("data").reindex(data)
        colour, marker = LIGHT[number % len(LIGHT)], MARKERS[number % len(MARKERS)]
        for row, measure in enumerate(measure for measure in MEASURES if measure in rows):
            y = bands + ROW / inches * (2 * number + row - len(networks) + 0.5)
            value = rows[measure]
            spread = [value - rows[f"{measure}_low"], rows[f"{measure}_high"] - value]
            bars = ax.errorbar(
                value, y, xerr=spread, fmt=marker, color=colour, ms=5, lw=1.2, capsize=2
            )
            bars.set_label(f"{network}, {MEASURES[measure]}")
            bars.lines[0].set_markerfacecolor("white" if measure == "as_is" else colour)
    labels = [f"{name}\n{result.verdicts[name]}" for name in data]
    ax.set_yticks(bands, labels, **plain)
    ax.set_ylim(len(data) - 0.5, -0.5)
    ax.set_xlabel("share of people's answers that the network gives")
    bare(ax, "left", "bottom")
    ax.tick_params(axis="y", labelcolor=INK)
    legend_of(ax, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    title_of(
        ax, title or "How like people networks see", "and which data sets tell them apart", 0.7
    )
    return ax
