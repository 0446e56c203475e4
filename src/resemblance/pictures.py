"""Decode picture files as browsers do."""

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
# errors that Pillow raises for broken files
BROKEN = (OSError, SyntaxError, ValueError, EOFError, KeyError, struct.error)
SVG = "{http://www.w3.org/2000/svg}svg"
MOST_PIXELS = 120_000_000  # largest number of pixels of pictures on a server


def read_picture(
    path: Path,
    *,
    side: int | None = None,
    most_pixels: int | None = None,
    transparent: bool = False,
) -> "Image":
    """Return the first frame of a picture, upright and in RGB.

    Grey levels of 16 bits become 8 bits, palettes and CMYK become RGB, and transparency becomes
    white (with ``transparent``, the result is RGBA). ``side`` scales the picture down to fit a
    square; pictures with more than ``most_pixels`` pixels are refused.
    """
    picture = _in_rgb(_decode(path, side, most_pixels), path)
    if picture.mode == "RGBA" and not transparent:
        picture = _on_white(picture)
    if side is not None:
        picture.thumbnail((side, side), require(NEEDING, "PIL.Image").Resampling.LANCZOS)
    return picture


def read_grey(path: Path) -> Any:
    """Return grey levels of a picture from 0 (black) to 1 (white), with up to 16 bits."""
    import numpy as np

    picture = _decode(path)
    if (white := _white(picture, path)) and "transparency" not in picture.info:
        return np.asarray(picture, dtype=np.float32) / np.float32(white)
    grey = _on_white(_in_rgb(picture, path)).convert("L")
    return np.asarray(grey, dtype=np.float32) / np.float32(255)


def _decode(path: Path, side: int | None = None, most_pixels: int | None = None) -> "Image":
    image, ops = require(NEEDING, "PIL.Image"), require(NEEDING, "PIL.ImageOps")
    broken = (*BROKEN, image.DecompressionBombError)
    try:
        with warnings.catch_warnings():
            # The limit is `most_pixels`, not Pillow's.
            warnings.simplefilter("ignore", image.DecompressionBombWarning)
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
        raise FileError(f"{path} cannot be read as a picture ({error}): replace it") from None


def _white(picture: "Image", path: Path) -> float:
    """Return the grey level of white for pictures with over 8 bits of grey, else 0."""
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
    """Scale grey levels to 8 bits; the transparent grey level stays transparent."""
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
    from xml.etree import ElementTree

    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise FileError(f"{path} cannot be read as a drawing ({error}): replace it") from None
    if root.tag != SVG:
        raise FileError(
            f"{path} begins with <{root.tag}>, but browsers draw only <svg "
            f'xmlns="{SVG[1:-4]}">: save it again as SVG'
        )


def as_webp(picture: "Image", quality: int = 80, lossless: bool = False) -> bytes:
    into, profile = io.BytesIO(), picture.info.get("icc_profile")
    picture.save(into, "WEBP", quality=quality, lossless=lossless, icc_profile=profile)
    return into.getvalue()
