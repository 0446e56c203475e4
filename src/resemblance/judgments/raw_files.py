"""Join the raw files of experiment software into one table with a row per trial."""

from __future__ import annotations

import re
import tempfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from resemblance.errors import FileError, JudgmentError, SettingError, count
from resemblance.files import PACKED, TABLES_READ, is_junk, junk_words, list_folder, need
from resemblance.judgments.checks import TableLike, first_few, is_table
from resemblance.judgments.column_names import (
    ACCEPTED,
    BARE,
    FILE,
    RECRUITED,
    SPELLINGS,
    SURE_WEIGHTS,
    TABLE,
    Tool,
    bare,
    tool_of,
)
from resemblance.judgments.dataset import IDENTITIES, MTURK
from resemblance.judgments.file_io import OnError
from resemblance.judgments.labels import Path_, texts_of
from resemblance.judgments.rows import NOTES
from resemblance.judgments.tables import (
    EmptyFile,
    Table,
    read_table,
    refuse_swelling,
    typed,
    unpacked_size,
)
from resemblance.optional import pd

ALIKE = 0.5  # Two results with a smaller share of common columns come from different components.
PARTS = {
    *BARE["observer"],
    *(name for names in (*SPELLINGS.values(), *ACCEPTED.values()) for name in names),
}
IN_DESIGN = "is in the design"
RECORD = ", record "  # separates line and record in a row's place, as in "line 2, record 5"
MOST_FILES = 20_000  # largest number of files that are read from an archive


def raw_table(path: Path_ | TableLike, on_error: OnError) -> tuple[Table, Tool]:
    if is_table(path):
        return _as_trials(read_table(path, warn=False))
    path = Path(path)  # type: ignore[arg-type]
    need(path)
    if path.is_dir():
        return _together(path, path, on_error)
    if path.suffix.lower() in PACKED:
        with _unpacked(path) as folder:
            return _together(path, folder, on_error)
    return _by_result(*_as_trials(read_table(path, on_error, warn=False)))


def _by_result(table: Table, tool: Tool) -> tuple[Table, Tool]:
    """Assign a participant to each of the JSON lists that JATOS concatenates in one file.

    If less than half of the columns are common to a list and the previous list, the list is the
    next component of the same person.
    """
    frame = table.frame
    if frame.empty or tool.person(frame.columns) is not None or RECORD not in table.where(0):
        return table, tool
    places = [table.where(row).split(RECORD)[0] for row in range(len(frame))]
    codes, lists = pd.factorize(np.array(places, dtype=object))
    if len(lists) == 1:
        return table, tool
    people, so_far = np.zeros(len(lists), dtype=int), set[str]()
    for number in range(len(lists)):
        filled = frame[codes == number].notna().any()
        own = set(frame.columns[filled])
        shared = len(own & so_far) / max(1, len(own | so_far))
        is_component = number > 0 and bool(own - so_far) and shared < ALIKE
        people[number] = people[number - 1] + (not is_component) if number else 0
        so_far = so_far | own if is_component else own
    named = frame.assign(**{FILE: [f"result {person + 1}" for person in people[codes]]})
    note = f"{len(lists):,} results of JATOS are of {people[-1] + 1:,} people"
    notes = table.notes if people[-1] + 1 == len(lists) else (*table.notes, note)
    return replace(table, frame=named, notes=notes), _or_file(tool)


def _or_file(tool: Tool) -> Tool:
    return replace(tool, people=(*tool.people, FILE))


def _together(path: Path, folder: Path, on_error: OnError) -> tuple[Table, Tool]:
    there, junk = list_folder(folder, deep=True)
    files = [p for p in there if _is_table(p) and p.stat().st_size and p.name != "metadata.json"]
    tables: list[tuple[Path, Table]] = []
    tools, empty = {}, []
    for file in files:
        name = file.relative_to(folder)
        try:
            table, tool = _as_trials(read_table(file, on_error, warn=False))
        except EmptyFile:
            empty.append(str(name))
            continue
        tools[tool.name] = tool
        tables.append((name, _with_person(table, tool, _person_of(name))))
    if not tables:
        raise FileError(f"{path} holds no file with answers: give .csv, .json, .txt or .xlsx files")
    experiments = [name for name in tools if name != TABLE.name]
    if len(experiments) > 1:
        raise FileError(
            f"{path} mixes files of {' and '.join(experiments)}: give those of one experiment"
        )
    tool = tools[experiments[0]] if experiments else TABLE
    notes = [f"{len(empty):,} files without rows are left out: {first_few(empty)}"] if empty else []
    junk = [p for p in junk if p.suffix.lower() in TABLES_READ]
    notes += [junk_words(junk)] if junk else []
    notes += [f"{name}: {note}" for name, table in tables for note in table.notes]
    return _stacked(path, tables, tuple(notes)), _or_file(tool)


def _stacked(path: Path, tables: list[tuple[Path, Table]], notes: tuple[str, ...]) -> Table:
    begin = np.cumsum([0, *(len(table.frame) for _, table in tables)])
    # Only the rows' places are stored, so that the memory of the rows can be freed.
    places = [(name, table.place) for name, table in tables]

    def place(row: int) -> str:
        part = int(np.searchsorted(begin, row, side="right")) - 1
        name, own = places[part]
        return f"{name}, {own(row - int(begin[part]))}"

    problems = {
        int(first) + row: problem
        for first, (_, table) in zip(begin, tables, strict=False)
        for row, problem in table.problems.items()
    }
    decimals = {table.decimal for _, table in tables}
    frames = [
        table.frame if len(decimals) == 1 else _with_decimal_points(table) for _, table in tables
    ]
    frame = pd.concat(_spelled_alike(frames), ignore_index=True)
    decimal = decimals.pop() if len(decimals) == 1 else "."
    return Table(path, frame, place, decimal, problems, notes)


def _with_decimal_points(table: Table) -> pd.DataFrame:
    if table.decimal == ".":
        return table.frame
    numbers = {
        str(name): column.astype(object).str.replace(",", ".", regex=False)
        for name, column in table.frame.items()
        if pd.api.types.is_numeric_dtype(typed(column, ",")) and column.notna().any()
    }
    return table.frame.assign(**numbers)


def _is_table(path: Path) -> bool:
    name = path.name.lower().removesuffix(".gz")
    return name.endswith(TABLES_READ)


def _with_person(table: Table, tool: Tool, file: str) -> Table:
    if FILE in table.frame:
        return table
    filled = [name for name in table.frame.columns if table.frame[name].notna().any()]
    own = tool.person(filled)
    people = pd.Series(file, table.frame.index, dtype=object)
    if own is not None:
        named = texts_of(table.frame[own])
        people = named.where(named != "", file)
    return replace(table, frame=table.frame.assign(**{FILE: people}))


def _spelled_alike(frames: list[pd.DataFrame]) -> list[pd.DataFrame]:
    """Rename columns of questions and people as in the first file.

    Other columns keep their prefixes of tools: practice.thisN and trials.thisN differ.
    """
    spelling: dict[str, str] = {}
    renamed = []
    for frame in frames:
        own = [bare(name) for name in frame.columns]
        parts = [short in PARTS and own.count(short) == 1 for short in own]
        names = {
            name: spelling.setdefault(short, name)
            for name, short, is_part in zip(frame.columns, own, parts, strict=True)
            if is_part and spelling.get(short) not in frame.columns
        }
        renamed.append(frame.rename(columns=names))
    return renamed


def _person_of(file: Path) -> str:
    within = next((part for part in file.parts if part.startswith("study_result")), None)
    # "S01 (1).csv" is another copy of the file of S01.
    return within or re.sub(r"\s*\(\d+\)$", "", file.name.split(".")[0])


@contextmanager
def _unpacked(path: Path) -> Iterator[Path]:
    try:
        with ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > MOST_FILES:
                raise FileError(
                    f"{path} unpacks to {len(members):,} files: at most {MOST_FILES:,} are read; "
                    "unpack it yourself"
                )
            refuse_swelling(path, sum(member.file_size for member in members))
            # extract() checks sizes and writes only inside the folder.
            files = [Path(archive.extract(member, folder)) for member in members]
            size = 0
            for file in files:
                if not is_junk(file.relative_to(folder)):
                    refuse_swelling(path, size := size + unpacked_size(file))
            yield Path(folder)
    except (BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
        raise FileError(f"{path} cannot be unpacked ({error}): check that it is whole") from error


def _as_trials(table: Table) -> tuple[Table, Tool]:
    if table.is_log:
        try:
            return _of_session(table), replace(TABLE, name="the log of a session")
        except FileError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            problem = f"the log of a session is broken ({error}): check that it is whole"
            raise FileError(f"{table.name}: {problem}") from error
    tool = tool_of(table.frame.columns)
    if tool.repeats is not None:
        table = _without_headers(table, tool.repeats)
    return (table if tool.wide is None else _long(table, tool)), tool


def _of_session(table: Table) -> Table:
    frame = table.frame
    names = next((cell for cell in frame.get("names", []) if isinstance(cell, list)), None)
    if names is None:
        raise FileError(f"{table.name}: the log of a session begins with its items, and has none")
    asked = frame[frame["event"] == "ask"].set_index("number")
    answered = np.flatnonzero((frame["event"] == "tell") & frame["chosen"].notna())
    rows = frame.iloc[answered]
    for place, number in zip(answered, rows["number"], strict=True):
        if number not in asked.index:
            raise FileError(
                f"{table.name}, {table.where(int(place))}: question {number} was not asked"
            )
    questions = asked.loc[rows["number"]]

    def name(number: Any) -> str:
        if number not in range(len(names)):
            raise FileError(f"{table.name}: item {number} is none of its {len(names)}")
        return str(names[int(number)])

    choices = pd.DataFrame(
        {
            "head": [name(number) for number in questions["head"]],
            "options": [[name(number) for number in cell] for cell in questions["options"]],
            "chosen": [name(number) for number in rows["chosen"]],
            "strategy": questions["strategy"].to_numpy(),
        }
    )
    if (rows.get("observer", pd.Series(dtype=str)).fillna("") != "").any():
        choices["observer"] = rows["observer"].to_numpy()
    return replace(table.take(answered), frame=choices)


def _without_headers(table: Table, mark: str) -> Table:
    first = table.frame.head(3).astype(str)
    marked = np.flatnonzero(first.apply(lambda column: column.str.contains(mark)).any(axis=1))
    return table.take(slice(int(marked[-1]) + 1 if len(marked) else 0, None))


def _long(table: Table, tool: Tool) -> Table:
    trials: dict[str, dict[str, str]] = {}
    for column in table.frame.columns:
        if (trial_and_name := tool.trial_of(column)) is not None:
            trial, name = trial_and_name
            trials.setdefault(trial, {})[column] = "trial (own)" if name == "trial" else name
    if not trials:
        return table
    own = [column for columns in trials.values() for column in columns]
    rest = table.frame.drop(columns=own)
    for columns in trials.values():
        called = [*rest.columns, *columns.values()]
        if repeated := [name for i, name in enumerate(called) if name in called[:i]]:
            raise FileError(
                f"{table.name}: a trial has two columns {repeated[0]!r}, or somebody has one of "
                "that name beside those of the trials: rename or remove one"
            )
    blocks = [
        rest.assign(trial=trial).join(table.frame[list(columns)].rename(columns=columns))
        for trial, columns in trials.items()
    ]
    names, people = list(trials), len(rest)
    return replace(
        table,
        frame=pd.concat(blocks, ignore_index=True),
        place=lambda row: f"{table.where(row % people)}, trial {names[row // people]}",
        problems={
            row + people * k: problem
            for row, problem in table.problems.items()
            for k in range(len(blocks))
        },
    )


def with_design(table: Table, design: Table) -> Table:
    shared = [column for column in design.frame.columns if column in table.frame]
    if not shared:
        raise SettingError(
            f"{design.name} shares no column with {table.name}, which has "
            f"{first_few(table.frame.columns)}: use one name for the trial number in both",
            setting="design",
        )
    if design.frame.duplicated(shared).any():
        row = int(design.frame.duplicated(shared).to_numpy().argmax())
        raise JudgmentError(
            f"{design.name}, {design.where(row)}: the same {' and '.join(shared)} came before: "
            "give each trial once"
        )
    own, of = (
        frame.assign(**{name: texts_of(frame[name]) for name in shared})
        for frame in (table.frame, design.frame)
    )  # 1 and "1" are the same trial
    joined = own.merge(of, "left", shared, indicator=IN_DESIGN)
    missing = np.flatnonzero(joined.pop(IN_DESIGN) == "left_only")
    notes = table.notes
    if len(missing):
        first = table.where(int(missing[0]))
        rows = count(len(missing), "row")
        notes = (*notes, f"{rows} of {table.name} not in {design.name}; the first: {first}")
    return replace(table, frame=joined, notes=notes)


def with_people(table: Table, who: str | None, people: Table) -> Table:
    if who is None:
        raise SettingError(
            f"{table.name} does not name its observers: name the column with "
            f"columns={{'observer': ...}}",
            setting="people",
        )
    answered, cells = texts_of(table.frame[who]), people.frame.apply(texts_of)
    ids = set(answered) - {""}
    shared = {name: len(ids & set(cells[name])) for name in cells}
    key = max(shared, key=shared.__getitem__)
    if not shared[key]:
        raise JudgmentError(
            f"{people.name} has none of the people in {table.name} "
            f"({first_few(sorted(ids))}): give the ids of its column {who}"
        )
    about, ids_about = people.frame.drop(columns=key), cells[key]
    once = ~cells.duplicated()
    if (again := ids_about[once].duplicated()).any():
        row = int(np.flatnonzero(once)[again.to_numpy().argmax()])
        raise JudgmentError(
            f"{people.name}, {people.where(row)}: {ids_about.iloc[row]!r} has another row with "
            "other cells: keep one of them"
        )
    about = about[once].set_index(ids_about[once])
    about = about[[name for name in about if not _tells_who(about[name])]]
    # Columns about people get another name than columns of the question.
    taken = {*table.frame, *NOTES}
    about.columns = [
        f"{name} (person)" if name in taken or bare(name) in SURE_WEIGHTS else name
        for name in about
    ]
    rows = about.reindex(answered).reset_index(drop=True)
    notes = table.notes
    if unknown := sorted(ids - set(ids_about)):
        notes = (*notes, f"{people.name} has no row of {first_few(unknown)}")
    return replace(table, frame=table.frame.join(rows), notes=notes)


def with_pseudonyms(
    table: Table, who: str | None, used: Collection[str]
) -> tuple[Table, list[str]]:
    """Replace identifying names of people by P1, P2, ...; drop other columns with such names."""
    frame, notes = table.frame, []
    kinds = [] if who is None else [_identity(name) for name in frame[who].dropna().unique()]
    if who is not None and any(kinds):
        names = {name: f"P{n}" for n, name in enumerate(frame[who].dropna().unique(), 1)}
        frame = frame.assign(**{who: frame[who].map(names)})
        kind = next(kind for kind in kinds if kind)
        notes.append(f"{len(names):,} people are called P1, P2, ...: they had {kind}")
    telling = [str(name) for name in frame if name not in used and _tells_who(frame[name])]
    if telling:
        notes.append(f"columns with ids of people are left out: {', '.join(telling)}")
    return replace(table, frame=frame.drop(columns=telling)), notes


def _identity(cell: Any) -> str | None:
    return next((what for what, form in IDENTITIES.items() if form.fullmatch(str(cell))), None)


def _tells_who(column: pd.Series) -> bool:
    if pd.api.types.is_numeric_dtype(column):
        return False
    kinds = {_identity(cell) for cell in column.unique() if isinstance(cell, str)}
    return bool(kinds - {None, MTURK}) or (bool(kinds - {None}) and column.name in RECRUITED)
