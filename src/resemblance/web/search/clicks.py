"""Clicks of visitors who agreed that their searches are stored, in a file of JSON lines."""

import json
import logging
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from resemblance.errors import FileError
from resemblance.study.failures import Failure

MOST_BYTES = 2**28
log = logging.getLogger("resemblance.web")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with path.with_name(f".{path.name}.lock").open("a") as lock:
        with suppress(ImportError):
            from fcntl import LOCK_EX, flock

            flock(lock, LOCK_EX)
        yield


def append_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append rows to a file and flush it to disk; write either all rows or none."""
    left = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    with path.open("ab", buffering=0) as file:
        whole = file.tell()
        try:
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(whole)
            raise


def read_rows(path: Path, start: int = 0) -> Iterator[dict[str, Any]]:
    """Read rows from byte ``start`` on; if the last row is incomplete, remove it from the file."""
    with path.open("r+b") as file:
        before = file.read(start).count(b"\n")
        for number, line in enumerate(file, before + 1):
            try:
                yield json.loads(line)
            except ValueError:
                if line.endswith(b"\n"):
                    raise FileError(f"{path}, line {number} is not JSON: correct it") from None
                file.truncate(file.tell() - len(line))
            else:
                if not line.endswith(b"\n"):
                    file.write(b"\n")


class Clicks:
    """A file of JSON lines, with one choice among the tiles for each page of a search."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._searches: set[str] = set()
        self._read = 0  # number of bytes of the file that are already read
        try:
            with locked(path):
                self._read_on()
        except OSError as error:
            raise FileError(f"{path} cannot be written ({error}): name another file") from None

    def keep(self, search: str, target: str, pages: Sequence[Sequence[str]]) -> int:
        """Store a search once, as rows that begin with the chosen item; return their number."""
        now = round(time.time(), 3)
        rows = [
            {"head": target, "chosen": page[0], "options": [*page], "time": now, "search": search}
            for page in pages
        ]
        try:
            with self._lock, locked(self.path):
                self._read_on()
                if search in self._searches or not rows:
                    return 0
                self._append(rows)
        except (OSError, FileError) as error:
            log.error("%s cannot be written: %s", self.path, error)
            raise Failure("unavailable") from None
        return len(rows)

    def _read_on(self) -> None:
        if self.path.exists() and self.path.stat().st_size > self._read:
            rows = read_rows(self.path, self._read)
            self._searches.update(row["search"] for row in rows if "search" in row)
            self._read = self.path.stat().st_size

    def _append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if self._read > MOST_BYTES:
            raise Failure("too_many", "The file of clicks is full.", "Start another file.")
        append_rows(self.path, rows)
