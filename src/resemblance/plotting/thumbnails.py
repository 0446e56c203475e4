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
    """Read a picture and scale it down until it fits a square.

    Parameters
    ----------
    path : str
        File of the picture, of any type that Pillow reads.
    name : str
        Item that it shows, for the error message.
    side : int
        Side of the square in pixels; a smaller picture keeps its size.

    Returns
    -------
    PIL.Image.Image
        In RGB; what is transparent is white.

    Raises
    ------
    FileError
        If the file is missing or is not a picture.
    """
    try:
        return read_picture(Path(path), side=side)
    except FileError as error:
        raise FileError(
            f"the picture of item {name!r}: {error}; or correct its path in the items file"
        ) from None


def pixels(picture: Image.Image) -> NDArray[np.uint8]:
    """Return the picture as an array (height, width, 3)."""
    return np.asarray(picture)


def atlas(paths: Sequence[str | None], names: Sequence[str]) -> dict[str, Any]:
    """Put small versions of all pictures into one, for a page.

    The cells are squares, row by row; the more pictures, the smaller, so that the whole keeps to
    16 million pixels, which every browser shows.

    Parameters
    ----------
    paths : sequence of str or None
        Files of the pictures; None where an item has none.
    names : sequence of str
        The items that they show.

    Returns
    -------
    dict
        `source`: the whole as a data URI; `side` of a cell in pixels; `columns`; `sizes`: width
        and height of each picture, None where there is none.

    Raises
    ------
    FileError
        If a file is missing or is not a picture.
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
    """Return the picture as text that a page can hold."""
    return f"data:image/webp;base64,{base64.b64encode(as_webp(picture)).decode()}"
