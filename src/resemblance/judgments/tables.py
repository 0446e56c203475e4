"""Tables in files: CSV, Parquet and JSON lines, told apart by suffix."""

import csv
import gzip
import json
import warnings
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd

from resemblance.errors import (
    FileError,
    JudgmentError,
    ResemblanceError,
    SettingError,
    UnavailableError,
)
from resemblance.files import need, suffix
from resemblance.judgments.checks import RowError
from resemblance.judgments.frames import TableLike, as_frame, is_table

# What a column may be called, in the order of preference; Salmon's names among them.
ACCEPTED = {
    "head": ("head", "anchor"),
    "near": ("near", "winner", "closer", "positive"),
    "far": ("far", "loser", "farther", "negative"),
    "observer": ("observer", "puid", "participant"),
    "item": ("item", "id", "name"),
    "label": ("label", "class"),
}
# From pandas 3.1 on, every way of reading floats is exact, and asking for one is deprecated.
_BEFORE_EXACT = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
EXACT: Any = {"float_precision": "round_trip"} if _BEFORE_EXACT else {}
BROKEN = (ValueError, OSError, EOFError, zlib.error, pd.errors.ParserWarning)


@dataclass(frozen=True)
class Table:
    """The rows of a file or of a table in memory, which know where they stood."""

    path: Path | None  # None of a table in memory
    frame: pd.DataFrame

    @property
    def name(self) -> str:
        """What errors call it."""
        return "the table" if self.path is None else str(self.path)

    @property
    def stem(self) -> str:
        """The name of the file without suffixes."""
        return "0" if self.path is None else self.path.name.split(".")[0]

    @property
    def folder(self) -> Path:
        """What its paths are relative to."""
        return Path() if self.path is None else self.path.parent

    @contextmanager
    def located(self) -> Iterator[None]:
        """Let errors about a row name the file and the line."""
        try:
            yield
        except JudgmentError as error:
            place, problem = "", str(error)
            if isinstance(error, RowError):
                place, problem = f", {self.where(error.row)}", error.problem
            raise JudgmentError(f"{self.name}{place}: {problem}", setting=error.setting) from None

    def where(self, row: int) -> str:
        """Say where in the file a row is."""
        if self.path is None:
            return f"row {row}"
        return FORMATS[suffix(self.path)].line_of(self.path, row)

    def find(
        self, needed: Sequence[str], optional: Sequence[str], columns: Mapping[str, str] | None
    ) -> dict[str, str]:
        """Find the column of the file for every role; needed ones must be there."""
        column_of = dict(columns or {})
        for role in column_of:
            if role not in (*needed, *optional):
                raise SettingError(
                    f"columns= names {role!r}: it may name {', '.join([*needed, *optional])}",
                    setting="columns",
                )
        self.need(list(column_of.values()), "columns=", "columns")
        free = [column for column in self.frame.columns if column not in column_of.values()]
        for role in (*needed, *optional):
            match = [name for name in names_of(role) if name in free]
            if match:
                column_of.setdefault(role, match[0])
            elif role in needed and role not in column_of:
                remedy = f"name the right one with columns={{{role!r}: ...}}"
                raise self._lacks(names_of(role), remedy, "columns")
        return column_of

    def need(self, names: Sequence[str], asked: str, setting: str | None = None) -> None:
        """Raise if the file lacks one of the columns that were asked for."""
        for name in names:
            if name not in self.frame.columns:
                raise self._lacks([name], f"correct {asked}", setting)

    def _lacks(self, names: Sequence[str], remedy: str, setting: str | None) -> ResemblanceError:
        wanted = " or ".join(map(repr, names))
        present = ", ".join(map(repr, self.frame.columns))
        problem = f"{self.name} has no column {wanted}; it has {present}: {remedy}"
        kind = JudgmentError if self.path is None else FileError
        return kind(problem, setting=setting)


def names_of(role: str) -> tuple[str, ...]:
    """Return the names that the column of a role may have."""
    return ACCEPTED.get(role, (role,))


def read_table(source: str | PathLike[str] | TableLike, labels: Collection[str]) -> Table:
    """Read a file, whose columns that may hold labels are kept as written; or take a table."""
    if is_table(source):
        return _in_memory(as_frame(source))
    if not isinstance(source, str | PathLike):
        raise JudgmentError(
            f"a {type(source).__name__} has no columns with names: give a path, a DataFrame or an "
            "Arrow table; an array of positions goes into Triplets, Quadruplets, ..."
        )
    path = Path(source)
    kind = FORMATS[suffix(path)]
    need(path)
    try:
        frame = kind.read(path, labels)
    except pd.errors.EmptyDataError:
        raise FileError(f"{path} is empty: it needs a header and rows") from None
    except BROKEN as error:
        raise FileError(
            f"{path} cannot be read as {kind.name} ({error}): check that it is whole, and UTF-8"
        ) from error
    if not len(frame):
        raise FileError(f"{path} has no rows: it needs one at least")
    return Table(path, frame.rename(columns=lambda column: str(column).strip()))


def _in_memory(frame: pd.DataFrame) -> Table:
    """Take the rows of a table; an index that has a name is a column."""
    if not len(frame):
        raise JudgmentError("the table has no rows: it needs one at least")
    named = frame.index.names != [None]
    return Table(None, frame.reset_index(drop=not named))


def first_column(path: Path) -> str | None:
    """Name the first column of a CSV file as it will be called; None of other files."""
    if suffix(path) != ".csv" or not path.is_file():
        return None
    with _open(path, "r") as file:
        return next(csv.reader(file), [""])[0] or "Unnamed: 0"


def write_table(frame: pd.DataFrame, path: str | PathLike[str]) -> None:
    """Write a frame in the format of the suffix."""
    path = Path(path)
    kind = FORMATS[suffix(path)]
    try:
        kind.write(frame, path)
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error}): check the folder") from error


def _open(path: Path, mode: str) -> TextIO:
    opened: Callable[..., Any] = gzip.open if path.suffix == ".gz" else open
    return opened(path, mode + "t", encoding="utf-8-sig" if mode == "r" else "utf-8", newline="")


def _read_csv(path: Path, labels: Collection[str]) -> pd.DataFrame:
    with _open(path, "r") as file:
        header = next(csv.reader(file), [])
    repeated = [name for i, name in enumerate(header) if name in header[:i] and name]
    if repeated:
        raise ValueError(f"two columns are called {repeated[0]!r}: rename or remove one")
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return pd.read_csv(
            path,
            dtype=dict.fromkeys(labels, str),
            keep_default_na=False,
            na_values=[""],
            index_col=False,
            low_memory=False,
            **EXACT,
        )


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    # Python's floats are printed exactly, as NumPy's are, in half the time.
    frame.astype(object).to_csv(path, index=False)


def _csv_line(path: Path, row: int) -> str:
    with _open(path, "r") as file:
        reader = csv.reader(file)
        filled = (reader.line_num for cells in reader if len(cells) > 1 or "".join(cells).strip())
        return f"line {next(islice(filled, row + 1, None))}"


def _read_jsonl(path: Path, labels: Collection[str]) -> pd.DataFrame:
    with _open(path, "r") as file:
        lines = [(number, line) for number, line in enumerate(file, 1) if line.strip()]
    return pd.DataFrame([_record(number, line) for number, line in lines])


def _record(number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None
    if not isinstance(record, dict):
        raise ValueError(f"line {number} is no JSON object")
    return record


def _write_jsonl(frame: pd.DataFrame, path: Path) -> None:
    plain = frame.astype(object).where(frame.notna(), None)
    with _open(path, "w") as file:
        for record in plain.to_dict("records"):
            file.write(json.dumps(record, ensure_ascii=False, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def _jsonl_line(path: Path, row: int) -> str:
    with _open(path, "r") as file:
        filled = (number for number, line in enumerate(file, 1) if line.strip())
        return f"line {next(islice(filled, row, None))}"


def _read_parquet(path: Path, labels: Collection[str]) -> pd.DataFrame:
    need_pyarrow()
    return pd.read_parquet(path, engine="pyarrow")


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    need_pyarrow()
    frame.to_parquet(path, engine="pyarrow", index=False)


def need_pyarrow() -> None:
    """Tell what to install where Parquet cannot be read."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise UnavailableError(
            'Parquet files need pyarrow: pip install "resemblance[parquet]", or use .csv or .jsonl'
        ) from None


@dataclass(frozen=True)
class Format:
    """How one type of file is read and written, and where its rows are."""

    name: str
    read: Callable[[Path, Collection[str]], pd.DataFrame]
    write: Callable[[pd.DataFrame, Path], None]
    line_of: Callable[[Path, int], str]


FORMATS = {
    ".csv": Format("CSV", _read_csv, _write_csv, _csv_line),
    ".jsonl": Format("JSON lines", _read_jsonl, _write_jsonl, _jsonl_line),
    ".parquet": Format("Parquet", _read_parquet, _write_parquet, lambda path, row: f"row {row}"),
}
