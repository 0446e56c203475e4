"""Check Parquet files in blocks, and write the item positions to files."""

from __future__ import annotations

import re
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import FileError, JudgmentError
from resemblance.files import reading
from resemblance.judgments.base import Judgments
from resemblance.judgments.checks import RowError
from resemblance.judgments.file_io import judgments_of, known_items, notes_of
from resemblance.judgments.items import Items, items_up_to, natural_order
from resemblance.judgments.labels import KEPT, Labels, Path_, items_of
from resemblance.judgments.rows import NOTES
from resemblance.judgments.stored import BLOCK, Column, State, StoredJudgments, removed_when_done
from resemblance.judgments.tables import Table, need_pyarrow
from resemblance.judgments.triplets import WithCatches
from resemblance.optional import pd

TYPES = {"index": "<i4", "weight": "<f8", "response_id": "<i8", "observer": "<i4"}
Columns: TypeAlias = Mapping[str, str] | None
PLAIN = re.compile(r"0|[1-9][0-9]{0,7}", re.ASCII)  # a whole number without leading zeros
MOST_NUMBER = 10**8  # Names that are larger numbers are read as text.
READ = 1 << 20  # number of rows of a Parquet file that are converted at a time
ScanItems: TypeAlias = Items | Path_ | Iterable[Any] | int | None


def _file_of(folder: Path, column: str) -> Path:
    return folder / f"{column}.bin"


class Writer:
    def __init__(self, kind: type[Judgments], items: Items, folder: Path_ | None) -> None:
        self.kind, self.items, self.keeper = kind, items, None
        if folder is None:
            made = tempfile.mkdtemp(prefix="resemblance-")
            self.keeper = _Keeper(made)
            folder = made
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in (_file_of(self.folder, name) for name in TYPES):
            if path.exists():
                raise FileError(
                    f"{path} exists already, from another scan, and may be in use: remove it, or "
                    "name an empty folder"
                )
        self.columns: dict[str, Column] = {}
        self.people: dict[str, int] = {}
        self.n_rows = 0

    def add(self, rows: Judgments) -> None:
        cells: dict[str, Any] = {name: getattr(rows, name) for name in ("index", *NOTES)}
        if rows.observer is not None:
            cells["observer"] = self._coded(rows.observer)
        present = {name for name, values in cells.items() if values is not None}
        if not self.n_rows:
            self._begin(present, rows.index.shape[1])
        if rows.index.shape[1] > self.columns["index"].width:
            self._widen(rows.index.shape[1])
        gap = self.columns["index"].width - rows.index.shape[1]
        cells["index"] = np.pad(rows.index, ((0, 0), (0, gap)), constant_values=-1)
        for name, column in self.columns.items():
            with column.path.open("ab") as file:
                np.ascontiguousarray(cells[name], column.dtype).tofile(file)
        self.n_rows += len(rows)

    def _begin(self, present: set[str], width: int) -> None:
        for name in TYPES:
            if name in present:
                path = _file_of(self.folder, name)
                path.write_bytes(b"")
                self.columns[name] = Column(
                    path, np.dtype(TYPES[name]), width if name == "index" else 1
                )

    def _coded(self, observer: NDArray[np.str_]) -> NDArray[np.int32]:
        codes, names = pd.factorize(observer)
        numbers = [self.people.setdefault(str(name), len(self.people)) for name in names]
        return np.array(numbers, dtype=np.int32)[codes]

    def _widen(self, width: int) -> None:
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
    def __init__(self, folder: str) -> None:
        weakref.finalize(self, removed_when_done, folder)


def parquet_files(path: Path) -> list[Path]:
    if path.suffix == ".parquet" and path.is_file():
        return [path]
    if not path.is_dir():
        raise FileError(
            f"{path} is neither a folder of Parquet files nor a .parquet or .npy file: check it"
        )
    files = sorted(file for file in path.iterdir() if not file.name.startswith((".", "_")))
    stray = [file.name for file in files if file.suffix != ".parquet"]
    if stray or not files:
        has = f"{stray[0]} among its files" if stray else "no files"
        raise FileError(f"{path} has {has}: give a folder of .parquet files alone")
    return files


class Roles:
    """Columns of the tables by role. The first table decides them, even if it has no rows."""

    def __init__(
        self, kind: type[Judgments], first: Table, columns: Mapping[str, str] | None
    ) -> None:
        self.kind, self.columns = kind, columns
        names = list(first.frame.columns)
        self.labels = self._labels(first, names)
        notes = {role: name for role, name in (columns or {}).items() if role in NOTES}
        self.column_of = {role: name for name, role in self.labels.items()}
        self.column_of |= first.find((), NOTES, notes)
        self.used = list(self.column_of.values())
        self.left_out = tuple(name for name in names if name not in self.used)

    def _labels(self, first: Table, names: list[str]) -> dict[str, str]:
        column_of = self.kind._as_listed(first).find(self.kind.columns, NOTES, self.columns)
        roles = {column_of[role]: role for role in self.kind.columns}
        if "options" in roles and "options" not in names:
            del roles["options"]
            roles |= dict(zip(KEPT, KEPT, strict=True))
        return roles


class Tables(Roles):
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
                    yield rows_of_file(path, batch.to_pandas(), first)
                    first += batch.num_rows

    def _check(self, path: Path, schema: Any) -> None:
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
    import pyarrow as pa
    import pyarrow.parquet as pq

    remedy = "it may be cut off; write it again"
    with reading(path, remedy, " as Parquet", pa.ArrowException), pq.ParquetFile(path) as file:
        yield file


def rows_of_file(path: Path, frame: pd.DataFrame, first: int = 0) -> Table:
    return Table(path, frame, lambda row: f"row {first + row + 1}")


def judged(roles: Roles, tables: Iterable[Table], items: Items) -> Iterator[Judgments]:
    numbered = _Numbered(roles, items)
    for table in tables:
        yield numbered.judged(table) or judgments_of(roles.kind, table, items, roles.columns)


def mentioned(roles: Roles, tables: Iterable[Table]) -> Items:
    names: set[str] = set()
    seen = np.zeros(0, dtype=bool)  # seen[n] is true if the number n occurs as a name.
    for table in tables:
        if (numbers := _numbers(table, roles.labels)) is not None:
            seen = np.pad(seen, (0, max(0, 1 + numbers.max() - len(seen))))
            seen[numbers] = True
            continue
        with table.located():
            labels = [Labels.of(table.frame[name], role) for name, role in roles.labels.items()]
            names.update(items_of(labels).names)
    names.update(map(str, np.flatnonzero(seen)))
    return Items(sorted(names, key=natural_order))


def _numbers(table: Table, columns: Iterable[str]) -> NDArray[np.int64] | None:
    cells = [table.frame[name] for name in columns]
    if not all(pd.api.types.is_integer_dtype(column.dtype) for column in cells):
        return None
    if any(column.hasnans for column in cells):
        return None
    numbers = np.column_stack([column.to_numpy(dtype=np.int64) for column in cells])
    return numbers if len(numbers) and 0 <= numbers.min() <= numbers.max() < MOST_NUMBER else None


class _Numbered:
    """Looks up items with numeric names in an array of positions, which is faster than texts."""

    def __init__(self, roles: Roles, items: Items) -> None:
        self.roles, self.items = roles, items
        named = {name: at for at, name in enumerate(items.names) if PLAIN.fullmatch(name)}
        numbers = np.array([int(name) for name in named], dtype=np.int64)
        self.position = np.full(1 + numbers.max(initial=-1), -1, dtype=np.int32)
        self.position[numbers] = list(named.values())

    def judged(self, table: Table) -> Judgments | None:
        kind, columns = self.roles.kind, self.roles.labels
        as_it_stands = list(columns.values()) == list(kind.columns)
        numbers = _numbers(table, columns) if as_it_stands else None
        if numbers is None or numbers.max() >= len(self.position):
            return None
        index = self.position[numbers]
        if index.min() < 0:
            return None
        with table.located():
            rows = kind._filled(index, self.items, **notes_of(table, self.roles.column_of))
            return rows._refuse_catches()


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
