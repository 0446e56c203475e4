"""Figures without a window: they draw on a server, in a thread and in a notebook alike."""

import textwrap
from io import BytesIO
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from resemblance.arrays import Floats

LEAST_FONT, LETTER = 5, 0.6  # in points; the width of a usual letter, of its size
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
    if title or subtitle:  # a blank title keeps room for the line under it
        style = {"fontweight": "bold", "color": INK, **plain}
        ax.set_title(title or " ", loc="left", pad=24 if subtitle else 10, **style)
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


def fitted(ax: Axes, name: str, width: float, font: float, n_lines: int = 1) -> tuple[str, float]:
    """Break a name between words, in a font so small that it fits a width, in points.

    What does not fit in the smallest font, as a word of many letters, ends in an ellipsis.
    """
    letters = 0
    for size in range(int(font), LEAST_FONT - 1, -1):
        letters = int(width / (LETTER * size))
        lines = textwrap.wrap(name, letters, break_long_words=False) or [""]
        if len(lines) <= n_lines and max(widths_of(ax, lines, size)) <= width:
            return "\n".join(lines), size
    words = (w if len(w) <= letters else f"{w[: letters - 1]}…" for w in name.split())
    breaks = textwrap.TextWrapper(
        letters, max_lines=n_lines, placeholder="…", break_long_words=False
    )
    return breaks.fill(" ".join(words)), LEAST_FONT


def widths_of(ax: Axes, names: list[str], font: float) -> Floats:
    """Measure names in typographic points; small letters are rounded to pixels."""
    text = ax.text(0, 0, "", fontsize=font, **plain)
    widths = []
    for name in names:
        text.set_text(name)
        widths.append(text.get_window_extent().width * 72 / ax.figure.dpi)
    text.remove()
    return np.array(widths)


# Names and titles are people's words: a dollar sign in them starts no formula.
plain: dict[str, Any] = {"parse_math": False}
