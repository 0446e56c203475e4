"""Plot the agreement of networks with people on several data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

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
WORDS = {
    "all apart": "tells all apart",
    "some apart": "tells some apart",
    "not apart": "tells none apart",
    "unknown": "cannot tell",
}
HALF = 0.46  # half of the height of a band


def plot_benchmark(result: Benchmark, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    r"""Draw the agreement of each network with people, in a band for each data set.

    Open markers are features as they are, filled markers learned weights, with their intervals. A
    dashed line is chance, and the shaded area the interval of the noise ceiling, if it is known.
    The verdict is below each name.

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
    ['dots\ncannot tell']
    """
    networks, data = (list(dict.fromkeys(result.table[name])) for name in ("network", "data"))
    inches = 0.3 + 2 * ROW * len(networks)  # height of a band
    ax = new_axes((7.2, 1.7 + inches * len(data)), shaped=False) if ax is None else ax
    step = ROW / inches
    for band, name in enumerate(data):
        rows = result.table[result.table["data"] == name]
        _draw_limits(ax, band, rows.iloc[0])
        for row in rows.to_dict("records"):
            at = networks.index(row["network"])
            y = band + step * (2 * at - len(networks) + 0.5)
            _draw(ax, y, row, "as_is", mfc="white", **_style(at))
            _draw(ax, y + step, row, "learned", **_style(at))
        ax.axhline(band + 0.5, color=RULE, lw=0.6, zorder=0)
    labels = [f"{name}\n{WORDS[result.verdicts[name]]}" for name in data]
    ax.set_yticks(range(len(data)), labels, **plain)
    ax.set_ylim(len(data) - 0.5, -0.5)
    ax.set_xlabel("share of people's answers that the network gives")
    bare(ax, "left", "bottom")
    ax.tick_params(axis="y", labelcolor=INK)
    entries = [Line2D([], [], label=name, **_style(at)) for at, name in enumerate(networks)]
    circle: dict[str, Any] = {"ls": "", "ms": 5, "marker": "o", "color": MUTED}
    entries += [
        Line2D([], [], **circle, mfc="white", label="features as they are"),
        Line2D([], [], **circle, label="learned weights"),
        Line2D([], [], ls="--", color=MUTED, lw=1, label="chance"),
    ]
    ceiling = Patch(color=RULE, alpha=0.6, label="noise ceiling")
    legend_of(ax, handles=[*entries, ceiling], loc="upper left", bbox_to_anchor=(1.0, 1.0))
    title_of(
        ax, title or "How like people networks see", "and which data sets tell them apart", 0.7
    )
    return ax


def _style(at: int) -> dict[str, Any]:
    marker, colour = MARKERS[at % len(MARKERS)], LIGHT[at % len(LIGHT)]
    return {"ls": "", "ms": 5, "marker": marker, "color": colour}


def _draw_limits(ax: Axes, band: int, row: Any) -> None:
    ends = band - HALF, band + HALF
    ax.vlines(row["chance"], *ends, color=MUTED, ls="--", lw=1, zorder=1)
    if row["ceiling"] is not None and np.isfinite(row["ceiling"]):
        low, high = row["ceiling_low"], row["ceiling_high"]
        ax.barh(band, high - low, 2 * HALF, low, color=RULE, alpha=0.6, zorder=0)
        ax.vlines(row["ceiling"], *ends, color=MUTED, lw=1, zorder=1)


def _draw(ax: Axes, y: float, row: Any, measure: str, **style: Any) -> None:
    value, low, high = (row.get(f"{measure}{end}", np.nan) for end in ("", "_low", "_high"))
    ax.errorbar([value], [y], xerr=[[value - low], [high - value]], capsize=2, lw=1.2, **style)
