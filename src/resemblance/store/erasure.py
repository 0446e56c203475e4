"""What an erasure does beyond the rows of the database: the log of SQLite, and older copies."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import URL

from resemblance.store.engines import BUSY, file_of
from resemblance.store.errors import LeftoverError
from resemblance.store.records import Participant

WAIT = 30.0  # seconds until what is in the way of cutting the log is told of
TRY_AGAIN = 0.002  # seconds: shorter than the pause between two commits
COPY = ".version-"  # within the names of the copies that migrations make
ERASED, FORGOTTEN = "the person is erased", "the ids are forgotten"
KEEP = """
UPDATE participants SET external_id = ?, browser = '{}'
WHERE study = (SELECT id FROM studies WHERE name = ?) AND code = ? AND created = ?
"""
OWN = ("external_id", "token_hash", "completion_code", "arm")  # the arm may tell a group


def clean_files(url: URL, people: Sequence[Participant], study: str) -> list[Path]:
    """Empty the log of a SQLite file, and take people out of its copies.

    Returns
    -------
    list of Path
        The copies in which one of them was.

    Raises
    ------
    LeftoverError
        If the log or a copy cannot be written; all others are clean then.
    """

    def forget(connection: sqlite3.Connection) -> bool:
        numbers = [_number(connection, person, study) for person in people]
        for number, person in zip(numbers, people, strict=True):
            if number is not None:
                _delete(connection, number, person.code)
        return any(number is not None for number in numbers)

    return _in_copies(url, ERASED, forget)


def clean_ids(url: URL, people: Sequence[Participant], study: str) -> None:
    """Empty the log of a SQLite file, and keep of people in its copies what is kept of them now.

    Raises
    ------
    LeftoverError
        As :func:`clean_files`.
    """
    kept = [(person.external_id, study, person.code, person.created) for person in people]

    def keep(connection: sqlite3.Connection) -> bool:
        return connection.executemany(KEEP, kept).rowcount > 0

    _in_copies(url, FORGOTTEN, keep)


def _in_copies(url: URL, what: str, change: Callable[[sqlite3.Connection], bool]) -> list[Path]:
    """Empty the log, and change every copy; name those in which there was something to change."""
    file = file_of(url)
    if file is None:
        return []
    changed, left = [], []
    try:
        _empty_log(file)
    except (OSError, sqlite3.Error) as error:
        again = "do it again when the database rests, or stop the server once"
        left.append(f"{file}-wal still holds the old rows ({error}): {again}")
    try:
        part_of(file).unlink(missing_ok=True)  # of a migration that was killed
    except OSError as error:
        left.append(f"{part_of(file)} is still there ({error}): remove it")
    for copy in copies_of(file):
        try:
            with _changing(copy) as connection:
                if change(connection):
                    changed.append(copy)
        except (OSError, sqlite3.Error) as error:
            left.append(f"{copy}, made before a migration, cannot be changed ({error}): remove it")
    if left:
        raise LeftoverError(f"{what}, but {'; '.join(left)}")
    return changed


def copies_of(file: Path) -> list[Path]:
    """Name the copies that migrations made of a SQLite file; an empty file holds nobody."""
    copies = sorted(file.parent.glob(f"{file.name}{COPY}*"))
    beside = ("-wal", "-shm", "-journal")
    return [copy for copy in copies if not copy.name.endswith(beside) and copy.stat().st_size]


def part_of(file: Path) -> Path:
    """Name what is to be a copy of a SQLite file, until it is whole."""
    return file.with_name(f".part-{file.name}")


def _empty_log(file: Path) -> None:
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


@contextmanager
def _changing(copy: Path) -> Iterator[sqlite3.Connection]:
    """Change a copy, all or nothing; what is deleted is overwritten, and no log of it stays."""
    with closing(sqlite3.connect(copy, timeout=BUSY)) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        with connection:
            yield connection


def _number(connection: sqlite3.Connection, participant: Participant, study: str) -> int | None:
    """Find a person of a copy by study, pseudonym and time of entry."""
    row = connection.execute(
        "SELECT p.id FROM participants p JOIN studies s ON s.id = p.study "
        "WHERE s.name = ? AND p.code = ? AND p.created = ?",
        (study, participant.code, participant.created),
    ).fetchone()
    return None if row is None else int(row[0])


def _delete(connection: sqlite3.Connection, number: int, code: str) -> None:
    """Delete what is about a person, in whatever tables that version has."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
        if "participant" in columns:
            connection.execute(f'DELETE FROM "{table}" WHERE participant = ?', (number,))
    there = {row[1] for row in connection.execute("PRAGMA table_info(participants)")}
    nothing = ", ".join(f"{name} = NULL" for name in OWN if name in there)
    connection.execute(
        f"UPDATE participants SET {nothing}, browser = '{{}}', state = 'stopped' WHERE id = ?",
        (number,),
    )
    _clean_trail(connection, number, code)


def _clean_trail(connection: sqlite3.Connection, number: int, code: str) -> None:
    of = connection.execute("SELECT study FROM participants WHERE id = ?", (number,)).fetchone()
    lines = connection.execute("SELECT id, details FROM events WHERE study = ?", of).fetchall()
    for line, details in lines:
        if json.loads(details).get("participant") == code:
            left = json.dumps({"participant": code})
            connection.execute("UPDATE events SET details = ? WHERE id = ?", (left, line))
