"""Build judgments from the labels in a table, from files and from memory alike."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from os import PathLike
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import FileError, JudgmentError, ResemblanceWarning
from resemblance.judgments.column_names import COUNTED, SURE_WEIGHTS, bare
from resemblance.judgments.frames import TableLike, is_table
from resemblance.judgments.items import Items
from resemblance.judgments.labels import KEPT, Labels, items_of, response_ids_of, warn_of_joined
from resemblance.judgments.reading_items import Columns, Path_, check_columns, read_items
from resemblance.judgments.row_filters import without_copies
from resemblance.judgments.rows import NOTES, Rows
from resemblance.judgments.tables import Table, numbers_of, read_table
from resemblance.optional import pd
from resemblance.ranges import check, one_of

Source: TypeAlias = "Path_ | TableLike"
FileItems: TypeAlias = "Items | Source | Iterable[Any] | None"
OnError: TypeAlias = Literal["raise", "skip"]
Kind = TypeVar("Kind", bound=Rows)


def read(
    kind: type[Kind],
    source: Source,
    items: FileItems,
    columns: Columns,
    on_error: OnError = "raise",
) -> Kind:
    check_columns((*kind.columns, *kind.measures, *NOTES, *KEPT), columns)
    table = without_copies(read_table(source, on_error, warn=False))
    table.warn()
    if table.is_log:
        raise FileError(f"{table.name} is the log of a session: read_experiment reads it")
    _warn_of_weights(table, kind, columns)
    given = known_items(items)
    readable, refused = without_refused(
        table, lambda part: rows_of(kind, part, given, columns), on_error
    )
    judgments = judgments_of(kind, readable, given, columns, on_error)
    return with_refused(judgments, refused, table) if len(refused) else judgments


def _warn_of_weights(table: Table, kind: type[Rows], columns: Columns) -> None:
    used = {"weight", *(columns or {}).values()}
    names = [n for n in table.frame if bare(n) in (*SURE_WEIGHTS, *COUNTED) and n not in used]
    if names and "weight" in kind.optional and "weight" not in table.frame:
        warnings.warn(
            f"the column {names[0]!r} of {table.name} is not used: columns={{'weight': "
            f"{names[0]!r}}} takes it for the weight of answers",
            ResemblanceWarning,
            stacklevel=4,
        )


def with_refused(judgments: Kind, refused: pd.DataFrame, table: Table) -> Kind:
    first = refused.iloc[0]
    warnings.warn(
        f"{len(refused):,} of {len(table.frame):,} rows were left out; the first: "
        f"{first['where']}: {first['problem']} (all of them: .refused)",
        ResemblanceWarning,
        stacklevel=4,
    )
    return judgments._with(refused=refused)


def without_refused(
    table: Table, make: Callable[[Table], Rows], on_error: OnError
) -> tuple[Table, pd.DataFrame]:
    """Leave out invalid rows, found by bisection, unless errors are raised.

    Returns the rest, and ``where`` and ``problem`` of each row left out.
    """
    check(on_error=(on_error, one_of("raise", "skip")))
    bad = dict(table.problems)
    every = np.arange(len(table.frame))
    parts = [np.setdiff1d(every, list(bad))] if on_error == "skip" else []
    while parts:
        rows = parts.pop()
        part = table.take(rows)
        try:
            with warnings.catch_warnings(action="ignore"):
                make(part)
        except JudgmentError as error:
            if len(rows) > 1:
                parts += [rows[len(rows) // 2 :], rows[: len(rows) // 2]]
                continue
            bad[int(rows[0])] = str(error).removeprefix(f"{table.name}, {part.where(0)}: ")
    if len(bad) == len(every):
        raise JudgmentError(
            f"{table.name}: none of its {len(every):,} rows is a judgment, so the columns may be "
            f"others; the first: {bad[min(bad)]}"
        )
    kept = table.take(np.setdiff1d(every, list(bad))) if bad else table
    refused = [(table.where(row), bad[row]) for row in sorted(bad)]
    return kept, pd.DataFrame(refused, columns=["where", "problem"])


def known_items(items: FileItems | int) -> Items | None:
    if isinstance(items, str | PathLike) or is_table(items):
        return read_items(items)  # type: ignore[arg-type]
    return items if items is None or isinstance(items, Items) else Items(items)  # type: ignore[arg-type]


def judgments_of(
    kind: type[Kind],
    table: Table,
    items: FileItems = None,
    columns: Columns = None,
    on_error: OnError = "raise",
) -> Kind:
    """Make judgments from the rows of a table, on given items or on those mentioned."""
    judgments = rows_of(kind, table, items, columns)
    with table.located():
        return judgments._set_catches_apart() if on_error == "skip" else judgments._refuse_catches()


def rows_of(
    kind: type[Kind], table: Table, items: FileItems = None, columns: Columns = None
) -> Kind:
    given = known_items(items)
    if "odd" in kind.columns:
        table, columns = _kept_named(table, columns)
    table = kind._as_listed(table)
    column_of = table.find((*kind.columns, *kind.measures), kind.optional, columns)
    with table.located():
        labels = [Labels.of(table.frame[column_of[role]], role) for role in kind.columns]
        warn_of_joined(labels)
        index, named = _index(kind, labels, given)
        kind._check_beside(table.frame, labels)
        measures = {role: table.numbers(column_of[role], role) for role in kind.measures}
        return kind._filled(index, named, **measures, **notes_of(table, column_of))


def _kept_named(table: Table, columns: Columns) -> tuple[Table, Columns]:
    if columns is None or not {*KEPT} & {*columns}:
        return table, columns
    table.need([columns[role] for role in columns], "columns=", "columns")
    names = {columns[role]: role for role in (*KEPT, "odd") if role in columns}
    rest = {role: name for role, name in columns.items() if name not in names}
    return replace(table, frame=table.frame.rename(columns=names)), rest


def _index(
    kind: type[Kind], labels: list[Labels], given: Items | None
) -> tuple[NDArray[np.int32], Items]:
    items = items_of(labels) if given is None else given
    positions = [column.positions(items) for column in labels]
    if kind.columns[-1] == "options":
        positions[-1] = padded(positions[-1], labels[-1].rows)
    return kind._arranged(positions, name=lambda i: repr(items.names[i])), items


def padded(positions: NDArray[np.int32], rows: NDArray[np.intp]) -> NDArray[np.int32]:
    """Arrange options in a matrix, padded with -1."""
    counts = np.bincount(rows)
    column = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    matrix = np.full((len(counts), counts.max()), -1, dtype=np.int32)
    matrix[rows, column] = positions
    return matrix


def notes_of(table: Table, column_of: dict[str, str]) -> dict[str, Any]:
    take = {
        "weight": lambda column: numbers_of(column, "weight", decimal=table.decimal),
        "response_id": response_ids_of,
        "observer": _people,
    }
    notes = {role: take[role](table.frame[column_of[role]]) for role in NOTES if role in column_of}
    return {**notes, "extra": table.further(column_of.values())}


def _people(column: pd.Series) -> NDArray[np.str_]:
    people = Labels.of(column, "observer").as_ids()
    warn_of_joined([people])
    return people.cells
