"""Judgments on disk, which are read in blocks."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from resemblance.arrays import below
from resemblance.errors import FileError, JudgmentError, SettingError
from resemblance.judgments.base import Comparison, Judgments
from resemblance.judgments.items import Items
from resemblance.ranges import check, one_of

BLOCK = 1 << 18  # number of rows that are read at a time
MIX = np.uint64(0x9E3779B97F4A7C15)
FOLDED = ("row", "response_id", "observer")


@dataclass(frozen=True)
class Column:
    """A file of numbers in rows of fixed width.

    Reading copies a block from the memory map, so that mapped pages do not fill the memory.
    """

    path: Path
    dtype: np.dtype[Any]
    width: int = 1
    offset: int = 0

    def read(self, start: int, stop: int) -> NDArray[Any]:
        size = self.dtype.itemsize * self.width
        count = (stop - start) * self.width
        values = np.fromfile(self.path, self.dtype, count, offset=self.offset + start * size)
        if len(values) < count:
            raise FileError(f"{self.path} has become shorter: scan the judgments again")
        return values.reshape(-1, self.width) if self.width > 1 else values


@dataclass(frozen=True)
class State:
    path: Path
    size: int
    written: int

    @classmethod
    def of(cls, path: Path) -> State:
        try:
            stat = path.stat()
        except OSError as error:
            raise FileError(f"{path} is gone ({error}): scan the judgments again") from None
        return cls(path, stat.st_size, stat.st_mtime_ns)

    def check(self) -> None:
        if State.of(self.path) != self:
            raise FileError(f"{self.path} has changed since it was scanned: scan it again")


@dataclass(frozen=True)
class Fold:
    """The rows inside or outside a fold; a hash of the row, response or observer assigns folds."""

    number: int
    n_folds: int
    by: str
    seed: int
    inside: bool

    def chosen(self, units: NDArray[Any]) -> NDArray[np.bool_]:
        """Return a mask of chosen rows; rows with equal units are chosen together."""
        fold = _hashed(units, self.seed) % np.uint64(self.n_folds)
        return np.asarray((fold == self.number) == self.inside)


@dataclass(frozen=True)
class StoredJudgments:
    """Judgments on disk; returned by :func:`scan_triplets` and its siblings.

    Every estimator that fits coordinates or a map of features accepts these judgments, and sums the
    objective block by block. Iteration yields blocks in memory, which are judgments of ``kind``. A
    slice or a fold stays on disk; an array of rows or a sample is loaded. A fit raises an error
    when a scanned file has changed.

    Attributes
    ----------
    kind : type
        The kind of the rows: :class:`Triplets`, :class:`Quadruplets`, :class:`Choices` or
        :class:`OddOneOuts`.
    items : Items
        The items.
    people : array of str
        The names of observers.
    left_out : tuple of str
        Columns of the source that were not read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> import resemblance as rs
    >>> with TemporaryDirectory() as folder:
    ...     path = f"{folder}/answers.npy"
    ...     np.save(path, [[0, 1, 2], [1, 2, 0], [2, 1, 0]])
    ...     stored = rs.scan_triplets(path)
    ...     [len(block) for block in stored.blocks(2)], stored[1:].sample(1, random_state=0)
    ([2, 1], Triplets(1 rows, 3 items))
    """

    kind: type[Judgments]
    items: Items
    columns: dict[str, Column]
    n_stored: int
    people: NDArray[np.str_] = field(repr=False)
    sources: tuple[State, ...] = field(repr=False)
    left_out: tuple[str, ...] = ()
    start: int = 0
    stop: int = -1
    folds: tuple[Fold, ...] = ()
    # Deletes a temporary folder when the judgments are no longer used.
    keeper: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.stop < 0:
            object.__setattr__(self, "stop", self.n_stored)

    @property
    def n_items(self) -> int:
        """The number of items, including items that no row mentions."""
        return len(self.items)

    @cached_property
    def _length(self) -> int:
        self.check()
        if not self.folds:
            return self.stop - self.start
        return sum(int(self._chosen(*ends).sum()) for ends in self._ends(BLOCK))

    def __len__(self) -> int:
        return self._length

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and the number of columns of ``index``."""
        return len(self), self.columns["index"].width

    def __iter__(self) -> Iterator[Judgments]:
        return self.blocks()

    def __getitem__(self, rows: Any) -> Any:
        """Return a slice of rows, on disk, or the rows with given indices, in memory.

        A slice of a fold is loaded like an array of rows.
        """
        if isinstance(rows, slice) and not self.folds and rows.step in (None, 1):
            start, stop, _ = rows.indices(len(self))
            first = self.start + start
            return replace(self, start=first, stop=max(first, self.start + stop))
        wanted = np.arange(len(self))[rows]
        return self._rows(np.atleast_1d(wanted))

    def blocks(self, size: int = BLOCK) -> Iterator[Judgments]:
        """Yield blocks of 1 to ``size`` rows.

        If a file was truncated, a FileError is raised.
        """
        for start, stop in self._ends(size):
            block = self.read(start, stop)
            if len(block):
                yield block

    def shuffled(self, size: int, rng: np.random.Generator) -> Iterator[Judgments]:
        """Yield all rows once, in blocks of about ``size`` rows in random order.

        ``rng`` shuffles the blocks; the order of rows within a block does not change.
        """
        ends = list(self._ends(BLOCK))
        order, few = rng.permutation(len(ends)), -(-size // BLOCK)
        for first in range(0, len(order), few):
            blocks = [self.read(*ends[at]) for at in order[first : first + few]]
            if blocks := [block for block in blocks if len(block)]:
                yield joined(blocks)

    def read(self, start: int, stop: int) -> Judgments:
        """Return rows ``start`` to ``stop`` of the files that belong to this fold."""
        cells = {name: column.read(start, stop) for name, column in self.columns.items()}
        if self.folds:
            chosen = self._chosen(start, stop)
            cells = {name: values[chosen] for name, values in cells.items()}
        index = np.ascontiguousarray(cells["index"], dtype=np.int32)
        observer = self.people[cells["observer"]] if "observer" in cells else None
        notes = {name: cells.get(name) for name in ("weight", "response_id")}
        rows = self.kind.__new__(self.kind)
        return rows._set(index=index, items=self.items, observer=observer, _extra={}, **notes)

    def comparisons(self) -> Iterator[Comparison]:
        for block in self.blocks():
            yield from block.comparisons()

    def sample(self, n: int, random_state: Any = None) -> Judgments:
        """Sample n rows (or all) without replacement into memory, in the order of the files."""
        return self._rows(drawn(len(self), n, random_state))

    def split(
        self, n_folds: int = 10, fold: int = 0, *, by: str | None = None, seed: int = 0
    ) -> tuple[StoredJudgments, StoredJudgments]:
        """Hold out a fold: return the other rows and the rows of the fold, both on disk.

        A hash of the row's index, response or observer assigns the fold, so folds differ in size by
        chance, and no assignment is stored.

        Parameters
        ----------
        n_folds, fold : int
            The number of folds, 2 or more, and the index of the fold held out, from 0.
        by : {"row", "response_id", "observer"}, optional
            The unit whose rows stay in one part. Default: responses if the rows have ids, else
            rows. If rows have no such column, a JudgmentError is raised.
        seed : int
            Seed of the hash.
        """
        train, test = folds_of(self.columns, n_folds, fold, by, seed)
        return (
            replace(self, folds=(*self.folds, train)),
            replace(self, folds=(*self.folds, test)),
        )

    def parts(self, n: int) -> list[StoredJudgments]:
        """Divide the rows into n consecutive parts of about equal size."""
        ends = [self.start + (self.stop - self.start) * k // n for k in range(n + 1)]
        return [replace(self, start=a, stop=b) for a, b in pairwise(ends)]

    def check(self) -> None:
        """Raise an error if a file has changed since it was scanned."""
        for source in self.sources:
            source.check()

    def _ends(self, size: int) -> Iterator[tuple[int, int]]:
        for first in range(self.start, self.stop, size):
            yield first, min(first + size, self.stop)

    def _chosen(self, start: int, stop: int) -> NDArray[np.bool_]:
        chosen = np.ones(stop - start, dtype=bool)
        for fold in self.folds:
            grouped = fold.by != "row"
            units = self.columns[fold.by].read(start, stop) if grouped else np.arange(start, stop)
            chosen &= fold.chosen(units)
        return chosen

    def _rows(self, wanted: NDArray[Any]) -> Judgments:
        self.check()
        order = np.argsort(wanted, kind="stable")
        parts, seen = [], 0
        for start, stop in self._ends(BLOCK):
            size = int(self._chosen(start, stop).sum()) if self.folds else stop - start
            first, last = np.searchsorted(wanted, (seen, seen + size), sorter=order)
            if first < last:
                parts.append(self.read(start, stop)[wanted[order[first:last]] - seen])
            seen += size
        rows = joined(parts) if parts else self.read(self.start, self.start)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return rows[back] if (np.diff(order) != 1).any() else rows


def folds_of(
    notes: Container[str], n_folds: int, fold: int, by: str | None, seed: int
) -> tuple[Fold, Fold]:
    if n_folds < 2 or not 0 <= fold < n_folds:
        raise SettingError(
            f"fold {fold} of {n_folds} folds: give 2 folds or more, and one of them from 0",
            setting="fold",
        )
    by = by or ("response_id" if "response_id" in notes else "row")
    check(by=(by, one_of(*FOLDED)))
    if by != "row" and by not in notes:
        raise JudgmentError(f'the rows have no {by}: add the column, or split by="row"')
    train, test = (Fold(fold, n_folds, by, seed, inside) for inside in (False, True))
    return train, test


def joined(parts: list[Judgments]) -> Judgments:
    if len(parts) == 1:
        return parts[0]
    names = ("weight", "response_id", "observer")
    columns = {
        name: None
        if getattr(parts[0], name) is None
        else np.concatenate([getattr(part, name) for part in parts])
        for name in names
    }
    return parts[0]._with(index=below([part.index for part in parts], -1), **columns)


def _hashed(units: ArrayLike, seed: int) -> NDArray[np.uint64]:
    with np.errstate(over="ignore"):
        z = np.asarray(units).astype(np.int64).view(np.uint64) + MIX * np.uint64(seed + 1)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))


def drawn(n_rows: int, n: int, random_state: Any) -> NDArray[Any]:
    """Return sorted indices of n rows sampled without replacement, or of all if there are fewer."""
    if n >= n_rows:
        return np.arange(n_rows)
    rng = check_random_state(random_state)
    return np.sort(sample_without_replacement(n_rows, n, random_state=rng))


def removed_when_done(folder: str) -> None:
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    os.rmdir(folder)
