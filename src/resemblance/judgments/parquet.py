"""Read Parquet files as judgments in blocks; errors name the file and the row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import FileError
from resemblance.files import reading
from resemblance.judgments.base import Judgments
from resemblance.judgments.items import Items
from resemblance.judgments.labelled import judgments_of, notes_of
from resemblance.judgments.labels import KEPT, Labels, items_of, natural_order
from resemblance.judgments.rows import NOTES
from resemblance.judgments.tables import Table, need_pyarrow
from resemblance.optional import pd

Columns: TypeAlias = Mapping[str, str] | None
PLAIN = re.compile(r"0|[1-9][0-9]{0,7}", re.ASCII)  # a number as its digits
MOST_NUMBER = 10**8  # a name that is a larger number is read as a text
READ = 1 << 20  # rows of Parquet that are turned into judgments at a time


def parquet_files(path: Path) -> list[Path]:
    if path.suffix == ".parquet" and path.is_file():
        return [path]
    if not path.is_dir():
        raise FileError(
            f"{path} is no folder of Parquet files, no .parquet and no .npy: check the path"
        )
    files = sorted(file for file in path.iterdir() if not file.name.startswith((".", "_")))
    stray = [file.name for file in files if file.suffix != ".parquet"]
    if stray or not files:
        has = f"{stray[0]} among its files" if stray else "no files"
        raise FileError(f"{path} has {has}: give a folder of .parquet files alone")
    return files


class Roles:
    """Columns of tables by role, decided by the first table, with or without rows."""

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
    """The rows of Parquet files as small tables that know their file and row."""

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
    """Check tables one after another, and yield their judgments."""
    numbered = _Numbered(roles, items)
    for table in tables:
        yield numbered.judged(table) or judgments_of(roles.kind, table, items, roles.columns)


def mentioned(roles: Roles, tables: Iterable[Table]) -> Items:
    names: set[str] = set()
    seen = np.zeros(0, dtype=bool)  # numbers that are names
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
    """Return columns of items as numbers from 0, (rows, columns); None if they are not."""
    cells = [table.frame[name] for name in columns]
    if not all(pd.api.types.is_integer_dtype(column.dtype) for column in cells):
        return None
    if any(column.hasnans for column in cells):
        return None
    numbers = np.column_stack([column.to_numpy(dtype=np.int64) for column in cells])
    return numbers if len(numbers) and 0 <= numbers.min() <= numbers.max() < MOST_NUMBER else None


class _Numbered:
    """Looks up items with numeric names in a table of positions, instead of texts."""

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
