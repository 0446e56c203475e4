"""Store the columns of judgments as numbers, in one file each."""

from __future__ import annotations

import tempfile
import weakref
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import FileError
from resemblance.judgments.base import Judgments
from resemblance.judgments.items import Items
from resemblance.judgments.rows import NOTES
from resemblance.judgments.stored import BLOCK, Column, State, StoredJudgments, removed_when_done
from resemblance.optional import pd

Path_: TypeAlias = str | PathLike[str]
TYPES = {"index": "<i4", "weight": "<f8", "response_id": "<i8", "observer": "<i4"}


def _file_of(folder: Path, column: str) -> Path:
    return folder / f"{column}.bin"


class Writer:
    """Writes the numbers of judgments, one file per column."""

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
        """Rewrite the rows so far, since a row has more options than all before."""
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
    """Keeps a temporary folder while it is referenced."""

    def __init__(self, folder: str) -> None:
        weakref.finalize(self, removed_when_done, folder)
