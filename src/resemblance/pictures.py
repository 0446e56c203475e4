"""Pictures from files, scaled down: what maps, the desk and search pages show."""

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from resemblance.errors import FileError
from resemblance.optional import need_packages

if TYPE_CHECKING:
    from PIL.Image import Image


def read_small(path: Path, side: int, most_pixels: int | None = None) -> "Image":
    """Read a picture, turn it the right way up, and scale it down until it fits a square.

    Parameters
    ----------
    path : Path
        File of the picture, of any type that Pillow reads.
    side : int
        Side of the square in pixels; a smaller picture keeps its size.
    most_pixels : int, optional
        Refuse a picture of more: unpacked, it would fill the memory.

    Returns
    -------
    PIL.Image.Image
        In RGB, or RGBA where the picture has transparent parts.

    Raises
    ------
    FileError
        If the file is missing, is not a picture, or is too large.
    """
    need_packages("pictures need", "PIL")
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # most_pixels decides
            with Image.open(path) as picture:
                if most_pixels is not None and picture.width * picture.height > most_pixels:
                    raise FileError(
                        f"{path} has {picture.width} x {picture.height} pixels, more than "
                        f"{most_pixels:,}: make it smaller"
                    )
                picture.draft("RGB", (2 * side, 2 * side))
                small = ImageOps.exif_transpose(picture)
                see_through = "A" in small.getbands() or "transparency" in small.info
                small = small.convert("RGBA" if see_through else "RGB")
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise FileError(f"{path} is no picture that can be read ({error}): replace it") from None
    small.thumbnail((side, side), Image.Resampling.LANCZOS)
    return small


def as_webp(picture: "Image", quality: int = 80, lossless: bool = False) -> bytes:
    """Return a picture as WebP, which keeps its colour profile, and what is transparent."""
    into, profile = io.BytesIO(), picture.info.get("icc_profile")
    picture.save(into, "WEBP", quality=quality, lossless=lossless, icc_profile=profile)
    return into.getvalue()
