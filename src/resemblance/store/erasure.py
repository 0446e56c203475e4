"""Empty SQLite's log, which keeps erased rows until then."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from sqlalchemy import URL

from resemblance.store.engines import file_of
from resemblance.store.errors import LeftoverError

WAIT = 30.0  # seconds until a reader that keeps the log from being cut is reported
TRY_AGAIN = 0.002  # seconds: shorter than the pause between two commits


def empty_log(url: URL, what: str) -> None:
    """Empty the log beside a SQLite file, which may hold erased rows.

    ``what`` describes the erasure in the error, which is raised if the database stays in use.
    """
    file = file_of(url)
    if file is None:
        return
    try:
        _empty(file)
    except (OSError, sqlite3.Error) as error:
        raise LeftoverError(
            f"{what}, but {file}-wal still holds the old rows ({error}): repeat this when "
            "the database is idle, or stop the server once"
        ) from None


def _empty(file: Path) -> None:
    """Checkpoint the write-ahead log and truncate it, once there are no readers.

    SQLite's own busy handler tries ten times a second, too seldom beside constant writers.
    """
    until = time.monotonic() + WAIT
    with closing(sqlite3.connect(file, timeout=0)) as connection:
        while _in_use(connection):
            if time.monotonic() > until:
                raise TimeoutError("something uses the database all the time")
            time.sleep(TRY_AGAIN)


def _in_use(connection: sqlite3.Connection) -> bool:
    """Truncate the log; return whether another connection prevents it."""
    try:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        return True
    return bool(busy)
