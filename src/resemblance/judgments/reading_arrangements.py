"""Read arrangements from files with a row for each item of each trial."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from resemblance.judgments.checks import RowError
from resemblance.judgments.labelled import FileItems, Source, known_items, notes_of, padded
from resemblance.judgments.labels import Labels, items_of
from resemblance.judgments.reading_items import Columns, check_columns
from resemblance.judgments.rows import NOTES
from resemblance.judgments.tables import Table, read_table
from resemblance.optional import pd

Ints = NDArray[np.int64]
T = TypeVar("T")

NEEDED = ("trial", "item", "x", "y")


def read_trials(
    source: Source, items: FileItems, columns: Columns, arranged: Callable[..., T]
) -> T:
    check_columns((*NEEDED, *NOTES), columns)
    table = read_table(source)
    column_of = table.find(NEEDED, NOTES, columns)
    given = known_items(items)
    with table.located():
        labels = Labels.of(table.frame[column_of["item"]], "item")
        everything = items_of([labels]) if given is None else given
        positions = labels.positions(everything)
        places = np.column_stack([table.numbers(column_of[axis], axis) for axis in "xy"])
        trial, first = _trials(table, column_of)
        notes = _of_trials(table, column_of, trial, first)
    order = np.argsort(trial, kind="stable")
    index = padded(positions[order], trial[order])
    put = np.full((*index.shape, 2), np.nan)
    put[index >= 0] = places[order]
    with table.located(), _first_lines(first):
        return arranged(index, put, everything, **notes)


@contextmanager
def _first_lines(first: Ints) -> Iterator[None]:
    try:
        yield
    except RowError as error:
        raise RowError(int(first[error.row]), error.problem) from None


def _trials(table: Table, column_of: dict[str, str]) -> tuple[Ints, Ints]:
    """Number trials in order of appearance; return each row's trial, and each trial's first row."""
    Labels.of(table.frame[column_of["trial"]], "trial")  # raises on empty trials
    keys = [column_of[role] for role in ("observer", "trial") if role in column_of]
    number = table.frame.groupby(keys, sort=False, dropna=False, observed=True).ngroup().to_numpy()
    _, first = np.unique(number, return_index=True)
    return number.astype(np.int64), first.astype(np.int64)


def _of_trials(table: Table, column_of: dict[str, str], trial: Ints, first: Ints) -> dict[str, Any]:
    notes = notes_of(table, column_of)
    extra = notes.pop("extra")
    for name, column in {**notes, **extra}.items():
        cells = pd.Series(column)
        differs = ~((cells == cells.iloc[first[trial]].to_numpy()) | cells.isna()).to_numpy()
        if differs.any():
            row = int(differs.argmax())
            raise RowError(
                row,
                f"{name} is {cells[row]!r}, and {cells[first[trial[row]]]!r} in the first row "
                "of this trial: give all of its rows the same value",
            )
    of_first = lambda column: np.asarray(column)[first]  # noqa: E731
    kept = {name: of_first(column) for name, column in notes.items()}
    return {**kept, "extra": {name: of_first(column) for name, column in extra.items()}}
