"""Make small versions of the items' pictures."""

import base64
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from resemblance.errors import FileError
from resemblance.pictures import as_webp, read_picture

PIXELS = 16_000_000  # pixels of an atlas
LARGEST_SIDE = 96


def thumbnail(path: str, name: str, side: int) -> Image.Image:
    """Read a picture and scale it down to fit a square; transparency becomes white."""
    try:
        return read_picture(Path(path), side=side)
    except FileError as error:
        raise FileError(
            f"the picture of item {name!r}: {error}; or correct its path in the items file"
        ) from None


def pixels(picture: Image.Image) -> NDArray[np.uint8]:
    return np.asarray(picture)


def atlas(paths: Sequence[str | None], names: Sequence[str]) -> dict[str, Any]:
    """Pack small versions of all pictures into one picture for a page.

    Cells are squares, row by row, small enough to keep the whole within 16 million pixels, which
    every browser shows. Returns `source` (a data URI), `side` of a cell in pixels, `columns`, and
    `sizes` (width and height of each picture, or None).
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
    return {"source": _data_uri(whole), "side": side, "columns": columns, "sizes": sizes}


def _data_uri(picture: Image.Image) -> str:
    return f"data:image/webp;base64,{base64.b64encode(as_webp(picture)).decode()}"
