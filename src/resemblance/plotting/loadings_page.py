"""Write sparse dimensions as one self-contained HTML page."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import SettingError
from resemblance.plotting.dimensions import Dimensions
from resemblance.plotting.page import LARGEST, built_page, filled, rounded
from resemblance.plotting.thumbnails import atlas


def loadings_page(dimensions: Dimensions, top: int, title: str | None, subtitle: str | None) -> str:
    page = built_page("loadings")
    scene = dimensions.scene
    if len(scene) > LARGEST:
        raise SettingError(
            f"dimensions of {len(scene):,} items are too many for a page, which holds "
            f"{LARGEST:,} at most: write a picture (.png, .svg, .pdf) or a table (.csv), or the "
            "dimensions of some of the items"
        )
    title = title or f"{len(dimensions)} dimensions of {len(scene):,} items"
    contents = {
        "title": title,
        "key": _key(dimensions),
        "top": top,
        "items": scene.names,
        "images": None if scene.images is None else atlas(scene.images, scene.names),
        "fits": _fits(dimensions),
        "dimensions": [_dimension(dimensions, column) for column in dimensions.order.tolist()],
    }
    return filled(page, title, subtitle, contents)


def _key(dimensions: Dimensions) -> str:
    """Return the key under which a browser stores names, different for other dimensions."""
    held = json.dumps([dimensions.scene.names, rounded(dimensions.scene.points), dimensions.names])
    return hashlib.sha256(held.encode()).hexdigest()[:16]


def _fits(dimensions: Dimensions) -> dict[str, int]:
    again = dimensions.again
    return {
        "seeds": 0 if again is None else int(again.n_seeds),
        "splits": 0 if again is None else int(again.n_splits),
    }


def _dimension(dimensions: Dimensions, column: int) -> dict[str, Any]:
    items, spread = dimensions.items_of(column), dimensions.spread
    return {
        "number": column + 1,
        "name": dimensions.names[column],
        "share": float(dimensions.shares[column]),
        "again": dimensions.found_again(column),
        "features": [[name, round(r, 3)] for name, r in dimensions.correlations(column)],
        "items": items.tolist(),
        "loadings": _short(dimensions.scene.points[items, column]),
        "lowest": None if spread is None else _short(spread.lowest[items, column]),
        "highest": None if spread is None else _short(spread.highest[items, column]),
    }


def _short(values: NDArray[np.float64]) -> list[Any]:
    return [round(value, 4) for value in values.tolist()]
