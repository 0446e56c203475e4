"""Draw an item as a framed square: its picture, or its name."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from PIL import Image

from resemblance.errors import FileError
from resemblance.pictures import as_webp, read_picture
from resemblance.plotting.canvas import INK, RULE, STYLES, fitted, plain
from resemblance.plotting.scene import Scene

PIXELS = 16_000_000  # largest number of pixels of an atlas
LARGEST_SIDE = 96
HALF = 0.45  # half the width of a frame, in cells
INCH = 0.85  # width of a cell in inches
# space for a name in its frame: width in points, number of lines
_WIDTH, _LINES = 72 * INCH * (2 * HALF - 0.04), 4


def thumbnail(path: str, name: str, side: int) -> Image.Image:
    """Read a picture and scale it down to fit a square; transparent pixels become white."""
    try:
        return read_picture(Path(path), side=side)
    except FileError as error:
        raise FileError(
            f"the picture of item {name!r}: {error}; or correct its path in the items file"
        ) from None


def pixels(picture: Image.Image) -> NDArray[np.uint8]:
    return np.asarray(picture)


def atlas(paths: Sequence[str | None], names: Sequence[str]) -> dict[str, Any]:
    """Pack small copies of all pictures into one picture for a page.

    Pictures are in square cells, row by row. The whole has at most 16 million pixels, which every
    browser shows. Returns `source` (a data URI), `side` of a cell in pixels, `columns` (their
    number), and `sizes` (width and height of each picture, or None).
    """
    side = min(LARGEST_SIDE, math.isqrt(PIXELS // len(paths)))
    columns = math.ceil(math.sqrt(len(paths)))
    rows = math.ceil(len(paths) / columns)
    whole = Image.new("RGBA", (columns * side, rows * side))
    sizes: list[tuple[int, int] | None] = [None] * len(paths)
    for i, (path, name) in enumerate(zip(paths, names, strict=True)):
        if path is not None:
            picture = thumbnail(path, name, side)
            whole.paste(picture, (i % columns * side, i // columns * side))
            sizes[i] = picture.size
    source = f"data:image/webp;base64,{base64.b64encode(as_webp(whole)).decode()}"
    return {"source": source, "side": side, "columns": columns, "sizes": sizes}


def draw_cell(ax: Axes, scene: Scene, item: int, centre: tuple[float, float]) -> None:
    x, y = centre
    colour = RULE
    if scene.classes is not None:
        colour = STYLES["light"][scene.classes.styles[scene.classes.index[item]]]
    path = None if scene.images is None else scene.images[item]
    if path is None:
        name, font = fitted(ax, scene.names[item], _WIDTH, 8, _LINES)
        ax.text(x, y, name, ha="center", va="center", fontsize=font, color=INK, **plain)
    else:
        picture = pixels(thumbnail(path, scene.names[item], 96))
        height, width = np.array(picture.shape[:2]) / max(picture.shape[:2]) * (HALF - 0.04)
        extent = (x - width, x + width, y + height, y - height)
        ax.imshow(picture, extent=extent)
    corner, side = (x - HALF, y - HALF), 2 * HALF
    ax.add_patch(Rectangle(corner, side, side, fill=False, edgecolor=colour, lw=1.4))


def pictured(scene: Scene, item: int) -> bool:
    return scene.images is not None and scene.images[item] is not None
