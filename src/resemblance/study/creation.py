"""Create the folder of a new study, with settings, stimuli and texts."""

import csv
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from resemblance.catalog import RANDOM
from resemblance.errors import FileError, ResemblanceError
from resemblance.study.files import Row, new_folder, read_rows, read_text
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import DEFAULT, Kind, find_kind
from resemblance.study.languages import DEFAULT as ENGLISH, find_language, known_language
from resemblance.study.settings_file import FILE, study_toml
from resemblance.study.stimuli import MEDIA, list_files, refuse_names
from resemblance.study.thumbnails import refuse_broken

FEATURES = "features.csv"

Line = tuple[str, ...]
COLUMNS = ("name", "file", "text", "alt", "label")


def create_study(
    folder: Path,
    kind: str | None = None,
    images: Path | None = None,
    items: Path | None = None,
    link: bool = False,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    pages: Mapping[str, str] | None = None,
    languages: Sequence[str] = (ENGLISH,),
    features: Path | None = None,
) -> StudyFolder:
    """Create a study's folder, completely or not at all.

    Either ``images`` (a folder of stimuli) or ``items`` (a table of them) is required. ``link``
    links to files instead of copying. ``settings`` are tables of `study.toml`, such as {"tasks":
    {"practice": 5}}; ``pages`` are Markdown texts by name; ``languages`` begins with the study's
    own; ``features`` is a CSV of features of the items. Raises ResemblanceError if the folder
    exists, or a stimulus cannot be shown, or there are too few.
    """
    asks = find_kind(DEFAULT if kind is None else kind)
    with new_folder(folder) as part:
        given = _fill(part, name_of(folder), asks, images, items, link)
        given["study"] |= _write_pages(part, asks, languages)
        if features is not None:
            (part / FEATURES).write_text(read_text(features), encoding="utf-8")
            given["features"] = {"file": FEATURES}
        for table, values in (settings or {}).items():
            given[table] = {**given.get(table, {}), **values}
        (part / FILE).write_text(study_toml(given), encoding="utf-8")
        for page, text in (pages or {}).items():
            (part / "pages" / f"{page}.md").write_text(text, encoding="utf-8")
        try:
            made = StudyFolder.open(part)
            refuse_broken(made)
            refuse_names(made.names)
        except ResemblanceError as error:  # hidden folders raise
            raise type(error)(str(error).replace(str(part), str(folder))) from None
    return StudyFolder.open(folder)


def name_of(folder: Path) -> str:
    """Make a name for addresses from a folder's name.

    >>> name_of(Path("My Ties (2)"))
    'my-ties-2'
    """
    return re.sub(r"[^a-z0-9_]+", "-", folder.name.lower()).strip("-_")[:64] or "study"


def _fill(
    folder: Path, name: str, kind: Kind, images: Path | None, items: Path | None, link: bool
) -> dict[str, dict[str, Any]]:
    (folder / "stimuli").mkdir(parents=True)
    study = {
        "name": name,
        "title": re.sub("[-_]+", " ", name).capitalize(),
        "kind": kind.name,
    }
    given: dict[str, dict[str, Any]] = {"study": study}
    if images is not None:
        files = list_files(images)
        if not files:
            raise FileError(f"{images} holds no files: put the pictures, sounds or films there")
        take_files([(path, path.name) for path in files], folder / "stimuli", link)
    elif items is not None:
        _take_table(items, folder, link)
        given["stimuli"] = {"items": "items.csv"}
    if asking := dict(kind.asking) if kind.adaptive else {"strategy": RANDOM}:
        given["asking"] = asking
    if kind.tasks:
        given["tasks"] = dict(kind.tasks)
    given["pages"] = {"questionnaire": ["pages/questionnaire.md"]}
    return given


def _write_pages(folder: Path, kind: Kind, languages: Sequence[str]) -> dict[str, Any]:
    (folder / "pages").mkdir()
    media = (MEDIA.get(path.suffix.lower(), "") for path in (folder / "stimuli").iterdir())
    sounds = any(kind.startswith("audio/") for kind in media)
    for code in languages:
        own = code == languages[0]
        suffix = ".md" if own else f".{code}.md"
        for page, text in known_language(code).new_pages(kind.name, sounds, own).items():
            (folder / "pages" / f"{page}{suffix}").write_text(text, encoding="utf-8")
    wordings = {code: find_language(code).kinds[kind.name]["wording"] for code in languages}
    first, *others = languages
    settings: dict[str, Any] = {"language": first, "wording": wordings[first]}
    if others:
        settings["translations"] = {code: {"wording": wordings[code]} for code in others}
    return settings


def take_files(files: Iterable[tuple[Path, str]], into: Path, link: bool) -> None:
    for path, name in files:
        if path.suffix.lower() not in MEDIA:
            raise FileError(f"{path}: browsers do not show this type: use {', '.join(MEDIA)}")
        if link:
            (into / name).symlink_to(path.resolve())
        else:
            shutil.copyfile(path, into / name)


def _take_table(table: Path, folder: Path, link: bool) -> None:
    """Copy a table of items and its files; columns `item` and `image` are understood too."""
    files, lines = read_table(table, "stimuli")
    take_files(files, folder / "stimuli", link)
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([COLUMNS, *lines])


def read_table(table: Path, into: str, first: int = 0) -> tuple[list[tuple[Path, str]], list[Line]]:
    """Read a table of items: its files, numbered from ``first`` in ``into``, and its lines."""
    rows = list(read_rows(table, []))
    if not rows:
        raise FileError(f"{table}: no items: give a row for each")
    files, lines = [], []
    for number, row in enumerate(rows, first):
        file, name = row["file"] or row["image"], ""
        if file:
            path, name = table.parent / file, f"{number:04d}{Path(file).suffix.lower()}"
            if not path.is_file():
                raise row.error(f"{path} is not there: paths are relative to the table")
            files.append((path, name))
        lines.append(_line(row, f"{into}/{name}" if file else ""))
    return files, lines


def _line(row: Row, file: str) -> Line:
    name = row["item"] or row["id"] or row["name"]
    text = row["text"] or ("" if file else row["name"] or name)
    return name, file, text, row["alt"], row["label"] or row["class"]
