"""Scan judgments on the disk: check them once, block after block, and keep their numbers."""

from __future__ import annotations

import re
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from resemblance.errors import FileError, JudgmentError
from resemblance.judgments.base import Judgments
from resemblance.judgments.catches import HeadJudgments
from resemblance.judgments.checks import RowError
from resemblance.judgments.choices import Choices, OddOneOuts
from resemblance.judgments.items import Items
from resemblance.judgments.labels import Labels, items_of, natural_order
from resemblance.judgments.quadruplets import Quadruplets
from resemblance.judgments.reading import KEPT, judgments_of, notes_of, read_items, with_options
from resemblance.judgments.rows import NOTES
from resemblance.judgments.stored import BLOCK, Column, State, StoredJudgments, removed_when_done
from resemblance.judgments.tables import Table, need_pyarrow
from resemblance.judgments.triplets import Triplets

Path_: TypeAlias = str | PathLike[str]
ScanItems: TypeAlias = Items | Path_ | Iterable[Any] | int | None
Columns: TypeAlias = Mapping[str, str] | None
TYPES = {"index": "<i4", "weight": "<f8", "response_id": "<i8", "observer": "<i4"}
PLAIN = re.compile(r"0|[1-9][0-9]{0,7}", re.ASCII)  # a number as its digits
MOST_NUMBER = 10**8  # a name that is a larger number is read as a text
READ = 1 << 20  # rows of Parquet that are turned into judgments at a time


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
        Where the numbers are written. Default: a temporary folder, which goes when the judgments
        do; ``TMPDIR`` says on which disk.

    Returns
    -------
    StoredJudgments

    Raises
    ------
    FileError
        If there are no files, one of them is broken or cut off, lacks a column, or has other
        columns than the first.
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
    writer = _Writer(kind, known, folder)
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


def parquet_files(path: Path) -> list[Path]:
    """List the Parquet files of a folder in the order of their names."""
    if path.suffix == ".parquet" and path.is_file():
        return [path]
    if not path.is_dir():
        raise FileError(
            f"{path} is no folder of Parquet files, no .parquet and no .npy: check the path"
        )
    shown = sorted(one for one in path.iterdir() if not one.name.startswith((".", "_")))
    stray = [one.name for one in shown if one.suffix != ".parquet"]
    if stray or not shown:
        has = f"{stray[0]} among its files" if stray else "no files"
        raise FileError(f"{path} has {has}: give a folder of .parquet files alone")
    return shown


class Roles:
    """Which columns of tables hold what; the first of them, with or without rows, says so."""

    def __init__(
        self, kind: type[Judgments], first: Table, columns: Mapping[str, str] | None
    ) -> None:
        self.kind, self.columns = kind, columns
        names = list(first.frame.columns)
        self.labels = self._labels(first, names)
        told = {role: name for role, name in (columns or {}).items() if role in NOTES}
        self.found = {role: name for name, role in self.labels.items()}
        self.found |= first.find((), NOTES, told)
        self.used = list(self.found.values())
        self.left_out = tuple(name for name in names if name not in self.used)

    def _labels(self, first: Table, names: list[str]) -> dict[str, str]:
        """Name the columns that hold items, and what each is."""
        found = with_options(self.kind, first).find(self.kind.columns, NOTES, self.columns)
        roles = {found[role]: role for role in self.kind.columns}
        if "options" in roles and "options" not in names:
            del roles["options"]
            roles |= dict(zip(KEPT, KEPT, strict=True))
        return roles


class Tables(Roles):
    """The rows of Parquet files as tables of some rows, each of which knows its file and row."""

    def __init__(
        self, kind: type[Judgments], files: list[Path], columns: Mapping[str, str] | None
    ) -> None:
        need_pyarrow()
        self.files = files
        self.schema: dict[str, str] | None = None
        with _parquet(files[0]) as file:
            names = list(file.schema_arrow.names)
        super().__init__(kind, Table(files[0], pd.DataFrame(columns=names)), columns)

    def __iter__(self) -> Iterator[Table]:
        for path in self.files:
            with _parquet(path) as file:
                self._check(path, file.schema_arrow)
                first = 0
                for batch in file.iter_batches(READ, columns=self.used):
                    yield SomeRows(path, batch.to_pandas(), first)
                    first += batch.num_rows

    def _check(self, path: Path, schema: Any) -> None:
        """Refuse a file whose columns, or their types, are not those of the first."""
        types = {name: str(schema.field(name).type) for name in self.used if name in schema.names}
        self.schema = self.schema or types
        for name, kind in self.schema.items():
            if types.get(name) != kind:
                has = f"of type {types[name]}" if name in types else "missing"
                raise FileError(
                    f"{path}: the column {name!r} is {has}, and {kind} in {self.files[0]}: make "
                    "the files alike"
                )


@contextmanager
def _parquet(path: Path) -> Iterator[Any]:
    """Open a Parquet file; tell what is wrong with it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        raise FileError(
            f"{path} cannot be read as Parquet ({error}): it may be cut off; write it again"
        ) from error


@dataclass(frozen=True)
class SomeRows(Table):
    """Some rows of a file, of which the first has a number of its own."""

    first: int = 0

    def where(self, row: int) -> str:
        """Say where in the file a row is, counted from 1."""
        return f"row {self.first + row + 1}"


def judged(roles: Roles, tables: Iterable[Table], items: Items) -> Iterator[Judgments]:
    """Check tables one after another: yield the rows of each as judgments."""
    numbered = _Numbered(roles, items)
    for table in tables:
        yield numbered.judged(table) or judgments_of(roles.kind, table, items, roles.columns)


def mentioned(roles: Roles, tables: Iterable[Table]) -> Items:
    """Find the items that the rows of all tables mention, in natural order."""
    names: set[str] = set()
    seen = np.zeros(0, dtype=bool)  # numbers that are names
    for table in tables:
        if (numbers := _numbers(table, roles.labels)) is not None:
            seen = np.pad(seen, (0, max(0, 1 + numbers.max() - len(seen))))
            seen[numbers] = True
            continue
        with table.located():
            found = [Labels.of(table.frame[name], role) for name, role in roles.labels.items()]
            names.update(items_of(found).names)
    names.update(map(str, np.flatnonzero(seen)))
    return Items(sorted(names, key=natural_order))


def _numbers(table: Table, columns: Iterable[str]) -> NDArray[np.int64] | None:
    """Return columns of items that are numbers from 0 on, (rows, columns); None of others."""
    found = [table.frame[name] for name in columns]
    if not all(pd.api.types.is_integer_dtype(column.dtype) for column in found):
        return None
    if any(column.hasnans for column in found):
        return None
    numbers = np.column_stack([column.to_numpy(dtype=np.int64) for column in found])
    return numbers if len(numbers) and 0 <= numbers.min() <= numbers.max() < MOST_NUMBER else None


class _Numbered:
    """Finds items whose names are numbers by a table of positions, in place of their texts."""

    def __init__(self, roles: Roles, items: Items) -> None:
        self.roles, self.items = roles, items
        named = {name: at for at, name in enumerate(items.names) if PLAIN.fullmatch(name)}
        numbers = np.array([int(name) for name in named], dtype=np.int64)
        self.position = np.full(1 + numbers.max(initial=-1), -1, dtype=np.int32)
        self.position[numbers] = list(named.values())

    def judged(self, table: Table) -> Judgments | None:
        """Make judgments of a table all of whose items are known numbers; None of others."""
        kind, columns = self.roles.kind, self.roles.labels
        as_it_stands = list(columns.values()) == list(kind.columns)
        numbers = _numbers(table, columns) if as_it_stands else None
        if numbers is None or numbers.max() >= len(self.position):
            return None
        index = self.position[numbers]
        if index.min() < 0:
            return None
        with table.located():
            rows = kind._filled(index, self.items, **notes_of(table, self.roles.found))
            return rows._refuse_catches()


class _Writer:
    """Writes the numbers of judgments, a file for each column."""

    def __init__(self, kind: type[Judgments], items: Items, folder: Path_ | None) -> None:
        self.kind, self.items, self.keeper = kind, items, None
        if folder is None:
            made = tempfile.mkdtemp(prefix="resemblance-")
            self.keeper = _Keeper(made)
            folder = made
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.columns: dict[str, Column] = {}
        self.people: dict[str, int] = {}
        self.n_rows = 0

    def add(self, rows: Judgments) -> None:
        """Write some rows more."""
        told: dict[str, Any] = {name: getattr(rows, name) for name in ("index", *NOTES)}
        if rows.observer is not None:
            told["observer"] = self._coded(rows.observer)
        present = {name for name, values in told.items() if values is not None}
        if not self.n_rows:
            self._begin(present, rows.index.shape[1])
        if rows.index.shape[1] > self.columns["index"].width:
            self._widen(rows.index.shape[1])
        gap = self.columns["index"].width - rows.index.shape[1]
        told["index"] = np.pad(rows.index, ((0, 0), (0, gap)), constant_values=-1)
        for name, column in self.columns.items():
            with column.path.open("ab") as file:
                np.ascontiguousarray(told[name], column.dtype).tofile(file)
        self.n_rows += len(rows)

    def _begin(self, present: set[str], width: int) -> None:
        for name in TYPES:
            if name in present:
                path = self.folder / f"{name}.bin"
                path.write_bytes(b"")
                self.columns[name] = Column(
                    path, np.dtype(TYPES[name]), width if name == "index" else 1
                )

    def _coded(self, observer: NDArray[np.str_]) -> NDArray[np.int32]:
        """Number people as they first appear."""
        codes, names = pd.factorize(observer)
        numbers = [self.people.setdefault(str(name), len(self.people)) for name in names]
        return np.array(numbers, dtype=np.int32)[codes]

    def _widen(self, width: int) -> None:
        """Write the rows so far anew, as some row has more options than all before it."""
        old = self.columns["index"]
        new = Column(old.path.with_suffix(".wide"), old.dtype, width)
        with new.path.open("wb") as file:
            for first in range(0, self.n_rows, BLOCK):
                rows = old.read(first, min(first + BLOCK, self.n_rows)).reshape(-1, old.width)
                gap = ((0, 0), (0, width - old.width))
                np.pad(rows, gap, constant_values=-1).tofile(file)
        new.path.replace(old.path)
        self.columns["index"] = Column(old.path, old.dtype, width)

    def done(self, sources: tuple[State, ...], left_out: tuple[str, ...]) -> StoredJudgments:
        """Return what was written."""
        if not self.n_rows:
            raise FileError(f"{sources[0].path.parent} has no rows: it needs one at least")
        own = tuple(State.of(column.path) for column in self.columns.values())
        return StoredJudgments(
            self.kind,
            self.items,
            self.columns,
            self.n_rows,
            np.array(list(self.people), dtype=str),
            (*sources, *own),
            left_out,
            keeper=self.keeper,
        )


class _Keeper:
    """Holds a temporary folder for as long as somebody holds this."""

    def __init__(self, folder: str) -> None:
        weakref.finalize(self, removed_when_done, folder)


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
