"""Pictures in the size that a screen shows, made on first request and then kept."""

import logging
import os
import threading
from pathlib import Path

from resemblance.errors import ResemblanceError
from resemblance.pictures import MOST_PIXELS, as_webp, read_picture
from resemblance.study.stimuli import Stimulus

SIDES = (120, 160, 240, 320, 400, 520, 680, 960, 1360)  # pixels of the longer side
FOLDER = ".sizes"  # hidden: it can be made again, and is in no backup
MOST_BYTES = 2**30  # total size of a study's pictures, above which the oldest are deleted
LOSSY, LOSSLESS = (".jpg", ".jpeg"), (".png",)
COLOURS = ("L", "LA", "P", "RGB", "RGBA")  # modes of Pillow that keep their colours
_making = threading.Lock()  # one large picture in memory at a time
_whole: set[str] = set()  # sizes not worth making, or of pictures that cannot be resized
log = logging.getLogger("resemblance.web")


def sides_of(stimulus: Stimulus) -> list[int]:
    """Return the further sizes of a stimulus; none for drawings and films."""
    return list(SIDES) if stimulus.suffix in LOSSY + LOSSLESS else []


def sized(folder: Path, stimulus: Stimulus, side: int) -> Path:
    """Return the file of a picture at a size, or the picture itself if it is no larger.

    Photographs become WebP of quality 80; lossless pictures stay lossless. Colour profiles are
    kept; animations, and other colours than RGB and grey, are sent unchanged.
    """
    assert stimulus.path is not None
    if not sides_of(stimulus):
        return stimulus.path
    target = folder / FOLDER / f"{stimulus.digest}-{side}.webp"
    with _making:
        if target.is_file():
            return target
        try:
            content = None if target.name in _whole else _smaller(stimulus.path, side)
            if content is not None:
                make_room(target.parent, len(content))
                keep(target, content)
                return target
        except (SyntaxError, ImportError, ResemblanceError) as error:
            log.warning("sent as large as it is: %s", error)
        except OSError as error:  # temporary errors
            log.warning("sent as large as it is: %s", error)
            return stimulus.path
        _whole.add(target.name)
    return stimulus.path


def _smaller(path: Path, side: int) -> bytes | None:
    """Return the scaled picture, or None if it is no smaller."""
    from PIL import Image

    with Image.open(path) as whole:
        moves = getattr(whole, "is_animated", False)
        if moves or whole.mode not in COLOURS or max(whole.size) <= side:
            return None
    small = read_picture(path, side=side, most_pixels=MOST_PIXELS, transparent=True)
    content = as_webp(small, lossless=path.suffix.lower() in LOSSLESS)
    return content if len(content) < path.stat().st_size else None


def make_room(folder: Path, wanted: int) -> None:
    made = sorted((path.stat().st_mtime, path) for path in folder.glob("*.webp"))
    used = wanted + sum(path.stat().st_size for _, path in made)
    for _, path in made:
        if used <= MOST_BYTES:
            break
        used -= path.stat().st_size
        path.unlink(missing_ok=True)


def keep(target: Path, content: bytes) -> None:
    """Write a derived file atomically, even if others write it at the same time."""
    target.parent.mkdir(exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}")
    part.write_bytes(content)
    part.replace(target)
