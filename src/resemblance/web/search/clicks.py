"""Clicks of searches whose visitors agreed that they are kept."""

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from resemblance.errors import FileError
from resemblance.study.failures import Failure
from resemblance.web.search import lines

MOST_BYTES = 2**28
log = logging.getLogger("resemblance.web")


class Clicks:
    """A file of JSON lines: a one-of-many judgment for each page of a search.

    Parameters
    ----------
    path : Path
        The file; it is made where there is none.

    Raises
    ------
    FileError
        If it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._searches: set[str] = set()
        self._read = 0  # bytes of the file
        try:
            with lines.locked(path):
                self._read_on()
        except OSError as error:
            raise FileError(f"{path} cannot be written ({error}): name another file") from None

    def keep(self, search: str, target: str, pages: Sequence[Sequence[str]]) -> int:
        """Store a search, once; count its judgments.

        Parameters
        ----------
        search : str
            Its id.
        target : str
            The item that was sought.
        pages : sequence of sequence of str
            The items of each page, the chosen one first.
        """
        now = round(time.time(), 3)
        rows = [
            {"head": target, "chosen": page[0], "options": [*page], "time": now, "search": search}
            for page in pages
        ]
        try:
            with self._lock, lines.locked(self.path):
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
            rows = lines.read(self.path, self._read)
            self._searches.update(row["search"] for row in rows if "search" in row)
            self._read = self.path.stat().st_size

    def _append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if self._read > MOST_BYTES:
            raise Failure("too_many", "The file of clicks is full.", "Start another file.")
        lines.append(self.path, rows)
