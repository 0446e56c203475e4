"""Create a study, or add items to a study that has begun.

Items are added to the folder first, then to the store. If the program is interrupted between these
steps, run the command again: files that are already in the folder are used.
"""

import csv
import io
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from resemblance.catalog import RANDOM
from resemblance.delimited import Delimited
from resemblance.errors import FileError, ResemblanceError, SettingError
from resemblance.files import label_text, whole
from resemblance.store import StoreError
from resemblance.study.features import ITEM, ItemFeatures
from resemblance.study.files import Row, new_folder, read_rows, read_text
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import DEFAULT, KINDS, Kind, find_kind
from resemblance.study.languages import DEFAULT as ENGLISH, find_language, known_language
from resemblance.study.live import LiveStudy, designed_names, open_stored, refuse_changes
from resemblance.study.settings_file import FILE, study_toml
from resemblance.study.stimuli import (
    MEDIA,
    digest_of,
    inside,
    list_files,
    of_file,
    refuse_names,
)
from resemblance.study.thumbnails import MOST_PIXELS, digest_of_pixels, refuse_broken

FEATURES = "features.csv"

Line = tuple[str, ...]
COLUMNS = ("name", "file", "text", "alt", "label", "url")
WHO = "researcher"
# Settings in study.toml by purpose of a study. papers/crowd-kernel/search_study.py tests the
# settings for search. A tenth of the answers is held out, so that the server can measure whether
# the clicks of visitors improve fits.
PURPOSES: dict[str, dict[str, dict[str, Any]]] = {
    "map": {},
    "search": {
        "asking": {"strategy": "information", "n_components": 3, "held_out": 0.1},
        "quality": {"gold_from_agreement": 0.9},
        "search": {"public": False, "keep_clicks": False},
    },
}
PART = ".adding"


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
    purpose: str = "map",
) -> StudyFolder:
    """Create a study's folder, completely or not at all.

    Either ``images`` (a folder) or ``items`` (a table) is required. ``settings`` are tables of
    `study.toml`; ``pages`` maps names to Markdown; ``languages`` begins with the main language;
    ``features`` is a CSV file with features of the items, or the embedding.csv of a fit to earlier
    answers; ``purpose`` is a key of PURPOSES.
    """
    asks = find_kind(DEFAULT if kind is None else kind)
    intended = _settings_for(purpose, asks)
    with new_folder(folder) as part:
        given = _fill(part, name_of(folder), asks, images, items, link)
        given["study"] |= _write_pages(part, asks, languages)
        if features is not None:
            (part / FEATURES).write_text(read_text(features), encoding="utf-8")
            given["features"] = {"file": FEATURES, **_axes_of_map(features)}
            if asks.asking_with_features:
                given["asking"] = dict(asks.asking_with_features)
        for table, values in (*intended.items(), *(settings or {}).items()):
            given[table] = {**given.get(table, {}), **values}
        (part / FILE).write_text(study_toml(given), encoding="utf-8")
        for page, text in (pages or {}).items():
            (part / "pages" / f"{page}.md").write_text(text, encoding="utf-8")
        try:
            made = StudyFolder.open(part)
            refuse_broken(made)
            refuse_names(made.names)
        except ResemblanceError as error:  # Name the final folder, not ``part``.
            raise type(error)(str(error).replace(str(part), str(folder))) from None
    return StudyFolder.open(folder)


def _axes_of_map(table: Path) -> dict[str, list[str]]:
    """Return the columns of positions, if the table is the embedding.csv of a fit."""
    header = Delimited.of(table).header
    axes = [name for name in header if re.fullmatch(r"x[0-9]+", name)]
    return {"columns": axes} if "mentioned" in header else {}


def _settings_for(purpose: str, kind: Kind) -> dict[str, dict[str, Any]]:
    tables = dict(PURPOSES[purpose])
    if purpose == "search":
        usable = [name for name, other in KINDS.items() if _asks_about_a_head(other)]
        if kind.name not in usable:
            raise SettingError(
                f"a study for search compares items with a given one, unlike {kind.name}: give "
                f"--kind {', '.join(usable[:-1])} or {usable[-1]}, or --purpose map",
                setting="purpose",
            )
        if not kind.can_agree:
            del tables["quality"]
    return tables


def _asks_about_a_head(kind: Kind) -> bool:
    return kind.head_apart and kind.adaptive and kind.fits(kind.options.default)


def name_of(folder: Path) -> str:
    """Turn a folder's name into a name for URLs, such as "My Ties (2)" into "my-ties-2"."""
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
            raise FileError(f"{images} has no files: put the pictures, sounds or films there")
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
            raise FileError(f"{path}: browsers cannot show this type: use {', '.join(MEDIA)}")
        if link:
            (into / name).symlink_to(path.resolve())
        else:
            shutil.copyfile(path, into / name)


def _take_table(table: Path, folder: Path, link: bool) -> None:
    files, lines = read_table(table, "stimuli")
    take_files(files, folder / "stimuli", link)
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([COLUMNS, *lines])


def read_table(table: Path, into: str, first: int = 0) -> tuple[list[tuple[Path, str]], list[Line]]:
    """Read a table of items; return its files with new names, and the lines for items.csv.

    New names of files are four-digit numbers from ``first`` on, in the folder ``into``.
    """
    rows = list(read_rows(table, []))
    if not rows:
        raise FileError(f"{table} has no items: give a row for each")
    files, lines = [], []
    for number, row in enumerate(rows, first):
        file, name = row["file"] or row["image"], ""
        if file:
            path, name = table.parent / file, f"{number:04d}{Path(file).suffix.lower()}"
            if not path.is_file():
                raise row.error(f"{path} does not exist: paths are relative to the table")
            files.append((path, name))
        lines.append(_line(row, f"{into}/{name}" if file else ""))
    return files, lines


def _line(row: Row, file: str) -> Line:
    name = row["item"] or row["id"] or row["name"]
    text = row["text"] or ("" if file else row["name"] or name)
    return name, file, text, row["alt"], row["label"] or row["class"], row["url"]


@dataclass(frozen=True)
class Added:
    folder: StudyFolder
    names: tuple[str, ...]


@dataclass(frozen=True)
class Given:
    line: Line
    source: Path | None

    @property
    def name(self) -> str:
        return self.line[0]

    @property
    def digest(self) -> str:
        if self.source is None:
            return digest_of(self.line[COLUMNS.index("text")].encode())
        return of_file(self.source, self.name).digest


def add_items(
    path: Path,
    images: Path | None = None,
    items: Path | None = None,
    link: bool = False,
    features: Path | None = None,
) -> Added:
    """Add items to a study that has begun; after an error none is added. Servers read them soon."""
    with open_stored(path) as live:
        return add_to(live, WHO, images, items, link, features)


def add_to(
    live: LiveStudy,
    who: str,
    images: Path | None = None,
    items: Path | None = None,
    link: bool = False,
    features: Path | None = None,
) -> Added:
    """Add items to a study, as :func:`add_items` does, in the name of ``who``."""
    with ExitStack() as undo:
        given = _given(live.folder, images, items)
        names = tuple(new.name for new in given)
        _refuse_names(live, names)
        refuse_names(names)
        refuse_changes(live.record, live.folder, {*names, *designed_names(live.store, live.record)})
        # A folder with further features can be opened after an interruption; one that lacks
        # features cannot.
        if features is not None:
            _append_features(live.folder, names, features, undo)
        _put([new for new in given if not _is_there(live.folder, new)], live.folder, link, undo)
        folder = StudyFolder.open(live.folder.path)
        try:
            stimuli = {name: folder.by_name[name].digest for name in names}
            live.store.studies.add_stimuli(live.record, stimuli, who)
        except (StoreError, KeyboardInterrupt):
            # The store may already contain the items, so their files must not be removed.
            undo.pop_all()
            raise
        undo.pop_all()
    return Added(folder, names)


def _given(folder: StudyFolder, images: Path | None, items: Path | None) -> list[Given]:
    into, table = folder.settings.stimuli.folder, folder.settings.stimuli.items
    if images is not None:
        files = list_files(images)
        if not files:
            raise FileError(f"{images} is empty: put the new stimuli there")
        return [
            Given((label_text(file.stem), f"{into}/{file.name}", "", "", "", ""), file)
            for file in files
        ]
    assert items is not None
    if table is None:
        raise SettingError(
            f"{items}: the items of this study are the files in {into}, not rows of a table: put "
            "the new files into a folder, named after their items, and give --images"
        )
    there = [path.stem for path in (folder.path / into).glob("*") if path.stem.isdecimal()]
    named, lines = read_table(items, into, 1 + max(map(int, there), default=-1))
    sources = {f"{into}/{name}": source for source, name in named}
    return [Given(line, sources.get(line[1])) for line in lines]


def _refuse_names(live: LiveStudy, names: Sequence[str]) -> None:
    taken = [name for name in names if name in live.record.stimuli]
    if taken:
        more = " ..." if len(taken) > 5 else ""
        raise SettingError(
            f"the study already has items named {', '.join(taken[:5])}{more}: give only new items, "
            "and rename those that differ"
        )
    for place, name in enumerate(names):
        if name.strip().splitlines() != [name]:
            raise SettingError(
                f"the name {name!r} is empty, padded or has several lines: change it"
            )
        if name in names[:place]:
            raise SettingError(f"two new items are called {name!r}: rename one")


def _is_there(folder: StudyFolder, given: Given) -> bool:
    stimulus = folder.by_name.get(given.name)
    if stimulus is not None and stimulus.digest != given.digest:
        raise SettingError(
            f"{folder.path} already has another item {given.name!r}, which is not part of the "
            "study: remove it"
        )
    return stimulus is not None


def _put(given: Sequence[Given], folder: StudyFolder, link: bool, undo: ExitStack) -> None:
    part = folder.path / PART
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir()
        undo.callback(shutil.rmtree, part, ignore_errors=True)
        files = [(new.source, Path(new.line[1])) for new in given if new.source is not None]
        take_files([(source, target.name) for source, target in files], part, link)
        for source, target in files:
            of_file(part / target.name, source.stem)
            digest_of_pixels(source, MOST_PIXELS)
        for _, target in files:
            _move(part / target.name, folder.path / target, undo)
        if given and folder.settings.stimuli.items is not None:
            _append(folder.path / folder.settings.stimuli.items, [new.line for new in given], undo)
        part.rmdir()
    except OSError as error:
        raise FileError(f"{folder.path} cannot be written ({error}): nothing was added") from None


def _move(file: Path, target: Path, undo: ExitStack) -> None:
    if target.exists():
        raise FileError(f"{target} exists already: rename the new file")
    target.parent.mkdir(exist_ok=True)
    undo.callback(target.unlink, missing_ok=True)
    os.replace(file, target)


def _append(table: Path, lines: Sequence[Line], undo: ExitStack) -> None:
    before = read_text(table)
    columns = Delimited.of(table).header
    rows = [dict(zip(COLUMNS, line, strict=True)) for line in lines]
    for column in COLUMNS:
        if column not in columns and any(cells[column] for cells in rows):
            raise FileError(f"{table}, line 1: new items need a column {column!r}: add it")
    _append_rows(table, before, columns, rows, undo)


def _append_rows(
    table: Path,
    before: str,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, str]],
    undo: ExitStack,
) -> None:
    out = io.StringIO(before if before.endswith("\n") else f"{before}\n")
    out.seek(0, io.SEEK_END)
    writer = csv.DictWriter(out, columns, "", "ignore", lineterminator="\n")
    writer.writerows(rows)
    undo.callback(_write, table, before)
    _write(table, out.getvalue())


def _append_features(
    folder: StudyFolder, names: Sequence[str], file: Path, undo: ExitStack
) -> None:
    """Append the features of new items to the study's file of features."""
    if folder.settings.features.file is None:
        raise SettingError("the study has no [features]: leave them out", setting="features")
    table = inside(folder.path, folder.settings.features.file)
    before = read_text(table)
    columns = Delimited.of(table).header
    there = {row[ITEM] for row in read_rows(table, [ITEM])}
    used = folder.settings.features.used or [name for name in columns if name != ITEM]
    ItemFeatures.read(file, used, names, varied=False)
    rows = [row.cells for row in read_rows(file, [ITEM]) if row[ITEM] in {*names} - there]
    _append_rows(table, before, columns, rows, undo)


def _write(table: Path, text: str) -> None:
    with whole(table) as part:
        part.write_text(text, encoding="utf-8")
