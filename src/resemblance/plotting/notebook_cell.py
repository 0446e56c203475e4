"""Show the map page in a notebook cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray

from resemblance.files import writable
from resemblance.judgments.items import items_of
from resemblance.plotting.page import map_page
from resemblance.plotting.scene import as_items
from resemblance.ranges import Range, check

if TYPE_CHECKING:
    from resemblance.judgments import Items

HEIGHT = Range(200, 4000)  # pixels


@dataclass(frozen=True)
class PageView:
    """A self-contained page in a frame of its own; :func:`show_map` makes it.

    The frame is sandboxed: the page's scripts run, and see nothing of the notebook.

    Attributes
    ----------
    html : str
        The page.
    height : int
        Of the frame, in pixels.

    Examples
    --------
    >>> PageView("<p>a map</p>", 300)
    PageView(height=300)
    """

    html: str = field(repr=False)
    height: int = 560

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page, as :func:`save_map` does.

        Parameters
        ----------
        path : path
            Of suffix .html.

        Returns
        -------
        pathlib.Path

        Raises
        ------
        FileError
            If the suffix is another one, or the folder is missing.
        """
        path = writable(Path(path), "this page", (".html",))
        path.write_text(self.html, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'title="map" style="width:100%;height:{self.height}px;border:0"></iframe>'
        )


def show_map(
    model: Any,
    items: Items | Sequence[str] | None = None,
    *,
    labels: Sequence[Any] | NDArray[Any] | None = None,
    flagged: ArrayLike | None = None,
    frames: Mapping[str, ArrayLike] | None = None,
    uncertainty: ArrayLike | None = None,
    title: str | None = None,
    subtitle: str | None = None,
    height: int = 560,
) -> PageView:
    """Show the map page in a notebook, with zoom, search, classes and neighbours, offline.

    As the last expression of a cell it is shown below it. It stays in the notebook's file, of
    about 100 KB and the items' pictures.

    Parameters
    ----------
    model : fitted model, or array of shape (n_items, n_components)
        The model, or the positions of the items.
    items : Items or sequence of str, optional
        Names, labels and images, or names alone; by default those of the model, or the numbers of
        the rows.
    labels, flagged, frames, uncertainty, title, subtitle
        As of :func:`save_map`.
    height : int, default 560
        Of the frame, in pixels, from 200 to 4000.

    Returns
    -------
    PageView
        With ``html``, the page, and ``save(path)``.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    FileError, SettingError
        As of :func:`save_map`, and if the height is out of range.

    Examples
    --------
    >>> view = show_map([[0.0, 0.0], [1.0, 1.0]], title="Two items")
    >>> view._repr_html_().startswith("<iframe srcdoc=")
    True
    """
    check(height=(height, HEIGHT))
    fitted = hasattr(model, "fit")
    page = map_page(
        model.embedding_ if fitted else model,
        items_of(model, as_items(items)),
        labels=labels,
        flagged=flagged,
        frames=frames,
        uncertainty=uncertainty,
        title=title,
        subtitle=subtitle,
    )
    return PageView(page, int(height))
