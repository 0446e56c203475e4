"""The stimuli of a study, identified by digests, and their pictures in smaller sizes."""

import hashlib
import logging
import os
import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from resemblance.errors import FileError, ResemblanceError, SettingError, first_few
from resemblance.files import label_text, list_folder, no_formula
from resemblance.pictures import MOST_PIXELS, as_webp, read_picture
from resemblance.study.files import Row, read_rows

MEDIA = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".svg": "image/svg+xml",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".wav": "audio/wav",
    ".m4a": "audio/mp4",
    ".flac": "audio/flac",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
}
SIDES = (120, 160, 240, 320, 400, 520, 680, 960, 1360)  # lengths of the longer side in pixels
FOLDER = ".sizes"  # A hidden folder is not backed up.
# largest total size of resized pictures in bytes; above it the oldest are deleted
MOST_BYTES = 2**30
LOSSY, LOSSLESS = (".jpg", ".jpeg"), (".png",)
LINK = re.compile(r"https?://[^\s\"<>]+")
# modes of Pillow in which pictures can be resized without changing colours
COLOURS = ("L", "LA", "P", "RGB", "RGBA")
_making = threading.Lock()  # locks the resizing, so that only one large picture is in memory
_whole: set[str] = set()  # names of sizes at which the original picture is sent
log = logging.getLogger("resemblance.web")


@dataclass(frozen=True)
class Stimulus:
    name: str
    type: str  # image, text, audio or video
    digest: str  # digest of the content, used as the name on the web
    path: Path | None = None  # None for text
    text: str = ""  # content of a text
    alt: str = ""  # description for screen readers
    label: str = ""  # class of the item; "0" or "1" in studies of classification
    link: str = ""  # address of the item's own web page

    @cached_property
    def suffix(self) -> str:
        return "" if self.path is None else self.path.suffix.lower()

    @property
    def media(self) -> str:
        return f"{self.digest}{self.suffix}"

    def media_at(self, salt: str, place: int) -> str:
        """Return the file name at a place of a question; each place has another name."""
        mixed = digest_of(f"{salt} {self.digest} {place}".encode())
        return f"{mixed}{self.suffix}"

    def for_page(self, study: str, salt: str = "", place: int = 0) -> dict[str, Any]:
        file = None if self.path is None else self.media_at(salt, place)
        url = None if file is None else f"/media/{quote(study)}/{file}"
        return {"type": self.type, "url": url, "text": self.text or None, "alt": self.alt}


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def read_stimuli(
    path: Path,
    folder: str,
    items: str | None = None,
    existing: Mapping[str, Stimulus] | None = None,
    digests: Mapping[str, str] | None = None,
) -> tuple[Stimulus, ...]:
    """Read the items of a study from its table, or from its folder of files.

    Items in ``existing`` are reused. Files of items in ``digests`` are not read.
    """
    existing, digests = existing or {}, digests or {}
    stimuli: dict[str, Stimulus] = {}
    if items is None:
        for file in list_files(path / folder):
            name = label_text(file.stem)
            if name in stimuli:
                raise FileError(f"{stimuli[name].path} and {file} are one item: rename a file")
            stimuli[name] = existing.get(name) or of_file(file, name, digest=digests.get(name))
        return tuple(stimuli.values())
    for row in read_rows(path / items, ["name"]):
        if row["name"] in stimuli:
            raise row.error(f"a second item is called {row['name']!r}: rename one")
        stimuli[row["name"]] = existing.get(row["name"]) or _of_row(path, row, digests)
    return tuple(stimuli.values())


def refuse_names(names: Iterable[str]) -> None:
    """Refuse new items whose names are unsafe in tables."""
    odd = [name for name in names if "|" in name or "\n" in name or no_formula(name) != name]
    if odd:
        listed = first_few(map(repr, odd))
        raise SettingError(
            f"items are called {listed}: tables separate names by a bar, and spreadsheets run "
            "cells that begin with = + - @ or an apostrophe; rename them"
        )


def inside(folder: Path, file: str) -> Path:
    """Return a file's path; refuse paths outside the folder, except through links in it."""
    path = Path(os.path.normpath(folder / file))
    if not path.is_relative_to(os.path.normpath(folder)):
        raise FileError(f"{file!r} lies outside the study: copy it into {folder}")
    return path


def list_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise FileError(f"{folder} is not a folder: check the path, or put the stimuli there")
    return list_folder(folder)[0]


def of_file(
    path: Path, name: str, alt: str = "", label: str = "", digest: str | None = None
) -> Stimulus:
    """Return the item of a file; the file is read only if ``digest`` is None."""
    if path.suffix.lower() not in MEDIA:
        raise FileError(
            f"{path}: browsers cannot show {path.suffix or 'files without suffix'}: use "
            f"{', '.join(MEDIA)}"
        )
    try:
        size = path.stat().st_size
        digest = digest or digest_of(path.read_bytes())
    except OSError as error:
        raise FileError(f"{path} cannot be read ({error}): check the name of the file") from None
    if not size:
        raise FileError(f"{path} is empty: replace it")
    kind = MEDIA[path.suffix.lower()].partition("/")[0]
    return Stimulus(name, kind, digest, path, alt=alt, label=label)


def _of_row(folder: Path, row: Row, digests: Mapping[str, str]) -> Stimulus:
    name, file, text = row["name"], row["file"], row["text"]
    if not name:
        raise row.error("an item without a name: give it one")
    if bool(file) == bool(text):
        raise row.error(f"{name!r} needs either a file or a text: give one of them")
    if text:
        made = Stimulus(
            name, "text", digest_of(text.encode()), None, text, row["alt"], row["label"]
        )
        return replace(made, link=_link(row))
    try:
        path = inside(folder, file)
        made = of_file(path, name, row["alt"], row["label"], digests.get(name))
    except FileError as error:
        raise row.error(str(error)) from None
    return replace(made, link=_link(row))


def _link(row: Row) -> str:
    if row["url"] and not LINK.fullmatch(row["url"]):
        raise row.error(f"url is {row['url']!r}: give an address such as https://example.org/12")
    return row["url"]


def sides_of(stimulus: Stimulus) -> list[int]:
    """Return the smaller sizes in which a JPEG or PNG picture is sent; () for other files."""
    return list(SIDES) if stimulus.suffix in LOSSY + LOSSLESS else []


def sized(folder: Path, stimulus: Stimulus, side: int) -> Path:
    """Return a file of the picture in the given size; a smaller picture is not resized.

    PNG pictures stay lossless, and colour profiles are preserved. Animations and pictures whose
    colours are neither RGB nor grey are sent unchanged.
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
        except OSError as error:  # The error may be temporary, so the next request tries again.
            log.warning("sent as large as it is: %s", error)
            return stimulus.path
        _whole.add(target.name)
    return stimulus.path


def _smaller(path: Path, side: int) -> bytes | None:
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
    """Write a resized picture atomically, because other processes may write the same file."""
    target.parent.mkdir(exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}")
    part.write_bytes(content)
    part.replace(target)
