"""Participants in raw files: pseudonyms, and columns that describe people."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments.checks import first_few
from resemblance.judgments.column_names import SURE_WEIGHTS, bare
from resemblance.judgments.dataset import IDENTITIES, MTURK
from resemblance.judgments.exchange.tools import RECRUITED
from resemblance.judgments.labels import texts_of
from resemblance.judgments.rows import NOTES
from resemblance.judgments.tables import Table
from resemblance.optional import pd


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
    taken = {*table.frame, *NOTES}  # columns about people fill no role of answers
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
    """Replace identifying names of people by numbers; drop ids in other columns."""
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
    """Return the kind of personal identifier in a cell, if any."""
    return next((what for what, form in IDENTITIES.items() if form.fullmatch(str(cell))), None)


def _tells_who(column: pd.Series) -> bool:
    """Return whether an unknown column could identify people."""
    if pd.api.types.is_numeric_dtype(column):
        return False
    kinds = {_identity(cell) for cell in column.unique() if isinstance(cell, str)}
    return bool(kinds - {None, MTURK}) or (bool(kinds - {None}) and column.name in RECRUITED)
