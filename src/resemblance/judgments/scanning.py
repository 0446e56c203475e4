"""Scan judgments on disk: check them once in blocks, and store their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from resemblance.errors import FileError, JudgmentError
from resemblance.files import reading
from resemblance.judgments.base import Judgments
from resemblance.judgments.catches import WithCatches
from resemblance.judgments.checks import RowError
from resemblance.judgments.items import Items, items_up_to
from resemblance.judgments.labelled import known_items
from resemblance.judgments.numbers import Writer
from resemblance.judgments.parquet import Tables, judged, mentioned, parquet_files
from resemblance.judgments.stored import BLOCK, Column, State, StoredJudgments

Path_: TypeAlias = str | PathLike[str]
ScanItems: TypeAlias = Items | Path_ | Iterable[Any] | int | None


def scan(
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
    named = known_items(items)
    tables = Tables(kind, files, columns)
    if named is None:
        named = mentioned(tables, tables)
    writer = Writer(kind, named, folder)
    for rows in judged(tables, tables, named):
        writer.add(rows)
    stored = writer.done(sources, tables.left_out)
    stored.check()
    return stored


def _scan_array(kind: type[Judgments], path: Path, items: ScanItems) -> StoredJudgments:
    """Check an array of positions in blocks; it is read in place."""
    width = len(kind.columns)
    if "options" in kind.columns:
        raise FileError(
            f"{path}: only triplets and quadruplets are read from an array: give Parquet"
        )
    source = State.of(path)
    column = _array(path, width)
    n_rows = (source.size - column.offset) // (column.dtype.itemsize * width)
    blocks = [(a, min(a + BLOCK, n_rows)) for a in range(0, n_rows, BLOCK)]
    named = known_items(items)
    if named is None:
        top = max(int(column.read(*ends).max()) for ends in blocks)
        named = items_up_to(top, n_rows * width)
    stored = StoredJudgments(
        kind, named, {"index": column}, n_rows, np.array([], dtype=str), (source,)
    )
    for first, last in blocks:
        try:
            rows = kind._filled(column.read(first, last), named)
            if isinstance(rows, WithCatches):
                rows._refuse_catches()
        except RowError as error:
            raise JudgmentError(f"{path}, row {first + error.row}: {error.problem}") from None
    return stored


def _array(path: Path, width: int) -> Column:
    with reading(path, "give an array of numpy.save"):
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    good = array.ndim == 2 and array.shape[1] == width and array.dtype.kind in "iu"
    if not good or not len(array) or not array.flags.c_contiguous:
        raise FileError(
            f"{path} holds {array.dtype} of shape {array.shape}: give whole numbers, (rows, "
            f"{width}), row after row"
        )
    return Column(path, array.dtype, width, int(array.offset))
