"""Add items to a study that has begun: to its folder first, then to its store.

Whoever is stopped between the two runs the command again: what lies in the folder already, and is
what is to be added, is taken as it is.
"""

import csv
import io
import os
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from resemblance.delimited import Delimited
from resemblance.errors import FileError, SettingError
from resemblance.files import label_text, whole
from resemblance.store import StoreError
from resemblance.study.creation import COLUMNS, Line, read_table, take_files
from resemblance.study.files import read_text
from resemblance.study.folder import StudyFolder
from resemblance.study.live import LiveStudy, open_stored, refuse_changes
from resemblance.study.stimuli import digest_of, list_files, of_file, refuse_names
from resemblance.study.thumbnails import MOST_PIXELS, digest_of_pixels

WHO = "researcher"
PART = ".adding"


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
) -> Added:
    """Add items to a study that has begun, all or none; a running server takes them.

    Either ``images`` (a folder) or ``items`` (a table) is required. Raises ResemblanceError if the
    study was never served or its stimuli changed, a name exists already, or a stimulus cannot be
    shown.
    """
    with open_stored(path) as live, ExitStack() as undo:
        given = _given(live.folder, images, items)
        names = tuple(new.name for new in given)
        _refuse_names(live, names)
        refuse_names(names)
        refuse_changes(live.record, live.folder, names)
        _put([new for new in given if not _is_there(live.folder, new)], live.folder, link, undo)
        folder = StudyFolder.open(path)
        try:
            stimuli = {name: folder.by_name[name].digest for name in names}
            live.store.studies.add_stimuli(live.record, stimuli, WHO)
        except (
            StoreError,
            KeyboardInterrupt,
        ):  # it may have been written: only a second run can tell
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
            Given((label_text(file.stem), f"{into}/{file.name}", "", "", ""), file)
            for file in files
        ]
    assert items is not None
    if table is None:
        raise SettingError(
            f"{items}: the items of this study are the files of {into}, without a table: put the "
            "new ones into a folder, each called as its item, and give --images"
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
            f"the study has items of these names: {', '.join(taken[:5])}{more}: give only new "
            "ones, or other names to those that differ"
        )
    for place, name in enumerate(names):
        if name.strip().splitlines() != [name]:
            raise SettingError(f"the name {name!r} is empty, padded or of several lines: change it")
        if name in names[:place]:
            raise SettingError(f"two new items are called {name!r}: rename one")


def _is_there(folder: StudyFolder, given: Given) -> bool:
    """Return whether an interrupted run has already put the item into the folder."""
    stimulus = folder.by_name.get(given.name)
    if stimulus is not None and stimulus.digest != given.digest:
        raise SettingError(
            f"{folder.path} holds another {given.name!r} already, which is not in the "
            "study: take it out"
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
        raise FileError(f"{target} is there already: rename the new file")
    target.parent.mkdir(exist_ok=True)
    undo.callback(target.unlink, missing_ok=True)
    os.replace(file, target)


def _append(table: Path, lines: Sequence[Line], undo: ExitStack) -> None:
    before = read_text(table)
    columns = Delimited.of(table).header
    rows = [dict(zip(COLUMNS, line, strict=True)) for line in lines]
    for column in COLUMNS:
        if column not in columns and any(cells[column] for cells in rows):
            raise FileError(f"{table}, line 1: no column {column!r}, which new items need: add it")
    out = io.StringIO(before if before.endswith("\n") else f"{before}\n")
    out.seek(0, io.SEEK_END)
    writer = csv.DictWriter(out, columns, "", "ignore", lineterminator="\n")
    writer.writerows(rows)
    undo.callback(_write, table, before)
    _write(table, out.getvalue())


def _write(table: Path, text: str) -> None:
    with whole(table) as part:
        part.write_text(text, encoding="utf-8")
