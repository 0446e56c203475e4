"""Check file types and paths, write files atomically, and convert values to JSON.

The module imports no large package, so that a wrong path is reported at once.
"""

import json
import math
import os
import re
import secrets
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path, PurePath
from typing import Any

from resemblance.errors import (
    FileError,
    NoFileError,
    ResemblanceError,
    SettingError,
    count,
    first_few,
)
from resemblance.optional import need_packages

TABLES = (".csv", ".jsonl", ".parquet")
TABLES_READ = (*TABLES, ".tsv", ".txt", ".json", ".xlsx")
PACKED = (".zip", ".jrzip")  # suffixes of archives with several files
HDF5 = (".h5", ".hdf5")
RDMS_WRITTEN = (*TABLES, *HDF5)
RDMS_READ = (*RDMS_WRITTEN, ".mat", ".json", ".xlsx")
FIGURES = (".png", ".svg", ".pdf")
FIGURE_WIDTHS = 4, 100  # smallest and largest width of a figure, in centimetres
# width of new figures, in centimetres
FIGURE_WIDTH: ContextVar[float | None] = ContextVar("FIGURE_WIDTH", default=None)
UNITS = {"mm": 0.1, "cm": 1.0, "in": 2.54}  # units of length in centimetres
# first characters of text that a spreadsheet would run as a formula
FORMULA = re.compile(r"[=+\-@\t\n\r']")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
UNSEEN = r"[\s\u200b-\u200f\u2060\ufeff]+"  # white space and zero-width characters
EDGES = re.compile(rf"\A{UNSEEN}|{UNSEEN}\Z")
NO_ANSWER = frozenset(
    (
        *("null", "NULL", "Null", "None", "none", "NaN", "nan", "NA", "N/A", "n/a"),
        *("--", "[]", "undefined"),
    )
)

LISTED = re.compile(r"(?:(?:c|list)\(|[\[({])(.*)[])}]", re.DOTALL)
NUMBERS = re.compile(r"\s*-?\d+(\.0*)?L?((\s*,\s*|\s+)-?\d+(\.0*)?L?)+\s*,?\s*")
QUOTED = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""


LEFT_THERE = {"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "__macosx", "$recycle.bin"}


def is_junk(path: PurePath) -> bool:
    """Return whether a path is, or is inside, a file or folder of the system or of a program.

    Examples are hidden files (``.DS_Store``, ``._a.csv``), lock files of Excel (``~$a.xlsx``),
    previews and settings of folders, and additions of macOS to archives.

    >>> [is_junk(Path(name)) for name in ("__MACOSX/._a.csv", "~$a.xlsx", "Thumbs.db", "a/b.csv")]
    [True, True, True, False]
    """
    names = (part.lower() for part in path.parts if part not in ("/", ".", ".."))
    return any(name in LEFT_THERE or name.startswith((".", "~$")) for name in names)


def list_folder(folder: Path, deep: bool = False) -> tuple[list[Path], list[Path]]:
    """Return the files of a folder, and separately its junk (:func:`is_junk`)."""
    files = sorted(p for p in folder.glob("**/*" if deep else "*") if p.is_file())
    left = {path for path in files if is_junk(path.relative_to(folder))}
    return [path for path in files if path not in left], sorted(left)


def junk_words(junk: Sequence[Path]) -> str:
    names = first_few(dict.fromkeys(path.name for path in junk))
    return f"files of the system left out: {count(len(junk), 'file')} ({names})"


def need(*paths: Path | None, tables: Iterable[Path | None] = ()) -> None:
    """Refuse paths that do not exist, and tables of unknown types; None is ignored.

    >>> need(Path("no such file.csv"))
    Traceback (most recent call last):
    resemblance.errors.NoFileError: no such file.csv is not there: check the path
    """
    named = [table for table in tables if table is not None]
    for path in (*named, *paths):
        if path is not None and not is_there(path):
            raise NoFileError(f"{path} is not there: check the path")
    for table in named:
        suffix(table, TABLES_READ)


def is_there(path: Path) -> bool:
    """Return whether a path exists; raise an error if access to it is denied."""
    try:
        return path.exists()
    except PermissionError:
        raise FileError(
            f"{path} cannot be accessed: run this as the user who owns its folder"
        ) from None


def refuse_as_root(folder: Path) -> None:
    """Refuse to work as root in another user's folder, because its links may lead anywhere."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if root and is_there(folder) and (owner := folder.stat().st_uid) != 0:
        raise FileError(
            f"{folder} belongs to {owner_of(folder)}: run this as that user (sudo -u, or --user "
            f"{owner} of a container), or give the folder to root"
        )


def write_private(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def owner_of(path: Path) -> str:
    try:
        return path.owner()
    except (OSError, KeyError, NotImplementedError):
        return "another user"


def suffix(path: Path, allowed: Sequence[str] = TABLES) -> str:
    """Return the suffix of a table's format, without the suffix of compression.

    >>> suffix(Path("pilot.2.csv.gz"))
    '.csv'
    """
    packed = path.suffix == ".gz"
    ending = (path.with_suffix("").suffix if packed else path.suffix).lower()
    if ending not in allowed or (packed and ending in (".parquet", ".xlsx")):
        types = [*allowed[:1], ".csv.gz", *allowed[1:]]
        raise FileError(
            f"{path} has the unknown type {path.suffix!r}: use {', '.join(types[:-1])} or "
            f"{types[-1]}"
        )
    return ending


def rdm_suffix(path: Path, allowed: tuple[str, ...] = RDMS_WRITTEN) -> str:
    """Return the suffix of a file of dissimilarities; HDF5 needs h5py.

    >>> rdm_suffix(Path("people.csv.gz"))
    '.csv'
    """
    packed = path.suffix == ".gz"
    ending = (path.with_suffix("").suffix if packed else path.suffix).lower()
    if ending in (".pkl", ".pickle"):
        raise FileError(
            f"{path} is a pickle, which may run any code when read: save it as HDF5, "
            "rdms.save('rdms.h5', file_type='hdf5')"
        )
    if ending not in allowed or (packed and ending not in (".csv", ".jsonl")):
        raise FileError(
            f"{path} has the unknown type {path.suffix!r}: use {', '.join(allowed[:-1])} or "
            f"{allowed[-1]}"
        )
    if ending in HDF5:
        need_packages("HDF5 files need", "h5py", instead="or use .csv")
    return ending


def writable(path: Path, what: str, suffixes: tuple[str, ...]) -> Path:
    """Refuse to write a file with another suffix, or into a folder that does not exist.

    >>> writable(Path("map.gif"), "a map", (".png", ".html"))
    Traceback (most recent call last):
    resemblance.errors.FileError: map.gif: a map is written as .png or .html, not as '.gif'
    """
    ending = path.suffix.lower()
    if ending not in suffixes:
        raise FileError(
            f"{path}: {what} is written as {' or '.join(suffixes)}, not as {ending or 'nothing'!r}"
        )
    need_folder(path)
    return path


def centimetres(width: float | str) -> float:
    """Return a width in centimetres, given in centimetres or as a length such as `85mm`.

    >>> centimetres("85mm"), centimetres("3.5 in"), centimetres(17)
    (8.5, 8.89, 17.0)
    """
    least, most = FIGURE_WIDTHS
    number, unit = str(width).strip(), "cm"
    if isinstance(width, str):
        number, unit = number[:-2], number[-2:]
    with suppress(ValueError, KeyError):
        if least <= (length := float(number) * UNITS[unit]) <= most:
            return round(length, 6)
    raise SettingError(f"width is {width}: give {least}cm to {most}cm, as 85mm", setting="width")


@contextmanager
def reading(path: Path, remedy: str, kind: str = "", *more: type[Exception]) -> Iterator[None]:
    """Turn exceptions while reading a file into errors with a remedy; ``more`` adds exceptions."""
    broken: tuple[type[Exception], ...] = (OSError, ValueError, EOFError, *more)
    try:
        yield
    except ResemblanceError:
        raise
    except FileNotFoundError:
        raise NoFileError(f"{path} is not there: check the path") from None
    except broken as error:
        raise FileError(f"{path} cannot be read{kind} ({error}): {remedy}") from error


def need_folder(path: Path) -> None:
    if not path.parent.is_dir():
        raise FileError(f"{path}: there is no folder {path.parent}; make it first")


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a temporary file in the folder of ``path``, which replaces ``path`` when complete."""
    part = path.with_name(f".part-{secrets.token_hex(4)}-{path.name}")
    try:
        yield part
        os.replace(part, path)
    except ResemblanceError:
        raise
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error}): check the folder") from error
    finally:
        part.unlink(missing_ok=True)


def no_formula(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would run as a formula.

    >>> no_formula("=SUM(A1)"), no_formula("-5"), no_formula("tie")
    ("'=SUM(A1)", '-5', 'tie')
    """
    runs = FORMULA.match(text) and not NUMBER.fullmatch(text)
    return f"'{text}" if runs else text


def no_quote(text: str) -> str:
    """Remove the apostrophe that :func:`no_formula` adds.

    >>> no_quote("'=SUM(A1)"), no_quote("'tie"), no_quote("''tie")
    ('=SUM(A1)', "'tie", "'tie")
    """
    return text[1:] if text.startswith("'") and no_formula(text[1:]) == text else text


def safe(cell: Any) -> Any:
    """Prevent spreadsheets from running a cell as a formula; lists become text."""
    if isinstance(cell, list):
        return joined([no_formula(name) for name in cell])
    return no_formula(cell) if isinstance(cell, str) else cell


def joined(names: Sequence[str]) -> str:
    """Join names in one cell, with bars between them; as JSON if a name contains a bar.

    >>> joined(["tie", "bow"]), joined(["a|b", "c"])
    ('tie|bow', '["a|b", "c"]')
    """
    if any("|" in name for name in names):
        return json.dumps(list(names), ensure_ascii=False)
    return "|".join(names)


def split(cell: str) -> list[str]:
    """Return the names in one cell: separated by bars, or a list in JSON, Python or R.

    >>> split("tie|bow"), split('["0012", "0021"]'), split("['tie', 'bow']"), split('c("a", "b")')
    (['tie', 'bow'], ['0012', '0021'], ['tie', 'bow'], ['a', 'b'])
    """
    if listed := LISTED.fullmatch(cell.strip()):
        with suppress(ValueError):
            names = json.loads(cell)
            if all(isinstance(name, str | int) for name in names):
                return [str(name) for name in names]
        if NUMBERS.fullmatch(listed[1]):
            return re.findall(r"-?\d+", re.sub(r"\.0*", "", listed[1]))
        if re.fullmatch(rf"\s*({QUOTED})(\s*,?\s*({QUOTED}))*\s*,?\s*", listed[1]):
            names = [single or double for single, double in re.findall(QUOTED, listed[1])]
            return [re.sub(r"\\(.)", r"\1", name) for name in names]
    return cell.split("|")


def lines_of(text: str) -> list[str]:
    r"""Split text into lines at LF, CR and CRLF, but not at U+2028.

    >>> lines_of("one\r\ntwo\u2028three")
    ['one', 'two\u2028three']
    """
    return re.split(r"\r\n|\r|\n", text)


def label_text(text: str) -> str:
    r"""Normalise a label to NFC, without white space and invisible characters at its ends.

    >>> label_text(" tie\u200b "), label_text("e\u0301") == "\u00e9"
    ('tie', True)
    """
    return EDGES.sub("", nfc(text))


def nfc(text: str) -> str:
    """Compose characters (Unicode's NFC), because some file systems decompose them."""
    return unicodedata.normalize("NFC", text)


def plain(value: Any) -> Any:
    """Convert a value, and everything in it, to types of JSON.

    >>> plain({"error": float("nan"), "files": (Path("map.png"),)})
    {'error': None, 'files': ['map.png']}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value


def as_json(value: Any) -> str:
    r"""Return a value as JSON; NaN and infinity become null.

    >>> as_json([1, float("inf")])
    '[\n  1,\n  null\n]'
    """
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)
