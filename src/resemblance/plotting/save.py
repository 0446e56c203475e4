"""A map as a file: a picture, or a page to explore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import FileError
from resemblance.plotting.map import plot_map
from resemblance.plotting.page import map_page

if TYPE_CHECKING:
    from resemblance.judgments import Items

_PICTURES = (".png", ".svg", ".pdf")


def save_map(
    embedding: ArrayLike,
    path: str | PathLike[str],
    items: Items | None = None,
    *,
    labels: Sequence[Any] | NDArray[Any] | None = None,
    flagged: ArrayLike | None = None,
    frames: Mapping[str, ArrayLike] | None = None,
    uncertainty: ArrayLike | None = None,
    title: str | None = None,
    subtitle: str | None = None,
) -> Path:
    """Write a map of the items: near each other means similar.

    The suffix of the path says what is written: a picture (.png, .svg, .pdf, see `plot_map`), or
    a page (.html): one file that fetches nothing and works offline, with zoom, search, classes to
    switch on and off, each item's nearest neighbours in the full space, and what is seen as PNG or
    SVG. A page holds 100,000 items at most; ten thousand pictures make about 5 MB.

    Parameters
    ----------
    embedding : array-like of shape (n_items, n_components)
        Positions of the items.
    path : str or path
        Where to write.
    items : Items, optional
        Names, labels and images; by default the numbers of the rows are the names.
    labels : sequence of n_items labels, optional
        Classes that colour the items, instead of those of `items`.
    flagged : array-like, optional
        Items that no judgment mentions, drawn hollow: positions, or one boolean for each item.
    frames : mapping of str to array-like of shape (n_items, n_components), optional
        Earlier maps of the same items, oldest first: a page lets its reader play them, each laid
        upon the next by :func:`procrustes_align`. Pictures show the embedding alone.
    uncertainty : array-like of shape (n_items,), optional
        The standard deviation of each position, in its unit: in a page, the reader may have a
        circle of that radius drawn around each item. For pictures, give `plot_map` covariances.
    title, subtitle : str, optional
        Lines above the map.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
    FileError
        If the suffix is another one, the folder is missing, an item's picture cannot be read, or
        the page was not built in this checkout.
    SettingError
        If the embedding is not finite, labels, items, frames, uncertainty and embedding differ in
        length, a standard deviation is none, or there are too many items for a page.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_map([[0.0, 0.0], [1.0, 1.0]], folder + "/map.html", title="Two items").name
    'map.html'
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in (*_PICTURES, ".html"):
        raise FileError(
            f"{path}: a map is written as .png, .svg, .pdf or .html, not as {suffix or 'nothing'!r}"
        )
    if not path.parent.is_dir():
        raise FileError(f"{path}: there is no folder {path.parent}; make it first")
    words: dict[str, Any] = {
        "labels": labels, "flagged": flagged, "title": title, "subtitle": subtitle
    }  # fmt: skip
    if suffix == ".html":
        words |= {"frames": frames, "uncertainty": uncertainty}
        path.write_text(map_page(embedding, items, **words), encoding="utf-8")
        return path
    figure = plot_map(embedding, items, **words).figure
    assert isinstance(figure, Figure)
    figure.savefig(path, format=suffix[1:], dpi=200)
    return path
