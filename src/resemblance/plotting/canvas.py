"""Make figures without a window, for servers, threads and notebooks."""

import textwrap
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from difflib import get_close_matches
from functools import lru_cache
from io import BytesIO
from threading import RLock
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import font_family_aliases, fontManager, get_font
from matplotlib.text import Text
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.errors import ResemblanceWarning, SettingError, first_few
from resemblance.files import FIGURE_WIDTH, UNITS, centimetres

# LEAST_FONT: smallest font in points. LETTER: mean width of a letter, divided by the font size.
LEAST_FONT, LETTER = 5, 0.6
_SETTINGS = RLock()  # Settings of matplotlib are global, so only one thread may change them.
INK, MUTED, RULE = "#1d2129", "#6a707a", "#d5d8dd"

UPRIGHT = 400, "normal", "regular", "book"
# fonts that draw boxes or coloured pictures in place of letters
UNREAL = "lastresort", "last resort", "emoji"
# A dollar sign in names and titles does not begin a formula.
plain: dict[str, Any] = {"parse_math": False}
Points = NDArray[np.float64]
GREY = "#8a8f98"
# Twelve colours in two groups of six; each group has its own shape. The colours maximise the
# smallest OKLab distance within a group on light and on dark paper, for normal vision and for
# protanopia, deuteranopia and tritanopia (matrices of Machado, Oliveira and Fernandes 2009, full
# severity). So any two classes differ in colour, in shape, or in both. Colours on light paper can
# be printed with four inks (ISO 12647-2): they were moved into the hull of the Neugebauer
# primaries, as little as possible while still distinct.
LIGHT = (
    *("#6a76b5", "#f78f30", "#0a4b18", "#c93b6f", "#c7aacd", "#672c71"),
    *("#2fbbeb", "#a96f13", "#007991", "#68221d", "#b6c01e", "#283a86"),
)
DARK = (
    *("#7f7efa", "#f9927f", "#2d8010", "#cd54a1", "#b4bef9", "#fde1a5"),
    *("#6efafd", "#c29001", "#08b9d4", "#945f61", "#b2de49", "#0b74c0"),
)
SHAPES = ("circle",) * 6 + ("square",) * 6
# Two grey styles follow the twelve colours: for classes after the twelfth, and for no label.
OTHER, UNLABELLED = len(LIGHT), len(LIGHT) + 1
STYLES = {
    "light": (*LIGHT, GREY, GREY),
    "dark": (*DARK, GREY, GREY),
    "shape": (*SHAPES, "circle", "square"),
}
MARKERS = {"circle": "o", "square": "s"}


class Picture(Figure):
    """A figure that notebooks show without a backend; other fonts provide missing letters."""

    _without_font = ""

    def draw(self, renderer: Any) -> None:
        if (letters := give_fonts(self)) and letters != self._without_font:
            self._without_font = letters
            warnings.warn(no_font(letters), ResemblanceWarning, stacklevel=2)
        with boxes_unsaid() if letters else nullcontext():
            super().draw(renderer)

    def _repr_png_(self) -> bytes:
        written = BytesIO()
        self.savefig(written, format="png", dpi=self.dpi)
        return written.getvalue()


def new_axes(inches: tuple[float, float], shaped: bool = True) -> Axes:
    return new_figure(inches, shaped).add_subplot()


def new_figure(inches: tuple[float, float], shaped: bool = True) -> Figure:
    if (width := FIGURE_WIDTH.get()) is not None:
        width /= UNITS["in"]
        inches = width, inches[1] * (width / inches[0] if shaped else 1)
    figure = Picture(figsize=inches, dpi=100, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


@contextmanager
def figures(width: float | str | None = None, font: str | None = None) -> Iterator[None]:
    """Set the width (in centimetres, or a length such as `85mm`) and the font of new figures."""
    with ExitStack() as stack:
        if width is not None:
            stack.callback(FIGURE_WIDTH.reset, FIGURE_WIDTH.set(centimetres(width)))
        if font is not None:
            families = [installed(font), *rcParams["font.family"]]
            stack.enter_context(settings({"font.family": families}))
        yield


@contextmanager
def settings(wanted: dict[Any, Any]) -> Iterator[None]:
    every: dict[Any, Any] = rcParams
    with _SETTINGS:
        before = {name: every[name] for name in wanted}
        every.update(wanted)
        try:
            yield
        finally:
            every.update(before)


def installed(font: str) -> str:
    names = {name.lower(): name for name in [*fontManager.get_font_names(), *font_family_aliases]}
    if (match := names.get(font.lower())) is not None:
        return match
    near = get_close_matches(font.lower(), names, n=3) or ["dejavu sans"]
    like = ", ".join(names[name] for name in near)
    words = f"the font {font!r} is not installed: install it, or take one such as {like}"
    raise SettingError(words, setting="font")


def give_fonts(artist: Artist) -> str:
    """Set fonts that have all letters of an artist's texts; return letters that no font has."""
    without: set[str] = set()
    for text in artist.findobj(Text):
        if text.get_text().isascii():
            continue
        families = text.get_fontfamily()
        more, left = fonts_with(text.get_text(), tuple(families))
        without.update(left)
        if more:
            text.set_fontfamily([*families, *more])
    return "".join(sorted(without))


@lru_cache(maxsize=1024)
def fonts_with(text: str, families: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    generic: dict[Any, list[str]] = rcParams
    usual = [name for family in families for name in generic.get(f"font.{family}", [family])]
    upright = (f for f in fontManager.ttflist if f.style == "normal" and f.weight in UPRIGHT)
    files = {font.name: font.fname for font in upright}
    lacking = {ord(letter) for letter in text if letter.isprintable() and not letter.isspace()}
    lacking = lacking.difference(*(_letters(files[name]) for name in usual if name in files))
    real = [name for name in sorted(files) if not any(word in name.lower() for word in UNREAL)]
    more: list[str] = []
    while lacking and real:
        best = max(real, key=lambda name: len(lacking & _letters(files[name])))
        if not lacking & _letters(files[best]):
            break
        more.append(best)
        lacking -= _letters(files[best])
    return tuple(more), "".join(sorted(map(chr, lacking)))


@lru_cache(maxsize=4096)
def _letters(file: str) -> frozenset[int]:
    try:
        return frozenset(get_font(file).get_charmap())
    except (OSError, RuntimeError):  # The file of a font is broken.
        return frozenset()


def no_font(letters: Iterable[str]) -> str:
    return (
        f"no font of this machine has the letters {first_few(letters)}, which pictures show as "
        "boxes: install one, such as Noto Sans CJK; pages (.html) show them"
    )


def without_font(texts: Iterable[str]) -> list[str]:
    letters = fonts_with("".join(texts), tuple(rcParams["font.family"]))[1]
    return [no_font(letters)] if letters else []


@contextmanager
def boxes_unsaid() -> Iterator[None]:
    """Silence matplotlib's warnings about missing letters."""
    with _SETTINGS, warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font", UserWarning)
        yield


def bare(ax: Axes, *kept: str) -> None:
    """Show only the named sides of the frame, in grey."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in kept)
        spine.set_color(RULE)
    ax.tick_params(color=RULE, labelcolor=MUTED, labelsize=9)
    ax.xaxis.label.set_color(MUTED)
    ax.yaxis.label.set_color(MUTED)


def title_of(ax: Axes, title: str | None, subtitle: str | None = None, share: float = 0.97) -> None:
    letters = 72 * share * ax.figure.bbox.width / ax.figure.dpi / LETTER
    two: dict[str, Any] = {"max_lines": 2, "placeholder": "…"}
    subtitle = textwrap.fill(subtitle or "", int(letters / 10), **two)
    if title or subtitle:  # A blank title reserves room for the subtitle.
        title = textwrap.fill(title or "", int(letters / 13), **two) or " "
        style = {"fontweight": "bold", "color": INK, **plain}
        ax.set_title(title, loc="left", pad=10 + 14 * len(subtitle.splitlines()), **style)
    if subtitle:
        note(ax, subtitle, (0, 1), (0, 7), ha="left", va="bottom", fontsize=10)


def note(
    ax: Axes, text: str, corner: tuple[float, float], offset: tuple[float, float], **style: Any
) -> None:
    style = {"fontsize": 8, "color": MUTED, **plain, **style}
    words = ax.annotate(
        text, corner, offset, xycoords="axes fraction", textcoords="offset points", **style
    )
    words.set_in_layout(False)  # The layout of the figure ignores the note.


def fitted(ax: Axes, name: str, width: float, font: float, n_lines: int = 1) -> tuple[str, float]:
    """Break a name into lines; return it with a font size that fits the width (points).

    A name that is too long for the smallest font is cut and ends in an ellipsis.
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
    """Return the widths of names in points, as rendered: letters are rounded to whole pixels."""
    text = ax.text(0, 0, "", fontsize=font, **plain)
    widths, families = [], text.get_fontfamily()
    with boxes_unsaid():
        for name in names:
            text.set(text=name, fontfamily=families)
            give_fonts(text)
            widths.append(text.get_window_extent().width * 72 / ax.figure.dpi)
    text.remove()
    return np.array(widths)


def legend_of(ax: Axes, *entries: Any, **where: Any) -> None:
    legend = ax.legend(*entries, frameon=False, fontsize=9, labelcolor=INK, **where)
    for text in legend.get_texts():
        text.set(**plain)


def beeswarm(x: Points, diameter: float) -> Points:
    """Move points off a line as little as possible, so that they do not overlap.

    Point i gets the height y of smallest |y| with (x_i - x_j)^2 + (y - y_j)^2 >= diameter^2 for
    every point j placed before, in the order of x. The diameter is in units of x.

    >>> beeswarm(np.array([0.0, 0.0, 5.0]), diameter=1.0)
    array([0., 1., 0.])
    """
    order = np.argsort(x, kind="stable")
    xs, ys = x[order], np.zeros(len(x))
    starts = np.searchsorted(xs, xs - diameter, side="right")
    for i, start in enumerate(starts):
        reach = np.sqrt(np.maximum(diameter**2 - (xs[i] - xs[start:i]) ** 2, 0))
        ys[i] = _nearest_gap(ys[start:i] - reach, ys[start:i] + reach)
    heights = np.empty_like(ys)
    heights[order] = ys
    return heights


def _nearest_gap(low: Points, high: Points) -> float:
    """Return the height nearest to 0 that is in no interval; on a tie, the positive height."""
    heights = np.concatenate([[0.0], high, low])
    inside = (heights[:, None] > low + 1e-9) & (heights[:, None] < high - 1e-9)
    free = heights[~inside.any(axis=1)]
    return float(free[np.abs(free).argmin()])


def crowding(points: Points) -> Points:
    from scipy.spatial import KDTree

    if len(points) < 2:
        return np.full(len(points), np.inf)
    distances, _ = KDTree(points).query(points, k=2)
    return distances[:, 1]
