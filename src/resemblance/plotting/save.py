"""Save a map or dimensions as a picture, a page or a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from resemblance.files import FIGURES, safe, writable
from resemblance.plotting.canvas import figures, settings
from resemblance.plotting.dimensions import Names, check_top, dimensions_of
from resemblance.plotting.loadings import loadings_page, plot_loadings
from resemblance.plotting.map import plot_map
from resemblance.plotting.page import map_page

if TYPE_CHECKING:
    from resemblance.embeddings import LoadingSpread, Reproducibility
    from resemblance.judgments import Items
    from resemblance.plotting.scene import SomeDirections

# Text in files is stored as text, not as outlines.
_FONTS = {"pdf.fonttype": 42, "svg.fonttype": "none"}


def save_map(
    embedding: ArrayLike,
    path: str | PathLike[str],
    items: Items | Sequence[str] | None = None,
    *,
    labels: Sequence[Any] | NDArray[Any] | None = None,
    flagged: ArrayLike | None = None,
    frames: Mapping[str, ArrayLike] | None = None,
    uncertainty: ArrayLike | None = None,
    directions: SomeDirections = None,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | str | None = None,
    font: str | None = None,
    dpi: float = 200,
) -> Path:
    """Write a map of the items, in which similar items are near each other.

    The suffix of the path sets the format. A picture (.png, .svg, .pdf) is drawn by `plot_map`;
    text in .svg and .pdf can be searched and edited. A page (.html) is one file that works offline.
    Its readers can zoom, search, switch classes on and off, see each item's nearest neighbours in
    the full space, and save the view as PNG or SVG. A page contains 100,000 items at most; ten
    thousand pictures make about 5 MB.

    Parameters
    ----------
    embedding : fitted model, or array-like of shape (n_items, n_components)
        The model, or the positions of the items.
    path : str or path
        The file to write.
    items : Items or sequence of str, optional
        Names, labels and images, or only names; by default the names are row numbers.
    labels : sequence of n_items labels, optional
        Classes that colour the items, instead of the labels of `items`.
    flagged : array-like, optional
        Items that no judgment mentions, drawn hollow: indices, or one boolean for each item.
    frames : mapping of str to array-like of shape (n_items, n_components), optional
        Earlier maps of the same items, oldest first. A page can play them as a film; each map is
        aligned with the next by :func:`procrustes_align`. Pictures ignore them.
    uncertainty : array-like of shape (n_items,), optional
        The standard deviation of each position; a page can draw a circle of this radius around each
        item. For pictures, give covariances to `plot_map`.
    directions : FeatureDirections or WordDirections, or a list of both, optional
        Results of :func:`feature_directions` and :func:`scores.word_directions`, drawn as arrows.
    title, subtitle : str, optional
        Lines above the map.
    width : float or str, default 20.32
        The width of pictures in centimetres, from 4 to 100, or a length such as `"85mm"`. The size
        of letters in points does not change.
    font : str, optional
        The name of an installed font for pictures; by default matplotlib's ``font.family``.
    dpi : float, default 200
        The pixels per inch of .png, and of the items' pictures in .pdf and .svg.

    Returns
    -------
    pathlib.Path
        The path.

    Raises
    ------
    FileError
        If the suffix is unknown, the folder is missing, an item's picture cannot be read, or the
        page was not built in this checkout.
    SettingError
        If the embedding is not finite, labels, items, frames, uncertainty, directions and embedding
        differ in length or dimensions, a standard deviation is negative or not finite, there are
        too many items for a page, the width is out of range, or the font is not installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_map([[0.0, 0.0], [1.0, 1.0]], folder + "/map.html", title="Two items").name
    'map.html'
    """
    path = writable(Path(path), "a map", (*FIGURES, ".html"))
    suffix = path.suffix.lower()
    words: dict[str, Any] = {
        "labels": labels, "flagged": flagged, "directions": directions, "title": title,
        "subtitle": subtitle,
    }  # fmt: skip
    if suffix == ".html":
        words |= {"frames": frames, "uncertainty": uncertainty}
        path.write_text(map_page(embedding, items, **words), encoding="utf-8")
        return path
    with figures(width, font):
        return _write_figure(path, plot_map(embedding, items, **words), dpi)


def save_loadings(
    model: Any,
    path: str | PathLike[str],
    items: Items | Sequence[str] | None = None,
    *,
    n_dimensions: int = 10,
    top: int = 8,
    names: Names | None = None,
    reproducibility: Reproducibility | None = None,
    spread: LoadingSpread | None = None,
    title: str | None = None,
    subtitle: str | None = None,
) -> Path:
    r"""Describe each dimension of a sparse space in a file.

    The suffix of the path sets the format:

    - .html: one page that works offline. It shows every dimension with its items, its share
      :math:`\sum_i x_{ik} / \sum_{il} x_{il}`, its reproducibility, and the features most
      correlated with it (Pearson's r). Readers can look up the dimensions of an item, and name
      dimensions: the browser stores the names, and a button downloads them as a table.
    - .png, .svg, .pdf: a picture, see :func:`plot_loadings`.
    - .csv: a row for each dimension: `dimension` (its number, from 1), `name`, `share`, `seeds` and
      `halves` (correlations over starts and halves), `found_again` (the number of the `splits` in
      which the dimension was found again), `items` (the items with the largest loadings, separated
      by bars).

    Parameters
    ----------
    model : SPoSE, or array-like of shape (n_items, d)
        The fitted model, or its loadings.
    path : str or path
        The file to write.
    items : Items, optional
        Names, features and images; by default the model's items, or row numbers.
    n_dimensions : int, default 10
        The largest number of dimensions in a picture; pages and tables have all.
    top : int, default 8
        The number of items to show for each dimension (in a page, before readers ask for more).
    names : sequence of d str, mapping or path, optional
        The name of each dimension, or None; a mapping from numbers (from 1) to names; or the CSV
        file that a page saved.
    reproducibility : Reproducibility, optional
        The reproducibility of each dimension, from :func:`reproducibility`.
    spread : LoadingSpread, optional
        The spread of each loading over refits, from :func:`loading_spread`; tables leave it out.
    title, subtitle : str, optional
        Lines above the dimensions.

    Returns
    -------
    pathlib.Path
        The path.

    Raises
    ------
    FileError
        If the suffix is unknown, the folder is missing, an item's picture or the file of names
        cannot be read, or the page was not built in this checkout.
    SettingError
        If the model is not fitted, a loading is negative or not finite, names, reproducibility or
        spread do not match the dimensions, ``top`` is below 1, or there are too many items for a
        page.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = save_loadings([[0.0, 2.0], [1.0, 0.5]], folder + "/dimensions.csv")
    ...     print(written.read_text())
    dimension,name,share,seeds,halves,found_again,splits,items
    2,,0.714...,,,0 | 1
    1,,0.285...,,,1
    <BLANKLINE>
    """
    path = writable(Path(path), "a file of dimensions", (*FIGURES, ".html", ".csv"))
    words: dict[str, Any] = {
        "names": names, "reproducibility": reproducibility, "spread": spread
    }  # fmt: skip
    if path.suffix.lower() in FIGURES:
        words |= {"n_dimensions": n_dimensions, "top": top, "title": title, "subtitle": subtitle}
        return _write_figure(path, plot_loadings(model, items, **words))
    dimensions, top = dimensions_of(model, items, **words), check_top(top)
    if path.suffix.lower() == ".csv":
        dimensions.table(top).map(safe).to_csv(path, index=False)
    else:
        path.write_text(loadings_page(dimensions, top, title, subtitle), encoding="utf-8")
    return path


def _write_figure(path: Path, drawn: Axes, dpi: float = 200) -> Path:
    figure = drawn.figure
    assert isinstance(figure, Figure)
    with settings(_FONTS):
        figure.savefig(path, format=path.suffix.lower()[1:], dpi=dpi)
    return path
