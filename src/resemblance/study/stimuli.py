"""The stimuli of a study: pictures, texts, sounds and films, identified by digest."""

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from resemblance.errors import FileError, SettingError, first_few
from resemblance.files import label_text, list_folder, no_formula
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


@dataclass(frozen=True)
class Stimulus:
    name: str
    type: str  # image, text, audio or video
    digest: str  # digest of the content; as the name on the web it must not change
    path: Path | None = None  # None for text
    text: str = ""  # content of a text
    alt: str = ""  # for screen readers
    label: str = ""  # class: "0" or "1" to be classified

    @cached_property
    def suffix(self) -> str:
        return "" if self.path is None else self.path.suffix.lower()

    @property
    def media(self) -> str:
        return f"{self.digest}{self.suffix}"

    def media_at(self, salt: str, place: int) -> str:
        """Return its web name at a place of a question, different for equal items."""
        mixed = digest_of(f"{salt} {self.digest} {place}".encode())
        return f"{mixed}{self.suffix}"

    def for_page(self, study: str, salt: str = "", place: int = 0) -> dict[str, Any]:
        """Return it for the page, without name or class."""
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

    ``existing`` ones are taken as they are, and files with given ``digests`` are not read. Raises
    FileError for files that are missing, outside the study or of an unsupported type, and for
    repeated names.
    """
    existing, digests = existing or {}, digests or {}
    stimuli: dict[str, Stimulus] = {}
    if items is None:
        for file in list_files(path / folder):
            name = label_text(file.stem)
            if name in stimuli:
                raise FileError(f"{stimuli[name].path} and {file} have one name: rename one")
            stimuli[name] = existing.get(name) or of_file(file, name, digest=digests.get(name))
        return tuple(stimuli.values())
    for row in read_rows(path / items, ["name"]):
        if row["name"] in stimuli:
            raise row.error(f"a second item is called {row['name']!r}: rename one")
        stimuli[row["name"]] = existing.get(row["name"]) or _of_row(path, row, digests)
    return tuple(stimuli.values())


def refuse_names(names: Iterable[str]) -> None:
    """Refuse names that tables cannot hold; studies that have such names continue.

    These are names with a bar or a line break, or that begin like a spreadsheet formula.
    """
    odd = [name for name in names if "|" in name or "\n" in name or no_formula(name) != name]
    if odd:
        listed = first_few(map(repr, odd))
        raise SettingError(
            f"items are called {listed}: a bar separates names in a table, and a spreadsheet runs "
            "what begins with = + - @ or an apostrophe; call them otherwise"
        )


def inside(folder: Path, file: str) -> Path:
    """Return a study's file; refuse places outside its folder, except through links inside."""
    path = Path(os.path.normpath(folder / file))
    if not path.is_relative_to(os.path.normpath(folder)):
        raise FileError(f"{file!r} lies outside the study: copy it into {folder}")
    return path


def list_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise FileError(f"{folder} is no folder: check the path, or put the stimuli there")
    return list_folder(folder)[0]


def of_file(
    path: Path, name: str, alt: str = "", label: str = "", digest: str | None = None
) -> Stimulus:
    """Make an item of a file, which is read unless its digest is known."""
    if path.suffix.lower() not in MEDIA:
        raise FileError(
            f"{path}: browsers do not show {path.suffix or 'files without suffix'}: use "
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
        raise row.error(f"{name!r} needs a file or a text, one of them")
    if text:
        return Stimulus(
            name, "text", digest_of(text.encode()), None, text, row["alt"], row["label"]
        )
    try:
        path = inside(folder, file)
        return of_file(path, name, row["alt"], row["label"], digests.get(name))
    except FileError as error:
        raise row.error(str(error)) from None
