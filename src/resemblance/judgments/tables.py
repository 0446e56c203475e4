"""Tables in files: delimited text, JSON, Parquet and Excel; and in memory."""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, TextIO, TypeAlias
from zipfile import BadZipFile, ZipFile

import numpy as np

from resemblance.errors import (
    FileError,
    JudgmentError,
    ResemblanceError,
    SettingError,
)
from resemblance.files import TABLES_READ, need, suffix
from resemblance.judgments.checks import RowError
from resemblance.judgments.frames import TableLike, as_frame, is_table
from resemblance.optional import need_packages, pd

PEOPLE = ("observer", "puid", "participant", "person", "subject", "worker")
OF_PEOPLE = ("{0}_id", "{0}Id", "{1}", "{1}ID", "{1}Id", "{1} ID", "{1}_ID", "{1}.ID")
# What a column may be called, in the order of preference; Salmon's names among them.
ACCEPTED = {
    "head": ("head", "anchor"),
    "near": ("near", "winner", "closer", "positive"),
    "far": ("far", "loser", "farther", "negative"),
    "observer": (
        *(*PEOPLE, "PUID"),
        *(form.format(word, word.capitalize()) for form in OF_PEOPLE for word in PEOPLE),
    ),
    "item": ("item", "id", "name"),
    "label": ("label", "class"),
}
# a ParserWarning of pandas, made an error, is the one warning that is raised
BROKEN = (
    *(ValueError, KeyError, OSError, EOFError, RecursionError, Warning),
    *(zlib.error, BadZipFile, csv.Error),
)
MOST_BYTES = {".gz": 4 << 30, ".xlsx": 1 << 29}  # that a packed file may unpack to
LOG = {"event", "number", "head", "options", "chosen"}  # columns of the log of a session
SEPARATORS = ",;\t"
BEGIN = re.compile(r"[^ \t\r\n,]")  # of a JSON record, after what lies between
DECIMAL_COMMA = r"\s*[+-]?\d+(,\d+)?\s*"
csv.field_size_limit(min(sys.maxsize, 1 << 31 - 1))  # a cell may hold a whole questionnaire


@dataclass(frozen=True)
class Table:
    """The rows of a file or of a table in memory, which know where they stood."""

    path: Path | None  # None of a table in memory
    frame: pd.DataFrame
    place: Callable[[int], str] = "row {}".format  # of a row of the frame

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

    @property
    def is_log(self) -> bool:
        """Whether these are the events of a session."""
        return {*self.frame.columns} >= LOG

    def where(self, row: int) -> str:
        """Say where in the file a row is."""
        return self.place(row)

    def take(self, rows: Any) -> Table:
        """Return some rows, each of which still knows where it stood."""
        numbers, place = np.arange(len(self.frame))[rows], self.place
        kept = self.frame.iloc[numbers].reset_index(drop=True)
        return replace(self, frame=kept, place=lambda row: place(int(numbers[row])))

    def find(
        self, needed: Sequence[str], optional: Sequence[str], columns: Mapping[str, str] | None
    ) -> dict[str, str]:
        """Find the column of the file for every role; needed ones must be there."""
        column_of, roles = dict(columns or {}), ", ".join([*needed, *optional])
        for role in column_of:
            if role not in (*needed, *optional):
                raise SettingError(
                    f"columns= names {role!r}: it may name {roles}", setting="columns"
                )
        named = f"columns=, which gives one of these as each of {roles}"
        self.need(list(column_of.values()), named, "columns")
        free = [column for column in self.frame.columns if column not in column_of.values()]
        for role in (*needed, *optional):
            match = [name for name in names_of(role) if name in free]
            if match:
                column_of.setdefault(role, match[0])
            elif role in needed and role not in column_of:
                remedy = f"name the right one with columns={{{role!r}: ...}}"
                if role == "options":
                    remedy += "; where each option has a column, read_experiment reads it"
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


def read_table(source: str | PathLike[str] | TableLike, labels: Collection[str] | None) -> Table:
    """Read a file, whose columns that may hold labels (None: all) are kept as written.

    Or take a table in memory. Where all cells of a delimited text are kept, each column is read in
    parts as categories: every text is held once.
    """
    if is_table(source):
        return _in_memory(as_frame(source))
    if not isinstance(source, str | PathLike):
        raise JudgmentError(
            f"a {type(source).__name__} has no columns with names: give a path, a DataFrame or an "
            "Arrow table; an array of positions goes into Triplets, Quadruplets, ..."
        )
    path = Path(source)
    kind = FORMATS[suffix(path, TABLES_READ)]
    need(path)
    with readable(path):
        refuse_swelling(path)
        frame, place = kind.read(path, labels)
    if not len(frame):
        raise FileError(f"{path} has no rows: it needs one at least")
    return Table(path, frame.rename(columns=lambda column: str(column).strip()), place)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Let whatever is wrong within a file name it."""
    try:
        yield
    except FileError:
        raise
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} is no UTF-8 (byte {error.start + 1} is {error.object[error.start]:#x}): save "
            "it as UTF-8; in Excel the type is called CSV UTF-8"
        ) from None
    except BROKEN as error:
        if type(error).__name__ == "EmptyDataError":  # of pandas, which may lack
            raise FileError(f"{path} is empty: it needs a header and rows") from None
        name = FORMATS[suffix(path, TABLES_READ)].name
        raise FileError(
            f"{path} cannot be read as {name} ({error}): check that it is whole"
        ) from error


def _in_memory(frame: pd.DataFrame) -> Table:
    """Take the rows of a table; an index that has a name is a column."""
    if not len(frame):
        raise JudgmentError("the table has no rows: it needs one at least")
    named = frame.index.names != [None]
    return Table(None, frame.reset_index(drop=not named))


def first_column(path: Path) -> str | None:
    """Name the first column of a CSV file as it will be called; None of other files."""
    if suffix(path, TABLES_READ) != ".csv" or not path.is_file():
        return None
    with readable(path):
        return header_of(path)[1][0] or "Unnamed: 0"


def write_table(frame: pd.DataFrame, path: str | PathLike[str]) -> None:
    """Write a frame in the format of the suffix."""
    path = Path(path)
    write = FORMATS[suffix(path)].write
    assert write is not None  # those of TABLES are written
    try:
        write(frame, path)
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error}): check the folder") from error


def refuse_swelling(path: Path) -> None:
    """Refuse a packed file that unpacks to more than is read: a thousand times its size may be."""
    size, most = 0, MOST_BYTES.get(path.suffix.lower(), 0)
    if path.suffix.lower() == ".xlsx":
        with ZipFile(path) as book:  # which gives no more of a part than it says here
            size = sum(part.file_size for part in book.infolist())
    elif most:
        with _binary(path) as file:
            while size <= most and (part := file.read(1 << 20)):
                size += len(part)
    if size > most:
        raise FileError(
            f"{path} unpacks to {size:,} bytes or more, of which at most {most:,} are read: give "
            "it as .csv, which is not packed"
        )


def _binary(path: Path) -> Any:
    return (gzip.open if path.suffix == ".gz" else open)(path, "rb")


def encoding_of(path: Path) -> str:
    """Return the encoding that the first bytes of a file tell: UTF-16, else UTF-8."""
    with _binary(path) as file:
        return "utf-16" if file.read(2) in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def opened(path: Path, mode: str = "r") -> TextIO:
    """Open a text in its encoding, unpacked."""
    opens: Callable[..., Any] = gzip.open if path.suffix == ".gz" else open
    encoding = encoding_of(path) if mode == "r" else "utf-8"
    return opens(path, mode + "t", encoding=encoding, newline="")


def header_of(path: Path) -> tuple[str, list[str]]:
    """Return what separates cells, and the cells of the first row that has any."""
    with opened(path) as file:
        first = next((line for line in file if line.strip()), "")
    parted = {mark: len(next(csv.reader([first], delimiter=mark), [])) for mark in SEPARATORS}
    separator = max(SEPARATORS, key=parted.__getitem__)
    with opened(path) as file:
        rows = csv.reader(file, delimiter=separator)
        header = next((row for row in rows if "".join(row).strip()), [""])
    repeated = [name for i, name in enumerate(header) if name in header[:i] and name]
    if repeated:
        raise ValueError(f"two columns are called {repeated[0]!r}: rename or remove one")
    return separator, header


def exact() -> dict[str, Any]:
    """Return what makes pandas read floats exactly: from 3.1 on it does, and deprecates asking."""
    asked = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    return {"float_precision": "round_trip"} if asked else {}


Read: TypeAlias = "tuple[pd.DataFrame, Callable[[int], str]]"


def _read_delimited(path: Path, labels: Collection[str] | None) -> Read:
    separator, _ = header_of(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame = pd.read_csv(
            path,
            sep=separator,
            encoding=encoding_of(path),
            dtype="category" if labels is None else dict.fromkeys(labels, str),
            keep_default_na=False,
            na_values=[""],
            index_col=False,
            low_memory=labels is None,  # in parts, which types that are guessed do not allow
            **exact(),
        )
    if separator != ",":
        frame = frame.apply(lambda c: c if c.name in (labels or ()) else _decimal(c))
    return frame, partial(_csv_line, path, separator)


def _decimal(column: pd.Series) -> pd.Series:
    """Write decimal points where all cells of a column are numbers with decimal commas."""
    if pd.api.types.is_numeric_dtype(column):
        return column
    codes, texts = pd.factorize(column)
    cells = pd.Series(texts).astype(str).str
    if not (cells.fullmatch(DECIMAL_COMMA).all() and cells.contains(",").any()):
        return column
    return pd.to_numeric(cells.replace(",", ".")).reindex(codes).set_axis(column.index)


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    # Python's floats are printed exactly, as NumPy's are, in half the time.
    frame.astype(object).to_csv(path, index=False)


def _csv_line(path: Path, separator: str, row: int) -> str:
    with opened(path) as file:
        reader = csv.reader(file, delimiter=separator)
        filled = (reader.line_num for cells in reader if len(cells) > 1 or "".join(cells).strip())
        return f"line {next(islice(filled, row + 1, None))}"


def _read_text(path: Path, labels: Collection[str] | None) -> Read:
    """Read a text of any kind: JSON where it begins as one, else cells with separators."""
    with opened(path) as file:
        first = next((line for line in file if line.strip()), "").lstrip()
    return (_read_json if first.startswith(("[", "{")) else _read_delimited)(path, labels)


def _read_json(path: Path, labels: Collection[str] | None) -> Read:
    """Read objects: in a list, one after another, or in lists one after another."""
    records, places = [], []
    with opened(path) as file:
        for place, record in records_in(file.read()):
            records.append(record)
            places.append(place)
    frame = pd.DataFrame(records, dtype=object if labels is None else None)
    return frame, places.__getitem__


def records_in(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the objects in a text of JSON, each with its place; those within one as ``a.b``.

    Examples
    --------
    >>> list(records_in('[{"a": {"b": 1}}]'))
    [('line 1, record 1', {'a.b': 1})]
    """
    decoder, at, line = json.JSONDecoder(), 0, 1
    while match := BEGIN.search(text, at):
        start = match.start()
        line += text.count("\n", at, start)
        try:
            value, at = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise ValueError(f"line {error.lineno}: {error.msg}") from None
        listed = value if isinstance(value, list) else [value]
        for number, record in enumerate(listed, 1):
            place = f"line {line}" + (f", record {number}" if value is listed else "")
            if not isinstance(record, dict):
                raise ValueError(f"{place} is no JSON object")
            yield place, _flat(record)
        line += text.count("\n", start, at)


def _flat(record: dict[str, Any], before: str = "") -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for name, value in record.items():
        inner = isinstance(value, dict)
        cells |= _flat(value, f"{before}{name}.") if inner else {f"{before}{name}": value}
    return cells


def _write_jsonl(frame: pd.DataFrame, path: Path) -> None:
    plain = frame.astype(object).where(frame.notna(), None)
    with opened(path, "w") as file:
        for record in plain.to_dict("records"):
            file.write(json.dumps(record, ensure_ascii=False, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def _read_parquet(path: Path, labels: Collection[str] | None) -> Read:
    need_pyarrow()
    return pd.read_parquet(path, engine="pyarrow"), "row {}".format


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    need_pyarrow()
    frame.to_parquet(path, engine="pyarrow", index=False)


def need_pyarrow() -> None:
    """Tell what to install where Parquet cannot be read."""
    need_packages("Parquet files need", "pyarrow", instead="or use .csv or .jsonl")


def _read_excel(path: Path, labels: Collection[str] | None) -> Read:
    need_packages("Excel files need", "openpyxl", instead="or save it as CSV UTF-8")
    types = str if labels is None else dict.fromkeys(labels, str)
    sheets = pd.read_excel(
        path, sheet_name=None, dtype=types, keep_default_na=False, na_values=[""], engine="openpyxl"
    )
    filled = {name: sheet for name, sheet in sheets.items() if len(sheet)}
    if len(filled) > 1:
        raise ValueError(f"it has the sheets {', '.join(map(repr, filled))}: save one as a file")
    frame = next(iter(filled.values()), pd.DataFrame())
    return frame, lambda row: f"row {row + 2}"


@dataclass(frozen=True)
class Format:
    """How one type of file is read, and written where it is."""

    name: str
    read: Callable[[Path, Collection[str] | None], Read]
    write: Callable[[pd.DataFrame, Path], None] | None = None


FORMATS = {
    ".csv": Format("CSV", _read_delimited, _write_csv),
    ".tsv": Format("text with tabs", _read_delimited),
    ".txt": Format("text", _read_text),
    ".json": Format("JSON", _read_json),
    ".jsonl": Format("JSON lines", _read_json, _write_jsonl),
    ".parquet": Format("Parquet", _read_parquet, _write_parquet),
    ".xlsx": Format("an Excel file", _read_excel),
}
