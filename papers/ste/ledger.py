"""Store finished results, so that a second run continues an interrupted one."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd


class Ledger:
    """A CSV file with one row per finished cell.

    Parameters
    ----------
    path : Path
        The file; what it holds already is finished.
    key : sequence of str
        The columns that name a cell.
    values : sequence of str
        The columns that say what came out.
    """

    def __init__(self, path: Path, key: Iterable[str], values: Iterable[str]) -> None:
        self.path, self.key = path, tuple(key)
        self.columns = (*self.key, *values)
        if not path.exists():
            self._write([self.columns])
        table = pd.read_csv(path).to_dict("records")
        self._rows = {self._key_of(row): row for row in table}

    def __contains__(self, cell: Mapping[str, Any]) -> bool:
        return self._key_of(cell) in self._rows

    def add(self, row: Mapping[str, Any]) -> None:
        """Keep a finished cell."""
        self._write([[row[column] for column in self.columns]])
        self._rows[self._key_of(row)] = dict(row)

    def rows(self, cells: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
        """Give what came out of the cells."""
        return pd.DataFrame([self._rows[self._key_of(cell)] for cell in cells])

    def _key_of(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(str(row[column]) for column in self.key)

    def _write(self, rows: Iterable[Iterable[Any]]) -> None:
        with self.path.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
