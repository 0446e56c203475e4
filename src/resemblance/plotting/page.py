"""Write a map as a self-contained HTML page."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import FileError, SettingError
from resemblance.files import writable
from resemblance.geometry import procrustes_align
from resemblance.plotting.canvas import STYLES, beeswarm
from resemblance.plotting.item_squares import atlas
from resemblance.plotting.scene import Scene, arrows_of, principal_axes, scene_of
from resemblance.ranges import Range, check

if TYPE_CHECKING:
    from resemblance.judgments import Items
    from resemblance.plotting.scene import SomeDirections

LARGEST = 100_000  # largest number of items on a page
HEIGHT = Range(200, 4000)  # height of the frame, in pixels


def map_page(
    embedding: ArrayLike,
    items: Items | Sequence[str] | None = None,
    *,
    labels: Sequence[Any] | NDArray[Any] | None = None,
    flagged: ArrayLike | None = None,
    frames: Mapping[str, ArrayLike] | None = None,
    uncertainty: ArrayLike | None = None,
    directions: SomeDirections = None,
    title: str | None = None,
    subtitle: str | None = None,
) -> str:
    page = built_page("map")
    scene = scene_of(embedding, items, labels, flagged)
    if len(scene) > LARGEST:
        raise SettingError(
            f"a map of {len(scene):,} items is too large for a page, which holds {LARGEST:,} at "
            "most: write a picture (.png, .svg, .pdf), or a map of some of the items"
        )
    title = title or f"Map of {len(scene):,} items"
    arrows = [
        {"name": arrow.name, "to": rounded(arrow.to), "strength": arrow.strength}
        for arrow in arrows_of(scene, directions)
    ]
    contents = (
        _contents(scene, title)
        | {"frames": _frames(scene.points, frames)}
        | {"uncertainty": _deviations(uncertainty, scene.names)}
        | {"arrows": arrows or None}
    )
    return filled(page, title, subtitle, contents)


def filled(page: str, title: str, subtitle: str | None, contents: dict[str, Any]) -> str:
    text = json.dumps(contents, allow_nan=False, separators=(",", ":"))
    parts = {
        "TITLE": html.escape(title),
        "SUBTITLE": html.escape(subtitle or ""),
        # "<" is escaped so that the text cannot close the script element.
        "CONTENTS": text.replace("<", "\\u003c"),
    }
    # All slots are replaced in one pass, so that slots inside inserted text are not replaced.
    return re.sub("__(TITLE|SUBTITLE|CONTENTS)__", lambda slot: parts[slot[1]], page)


def built_page(name: str) -> str:
    file = files("resemblance.plotting") / "static" / f"{name}.html"
    if not file.is_file():
        raise FileError(
            f"the page of the {name} (plotting/static/{name}.html) is not built: run `make "
            "frontend` in the checkout, install a wheel, or write a picture (.png, .svg, .pdf)"
        )
    return file.read_text(encoding="utf-8")


def _contents(scene: Scene, title: str) -> dict[str, Any]:
    classes = scene.classes
    return {
        "title": title,
        "names": scene.names,
        "points": rounded(scene.points),
        "axes": _axes(scene.points),
        "swarm": _swarm(scene),
        "classes": classes
        and [{"name": n, "style": s} for n, s in zip(classes.names, classes.styles, strict=True)],
        "classOf": classes and classes.index.tolist(),
        "styles": STYLES,
        "flagged": np.flatnonzero(scene.flagged).tolist(),
        "images": None if scene.images is None else atlas(scene.images, scene.names),
    }


def rounded(values: NDArray[np.float64]) -> list[Any]:
    """Return numbers with six significant digits, in nested lists."""
    return np.array([float(f"{v:.6g}") for v in values.flat]).reshape(values.shape).tolist()


def _deviations(uncertainty: ArrayLike | None, names: Sequence[str]) -> list[float] | None:
    if uncertainty is None:
        return None
    values = np.asarray(uncertainty, dtype=float)
    if values.shape != (len(names),):
        raise SettingError(
            f"uncertainty has shape {values.shape}: give one standard deviation for each of the "
            f"{len(names)} items, such as averaged_uncertainty(...).deviation"
        )
    if (bad := ~(np.isfinite(values) & (values >= 0))).any():
        item = int(bad.argmax())
        raise SettingError(
            f"the uncertainty of {names[item]!r} is {values[item]}: give a standard deviation, 0 "
            "or more"
        )
    return rounded(values)


def _axes(points: NDArray[np.float64]) -> list[dict[str, Any]]:
    k = points.shape[1]
    own = [
        {"name": f"dimension {i + 1}", "weights": row} for i, row in enumerate(np.eye(k).tolist())
    ]
    if k <= 2:
        return own
    axes, shares = principal_axes(points)
    principal = [
        {"name": f"PC {i + 1} ({share:.0%})", "weights": rounded(axis)}
        for i, (axis, share) in enumerate(zip(axes, shares, strict=True))
    ]
    return principal + own


def _swarm(scene: Scene) -> list[float] | None:
    if scene.points.shape[1] > 1:
        return None
    x = scene.points[:, 0]
    pixel = (np.ptp(x) or 1.0) / 800
    return rounded(beeswarm(x, pixel * (12 if scene.images is None else 50)))


def _frames(
    points: NDArray[np.float64], frames: Mapping[str, ArrayLike] | None
) -> list[dict[str, Any]]:
    laid: list[dict[str, Any]] = []
    for name, frame in reversed(list((frames or {}).items())):
        earlier = np.asarray(frame, float)
        if earlier.shape != points.shape:
            raise SettingError(
                f"frame {name!r} has shape {earlier.shape}, the embedding {points.shape}: give "
                "maps of the same items, in their order and in as many dimensions"
            )
        points = procrustes_align(points, earlier)
        laid.insert(0, {"name": str(name), "points": rounded(points)})
    return laid


@dataclass(frozen=True)
class PageView:
    """A self-contained page in a frame of a notebook; returned by :func:`show_map`.

    The frame is sandboxed: the page's scripts run, but have no access to the notebook.

    Attributes
    ----------
    html : str
        The page.
    height : int
        The height of the frame, in pixels.

    Examples
    --------
    >>> PageView("<p>a map</p>", 300)
    PageView(height=300)
    """

    html: str = field(repr=False)
    height: int = 560

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file.

        Parameters
        ----------
        path : path
            The path, which ends in .html.

        Raises
        ------
        FileError
            If the suffix is not .html, or the folder is missing.
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
    directions: SomeDirections = None,
    title: str | None = None,
    subtitle: str | None = None,
    height: int = 560,
) -> PageView:
    """Show the map page in a notebook, with zoom, search, classes and neighbours, offline.

    The page appears below the cell if the call is the cell's last expression. The notebook's file
    stores the page, about 100 KB plus the items' pictures.

    Parameters
    ----------
    model : fitted model, or array of shape (n_items, n_components)
        The model, or the positions of the items.
    items : Items or sequence of str, optional
        Names, labels and images, or only names; by default the model's items, or row numbers.
    labels, flagged, frames, uncertainty, directions, title, subtitle
        Settings of :func:`save_map`.
    height : int, default 560
        The height of the frame in pixels, from 200 to 4000.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    FileError, SettingError
        If :func:`save_map` would refuse the settings, or the height is out of range.

    Examples
    --------
    >>> view = show_map([[0.0, 0.0], [1.0, 1.0]], title="Two items")
    >>> view._repr_html_().startswith("<iframe srcdoc=")
    True
    """
    check(height=(height, HEIGHT))
    page = map_page(
        model,
        items,
        labels=labels,
        flagged=flagged,
        frames=frames,
        uncertainty=uncertainty,
        directions=directions,
        title=title,
        subtitle=subtitle,
    )
    return PageView(page, int(height))
