"""Small versions of the items' pictures."""

import base64
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from resemblance.errors import FileError


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
        In RGB, or RGBA where the picture has transparent parts.

    Raises
    ------
    FileError
        If the file is missing or is not a picture.
    """
    try:
        with Image.open(path) as image:
            picture = ImageOps.exif_transpose(image)
            seen_through = "A" in picture.getbands() or "transparency" in picture.info
            picture = picture.convert("RGBA" if seen_through else "RGB")
    except (OSError, UnidentifiedImageError) as error:
        raise FileError(
            f"the picture {path} of item {name!r} cannot be read ({error}): "
            "correct its path in the items file, or leave it empty"
        ) from error
    picture.thumbnail((side, side), Image.Resampling.LANCZOS)
    return picture


def pixels(picture: Image.Image) -> NDArray[np.uint8]:
    """Return the picture as an array (height, width, 3 or 4)."""
    return np.asarray(picture)


def data_uri(picture: Image.Image) -> str:
    """Return the picture as text that a page can hold: JPEG, or PNG where it is transparent."""
    kind = "png" if picture.mode == "RGBA" else "jpeg"
    buffer = BytesIO()
    picture.save(buffer, format=kind, quality=82, optimize=True)
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode()}"
