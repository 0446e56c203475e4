"""Store finished cells, so that a second run of the same code continues an interrupted one."""

import csv
import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

import resemblance as rs

PACKAGE = Path(rs.__file__).parent
APART = {"cli", "web"}  # packages that compute no cell
CODE = "code"  # column with the state of the code
Cell = Mapping[str, Any]


@cache
def code_state(folder: Path) -> str:
    """Give a digest of the package, and of the programs in the folder of a paper."""
    programs = [p for p in PACKAGE.rglob("*.py") if p.relative_to(PACKAGE).parts[0] not in APART]
    digest = hashlib.sha256()
    for path in (*sorted(programs), *sorted(set(folder.glob("*.py")) - {folder / "run.py"})):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


class Ledger:
    """A CSV file with one row per finished cell; rows of other code stay, and count for nothing.

    Parameters
    ----------
    folder : Path
        The folder with the programs of the paper.
    path : Path
        The file.
    key : iterable of str
        The columns that name a cell.

    Raises
    ------
    ValueError
        If the file does not say which code computed its cells.
    """

    def __init__(self, folder: Path, path: Path, key: Iterable[str]) -> None:
        self.path, self.key, self.code = path, tuple(key), code_state(folder)
        self._rows = {self._key_of(row): row for row in self.table().to_dict("records")}

    def __contains__(self, cell: Cell) -> bool:
        return self._key_of(cell) in self._rows

    def table(self) -> pd.DataFrame:
        """Give the finished cells."""
        if not self.path.exists():
            return pd.DataFrame(columns=self.key)
        table = pd.read_csv(self.path, dtype={CODE: str})
        if CODE not in table:
            raise ValueError(f"{self.path} has no column {CODE!r}: move it away, and run again")
        return table[table[CODE] == self.code].drop(columns=CODE).reset_index(drop=True)

    def rows(self, cells: Iterable[Cell]) -> pd.DataFrame:
        """Give what came out of the cells."""
        return pd.DataFrame([self._rows[self._key_of(cell)] for cell in cells])

    def finish(self, runs: Iterable[list[dict[str, Any]]], n_runs: int) -> None:
        """Keep the cells of each run as they come, and print the last."""
        for number, cells in enumerate(runs, 1):
            new = not self.path.exists()
            with self.path.open("a", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, [CODE, *cells[0]])
                if new:
                    writer.writeheader()
                writer.writerows({CODE: self.code, **cell} for cell in cells)
            self._rows |= {self._key_of(cell): cell for cell in cells}
            last = " ".join(f"{name}={value}" for name, value in cells[-1].items())
            print(f"{number}/{n_runs}: {last}", flush=True)

    def _key_of(self, cell: Cell) -> tuple[str, ...]:
        return tuple(str(cell[column]) for column in self.key)


def fill(
    folder: Path,
    path: Path,
    key: Iterable[str],
    tasks: Iterable[tuple],
    work: Callable[..., list[dict[str, Any]]],
    jobs: int,
) -> pd.DataFrame:
    """Do the tasks that the file lacks; give all cells that it holds then.

    The first entries of a task are its key; ``work`` takes all of them.
    """
    ledger = Ledger(folder, path, key)
    missing = [task for task in tasks if dict(zip(ledger.key, task, strict=False)) not in ledger]
    runs = Parallel(n_jobs=jobs, return_as="generator_unordered")(
        delayed(work)(*task) for task in missing
    )
    ledger.finish(runs, len(missing))
    return ledger.table()
