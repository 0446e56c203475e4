"""Judgments on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import metadata
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.base import ONE_PAIR, Comparison, Judgments
from resemblance.judgments.choices import Choices, OddOneOuts
from resemblance.judgments.file_io import known_items
from resemblance.judgments.items import Items, natural_order
from resemblance.judgments.partitions import (
    Cluster,
    FilePartition,
    FramePartition,
    MemoryPartition,
    Partition,
    StoredPartition,
    Summary,
    links,
    of_fold,
    some_rows,
)
from resemblance.judgments.scanning import Columns, ScanItems, parquet_files
from resemblance.judgments.stored import StoredJudgments, drawn, folds_of, joined
from resemblance.judgments.tables import names_of
from resemblance.judgments.triplets import Quadruplets, Triplets
from resemblance.ranges import check, one_of

COMPARED: tuple[type[Judgments], ...] = (Triplets, Quadruplets, Choices, OddOneOuts)
KINDS = {kind.kind(): kind for kind in COMPARED}
ROWS = 500_000  # rows per partition, for judgments that are not yet partitioned
MOST_PARTITIONS = 256

# Judgments, a path, or a Dask DataFrame. The type is Any because Dask is imported only when used.
Source: TypeAlias = Any


@dataclass(frozen=True)
class DistributedJudgments:
    """Judgments on the workers of a Dask cluster; returned by :func:`distribute`.

    Every estimator that fits coordinates or a map of features accepts these judgments: its
    objective is a sum over partitions. Partitions are summed in a fixed order, so that any number
    of workers gives the same result, bit for bit. If a worker dies, its rows are read again from
    their source.

    Attributes
    ----------
    kind : type
        The kind of the rows: :class:`Triplets`, :class:`Quadruplets`, :class:`Choices` or
        :class:`OddOneOuts`.
    items : Items
        The items.
    names : tuple of str
        The names of partitions in error messages: their files, or their indices from 0.

    Examples
    --------
    >>> import resemblance as rs
    >>> from dask.distributed import Client
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     rows = rs.distribute(rs.Triplets([[0, 1, 2], [1, 2, 0]]), client, n_parts=2)
    ...     rows, rows.sample(1, random_state=0)
    (DistributedJudgments(2 Triplets, 3 items, 2 partitions), Triplets(1 rows, 3 items))
    """

    kind: type[Judgments]
    items: Items
    names: tuple[str, ...]
    numbers: tuple[int, ...]
    parts: tuple[Any, ...]
    summaries: tuple[Summary, ...]
    cluster: Cluster
    # This reference prevents that the source is deleted before the rows.
    source: Any = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        what = f"{len(self)} {self.kind.__name__}, {self.n_items} items"
        return f"{type(self).__name__}({what}, {len(self.parts)} partitions)"

    @property
    def n_items(self) -> int:
        """The number of items, including items that no row mentions."""
        return len(self.items)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first row of each partition, then the total number of rows, (P + 1,)."""
        return np.cumsum([0, *(summary.n_rows for summary in self.summaries)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and the number of columns of ``index``."""
        return len(self), max(summary.width for summary in self.summaries)

    def comparisons(self) -> Iterator[Comparison]:
        """Yield for each partition pairs of items that have the rows' connected components."""
        for pairs in self.each("links", links, self.parts):
            yield Comparison(slice(None), self.result(pairs), ONE_PAIR)

    def sample(self, n: int, random_state: Any = None) -> Judgments:
        """Sample n rows (or all) without replacement into memory, in the order of partitions."""
        wanted = drawn(len(self), n, random_state)
        cuts = np.split(wanted, np.searchsorted(wanted, self.starts[1:-1]))
        own = [cut - first for cut, first in zip(cuts, self.starts, strict=False)]
        parts = self.gathered(self.each("sample", some_rows, self.parts, own))
        return joined(parts)._with(items=self.items)

    def split(
        self, n_folds: int = 10, fold: int = 0, *, by: str | None = None, seed: int = 0
    ) -> tuple[DistributedJudgments, DistributedJudgments]:
        """Hold out a fold as in :meth:`StoredJudgments.split`; both parts stay on the workers.

        A fold without rows raises a JudgmentError.
        """
        train, test = folds_of(self.summaries[0].notes, n_folds, fold, by, seed)
        firsts = list(map(int, self.starts[:-1]))
        cut = [self.each("fold", of_fold, self.parts, firsts, fold=rows) for rows in (train, test)]
        left, held = (_kept(replace(self, parts=tuple(parts))) for parts in cut)
        return left, held

    def each(self, what: str, do: Any, *columns: Sequence[Any], **shared: Any) -> list[Any]:
        """Call a function on every partition, and return the futures.

        ``what`` names the tasks. The call for partition k gets entry k of each of ``columns``, and
        all arguments ``shared``.
        """
        return self.cluster.each(what, do, *columns, numbers=self.numbers, **shared)

    def result(self, future: Any) -> Any:
        """Wait for the result of a future, and return it."""
        return self.cluster.result(future, self.names)

    def gathered(self, futures: Sequence[Any]) -> list[Any]:
        """Wait for the results of all partitions, and return them."""
        return self.cluster.gathered(futures, self.names)


# judgments that are not in the memory of this process
Elsewhere: TypeAlias = StoredJudgments | DistributedJudgments


def distribute(
    judgments: Source,
    client: Any = None,
    *,
    kind: str | None = None,
    items: ScanItems = None,
    columns: Mapping[str, str] | None = None,
    n_parts: int | None = None,
) -> DistributedJudgments:
    """Distribute judgments to the workers of a Dask cluster, so that fits sum over them there.

    Each partition is read and checked once, on a worker, and stays in its memory: 4 bytes per item
    and row, and twice that while a fit runs. Only the columns weight, response_id and observer are
    kept.

    Parameters
    ----------
    judgments : Dask DataFrame, path, StoredJudgments or judgments in memory
        A frame has the columns that :func:`read_triplets` or its siblings read, and keeps its
        partitions. A path is a Parquet file or a folder of them, on a disk that all workers can
        read; each file is a partition. Stored judgments, too, are read from a disk that all workers
        can read. Judgments in memory are sent to the workers, which is practical up to a few
        million rows.
    client : distributed.Client, optional
        The client of the cluster. Default: the client that was created last.
    kind : {"triplets", "quadruplets", "choices", "odd_one_outs"}, optional
        The kind of the rows of a frame or of files. Default: from a frame's columns, or triplets.
    items : Items, path, sequence of names or int, optional
        As in :func:`scan_triplets`; by default items are collected by reading all rows once more.
    columns : dict, optional
        Names of columns, such as ``{"head": "anchor"}``.
    n_parts : int, optional
        The number of partitions, for judgments without partitions. Default: one per 500,000 rows,
        or one per n_items rows if there are more items than that; at most 256.

    Raises
    ------
    UnavailableError
        If Dask is not installed, the client is closed, or the cluster has no workers; if workers
        lack this package, have another version of it, or have too little memory.
    JudgmentError, FileError
        If a row is not a judgment, or a file is missing or broken; the message names the partition
        or file, and the row (from 1).
    SettingError
        If there is no client, or ``kind`` is unknown.

    Examples
    --------
    >>> import resemblance as rs
    >>> from dask.distributed import Client
    >>> line = rs.Triplets([[0, 1, 2], [0, 1, 3], [1, 0, 3], [2, 3, 0], [3, 2, 0], [3, 2, 1]])
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     rows = rs.distribute(line, client)
    ...     rs.STE(1, random_state=0).fit(rows).score(rows)
    1.0
    """
    cluster = Cluster.of(client)
    cluster.check(metadata.version("resemblance"))
    source = _Source.of(judgments, kind, columns, n_parts)
    named = known_items(items) if source.items is None or items is not None else source.items
    if named is None:
        mentioned = cluster.gathered(source.each(cluster, "names", "items"), source.names)
        names: set[str] = set().union(*mentioned)
        if not names:
            raise JudgmentError("the judgments have no rows: they need one at least")
        named = Items(sorted(names, key=natural_order))
    (there,) = cluster.each("items", _same, [named])
    parts, numbers = source.each(cluster, "rows", "rows", items=there), range(len(source.names))
    rows = DistributedJudgments(
        source.kind, named, source.names, tuple(numbers), tuple(parts), (), cluster
    )
    return _kept(replace(rows, source=getattr(judgments, "keeper", None)))


def is_frame(judgments: object) -> bool:
    return hasattr(judgments, "to_delayed") and hasattr(judgments, "columns")


@dataclass(frozen=True)
class _Source:
    kind: type[Judgments]
    partitions: Sequence[Partition]
    names: tuple[str, ...]
    items: Items | None = None
    frames: Sequence[Any] | None = None

    @classmethod
    def of(cls, judgments: Source, kind: str | None, columns: Columns, n: int | None) -> _Source:
        if isinstance(judgments, StoredJudgments | Judgments):
            return cls._of_judgments(judgments, n)
        if is_frame(judgments):
            return cls._of_frame(judgments, kind, columns)
        if not isinstance(judgments, str | PathLike):
            raise JudgmentError(
                f"{type(judgments).__name__} cannot be distributed: give a Dask DataFrame, a "
                "folder of Parquet files, or judgments that choice models compare"
            )
        what, files = _kind(kind or "triplets"), parquet_files(Path(judgments).absolute())
        names = tuple(map(str, files))
        return cls(what, [FilePartition(what, path, columns) for path in files], names)

    @classmethod
    def _of_judgments(cls, rows: StoredJudgments | Judgments, n: int | None) -> _Source:
        size = len(rows)
        own = min(MOST_PARTITIONS, size // max(ROWS, rows.n_items))
        n = max(1, min(own if n is None else n, size))
        parts: list[Partition]
        if isinstance(rows, StoredJudgments):
            what = rows.kind
            parts = [StoredPartition(part) for part in rows.parts(n)]
        else:
            what, cuts = type(rows), [size * k // n for k in range(n + 1)]
            parts = [MemoryPartition(rows[first:last]) for first, last in pairwise(cuts)]
        return cls(what, parts, _numbered(n), rows.items)

    @classmethod
    def _of_frame(cls, frame: Any, kind: str | None, columns: Columns) -> _Source:
        what = _told_by(list(map(str, frame.columns))) if kind is None else _kind(kind)
        frames = frame.to_delayed()
        names = _numbered(len(frames))
        return cls(
            what, [FramePartition(what, name, columns) for name in names], names, None, frames
        )

    def each(self, cluster: Cluster, what: str, method: str, **shared: Any) -> list[Any]:
        if self.frames is None:
            return cluster.each(what, _call, self.partitions, method=method, spread=True, **shared)
        return cluster.of_delayed(what, self.partitions, method, self.frames, shared)


def _kept(rows: DistributedJudgments) -> DistributedJudgments:
    summaries = rows.gathered(rows.each("summary", Summary.of, rows.parts))
    columns = zip(rows.numbers, rows.parts, summaries, strict=True)
    kept = [(number, part, summary) for number, part, summary in columns if summary.n_rows]
    if not kept:
        raise JudgmentError("the judgments have no rows: they need one at least")
    begun, _, first = kept[0]
    for number, _, summary in kept:
        if summary.notes != first.notes:
            raise JudgmentError(
                f"{rows.names[number]} has {_listed(summary.notes)}, and {rows.names[begun]} has "
                f"{_listed(first.notes)}: give all the same columns"
            )
    numbers, parts, of_parts = zip(*kept, strict=True)
    return replace(rows, numbers=numbers, parts=parts, summaries=of_parts)


def _listed(notes: Sequence[str]) -> str:
    return (
        f"the columns {', '.join(notes)}" if notes else "neither weights, responses nor observers"
    )


def _numbered(n: int) -> tuple[str, ...]:
    return tuple(f"partition {number}" for number in range(n))


def _told_by(columns: list[str]) -> type[Judgments]:
    for kind in KINDS.values():
        if all(any(name in columns for name in names_of(role)) for role in kind.columns):
            return kind
    return OddOneOuts if {"kept_a", "kept_b", "odd"} <= {*columns} else Triplets


def _kind(name: str) -> type[Judgments]:
    check(kind=(name, one_of(*KINDS)))
    return KINDS[name]


def _same(thing: Any) -> Any:
    return thing


def _call(partition: Partition, method: str, **shared: Any) -> Any:
    return getattr(partition, method)(**shared)
