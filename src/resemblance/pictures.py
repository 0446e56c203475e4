"""Decode pictures from files, as browsers show them."""

import io
import struct
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resemblance.errors import FileError
from resemblance.optional import require

if TYPE_CHECKING:
    from PIL.Image import Image

NEEDING = "pictures need"
# errors that Pillow raises
BROKEN = (OSError, SyntaxError, ValueError, EOFError, KeyError, struct.error)
SVG = "{http://www.w3.org/2000/svg}svg"
MOST_PIXELS = 120_000_000  # largest picture that a server opens


def read_picture(
    path: Path,
    *,
    side: int | None = None,
    most_pixels: int | None = None,
    transparent: bool = False,
) -> "Image":
    """Decode a picture as people see it: its first frame, turned as its camera was held, in RGB.

    Grey levels of 16 bits become 8, colours of a palette or of CMYK become RGB, and what is
    transparent is white.

    Parameters
    ----------
    path : Path
        File of the picture, of any type that Pillow reads.
    side : int, optional
        Scale it down until it fits a square of so many pixels; a smaller picture keeps its size.
    most_pixels : int, optional
        Refuse a picture of more: unpacked, it would fill the memory.
    transparent : bool
        Keep what is transparent, in RGBA, where a picture has such parts.

    Returns
    -------
    PIL.Image.Image
        In RGB or RGBA; ``info["icc_profile"]`` is there where it is that of RGB.

    Raises
    ------
    FileError
        If the file is missing, is not a picture, ends too early, or is too large.
    """
    picture = _in_rgb(_decode(path, side, most_pixels), path)
    if picture.mode == "RGBA" and not transparent:
        picture = _on_white(picture)
    if side is not None:
        picture.thumbnail((side, side), require(NEEDING, "PIL.Image").Resampling.LANCZOS)
    return picture


def read_grey(path: Path) -> Any:
    """Decode a picture in grey levels, from 0 (black) to 1 (white); those of 16 bits stay exact.

    Returns
    -------
    array (height, width) of float32

    Raises
    ------
    FileError
        As :func:`read_picture`.
    """
    import numpy as np

    picture = _decode(path)
    if (white := _white(picture, path)) and "transparency" not in picture.info:
        return np.asarray(picture, dtype=np.float32) / np.float32(white)
    grey = _on_white(_in_rgb(picture, path)).convert("L")
    return np.asarray(grey, dtype=np.float32) / np.float32(255)


def _decode(path: Path, side: int | None = None, most_pixels: int | None = None) -> "Image":
    """Decode the first frame, turned; a JPEG may be larger than a side by less than four times."""
    image, ops = require(NEEDING, "PIL.Image"), require(NEEDING, "PIL.ImageOps")
    broken = (*BROKEN, image.DecompressionBombError)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", image.DecompressionBombWarning)  # most_pixels decides
            with image.open(path) as file:
                if most_pixels is not None and file.width * file.height > most_pixels:
                    raise FileError(
                        f"{path} has {file.width} x {file.height} pixels, more than "
                        f"{most_pixels:,}: make it smaller"
                    )
                if side is not None:
                    file.draft("RGB", (2 * side, 2 * side))
                turned: Image = ops.exif_transpose(file)
                return turned
    except FileError:
        raise
    except broken as error:
        raise FileError(f"{path} is no picture that can be read ({error}): replace it") from None


def _white(picture: "Image", path: Path) -> float:
    """Return the level of white of grey levels of more than 8 bits; 0 of other pictures."""
    if picture.mode != "F" and not picture.mode.startswith("I"):
        return 0.0
    white = 1.0 if picture.mode == "F" else 65535.0
    low, high = picture.getextrema()
    if low < 0 or high > white:  # type: ignore[operator]
        raise FileError(
            f"{path} has grey levels from {low} to {high}, not from 0 to {white:g}: save it as PNG"
        )
    return white


def _in_rgb(picture: "Image", path: Path) -> "Image":
    """Return a picture in RGB, or in RGBA where it has transparent parts."""
    profile = picture.info.get("icc_profile") if picture.mode in ("RGB", "RGBA", "P") else None
    if white := _white(picture, path):
        picture = _in_8_bits(picture, white)
    clear = "A" in picture.getbands() or "transparency" in picture.info
    try:
        picture = picture.convert("RGBA" if clear else "RGB")
    except ValueError as error:
        raise FileError(f"{path}: its colours cannot be read ({error}): save it as PNG") from None
    picture.info = {} if profile is None else {"icc_profile": profile}
    return picture


def _in_8_bits(picture: "Image", white: float) -> "Image":
    """Scale grey levels of more than 8 bits; one that stands for transparent parts stays so."""
    chops = require(NEEDING, "PIL.ImageChops")
    levels, clear = picture.convert("F"), picture.info.get("transparency")
    shades = levels.point(lambda level: level * (255 / white) + 0.5).convert("L")
    if clear is not None:
        above = levels.point(lambda level: level * 1 - clear).convert("L")
        below = levels.point(lambda level: level * -1 + clear).convert("L")
        shades.putalpha(chops.add(above, below).point(lambda level: 255 * (level > 0)))
    return shades


def _on_white(picture: "Image") -> "Image":
    image = require(NEEDING, "PIL.Image")
    white: Image = image.new("RGBA", picture.size, "white")
    flat: Image = image.alpha_composite(white, picture.convert("RGBA")).convert("RGB")
    flat.info = picture.info
    return flat


def check_drawing(path: Path) -> None:
    """Refuse an SVG file that browsers do not draw.

    Raises
    ------
    FileError
        If it is no XML, or its root is not ``svg`` of the namespace of SVG.
    """
    from xml.etree import ElementTree

    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise FileError(f"{path} is no drawing that can be read ({error}): replace it") from None
    if root.tag != SVG:
        raise FileError(
            f"{path} begins with <{root.tag}>, and browsers draw only <svg "
            f'xmlns="{SVG[1:-4]}">: save it again as SVG'
        )


def as_webp(picture: "Image", quality: int = 80, lossless: bool = False) -> bytes:
    """Return a picture as WebP, which keeps its colour profile, and what is transparent."""
    into, profile = io.BytesIO(), picture.info.get("icc_profile")
    picture.save(into, "WEBP", quality=quality, lossless=lossless, icc_profile=profile)
    return into.getvalue()
