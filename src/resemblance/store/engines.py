"""Connections to SQLite and PostgreSQL, configured so that commits are durable."""

import json
import logging
import os
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from resemblance.errors import SettingError
from resemblance.store.errors import ContentError, LeftoverError, StoreError

BUSY = 10.0  # seconds that SQLite waits while another process writes
READERS = 10  # Pooled connections of a process for reads from PostgreSQL; new connections are slow.
MOUNTS = Path("/proc/self/mounts")  # list of mounted file systems in Linux
DECODER = json.JSONDecoder()
SHARES = {"nfs", "nfs4", "cifs", "smb3", "9p", "afs", "ceph", "lustre", "glusterfs", "sshfs"}
DATABASE = (
    "SELECT oid::bigint, pg_is_in_recovery() FROM pg_database WHERE datname = current_database()"
)
GONE = {  # With these settings the loss of a database server is noticed within seconds.
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
ELSEWHERE = "put it on a local disk, or use PostgreSQL"
WRITER_PRAGMAS = ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON")
log = logging.getLogger("resemblance.store")
WAIT = 30.0  # seconds in which truncating the log is retried while others use the database
TRY_AGAIN = 0.002  # seconds between two retries; shorter than the pause between two commits


def checked_url(url: str) -> URL:
    """Return the address of a database, which is a SQLite file or a PostgreSQL server."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        parsed = URL.create("")
    backend = parsed.drivername.partition("+")[0]
    if backend in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and parsed.database not in (None, "", ":memory:"):
        return parsed.set(drivername="sqlite")
    raise SettingError(
        "this is no address of a database: give sqlite:///folder/study.sqlite or "
        "postgresql://user:password@host/name."
    )


def file_of(url: URL) -> Path | None:
    return Path(str(url.database)) if url.drivername == "sqlite" else None


def still_there(url: URL) -> Callable[[], None]:
    """Return a fast check (2 µs) that the database file was not moved, removed or replaced."""
    file = file_of(url)
    if file is None:
        return lambda: None
    now = os.stat(file)

    def look() -> None:
        try:
            status = os.stat(file)
        except OSError:
            status = None
        if status is None or (status.st_dev, status.st_ino) != (now.st_dev, now.st_ino):
            raise StoreError(
                f"{file} was moved, removed or replaced while it was open, so nothing is "
                "acknowledged: put the same file back, or start the server again"
            )

    return look


def share_of(file: Path) -> str | None:
    """Return the type of the network file system that contains a file; None if it is local."""
    where, kinds = f"{os.path.realpath(file)}/", {"": ""}
    with suppress(OSError):
        for mount, kind in re.findall(r"^\S+ (\S+) (\S+)", MOUNTS.read_text(), re.MULTILINE):
            kinds[mount.replace("\\040", " ").rstrip("/")] = kind.removeprefix("fuse.")
    share = kinds[max((top for top in kinds if where.startswith(f"{top}/")), key=len, default="")]
    return share if share in SHARES else None


def _refuse_without_locks(file: Path, share: str) -> None:
    import fcntl

    try:
        with TemporaryFile(dir=file.parent) as trial:
            fcntl.lockf(trial, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(trial, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise StoreError(f"{file}: {share} has no locks here ({error}): {ELSEWHERE}") from None


def make_engines(url: URL) -> tuple[Engine, Engine]:
    file = file_of(url)
    if file is None:
        return _postgresql(url)
    try:
        file.touch(mode=0o600)  # A new file is readable only by its owner.
    except OSError as error:
        raise StoreError(
            f"{file} cannot be written: {error}. Create its folder, or check who owns it."
        ) from None
    if share := share_of(file):
        log.warning("%s is on a network file system (%s): %s", file, share, ELSEWHERE)
        _refuse_without_locks(file, share)
    return _sqlite(url)


def _as_json(value: Any) -> str:
    try:
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
        if "\\ud" in text:  # There may be a lone surrogate, which cannot be encoded.
            json.dumps(value, ensure_ascii=False).encode()
        return text
    except UnicodeEncodeError:
        raise ContentError(
            "a text contains a lone surrogate (U+D800 to U+DFFF), which cannot be stored: remove "
            "it, and send it again"
        ) from None
    except (TypeError, ValueError) as error:
        raise ContentError(
            f"this is not plain JSON: {error}. Send finite numbers and text."
        ) from None


def _from_json(text: str) -> Any:
    """Do as json.loads does, in a quarter of the time for a text without spaces around it."""
    value, end = DECODER.raw_decode(text)
    return value if end == len(text) else json.loads(text)


def _engine(url: URL, **settings: Any) -> Engine:
    return create_engine(url, hide_parameters=True, json_serializer=_as_json, **settings)


def _sqlite(url: URL) -> tuple[Engine, Engine]:
    reader = _engine(
        url,
        json_deserializer=_from_json,
        isolation_level="AUTOCOMMIT",
        connect_args={"timeout": BUSY},
    )
    writer = _engine(
        url,
        json_deserializer=_from_json,
        pool_size=1,
        connect_args={"timeout": BUSY, "isolation_level": None},
    )

    @event.listens_for(reader, "connect")
    def read_only(connection: sqlite3.Connection, _: Any) -> None:
        connection.execute("PRAGMA query_only = ON")

    @event.listens_for(writer, "connect")
    def safe(connection: sqlite3.Connection, _: Any) -> None:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise StoreError(
                f"{url.database} cannot use a write-ahead log (mode {mode!r}): {ELSEWHERE}."
            )
        for pragma in WRITER_PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(writer, "begin")
    def take_the_right_to_write(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return reader, writer


def _postgresql(url: URL) -> tuple[Engine, Engine]:
    arguments = {"application_name": "resemblance", **GONE}
    reader = _engine(url, pool_size=READERS, isolation_level="AUTOCOMMIT", connect_args=arguments)
    writer = _engine(url, pool_size=1, isolation_level="READ COMMITTED", connect_args=arguments)

    databases: set[int] = set()  # ids of all databases reached at this address

    @event.listens_for(writer, "connect")
    def safe(connection: Any, _: Any) -> None:
        refuse_pooler(connection)
        database, is_standby = connection.execute(DATABASE).fetchone()
        if is_standby:
            raise StoreError(
                "this PostgreSQL is a standby, which refuses writes: give the primary's address, "
                "or all hosts with target_session_attrs=read-write"
            )
        databases.add(database)
        if len(databases) > 1:
            raise StoreError(
                "this address now leads to another PostgreSQL database, so nothing is "
                "acknowledged: restore the first database, or restart the server"
            )
        connection.execute("SET synchronous_commit = on")
        if connection.execute("SHOW fsync").fetchone()[0] != "on":
            raise StoreError(
                "this PostgreSQL has fsync = off, and a power failure would lose answers: set "
                "fsync = on in postgresql.conf."
            )
        connection.commit()

    return reader, writer


def refuse_pooler(connection: Any) -> None:
    """Refuse a connection pooler that shares sessions of PostgreSQL: it loses settings and locks.

    While another connection is in a transaction, this connection must always reach the same server
    process. A pooler passes this test only in session mode.
    """
    own = _process_of(connection)
    if connection.info.backend_pid == own:
        return
    connection.commit()
    for _ in range(3):
        about = connection.info
        with type(connection).connect(about.dsn, password=about.password or None) as another:
            shared = _process_of(another) == own or _process_of(connection) != own
        connection.commit()
        if shared:
            raise StoreError(
                "a pooler such as PgBouncer shares the sessions of this PostgreSQL: set pool_mode "
                "= session for this database, or connect to PostgreSQL itself (usually port 5432)"
            )


def _process_of(connection: Any) -> int:
    return int(connection.execute("SELECT pg_backend_pid()").fetchone()[0])


def empty_log(url: URL, what: str) -> None:
    """Empty SQLite's write-ahead log, which may contain erased rows; errors begin with ``what``."""
    file = file_of(url)
    if file is None:
        return
    try:
        _empty(file)
    except (OSError, sqlite3.Error) as error:
        raise LeftoverError(
            f"{what}, but {file}-wal still contains the old rows ({error}): repeat this when the "
            "database is idle, or restart the server"
        ) from None


def _empty(file: Path) -> None:
    until = time.monotonic() + WAIT
    with closing(sqlite3.connect(file, timeout=0)) as connection:
        while _in_use(connection):
            if time.monotonic() > until:
                raise TimeoutError("the database is in constant use")
            time.sleep(TRY_AGAIN)


def _in_use(connection: sqlite3.Connection) -> bool:
    """Truncate the log; return True if another connection prevents it."""
    try:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        return True
    return bool(busy)
