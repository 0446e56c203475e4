"""Arrangements from files: a row for each item of each trial."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from resemblance.judgments.arrangements import Arrangements
from resemblance.judgments.checks import RowError
from resemblance.judgments.items import Items
from resemblance.judgments.labelled import FileItems, Source, known_items, notes_of, padded
from resemblance.judgments.labels import Labels, items_of, numbers_of
from resemblance.judgments.reading_items import Columns, label_columns
from resemblance.judgments.tables import Table, read_table

Ints = NDArray[np.int64]

NEEDED = ("trial", "item", "x", "y")
TEXTS = ("trial", "item", "observer")


def read_arrangements(
    source: Source, items: FileItems = None, *, columns: Columns = None, radius: float | None = None
) -> Arrangements:
    """Read arrangements: a row for each item of each trial, and where it was put.

    Columns are ``trial, item, x, y``, then ``observer``, ``weight`` and ``response_id`` where there
    are any, and any further ones, which say the same in all rows of a trial. Trials of different
    observers are different trials, even of one number.

    Parameters
    ----------
    source : path or table
        As in :func:`read_triplets`.
    items : Items, path of a file of items, or sequence of names, optional
        All items; default: those that are mentioned.
    columns : dict, optional
        The column of a role, where it is called otherwise, such as ``{"item": "picture"}``.
    radius : float, optional
        Of the circle around (0, 0) in which all items must lie.

    Returns
    -------
    Arrangements

    Raises
    ------
    FileError
        If a file is missing, empty, broken, of an unknown type, or lacks a column.
    JudgmentError
        If a place is missing or no number, a trial says two things of its observer, or as in
        :class:`Arrangements`; the message names the line where the trial begins.

    Examples
    --------
    >>> table = pd.DataFrame({"trial": 1, "item": ["egg", "ball", "box"],
    ...                       "x": [0, 0.3, 0], "y": [0, 0, 0.4]})
    >>> read_arrangements(table).distances(0)
    array([0.3, 0.4, 0.5])
    """
    table = read_table(source, label_columns(TEXTS, columns))
    found = table.find(NEEDED, Arrangements.optional, columns)
    known = known_items(items)
    with table.located():
        labels = Labels.of(table.frame[found["item"]], "item")
        if known is None:
            known = items_of([labels])
        everything = known if isinstance(known, Items) else Items(known)
        positions = labels.positions(everything)
        places = np.column_stack([numbers_of(table.frame[found[axis]], axis) for axis in "xy"])
        trial, first = _trials(table, found)
        notes = _of_trials(table, found, trial, first)
    order = np.argsort(trial, kind="stable")
    shown = padded(positions[order], trial[order])
    put = np.full((*shown.shape, 2), np.nan)
    put[shown >= 0] = places[order]
    with table.located(), _first_lines(first):
        return Arrangements(shown, put, everything, **notes, radius=radius)


@contextmanager
def _first_lines(first: Ints) -> Iterator[None]:
    """Let errors about a trial name the row of the table in which it begins."""
    try:
        yield
    except RowError as error:
        raise RowError(int(first[error.row]), error.problem) from None


def _trials(table: Table, found: dict[str, str]) -> tuple[Ints, Ints]:
    """Number trials as they first appear; return that of each row, and the first row of each."""
    Labels.of(table.frame[found["trial"]], "trial")  # which refuses an empty one
    keys = [found[role] for role in ("observer", "trial") if role in found]
    number = table.frame.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    _, first = np.unique(number, return_index=True)
    return number.astype(np.int64), first.astype(np.int64)


def _of_trials(table: Table, found: dict[str, str], trial: Ints, first: Ints) -> dict[str, Any]:
    """Return what goes with each trial; refuse a trial whose rows do not say the same."""
    notes = notes_of(table, found)
    extra = notes.pop("extra")
    for name, column in {**notes, **extra}.items():
        cells = pd.Series(column)
        differs = ~((cells == cells.iloc[first[trial]].to_numpy()) | cells.isna()).to_numpy()
        if differs.any():
            row = int(differs.argmax())
            raise RowError(
                row,
                f"{name} is {cells[row]!r}, and {cells[first[trial[row]]]!r} in the first row of "
                "this trial: say the same in all of its rows",
            )
    of_first = lambda column: np.asarray(column)[first]  # noqa: E731
    kept = {name: of_first(column) for name, column in notes.items()}
    return {**kept, "extra": {name: of_first(column) for name, column in extra.items()}}
