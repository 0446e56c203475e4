"""Read RDMs from tables, HDF5 files of rsatoolbox, and files of Meadows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from resemblance.arrays import Floats
from resemblance.errors import FileError, JudgmentError, RDMError, RescaledWarning, SettingError
from resemblance.files import HDF5, RDMS_READ, TABLES, need, rdm_suffix
from resemblance.judgments import Items
from resemblance.judgments.checks import first_few
from resemblance.judgments.frames import TableLike, is_table
from resemblance.judgments.items import are_numbered
from resemblance.judgments.labels import texts_of
from resemblance.judgments.tables import Table, read_table, typed
from resemblance.optional import pd
from resemblance.rdms.hdf5 import read_hdf5
from resemblance.rdms.meadows import read_mat, read_tree
from resemblance.rdms.rdms import LONG, NAME, RDMs, same_items

Known = Items | Iterable[Any]


def read_rdms(
    path: str | PathLike[str] | TableLike,
    items: Known | None = None,
    *,
    item_column: str | None = None,
    rdm_column: str | None = None,
) -> RDMs:
    r"""Read dissimilarity matrices from a file, in the format of its suffix.

    ============================== ===============================================================
    .csv, .jsonl, .parquet, .xlsx  a square table with the items' names in its first row and column
                                   (R: ``write.csv(as.matrix(d))``), or a long one with the columns
                                   ``item_a, item_b, dissimilarity`` and, of several, ``rdm``;
                                   .xlsx needs openpyxl
    .h5, .hdf5                     what rsatoolbox saves as "hdf5"; needs h5py
    .mat                           of Meadows (``rdmutv``, ``stimuli``)
    .json                          a tree of Meadows, of one person
    ============================== ===============================================================

    Parameters
    ----------
    path : path or table
        The file; .csv and .jsonl may be gzipped (.csv.gz). Or a table in memory (pandas, polars,
        Arrow), long or square, as a file of it would be.
    items : Items or sequence of str, optional
        The items and their order; the file must have them all and no others. Default: those of the
        file in its order, and numbers from 0 where it names none.
    item_column, rdm_column : str, optional
        The descriptors of an HDF5 file that name items and matrices. Default: "conds" and "name",
        or the only one whose values all differ, or else numbers.

    Returns
    -------
    RDMs

    Raises
    ------
    FileError
        If the file is missing, broken or of another kind, or lacks a column or a pair.
    RDMError
        If a matrix is not symmetric, has an infinite cell or none at all, or is of other items; the
        message names the cell. A blank cell, NA or NaN is a pair that is missing.
    UnavailableError
        If h5py or openpyxl is missing.

    Warns
    -----
    RescaledWarning
        If the diagonal of a square table is not 0 but one value, which none is below: all were
        rescaled with it, as multiarrangement rescales to 1 to 7, and it is taken off all again.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "faces.csv"
    ...     _ = path.write_text(",x,y,z\nx,0,2,3\ny,2,0,4\nz,3,4,0\n")
    ...     faces = read_rdms(path)
    >>> faces.items.names, faces.dissimilarities
    (('x', 'y', 'z'), array([[2., 3., 4.]]))
    """
    if is_table(path):
        return _on_items(_of_table(read_table(path)), items)
    path = Path(path)  # type: ignore[arg-type]
    kind = rdm_suffix(path, RDMS_READ)
    need(path)
    if kind not in HDF5 and (item_column or rdm_column):
        raise SettingError(f"item_column and rdm_column are of HDF5, not of {kind}: leave them out")
    with _located(path):
        if kind in (*TABLES, ".xlsx"):
            rdms = _of_table(read_table(path))
        elif kind in HDF5:
            rdms = read_hdf5(path, item_column, rdm_column)
        elif kind == ".mat":
            rdms = read_mat(path)
        else:
            rdms = read_tree(path)
        return _on_items(rdms, items)


@contextmanager
def _located(path: Path) -> Iterator[None]:
    try:
        yield
    except (RDMError, JudgmentError) as error:
        message = str(error)
        named = message if message.startswith(str(path)) else f"{path}: {message}"
        raise RDMError(named, setting=error.setting) from None


def _on_items(rdms: RDMs, given: Items | Iterable[Any] | None) -> RDMs:
    """Rearrange matrices for given items; unnamed matrices take them in order."""
    if given is None:
        return rdms
    items = given if isinstance(given, Items) else Items(given)
    if are_numbered(rdms.items) and len(items) == len(rdms.items):
        return RDMs(rdms.dissimilarities, items, rdms.names, rdms.measure)
    return same_items(RDMs(np.zeros(len(items) * (len(items) - 1) // 2), items), rdms)


def _of_table(table: Table) -> RDMs:
    if set(LONG) & set(table.frame.columns):
        return _of_long(table)
    return _of_square(table)


def _of_square(table: Table) -> RDMs:
    first, *columns = table.frame.columns
    rows = texts_of(table.frame[first]).tolist()
    for here, there, what in ((rows, columns, "row"), (columns, rows, "column")):
        if odd := [name for name in here if name not in there]:
            raise FileError(
                f"{table.name}: {first_few(odd)} has a {what} and no "
                f"{'column' if what == 'row' else 'row'}: give each item both, or a long table "
                f"with the columns {', '.join(LONG)}"
            )
    items = Items(rows)
    values = np.column_stack([_cells(table, name, rows) for name in rows])
    return RDMs.from_squares(_from_zero(values, table.name), items, [table.stem])


def _from_zero(square: Floats, name: str) -> Floats:
    """Subtract the diagonal if it is the minimum of all cells, as after rescaling."""
    least = square[0, 0]
    if least == 0 or (np.diag(square) != least).any() or (square < least).any():
        return square
    warnings.warn(
        RescaledWarning(
            f"{name}: the diagonal is {least:g}, the minimum of all cells, so values seem "
            f"rescaled: {least:g} is subtracted, as an item does not differ from itself"
        ),
        stacklevel=4,
    )
    return np.asarray(square - least)


def _cells(table: Table, column: str, rows: list[str]) -> Floats:
    cells = typed(table.frame[column], table.decimal)
    values = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    bad = np.isnan(values) & ~cells.isna().to_numpy() & (cells.astype(str).str.lower() != "nan")
    bad &= cells.astype(str) != "NA"
    if bad.any():
        i = int(np.argmax(bad))
        raise FileError(
            f"{table.name}, {table.where(i)}, row {rows[i]!r}, column {column!r}: "
            f"{cells.iloc[i]!r} is no number: correct it"
        )
    return values


def _of_long(table: Table) -> RDMs:
    if missing := [name for name in LONG if name not in table.frame]:
        has = ", ".join(map(repr, table.frame.columns))
        raise FileError(
            f"{table.name} has no column {' and no '.join(map(repr, missing))}; it has {has}: a "
            f"long table needs {', '.join(LONG)}"
        )
    a, b = (texts_of(table.frame[name]) for name in LONG[:2])
    which = pd.Series(table.stem, index=a.index)
    which = texts_of(table.frame[NAME]) if NAME in table.frame else which
    labels = [str(row) for row in range(len(a))]
    values = _cells(table, "dissimilarity", labels)
    items = Items(pd.unique(np.column_stack([a, b]).ravel()))
    names = list(dict.fromkeys(which))
    squares = np.full((len(names), len(items), len(items)), np.nan)
    given = np.zeros(squares.shape, dtype=bool)
    number = {name: i for i, name in enumerate(names)}
    places = np.array([number[name] for name in which]), items.positions(a), items.positions(b)
    _refuse_repeats(table, places, values)
    squares[places], given[places] = values, True
    mirrored = given.transpose(0, 2, 1) & ~given  # cells given in both halves are compared later
    squares[mirrored] = squares.transpose(0, 2, 1)[mirrored]
    _refuse_gaps(table, squares, given, items, names)
    return RDMs.from_squares(squares, items, names)


def _refuse_repeats(table: Table, places: tuple[Any, ...], values: Floats) -> None:
    repeated = pd.DataFrame(np.column_stack(places)).duplicated().to_numpy()
    if repeated.any():
        row = int(repeated.argmax())
        a, b = (table.frame[name].iloc[row] for name in LONG[:2])
        raise FileError(
            f"{table.name}, {table.where(row)}: {a!r} and {b!r} came before: give each pair once, "
            f"and the matrices of several people a column {NAME!r}"
        )


def _refuse_gaps(table: Table, squares: Floats, given: Any, items: Items, names: list[str]) -> None:
    filled = given | given.transpose(0, 2, 1) | np.eye(len(items), dtype=bool)
    gaps = np.argwhere(~filled)
    if len(gaps):
        which, i, j = gaps[0]
        of = f" of {names[which]!r}" if len(names) > 1 else ""
        raise FileError(
            f"{table.name} has no row for {items.names[i]!r} and {items.names[j]!r}{of} (and lacks "
            f"{len(gaps) // 2} pairs in all): give each pair a row"
        )
