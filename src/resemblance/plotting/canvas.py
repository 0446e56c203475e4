"""Figures without a window: they draw on a server, in a thread and in a notebook alike."""

from io import BytesIO
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

INK, MUTED, RULE = "#1d2129", "#6a707a", "#d5d8dd"


class Picture(Figure):
    """A figure that a notebook shows, though no window and no backend knows it."""

    def _repr_png_(self) -> bytes:
        written = BytesIO()
        self.savefig(written, format="png", dpi=self.dpi)
        return written.getvalue()


def new_axes(inches: tuple[float, float]) -> Axes:
    """Return the axes of a new figure that no window knows."""
    return new_figure(inches).add_subplot()


def new_figure(inches: tuple[float, float]) -> Figure:
    """Return a new figure that no window knows."""
    figure = Picture(figsize=inches, dpi=100, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def bare(ax: Axes, *kept: str) -> None:
    """Leave only the named sides of the frame, in a quiet colour."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in kept)
        spine.set_color(RULE)
    ax.tick_params(color=RULE, labelcolor=MUTED, labelsize=9)
    ax.xaxis.label.set_color(MUTED)
    ax.yaxis.label.set_color(MUTED)


def title_of(ax: Axes, title: str | None, subtitle: str | None = None) -> None:
    """Write the title, and a quiet line under it, flush left."""
    if title:
        ax.set_title(
            title, loc="left", pad=24 if subtitle else 10, **plain, fontweight="bold", color=INK
        )
    if subtitle:
        note(ax, subtitle, (0, 1), (0, 7), ha="left", va="bottom", fontsize=10)


def note(
    ax: Axes, text: str, corner: tuple[float, float], offset: tuple[float, float], **style: Any
) -> None:
    """Write a quiet line at a corner of the axes, offset in points."""
    style = {"fontsize": 8, "color": MUTED, **plain, **style}
    words = ax.annotate(
        text, corner, offset, xycoords="axes fraction", textcoords="offset points", **style
    )
    words.set_in_layout(False)  # the axes stay where they are, and with them all that is placed


# Names and titles are people's words: a dollar sign in them starts no formula.
plain: dict[str, Any] = {"parse_math": False}
