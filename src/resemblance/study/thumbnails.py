"""Which pictures can be shown, and the small ones, which the worker makes for the desk."""

import logging
import threading
import warnings
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from resemblance.errors import FileError, first_few
from resemblance.pictures import as_webp, read_small
from resemblance.study.folder import StudyFolder
from resemblance.study.sizes import keep
from resemblance.study.stimuli import MEDIA, Stimulus

log = logging.getLogger("resemblance.worker")

FOLDER = "thumbnails"
SIDE = 96  # pixels of a small picture
MOST_PIXELS = 50_000_000  # of a picture; a JPEG is read at an eighth of its sides, if need be
_drawing = threading.Lock()


def is_drawn(stimulus: Stimulus) -> bool:
    """Say whether a small picture is made of a stimulus; an SVG is small as it is."""
    return stimulus.type == "image" and not stimulus.media.endswith(".svg")


def n_pixels(path: Path) -> int | None:
    """Count the pixels of a picture; None of a file that holds no picture made of pixels.

    Raises
    ------
    FileError
        If it is not what its suffix says.
    """
    from PIL import Image

    suffix = path.suffix.lower()
    if not MEDIA[suffix].startswith("image/") or suffix in (".svg", ".avif"):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as picture:
                return picture.width * picture.height
    except Image.DecompressionBombError:
        return 2**31
    except (OSError, SyntaxError):
        raise FileError(f"{path} is no picture that can be read: replace it") from None


def refuse_broken(study: StudyFolder) -> None:
    """Refuse a study with pictures that nobody could see: they are told all at once.

    Raises
    ------
    FileError
        If one is not what its suffix says.
    """
    broken = []
    for path in (item.path for item in study.stimuli if item.path is not None):
        try:
            n_pixels(path)
        except FileError:
            broken.append(str(path.relative_to(study.path)))
    if broken:
        named = first_few(broken)
        raise FileError(f"no picture that can be read: {named}. Replace it, or leave it out")


def thumb_of(folder: Path, stimulus: Stimulus) -> Path:
    """Name the file of a small picture: by what the stimulus holds."""
    return folder / FOLDER / f"{stimulus.digest}.webp"


def pictures(study: StudyFolder) -> list[str | None]:
    """Return the address of each item's small picture; None where there is none, or not yet."""
    made = _made(study.path / FOLDER, _changed(study.path / FOLDER))
    return [_address(study.name, stimulus, made) for stimulus in study.stimuli]


def _address(study: str, stimulus: Stimulus, made: frozenset[str]) -> str | None:
    if stimulus.type != "image":
        return None
    if not is_drawn(stimulus):
        return f"/media/{quote(study)}/{stimulus.media}"
    name = f"{stimulus.digest}.webp"
    return f"/desk/{quote(study)}/thumbnails/{name}" if name in made else None


def _changed(folder: Path) -> int:
    return folder.stat().st_mtime_ns if folder.is_dir() else 0


@lru_cache(maxsize=16)
def _made(folder: Path, changed: int) -> frozenset[str]:
    return frozenset(path.name for path in folder.glob("*.webp")) if changed else frozenset()


class Thumbnails:
    """Makes what is missing in a thread of its own; it may be ended at any moment.

    Parameters
    ----------
    folder : StudyFolder
        The study.

    Attributes
    ----------
    failed : dict of str to str
        Why there is no small picture of an item.
    """

    def __init__(self, folder: StudyFolder) -> None:
        self.folder = folder
        self.failed: dict[str, str] = {}
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, unless it was begun."""
        if self._thread is None:
            self._thread = threading.Thread(target=self.make, name="thumbnails", daemon=True)
            self._thread.start()

    def make(self) -> None:
        """Make every small picture that is not there, after those that are being made."""
        with _drawing:
            for stimulus in filter(is_drawn, self.folder.stimuli):
                target = thumb_of(self.folder.path, stimulus)
                if target.exists():
                    continue
                assert stimulus.path is not None
                try:
                    keep(target, as_webp(read_small(stimulus.path, SIDE, MOST_PIXELS)))
                except (OSError, FileError) as error:
                    self.failed[stimulus.name] = str(error)[:200]
                    log.warning("no thumbnail: %s", error)
