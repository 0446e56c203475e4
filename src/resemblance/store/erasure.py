"""Empty SQLite's log, which keeps erased rows until then."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from sqlalchemy import URL

from resemblance.store.engines import file_of
from resemblance.store.errors import LeftoverError

WAIT = 30.0  # seconds until what is in the way of cutting the log is told of
TRY_AGAIN = 0.002  # seconds: shorter than the pause between two commits


def empty_log(url: URL, what: str) -> None:
    """Empty the log beside a SQLite file.

    Parameters
    ----------
    url : URL
        Of the database.
    what : str
        What was done before, for the message.

    Raises
    ------
    LeftoverError
        If something else uses the database all the time.
    """
    file = file_of(url)
    if file is None:
        return
    try:
        _empty(file)
    except (OSError, sqlite3.Error) as error:
        raise LeftoverError(
            f"{what}, but {file}-wal still holds the old rows ({error}): do it again when the "
            "database rests, or stop the server once"
        ) from None


def _empty(file: Path) -> None:
    """Bring the write-ahead log into the file and cut it to nothing, once nobody reads in it.

    SQLite itself would try ten times a second: where others write without a pause, too seldom.
    """
    until = time.monotonic() + WAIT
    with closing(sqlite3.connect(file, timeout=0)) as connection:
        while _in_use(connection):
            if time.monotonic() > until:
                raise TimeoutError("something uses the database all the time")
            time.sleep(TRY_AGAIN)


def _in_use(connection: sqlite3.Connection) -> bool:
    """Cut the log, or tell that another connection is in the way."""
    try:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        return True
    return bool(busy)
