"""Make thumbnails for the desk, and refuse pictures that cannot be decoded."""

import logging
import threading
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from resemblance.errors import FileError
from resemblance.pictures import MOST_PIXELS as MOST_OPENED, as_webp, check_drawing, read_picture
from resemblance.study.folder import StudyFolder
from resemblance.study.stimuli import MEDIA, Stimulus, digest_of, keep

log = logging.getLogger("resemblance.worker")

FOLDER = "thumbnails"
SIDE = 96  # length of the longer side in pixels
MOST_PIXELS = 50_000_000  # Largest picture to decode. JPEG is decoded at a smaller scale.
_drawing = threading.Lock()


def is_drawn(stimulus: Stimulus) -> bool:
    return stimulus.type == "image" and not stimulus.media.endswith(".svg")


def digest_of_pixels(path: Path, most_pixels: int = MOST_OPENED) -> str:
    """Decode a picture completely, and return a digest of the pixels; "" for other files."""
    suffix = path.suffix.lower()
    if suffix == ".svg":
        check_drawing(path)
        return digest_of(path.read_bytes())
    if not MEDIA[suffix].startswith("image/") or (suffix == ".avif" and not reads_avif()):
        return ""
    picture = read_picture(path, most_pixels=most_pixels, transparent=True)
    return digest_of(repr(picture.size).encode() + picture.convert("RGBA").tobytes())


def reads_avif() -> bool:
    from PIL import features

    return bool(features.check("avif"))


def refuse_broken(study: StudyFolder) -> list[list[str]]:
    """Return groups of items with the same content; raise FileError for broken pictures."""
    broken, equal = [], dict[str, list[str]]()
    for item in study.stimuli:
        try:
            digest = "" if item.path is None else digest_of_pixels(item.path)
        except FileError as error:
            broken.append(str(error))
        else:
            equal.setdefault(digest or item.digest, []).append(item.name)
    if broken:
        raise FileError("\n".join(broken))
    return [names for names in equal.values() if len(names) > 1]


def thumb_of(folder: Path, stimulus: Stimulus) -> Path:
    return folder / FOLDER / f"{stimulus.digest}.webp"


def pictures(study: StudyFolder) -> list[str | None]:
    folder = study.path / FOLDER
    made = _made(folder, folder.stat().st_mtime_ns if folder.is_dir() else 0)
    return [_address(study.name, stimulus, made) for stimulus in study.stimuli]


def _address(study: str, stimulus: Stimulus, made: frozenset[str]) -> str | None:
    if stimulus.type != "image":
        return None
    if not is_drawn(stimulus):
        return f"/media/{quote(study)}/{stimulus.media}"
    name = f"{stimulus.digest}.webp"
    return f"/desk/{quote(study)}/thumbnails/{name}" if name in made else None


@lru_cache(maxsize=16)
def _made(folder: Path, changed: int) -> frozenset[str]:
    return frozenset(path.name for path in folder.glob("*.webp")) if changed else frozenset()


class Thumbnails:
    """Makes missing thumbnails in a thread, which may be stopped at any moment."""

    def __init__(self, folder: StudyFolder) -> None:
        self.folder = folder
        self.failed: dict[str, str] = {}
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self.make, name="thumbnails", daemon=True)
            self._thread.start()

    def make(self) -> None:
        with _drawing:
            for stimulus in filter(is_drawn, self.folder.stimuli):
                target = thumb_of(self.folder.path, stimulus)
                if target.exists():
                    continue
                assert stimulus.path is not None
                try:
                    small = read_picture(stimulus.path, side=SIDE, most_pixels=MOST_PIXELS)
                    keep(target, as_webp(small))
                except (OSError, FileError) as error:
                    self.failed[stimulus.name] = str(error)[:200]
                    log.warning("no thumbnail: %s", error)
