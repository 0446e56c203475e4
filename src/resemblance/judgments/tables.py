"""Read and write tables: delimited text, JSON, Parquet, Excel, and tables in memory."""

from __future__ import annotations

import csv
import json
import re
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, Literal
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from resemblance.delimited import Delimited, binary, encoding_of, opened, unescaped
from resemblance.errors import (
    FileError,
    JudgmentError,
    ResemblanceError,
    ResemblanceWarning,
    SettingError,
    count,
)
from resemblance.files import TABLES_READ, label_text, need, suffix
from resemblance.judgments.checks import RowError, TableLike, as_frame, is_table, refuse
from resemblance.judgments.column_names import (
    HEADINGS,
    column_of as column_of,
    names_of as names_of,
)
from resemblance.optional import need_packages, pd

# Warning is included because warnings of the parser are raised as errors.
BROKEN = (
    *(ValueError, KeyError, OSError, EOFError, RecursionError, Warning),
    *(zlib.error, BadZipFile, csv.Error),
)
# Largest unpacked size of a file in bytes: RATIO times the packed size, but at least SMALL, and at
# most MOST.
MOST, SMALL, RATIO = 4 << 30, 100 << 20, 30
LOG = {"event", "number", "head", "options", "chosen"}  # columns in the log of a session
TRUTH = {"true": True, "false": False}
NUMBER = r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
PART = 1 << 17  # number of rows of a text file that are read at a time
DECIMAL_COMMA = r"[+-]?\d+(?:,\d+)?"
BEGIN = re.compile(r"[^ \t\r\n,]")  # the first character of a JSON record, after separators


class EmptyFile(FileError):
    """A file has no rows."""


@dataclass(frozen=True)
class Table:
    path: Path | None  # None for a table in memory
    frame: pd.DataFrame
    # function from a row number to the row's place in the file, for messages
    place: Callable[[int], str] = "row {}".format
    decimal: Literal[".", ","] = "."  # the decimal separator of numbers
    # the problem of each row that cannot be read, by row number
    problems: Mapping[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # sentences on changes that were made to the rows
    comment: str = ""  # the last line that begins with # above the header

    @property
    def name(self) -> str:
        return "the table" if self.path is None else str(self.path)

    @property
    def stem(self) -> str:
        return "0" if self.path is None else self.path.name.split(".")[0]

    @property
    def folder(self) -> Path:
        return Path() if self.path is None else self.path.parent

    @contextmanager
    def located(self) -> Iterator[None]:
        try:
            yield
        except JudgmentError as error:
            place, problem = "", str(error)
            if isinstance(error, RowError):
                place, problem = f", {self.where(error.row)}", error.problem
            raise JudgmentError(f"{self.name}{place}: {problem}", setting=error.setting) from None

    def warn(self) -> None:
        for note in self.notes:
            warnings.warn(f"{self.name}: {note}", ResemblanceWarning, stacklevel=4)

    @property
    def is_log(self) -> bool:
        return {*self.frame.columns} >= LOG

    def where(self, row: int) -> str:
        return self.place(row)

    def numbers(self, column: str, role: str, setting: str | None = None) -> NDArray[np.float64]:
        return numbers_of(self.frame[column], role, setting, self.decimal)

    def further(self, used: Iterable[str]) -> dict[str, NDArray[Any]]:
        others = self.frame.drop(columns=list(used), errors="ignore")
        return {str(name): shared_texts(typed(others[name], self.decimal)) for name in others}

    def take(self, rows: Any) -> Table:
        numbers, place = np.arange(len(self.frame))[rows], self.place
        kept = self.frame.iloc[numbers].reset_index(drop=True)
        problems = {int(n): self.problems[n] for n in numbers if n in self.problems}
        problems = {row: problems[n] for row, n in enumerate(numbers) if n in problems}
        return replace(
            self, frame=kept, place=lambda row: place(int(numbers[row])), problems=problems
        )

    def find(
        self, needed: Sequence[str], optional: Sequence[str], columns: Mapping[str, str] | None
    ) -> dict[str, str]:
        taken, roles = dict(columns or {}), ", ".join([*needed, *optional])
        for role in taken:
            if role not in (*needed, *optional):
                raise SettingError(
                    f"columns= names {role!r}: it may name {roles}", setting="columns"
                )
        named = f"columns=, which gives one of these as each of {roles}"
        self.need(list(taken.values()), named, "columns")
        free = [column for column in self.frame.columns if column not in taken.values()]
        for role in (*needed, *optional):
            name = column_of(role, free)
            if name is not None:
                taken.setdefault(role, name)
            elif role in needed and role not in taken:
                remedy = f"name the right one with columns={{{role!r}: ...}}"
                if role == "options":
                    remedy += "; where each option has a column, read_experiment reads it"
                raise self._lacks(names_of(role), remedy, "columns")
        return taken

    def need(self, names: Sequence[str], asked: str, setting: str | None = None) -> None:
        for name in names:
            if name not in self.frame.columns:
                raise self._lacks([name], f"correct {asked}", setting)

    def lacks_header(self) -> bool:
        """Return whether the first line has numbers or items of other rows instead of names."""
        if self.path is None or any(str(name).startswith("Unnamed: ") for name in self.frame):
            return False
        cells: set[str] = set()
        for name in self.frame:
            cells.update(map(str, self.frame[name].map(str).unique()))
        return all(name in cells or re.fullmatch(NUMBER, name) for name in map(str, self.frame))

    def no_header(self) -> str:
        return (
            f"its first line ({', '.join(map(str, self.frame))}) looks like an answer and "
            "not like a header: write the names of the columns above it, such as "
            "head,near,far"
        )

    def _lacks(self, names: Sequence[str], remedy: str, setting: str | None) -> ResemblanceError:
        kind = JudgmentError if self.path is None else FileError
        comment = f"; the line {self.comment!r} begins with # and is a comment" * bool(self.comment)
        if self.lacks_header():
            return kind(f"{self.name}: {self.no_header()}{comment}")
        wanted = " or ".join(map(repr, names))
        present = ", ".join(map(repr, self.frame.columns))
        problem = f"{self.name} has no column {wanted}; it has {present}: {remedy}{comment}"
        return kind(problem, setting=setting)


def read_table(
    source: str | PathLike[str] | TableLike,
    on_error: Literal["raise", "skip"] = "raise",
    warn: bool = True,
) -> Table:
    """Read a file or a table in memory; with ``warn``, issue the notes as warnings.

    Cells of delimited text remain texts; cells of other files have the file's types:
    :meth:`.Labels.of`, :func:`numbers_of` and :func:`typed` convert them. Rows with too few cells
    raise an error, or with ``on_error="skip"`` become ``problems`` of the table.
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
        refuse_swelling(path, unpacked_size(path))
        table = kind.read(path)
    if not len(table.frame):
        raise EmptyFile(f"{path} has no rows: it needs one at least")
    if table.problems and on_error == "raise":
        row = min(table.problems)
        raise JudgmentError(f"{path}, {table.where(row)}: {table.problems[row]}")
    if warn:
        table.warn()
    return replace(table, frame=table.frame.rename(columns=lambda name: label_text(str(name))))


@contextmanager
def readable(path: Path) -> Iterator[None]:
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
        name = FORMATS[suffix(path, TABLES_READ)].name
        raise FileError(
            f"{path} cannot be read as {name} ({error}): check that it is whole"
        ) from error


def typed(column: pd.Series, decimal: str = ".") -> pd.Series:
    """Convert a column of texts to numbers or booleans, if all texts can be converted.

    Numbers with a leading zero, such as 007, and whole numbers beyond 64 bits are not converted.
    With the decimal separator ",", "1,5" is 1.5.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.remove_unused_categories()
        cells = typed(pd.Series(column.cat.categories), decimal)
        if not pd.api.types.is_numeric_dtype(cells.dtype):
            return column
        return cells.reindex(column.cat.codes).set_axis(column.index)
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    column = column.infer_objects()
    filled = column[column.notna()]
    if filled.empty:
        return column.astype(float)
    if pd.api.types.infer_dtype(filled) != "string":
        return column
    texts = filled.str.strip()
    if decimal == "," and (texts.str.contains(",").any() and _all(texts, DECIMAL_COMMA)):
        texts = texts.str.replace(",", ".", regex=False)
    if _all(texts, NUMBER):
        return _as_numbers(texts, column)
    truth = texts.str.lower().map(TRUTH) if _all(texts, "(?i:true|false)") else None
    return column if truth is None else truth.reindex(column.index)


def shared_texts(column: pd.Series) -> NDArray[Any]:
    if pd.api.types.infer_dtype(column, skipna=True) not in ("string", "categorical"):
        return column.to_numpy()
    codes, texts = pd.factorize(column)
    return np.array([*texts, np.nan], dtype=object)[codes]


def _all(texts: pd.Series, pattern: str) -> bool:
    return bool(re.fullmatch(pattern, texts.iloc[0])) and bool(texts.str.fullmatch(pattern).all())


def _as_numbers(texts: pd.Series, column: pd.Series) -> pd.Series:
    if _all(texts, r"[+-]?\d+"):
        try:
            numbers = texts.astype("int64")
        except (OverflowError, ValueError):
            return column
    else:
        numbers = pd.Series(texts.to_numpy(dtype=object).astype(float), texts.index)
    return numbers if len(numbers) == len(column) else numbers.reindex(column.index)


def _in_memory(frame: pd.DataFrame) -> Table:
    if not len(frame):
        raise JudgmentError("the table has no rows: it needs one at least")
    named = frame.index.names != [None]
    return Table(None, frame.reset_index(drop=not named))


def numbers_of(
    column: pd.Series, role: str, setting: str | None = None, decimal: str = "."
) -> NDArray[np.float64]:
    """Return a column as numbers; raise an error, which names the setting, if a cell is missing."""
    refuse(column.isna().to_numpy(), lambda r: f"{role} is empty: fill it in or remove the row")
    numbers = pd.to_numeric(typed(column, decimal), errors="coerce")
    values = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    refuse(
        np.isnan(values),
        lambda r: f"{role} must be a number, not {column.iloc[r]!r}: correct or remove the row",
        setting,
    )
    return values


def write_table(frame: pd.DataFrame, path: str | PathLike[str]) -> None:
    path = Path(path)
    write = FORMATS[suffix(path)].write
    assert write is not None  # Every format of tables has a writer.
    try:
        write(frame, path)
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error}): check the folder") from error


def unpacked_size(path: Path) -> int:
    """Return the unpacked size of a packed file, counted up to a limit; 0 for other files."""
    if path.suffix.lower() == ".xlsx":
        with ZipFile(path) as book:  # ZipFile reads at most the declared size of a member.
            return sum(part.file_size for part in book.infolist())
    size = 0
    if path.suffix == ".gz":
        with binary(path) as file:
            while size <= most_unpacked(path) and (part := file.read(1 << 20)):
                size += len(part)
    return size


def most_unpacked(path: Path) -> int:
    return min(MOST, max(SMALL, RATIO * path.stat().st_size))


def refuse_swelling(path: Path, size: int) -> None:
    if size > (most := most_unpacked(path)):
        raise FileError(
            f"{path} unpacks to {size:,} bytes or more, more than the limit of {most:,}: "
            "unpack it yourself, and give it as .csv or as a folder"
        )


def _read_delimited(path: Path) -> Table:
    layout = Delimited.of(path)
    if not any(layout.header):
        raise EmptyFile(f"{path} is empty: it needs a header and rows")
    try:
        frame, again = _read_parts(layout)
    except (pd.errors.ParserError, pd.errors.ParserWarning):  # A row has too many cells.
        if not (problems := layout.problems()):
            raise
        names = [name or f"Unnamed: {number}" for number, name in enumerate(layout.header)]
        cells = pd.DataFrame(layout.even_rows(), columns=names, dtype=str)
        frame, again = _together([cells.replace("", np.nan)], layout.header)
    else:
        # In rows with too few cells, the last cell is missing.
        is_even = frame.iloc[:, -1].notna().all()
        problems = {} if is_even else layout.problems()
    decimal: Literal[".", ","] = "." if layout.separator == "," else ","

    def place(row: int) -> str:
        return f"line {next(islice(layout.rows(), row, None))[0]}"

    table = Table(path, frame, place, decimal, problems, comment=layout.comment)
    if not again.any():
        return table
    first = table.where(int(again.argmax()))
    note = f"left out: {count(int(again.sum()), 'row')} equal to the header; the first: {first}"
    return replace(table.take(~again), notes=(note,))


def _read_parts(layout: Delimited) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    with warnings.catch_warnings(), layout.open() as file:
        warnings.simplefilter("error", pd.errors.ParserWarning)
        parts = pd.read_csv(
            file if layout.above else layout.path,  # pandas reads a path faster than a file object.
            sep=layout.separator,
            encoding=encoding_of(layout.path),
            dtype=str,
            keep_default_na=False,
            na_values=[""],
            index_col=False,
            chunksize=PART,
        )
        with parts:
            return _together(parts, layout.header)


def _together(
    parts: Iterable[pd.DataFrame], header: list[str]
) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    columns: dict[Any, list[pd.Series]] = {}
    again = [np.zeros(0, dtype=bool)]
    for part in parts:
        again.append(_repeats_header(part, header))
        for name in part:
            column, before = part[name], columns.setdefault(name, [])
            if column.str.contains("'", regex=False, na=False).any():
                column = column.map(unescaped, na_action="ignore")
            if before:
                is_repeated = isinstance(before[0].dtype, pd.CategoricalDtype)
            else:
                is_repeated = column.nunique() <= len(column) / 2
            before.append(column.astype("category") if is_repeated else column)
    joined = {name: _joined(pieces) for name, pieces in columns.items()}
    return pd.DataFrame(joined), np.concatenate(again)


def _joined(pieces: list[pd.Series]) -> Any:
    if isinstance(pieces[0].dtype, pd.CategoricalDtype):
        return pd.api.types.union_categoricals(pieces)
    return pd.concat(pieces, ignore_index=True)


def _repeats_header(frame: pd.DataFrame, header: list[str]) -> NDArray[np.bool_]:
    """Return a mask of rows that repeat the header, as in concatenated files.

    If all names are single letters, such as a,b,c,d, no row is marked: an equal row may be an
    answer.
    """
    again = np.zeros(len(frame), dtype=bool)
    if all(len(name) <= 1 for name in header):
        return again
    is_known = not HEADINGS.isdisjoint(header)
    # If files were joined, a BOM may be within the text.
    first = frame.iloc[:, 0].str.strip(" \t\ufeff")
    for row in np.flatnonzero(first.isin(header)):
        cells = ["" if pd.isna(cell) else label_text(cell) for cell in frame.iloc[row]]
        again[row] = cells == header
        if is_known and cells != header and sorted(cells) == sorted(header):
            raise ValueError(
                "the header is written again with its columns in another order: read the rows "
                f"above {','.join(cells)!r} and below it from files of their own"
            )
    return again


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    # Python's floats are printed like NumPy's, but in half the time.
    frame.astype(object).to_csv(path, index=False)


def _read_text(path: Path) -> Table:
    with opened(path) as file:
        first = file.read(1 << 16).lstrip()
    return (_read_json if first.startswith(("[", "{")) else _read_delimited)(path)


def _read_json(path: Path) -> Table:
    records, places = [], []
    with opened(path) as file:
        for place, record in records_in(file.read()):
            records.append(record)
            places.append(place)
    return Table(path, pd.DataFrame(records, dtype=object), places.__getitem__)


def records_in(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the content of each object in a JSON text; nested keys become ``a.b``.

    >>> list(records_in('[{"a": {"b": 1}}]'))
    [('line 1, record 1', {'a.b': 1})]
    """
    decoder, at, line, lists, last = json.JSONDecoder(), 0, 1, 0, 0
    while match := BEGIN.search(text, at):
        start = match.start()
        line += text.count("\n", at, start)
        try:
            value, at = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise ValueError(f"line {error.lineno}: {error.msg}") from None
        listed = value if isinstance(value, list) else [value]
        lists += value is listed
        again = f", list {lists}" if lists > 1 and "\n" not in text[last:start] else ""
        last = at
        for number, record in enumerate(listed, 1):
            place = f"line {line}{again}" + (f", record {number}" if value is listed else "")
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


def _read_parquet(path: Path) -> Table:
    need_pyarrow()
    return Table(path, pd.read_parquet(path, engine="pyarrow"))


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    need_pyarrow()
    frame.to_parquet(path, engine="pyarrow", index=False)


def need_pyarrow() -> None:
    need_packages("Parquet files need", "pyarrow", instead="or use .csv or .jsonl")


def _read_excel(path: Path) -> Table:
    need_packages("Excel files need", "openpyxl", instead="or save it as CSV UTF-8")
    sheets = pd.read_excel(
        path,
        sheet_name=None,
        dtype=object,
        keep_default_na=False,
        na_values=[""],
        engine="openpyxl",
    )
    filled = {name: sheet for name, sheet in sheets.items() if len(sheet)}
    if len(filled) > 1:
        raise ValueError(f"it has the sheets {', '.join(map(repr, filled))}: save one as a file")
    frame = next(iter(filled.values()), pd.DataFrame())
    return Table(path, frame, lambda row: f"row {row + 2}")


@dataclass(frozen=True)
class Format:
    name: str
    read: Callable[[Path], Table]
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
