"""What a path says of a file before anything is read: whether it is there, and of what type.

It stands below everything and loads nothing, so that a wrong path is told at once.
"""

from collections.abc import Iterable
from pathlib import Path

from resemblance.errors import FileError

TABLES = (".csv", ".jsonl", ".parquet")


def need(*paths: Path | None, tables: Iterable[Path | None] = ()) -> None:
    """Refuse a path at which there is nothing, and a table of an unknown type.

    None is a file that nobody named.

    Examples
    --------
    >>> need(Path("no such file.csv"))
    Traceback (most recent call last):
    resemblance.errors.FileError: no such file.csv is not there: check the path
    """
    named = [table for table in tables if table is not None]
    for path in (*named, *paths):
        if path is not None and not path.exists():
            raise FileError(f"{path} is not there: check the path")
    for table in named:
        suffix(table)


def suffix(path: Path) -> str:
    """Give the suffix that says the format of a table, the compression left out.

    Examples
    --------
    >>> suffix(Path("pilot.2.csv.gz"))
    '.csv'
    """
    found = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if found not in TABLES or (found == ".parquet" and path.suffix == ".gz"):
        raise FileError(
            f"{path} is of an unknown type {path.suffix!r}: "
            "use .csv, .csv.gz, .jsonl, .jsonl.gz or .parquet"
        )
    return found
