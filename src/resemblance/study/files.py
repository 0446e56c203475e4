"""Read text files and small CSV tables of a study."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from resemblance.delimited import Delimited, unescaped
from resemblance.errors import FileError
from resemblance.files import label_text, reading

CLICKS = "clicks.jsonl"  # clicks that visitors of the search page shared


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileError(f"there is no {path.name} in {path.parent}: check the path") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(
            f"{path} cannot be read ({error}): check the path, and that it is UTF-8 text"
        ) from None


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder, which is renamed to ``folder`` if no error is raised."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileError(f"{folder} exists already: choose a new name, or empty it")
    part = folder.with_name(f".part-{folder.name}")
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
        yield part
        if folder.exists():
            folder.rmdir()
        os.replace(part, folder)
    except OSError as error:
        raise FileError(f"{folder} cannot be created ({error}): name another folder") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


@dataclass(frozen=True)
class Row:
    cells: dict[str, str]
    where: str

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")

    def error(self, problem: str) -> FileError:
        return FileError(f"{self.where}: {problem}")


def read_rows(path: Path, needed: Sequence[str]) -> Iterator[Row]:
    """Read the rows of a CSV file; raise FileError if columns are missing or rows are uneven."""
    with reading(path, "check the path, and that it is a CSV file in UTF-8"):
        table = Delimited.of(path)
    if lacking := [name for name in needed if name not in table.header]:
        raise FileError(f"{path}, line {table.above + 1}: no column {lacking[0]!r}: add it")
    for line, cells in table.rows():
        where = f"{path}, line {line}"
        if problem := table.problem(cells):
            raise FileError(f"{where}: {problem}")
        pairs = zip(table.header, cells, strict=True)
        yield Row({name: _cell(name, unescaped(cell)) for name, cell in pairs}, where)


def _cell(column: str, cell: str) -> str:
    """Normalise a cell as a label; names of files keep the spelling of the file system."""
    return cell.strip() if column in ("file", "image") else label_text(cell)
