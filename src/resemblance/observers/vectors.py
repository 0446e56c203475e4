"""Read vectors of items from files, and check them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike

from resemblance.arrays import Floats
from resemblance.errors import ConstantFeatureWarning, FileError, JudgmentError, SettingError
from resemblance.files import need, reading
from resemblance.judgments import Items
from resemblance.judgments.checks import first_few
from resemblance.judgments.labels import texts_of
from resemblance.judgments.tables import read_table
from resemblance.optional import pd

NAMES = "names"  # the array with the names of the rows of an .npz file
WHOLE = "check that it is whole"
LARGEST = 1e150  # the square of a number above overflows
SAME = 1e-12  # numbers that differ by less of the largest one are the same but for rounding


def checked_table(given: ArrayLike, what: str, items: Items | None) -> Floats:
    try:
        table = np.array(given, dtype=float, order="C")
    except (TypeError, ValueError):
        raise SettingError(
            f"{what} are no table of numbers: give an array with a row for each item.", setting=what
        ) from None
    if table.ndim != 2 or not table.size:
        raise SettingError(
            f"{what} have shape {table.shape}: give an array with a row for each item.",
            setting=what,
        )
    if items is not None and len(items) != len(table):
        raise SettingError(
            f"{what} have {len(table)} rows for {len(items)} items: give one row per item.",
            setting=what,
        )
    names = [str(row) for row in range(len(table))] if items is None else list(items.names)
    if bad := [names[row] for row in np.flatnonzero(~(np.abs(table) <= LARGEST).all(axis=1))]:
        raise SettingError(
            f"the {what} of {first_few(bad)} have entries that are no finite numbers, or beyond "
            f"{LARGEST:g}: correct these, or leave these items out.",
            setting=what,
        )
    if what == "distances":
        _check_distances(table, names)
    return table


def tell_if_same(table: Floats, what: str) -> None:
    """Warn of vectors or distances that are the same for all pairs of items."""
    others = table[~np.eye(len(table), dtype=bool)] if what == "distances" else table
    if len(table) > 2 and (np.ptp(others, axis=0) <= SAME * np.abs(others).max()).all():
        warnings.warn(
            f"the {what} are the same for all items, so answers would be random: check "
            "where they come from.",
            ConstantFeatureWarning,
            stacklevel=4,
        )


def _check_distances(table: Floats, names: list[str]) -> None:
    n = len(table)
    if table.shape != (n, n):
        raise SettingError(
            f"distances have shape {table.shape}: give one for each pair of items, (n, n).",
            setting="distances",
        )
    wrong = (table < 0) | ~np.isclose(table, table.T, rtol=1e-6, atol=1e-9 * table.max(initial=1.0))
    if wrong.any():
        a, b = np.argwhere(wrong)[0]
        raise SettingError(
            f"the distance of {names[a]} and {names[b]} is {table[a, b]:g}, and {table[b, a]:g} "
            "the other way round: distances are 0 or more, and the same both ways.",
            setting="distances",
        )


def read_vectors(path: Path, items: Items | None) -> tuple[Floats, Items | None]:
    need(path)
    readers = {".csv": _read_csv, ".npy": _read_npy, ".npz": _read_npz}
    if path.suffix.lower() not in readers:
        raise FileError(f"{path} is no file of vectors: give one of {', '.join(readers)}.")
    try:
        table, names = readers[path.suffix.lower()](path)
    except JudgmentError as wrong:
        raise FileError(str(wrong)) from None
    if names is not None and items is not None:
        table, names = table[_rows_of(path, names, items)], list(items.names)
    if items is None and names is not None:
        items = _named(path, names)
    try:
        return checked_table(table, "vectors", items), items
    except SettingError as wrong:
        raise FileError(f"{path}: {wrong}") from None


def _named(path: Path, names: list[str]) -> Items:
    repeated = pd.Index(names)[pd.Index(names).duplicated()]
    if len(repeated):
        raise FileError(f"{path} has several rows of {first_few(repeated)}: leave one of each.")
    return Items(names)


def _rows_of(path: Path, names: list[str], items: Items) -> list[int]:
    _named(path, names)
    row_of = {name: row for row, name in enumerate(names)}
    if lacking := [name for name in items.names if name not in row_of]:
        raise FileError(
            f"{path} has no row for {first_few(lacking)} ({len(lacking)} of {len(items)} items): "
            "add one for each, or leave these items out."
        )
    return [row_of[name] for name in items.names]


def _read_csv(path: Path) -> tuple[Any, list[str] | None]:
    table = read_table(path)
    if table.frame.shape[1] < 2:
        raise FileError(f"{path} has no column of numbers beside the first one, of names.")
    first, *columns = map(str, table.frame)
    with table.located():
        numbers = [table.numbers(name, name) for name in columns]
    return np.column_stack(numbers), texts_of(table.frame[first]).tolist()


def _read_npy(path: Path) -> tuple[Any, list[str] | None]:
    with reading(path, WHOLE, " as an array"):
        return np.load(path, allow_pickle=False), None


def _read_npz(path: Path) -> tuple[Any, list[str] | None]:
    archive = reading(path, WHOLE, " as an archive of arrays", BadZipFile)
    with archive, np.load(path, allow_pickle=False) as parts:
        arrays = dict(parts)
    names = arrays.pop(NAMES, None)
    if len(arrays) != 1:
        raise FileError(
            f"{path} has the arrays {first_few(arrays) or 'none'}: leave one, of vectors, and "
            f"{NAMES!r} beside it if the rows have names."
        )
    (table,) = arrays.values()
    if names is not None and len(names) != len(table):
        raise FileError(f"{path} has {len(names)} names for {len(table)} vectors.")
    return table, None if names is None else [str(name) for name in names]
