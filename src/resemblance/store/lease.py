"""Leases: at most one worker per study, across processes and hosts."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from resemblance.errors import UnavailableError
from resemblance.store.database import Database
from resemblance.store.engines import file_of
from resemblance.store.errors import StoreError, translated
from resemblance.store.records import Study

LEASE = ".lease-"  # part of the names of lock files
LOCKS = 0x5E5B  # First key of advisory locks in PostgreSQL. The second key is the id of the study.


@dataclass(frozen=True)
class Lease:
    """The right to work on a study, until it is released or the process ends.

    ``held()`` returns False if the lease was lost together with the connection to PostgreSQL.
    """

    held: Callable[[], bool]
    release: Callable[[], None]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def lease(database: Database, study: Study) -> Lease | None:
    """Take the lease of a study and return it; None if another process has it."""
    file = file_of(database.url)
    if file is not None:
        return _locked(file.with_name(f"{file.name}{LEASE}{study.id}"))
    with translated():
        connection = database.readers.connect()
        asking = text("SELECT pg_try_advisory_lock(:kind, :study)")
        if not connection.execute(asking, {"kind": LOCKS, "study": study.id}).scalar_one():
            connection.close()
            return None
    return Lease(partial(_answers, connection), partial(_hang_up, connection))


def _answers(connection: Connection) -> bool:
    try:
        return not connection.closed and connection.execute(text("SELECT 1")).scalar_one() == 1
    except SQLAlchemyError:
        return False


def _hang_up(connection: Connection) -> None:
    """Release the lock and close the connection: in the pool it would still have the lock."""
    if not connection.closed:
        with suppress(SQLAlchemyError):
            connection.execute(text("SELECT pg_advisory_unlock_all()"))
        connection.invalidate()
        connection.close()


def is_locked(path: Path) -> bool:
    lease = _locked(path)
    if lease is not None:
        lease.release()
    return lease is None


def _locked(path: Path) -> Lease | None:
    try:
        import fcntl
    except ImportError:
        raise UnavailableError(
            "this system has no fcntl locks: run the server on Linux or macOS, or on PostgreSQL."
        ) from None
    try:
        file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "a")
        os.fchmod(file.fileno(), 0o600)  # Everybody who can read a file can lock it.
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error}. Check who owns it.") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return Lease(lambda: not file.closed, file.close)
