"""Read, check and cut one partition of judgments on a worker of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from resemblance.errors import FileError, JudgmentError
from resemblance.judgments.base import Judgments
from resemblance.judgments.items import Items
from resemblance.judgments.parquet import Columns, Roles, Tables, judged, mentioned, rows_of_file
from resemblance.judgments.rows import NOTES
from resemblance.judgments.stored import Fold, StoredJudgments, joined
from resemblance.judgments.tables import Table
from resemblance.optional import pd


class FramePartition:
    """A partition of a Dask DataFrame."""

    def __init__(self, kind: type[Judgments], name: str, columns: Columns) -> None:
        self.kind, self.name, self.columns = kind, name, columns

    def items(self, frame: pd.DataFrame) -> tuple[str, ...]:
        return mentioned(*self._tables(frame)).names if len(frame) else ()

    def rows(self, frame: pd.DataFrame, items: Items) -> Judgments | None:
        if not len(frame):
            return None
        roles, tables = self._tables(frame)
        _refuse_texts(self.name, roles, frame)
        return _plain(judged(roles, tables, items))

    def _tables(self, frame: pd.DataFrame) -> tuple[Roles, list[Table]]:
        frame = frame.rename(columns=str).reset_index(drop=True)
        roles = Roles(self.kind, Table(Path(self.name), frame.iloc[:0]), self.columns)
        return roles, [rows_of_file(Path(self.name), frame[roles.used])]


class FilePartition:
    """A Parquet file on a disk that all workers see."""

    def __init__(self, kind: type[Judgments], path: Path, columns: Columns) -> None:
        self.kind, self.path, self.columns = kind, path, columns

    def items(self) -> tuple[str, ...]:
        tables = self._tables()
        return mentioned(tables, tables).names

    def rows(self, items: Items) -> Judgments | None:
        tables = self._tables()
        return _plain(judged(tables, self._checked(tables), items))

    def _tables(self) -> Tables:
        if not self.path.is_file():
            raise FileError(f"{self.path} {NOT_SEEN}")
        return Tables(self.kind, [self.path], self.columns)

    def _checked(self, tables: Tables) -> Iterator[Table]:
        for table in tables:
            _refuse_texts(str(self.path), tables, table.frame)
            yield table


class StoredPartition:
    """Part of scanned judgments, on a disk that all workers see."""

    def __init__(self, rows: StoredJudgments) -> None:
        self._rows = replace(rows, items=Items(2), keeper=None)

    def rows(self, items: Items) -> Judgments | None:
        gone = [source.path for source in self._rows.sources if not source.path.is_file()]
        if gone:
            raise FileError(f"{gone[0]} {NOT_SEEN}")
        self._rows.check()
        return _plain(replace(self._rows, items=items).blocks())


class MemoryPartition:
    """Part of judgments that were in memory when distributed."""

    def __init__(self, rows: Judgments) -> None:
        self._rows = rows._with(items=None, _extra={})

    def rows(self, items: Items) -> Judgments | None:
        return _plain(iter([self._rows._with(items=items)]))


Partition = FramePartition | FilePartition | StoredPartition | MemoryPartition
NOT_SEEN = "is not on this worker's disk: put it where all workers find it under this path"


@dataclass(frozen=True)
class Summary:
    """Summary of a partition: its number of rows, their width, and their notes."""

    n_rows: int
    width: int
    notes: tuple[str, ...]

    @classmethod
    def of(cls, rows: Judgments | None) -> Summary:
        if rows is None:
            return cls(0, 0, ())
        notes = tuple(name for name in NOTES if getattr(rows, name) is not None)
        return cls(*rows.shape, notes)


def _refuse_texts(where: str, roles: Roles, frame: pd.DataFrame) -> None:
    """Refuse responses with names, since each partition would number them separately."""
    name = roles.column_of.get("response_id")
    if name is not None and not pd.api.types.is_numeric_dtype(frame[name]):
        raise JudgmentError(
            f"{where}: the column {name!r} of responses is {frame[name].dtype}: on a cluster, give "
            "each response a whole number"
        )


def _plain(blocks: Iterator[Judgments]) -> Judgments | None:
    """Concatenate blocks, without further columns; None without rows."""
    filled = [block._with(_extra={}) for block in blocks if len(block)]
    return joined(filled) if filled else None


def some_rows(rows: Judgments, wanted: NDArray[np.intp]) -> Judgments:
    taken: Judgments = rows[wanted]
    return taken._with(items=None)


def of_fold(rows: Judgments, first: int, fold: Fold) -> Judgments | None:
    """Select the rows of a fold; ``first`` is the first row's number in all partitions."""
    if fold.by == "row":
        units = np.arange(first, first + len(rows))
    elif fold.by == "response_id":
        units = np.asarray(rows.response_id)
    else:
        names = np.asarray(rows.observer, dtype=object)
        units = pd.util.hash_array(names).view(np.int64)
    chosen = fold.chosen(units)
    return rows[chosen] if chosen.any() else None


def links(rows: Judgments) -> NDArray[np.int32]:
    """Return a spanning set of pairs, (k, 2), that connects the same items as the rows.

    >>> from resemblance import Triplets
    >>> links(Triplets([[0, 1, 2], [2, 0, 1], [3, 4, 5]]))
    array([[0, 0],
           [1, 0],
           [2, 0],
           [3, 3],
           [4, 3],
           [5, 3]], dtype=int32)
    """
    used, local = np.unique(rows.index, return_inverse=True)
    local = local.reshape(rows.shape)
    joined_pairs = [
        local[there][:, [0, column]]
        for column in range(1, rows.shape[1])
        if (there := rows.index[:, column] >= 0).any()
    ]
    a, b = np.concatenate(joined_pairs).T
    graph = coo_array((np.ones(len(a), dtype=bool), (a, b)), shape=(len(used), len(used)))
    part = connected_components(graph.tocsr(), directed=False)[1]
    there = used >= 0  # -1 is a gap in a row
    first = np.full(part.max() + 1, -1)
    first[part[there][::-1]] = used[there][::-1]
    return np.column_stack([used, first[part]])[there].astype(np.int32)
