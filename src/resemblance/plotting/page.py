"""The map as one page that holds everything it needs."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.plotting.layout import beeswarm
from resemblance.plotting.palette import STYLES
from resemblance.plotting.scene import Scene, principal_axes, scene_of
from resemblance.plotting.thumbnails import data_uri, thumbnail

if TYPE_CHECKING:
    from resemblance.judgments import Items

_SCRIPTS = ("space.js", "names.js", "view.js", "painter.js", "panels.js", "controls.js", "map.js")


def map_page(
    embedding: ArrayLike,
    items: Items | None = None,
    *,
    labels: Sequence[Any] | NDArray[Any] | None = None,
    flagged: ArrayLike | None = None,
    title: str | None = None,
    subtitle: str | None = None,
) -> str:
    """Return a map as the text of an html page; the parameters are those of `save_map`."""
    scene = scene_of(embedding, items, labels, flagged)
    title = title or f"Map of {len(scene):,} items"
    parts = {
        "title": html.escape(title),
        "subtitle": html.escape(subtitle or ""),
        "style": _static("map.css"),
        "script": "\n".join(_static(name) for name in _SCRIPTS),
        "data": _json(_contents(scene, title)),
    }
    # One pass over the template: what is filled in is never read again.
    return re.sub(r"\{\{(\w+)\}\}", lambda slot: parts[slot[1]], _static("map.html"))


def _static(name: str) -> str:
    return (files("resemblance.plotting") / "static" / name).read_text(encoding="utf-8")


def _json(contents: dict[str, Any]) -> str:
    """Return JSON that cannot end the script element it stands in."""
    return json.dumps(contents, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _contents(scene: Scene, title: str) -> dict[str, Any]:
    """Collect what the page's scripts read."""
    classes = scene.classes
    return {
        "title": title,
        "names": scene.names,
        "points": _rounded(scene.points),
        "axes": _axes(scene.points),
        "swarm": _swarm(scene),
        "classes": classes
        and [{"name": n, "style": s} for n, s in zip(classes.names, classes.styles, strict=True)],
        "classOf": classes and classes.index.tolist(),
        "styles": STYLES,
        "flagged": np.flatnonzero(scene.flagged).tolist(),
        "images": _images(scene),
    }


def _rounded(values: NDArray[np.float64]) -> list[Any]:
    """Return the numbers with six significant digits, nested as they are."""
    return np.array([float(f"{v:.6g}") for v in values.flat]).reshape(values.shape).tolist()


def _axes(points: NDArray[np.float64]) -> list[dict[str, Any]]:
    """List what can be drawn along x or y; of three or more, principal components come first."""
    k = points.shape[1]
    own = [
        {"name": f"dimension {i + 1}", "weights": row} for i, row in enumerate(np.eye(k).tolist())
    ]
    if k <= 2:
        return own
    axes, shares = principal_axes(points)
    principal = [
        {"name": f"PC {i + 1} ({share:.0%})", "weights": _rounded(axis)}
        for i, (axis, share) in enumerate(zip(axes, shares, strict=True))
    ]
    return principal + own


def _swarm(scene: Scene) -> list[float] | None:
    """Return heights that keep the points of one dimension apart, on a page 800 pixels wide."""
    if scene.points.shape[1] > 1:
        return None
    x = scene.points[:, 0]
    pixel = (np.ptp(x) or 1.0) / 800
    return _rounded(beeswarm(x, pixel * (12 if scene.images is None else 50)))


def _images(scene: Scene) -> list[str | None] | None:
    """Return the thumbnails as text, smaller the more there are."""
    if scene.images is None:
        return None
    side = 96 if len(scene) <= 500 else 64 if len(scene) <= 2500 else 40
    return [
        None if path is None else data_uri(thumbnail(path, name, side))
        for path, name in zip(scene.images, scene.names, strict=True)
    ]
