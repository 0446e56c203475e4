"""Pictures of a model's items, and small copies of the pictures."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize

from resemblance.errors import FileError, first_few
from resemblance.pictures import MOST_PIXELS, as_webp, read_picture
from resemblance.study.stimuli import MEDIA, digest_of, keep, list_files

SIDE = 480  # length of the longer side of a small copy, in pixels
SHOWN = 10  # largest number of names in a message
DRAWN = ".svg"
log = logging.getLogger("resemblance.web")


def find_pictures(folder: Path, names: Sequence[str]) -> tuple[Path, ...]:
    """Return the picture of each item: the item's name with the suffix of a picture format."""
    files: dict[str, list[Path]] = {}
    for path in list_files(folder):
        if MEDIA.get(path.suffix.lower(), "").startswith("image/"):
            files.setdefault(path.stem, []).append(path)
    several = [name for name in names if len(files.get(name, [])) > 1]
    if several:
        clashes = ", ".join(map(str, files[several[0]]))
        raise FileError(f"{several[0]!r} has several pictures ({clashes}): keep one")
    missing = [name for name in names if name not in files]
    if missing:
        spare = first_few(map(repr, sorted(set(files) - set(names))), SHOWN)
        raise FileError(
            f"{folder} has no picture of {len(missing)} of the model's {len(names)} items: "
            f"{first_few(map(repr, missing), SHOWN)}. "
            f"{f'Pictures of no item: {spare}. ' if spare else ''}"
            "Name each file after its item, for example NAME.png"
        )
    return tuple(files[name][0] for name in names)


@dataclass
class Pictures:
    """Small copies of pictures, made when first requested; by default in a temporary folder."""

    paths: tuple[Path, ...] = ()
    folder: Path | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    # problem of each broken picture, by path, size and time of the file
    _broken: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.folder is None:
            self.folder = Path(mkdtemp(prefix="resemblance-search-"))
            finalize(self, rmtree, self.folder, ignore_errors=True)

    def small(self, item: int) -> tuple[Path, str]:
        """Return the file and media type of an item's small copy; for SVG the original."""
        path = self.paths[item]
        try:
            stat = path.stat()
        except OSError as error:
            raise FileError(f"{path} cannot be read ({error}): put it back") from None
        if path.suffix.lower() == DRAWN:
            return path, MEDIA[DRAWN]
        assert self.folder is not None
        key = digest_of(f"{path.absolute()} {stat.st_size} {stat.st_mtime_ns}".encode())
        copy = self.folder / f"{key}.webp"
        with self._lock:  # Only one large picture is in memory at a time.
            if not copy.is_file():
                keep(copy, self._shrunk(path, key))
        return copy, "image/webp"

    def _shrunk(self, path: Path, key: str) -> bytes:
        if key not in self._broken:
            try:
                small = read_picture(path, side=SIDE, most_pixels=MOST_PIXELS)
                return as_webp(small, quality=85)
            except FileError as error:
                log.warning("%s", error)
                self._broken[key] = str(error)
        raise FileError(self._broken[key])
