"""Scan judgments on the disk: check them once, block after block, and keep their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from resemblance.errors import FileError, JudgmentError
from resemblance.judgments.base import Judgments
from resemblance.judgments.catches import HeadJudgments
from resemblance.judgments.checks import RowError
from resemblance.judgments.choices import Choices, OddOneOuts
from resemblance.judgments.items import Items
from resemblance.judgments.numbers import Writer
from resemblance.judgments.parquet import Tables, judged, mentioned, parquet_files
from resemblance.judgments.quadruplets import Quadruplets
from resemblance.judgments.reading_items import read_items
from resemblance.judgments.stored import BLOCK, Column, State, StoredJudgments
from resemblance.judgments.triplets import Triplets

Path_: TypeAlias = str | PathLike[str]
ScanItems: TypeAlias = Items | Path_ | Iterable[Any] | int | None


def scan_triplets(
    path: Path_,
    items: ScanItems = None,
    columns: Mapping[str, str] | None = None,
    *,
    folder: Path_ | None = None,
) -> StoredJudgments:
    r"""Scan triplets that stay on the disk: a folder of Parquet files, one of them, or an array.

    Parquet files have the columns of :func:`read_triplets`; those of a folder are read in the order
    of their names. All rows are checked, block after block, and their numbers are written to files
    that take 4 bytes an item and row, so that a fit reads no text. Columns that are not weights,
    responses or observers are left out.

    An array (``.npy``) of whole numbers, (rows, 3), holds positions of items; nothing is copied of
    it.

    Parameters
    ----------
    path : path
        The folder, a Parquet file, or the array.
    items : Items, path, sequence of names or int, optional
        The items, or the file that :func:`read_items` reads; a number stands for the names "0" and
        so on. Left out, they are those that the rows mention, which takes one more pass, in natural
        order; of an array they are all numbers up to the largest.
    columns : dict, optional
        Names of columns in the files, such as ``{"head": "anchor"}``.
    folder : path, optional
        Where the numbers are written; it must hold none yet. Default: a temporary folder, which
        goes when the judgments do; ``TMPDIR`` says on which disk.

    Returns
    -------
    StoredJudgments

    Raises
    ------
    FileError
        If there are no files, one of them is broken or cut off, lacks a column, or has other
        columns than the first; if ``folder`` holds the numbers of another scan.
    JudgmentError
        If a row is no triplet; the message names the file and the row.

    See Also
    --------
    scan_quadruplets, scan_choices, scan_odd_one_outs : The same of other judgments.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from resemblance import Triplets, scan_triplets, write_triplets
    >>> with TemporaryDirectory() as folder:
    ...     write_triplets(Triplets([[0, 1, 2], [1, 2, 0]]), f"{folder}/part-0.parquet")
    ...     write_triplets(Triplets([[2, 1, 3]], items=4), f"{folder}/part-1.parquet")
    ...     scan_triplets(folder).shape
    (3, 3)
    """
    return _scan(Triplets, Path(path), items, columns, folder)


def scan_quadruplets(
    path: Path_,
    items: ScanItems = None,
    columns: Mapping[str, str] | None = None,
    *,
    folder: Path_ | None = None,
) -> StoredJudgments:
    """Scan quadruplets that stay on the disk: see :func:`scan_triplets`, :func:`read_quadruplets`.

    Parameters
    ----------
    path, items, columns, folder
        As in :func:`scan_triplets`; an array has four columns.

    Returns
    -------
    StoredJudgments

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import resemblance as rs
    >>> with TemporaryDirectory() as folder:
    ...     rs.write_quadruplets(rs.Quadruplets([[0, 1, 2, 3]]), f"{folder}/all.parquet")
    ...     rs.scan_quadruplets(folder).shape
    (1, 4)
    """
    return _scan(Quadruplets, Path(path), items, columns, folder)


def scan_choices(
    path: Path_,
    items: ScanItems = None,
    columns: Mapping[str, str] | None = None,
    *,
    folder: Path_ | None = None,
) -> StoredJudgments:
    """Scan choices that stay on the disk: see :func:`scan_triplets`, :func:`read_choices`.

    Parameters
    ----------
    path, items, columns, folder
        As in :func:`scan_triplets`; only Parquet.

    Returns
    -------
    StoredJudgments

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import resemblance as rs
    >>> with TemporaryDirectory() as folder:
    ...     rs.write_choices(rs.Choices([0], [[1, 2, 3]], chosen=[2]), f"{folder}/all.parquet")
    ...     rs.scan_choices(folder).shape
    (1, 4)
    """
    return _scan(Choices, Path(path), items, columns, folder)


def scan_odd_one_outs(
    path: Path_,
    items: ScanItems = None,
    columns: Mapping[str, str] | None = None,
    *,
    folder: Path_ | None = None,
) -> StoredJudgments:
    """Scan odd ones out that stay on the disk: see :func:`scan_triplets`.

    Parameters
    ----------
    path, items, columns, folder
        As in :func:`scan_triplets`; only Parquet, with the columns of :func:`read_odd_one_outs`.

    Returns
    -------
    StoredJudgments

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import resemblance as rs
    >>> with TemporaryDirectory() as folder:
    ...     rs.write_odd_one_outs(rs.OddOneOuts([[0, 1, 2]], odd=[1]), f"{folder}/all.parquet")
    ...     rs.scan_odd_one_outs(folder).shape
    (1, 3)
    """
    return _scan(OddOneOuts, Path(path), items, columns, folder)


def _scan(
    kind: type[Judgments],
    path: Path,
    items: ScanItems,
    columns: Mapping[str, str] | None,
    folder: Path_ | None,
) -> StoredJudgments:
    if path.suffix == ".npy":
        return _scan_array(kind, path, items)
    files = parquet_files(path)
    sources = tuple(map(State.of, files))
    known = known_items(items)
    tables = Tables(kind, files, columns)
    if known is None:
        known = mentioned(tables, tables)
    writer = Writer(kind, known, folder)
    for rows in judged(tables, tables, known):
        writer.add(rows)
    stored = writer.done(sources, tables.left_out)
    stored.check()
    return stored


def known_items(items: ScanItems) -> Items | None:
    """Take items, names of items, or the file of them."""
    if items is None or isinstance(items, Items):
        return items
    return read_items(items) if isinstance(items, str | PathLike) else Items(items)


def _scan_array(kind: type[Judgments], path: Path, items: ScanItems) -> StoredJudgments:
    """Check an array of positions block by block; it is read where it is."""
    width = len(kind.columns)
    if kind not in (Triplets, Quadruplets):
        raise FileError(
            f"{path}: only triplets and quadruplets are read from an array: give Parquet"
        )
    source = State.of(path)
    column = _array(path, width)
    n_rows = (source.size - column.offset) // (column.dtype.itemsize * width)
    blocks = [(a, min(a + BLOCK, n_rows)) for a in range(0, n_rows, BLOCK)]
    known = known_items(items)
    if known is None:
        known = Items(1 + max(int(column.read(*ends).max()) for ends in blocks))
    stored = StoredJudgments(
        kind, known, {"index": column}, n_rows, np.array([], dtype=str), (source,)
    )
    for first, last in blocks:
        try:
            rows = kind._filled(column.read(first, last), known)
            if isinstance(rows, HeadJudgments):
                rows._refuse_catches()
        except RowError as error:
            raise JudgmentError(f"{path}, row {first + error.row}: {error.problem}") from None
    return stored


def _array(path: Path, width: int) -> Column:
    """Find the rows of an array in its file."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise FileError(f"{path} cannot be read ({error}): give an array of numpy.save") from None
    good = array.ndim == 2 and array.shape[1] == width and array.dtype.kind in "iu"
    if not good or not len(array) or not array.flags.c_contiguous:
        raise FileError(
            f"{path} holds {array.dtype} of shape {array.shape}: give whole numbers, (rows, "
            f"{width}), row after row"
        )
    return Column(path, array.dtype, width, int(array.offset))
