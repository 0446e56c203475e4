"""Access to the database: reads, and a thread that commits waiting writes together."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from itertools import groupby
from operator import attrgetter
from queue import Empty, SimpleQueue
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeAlias, TypeVar, overload

from sqlalchemy import URL, ColumnElement, Connection, Engine, Row, Select, Table
from sqlalchemy.exc import DBAPIError

from resemblance.store.errors import StoreError, as_ours, is_refusal, translated

Do: TypeAlias = Callable[[Connection, list[Any]], Sequence[Any]]
# Largest number of writes in one commit, which is the number of savepoints that PostgreSQL caches.
MOST = 64
PAUSES = (0.05, 0.5, 2.0)  # seconds of pause before each retry
SLOW = "the disk, or the database, does not respond: nothing is acknowledged until it does"
P = ParamSpec("P")
Q = TypeVar("Q")
R = TypeVar("R")
Record = TypeVar("Record")
PAGE = 1000  # number of rows that a long read fetches at a time


@dataclass(slots=True)
class _Task:
    do: Do
    request: Any
    future: Future[Any] = field(default_factory=Future)
    outcome: Any = None

    def settle(self) -> None:
        if isinstance(self.outcome, Exception):
            self.future.set_exception(self.outcome)
        else:
            self.future.set_result(self.outcome)


def _together(connection: Connection, tasks: list[_Task]) -> None:
    for do, group in groupby(tasks, attrgetter("do")):
        alike = list(group)
        outcomes = do(connection, [task.request for task in alike])
        for task, outcome in zip(alike, outcomes, strict=True):
            task.outcome = outcome


def _apart(connection: Connection, tasks: list[_Task]) -> None:
    for task in tasks:
        try:
            with connection.begin_nested():
                (task.outcome,) = task.do(connection, [task.request])
        except Exception as error:
            if not is_refusal(error):
                raise
            task.outcome = as_ours(error)


class Writer:
    """A queue of writes through one connection, which commits waiting writes together.

    The future of a write gets the result when the commit is on disk. If a write is refused, all
    writes of its commit are repeated, each after its own savepoint. Each transaction first calls
    ``refuse_other``, and after each commit ``still_there`` is called; both may raise an error.
    Transactions of ``engine`` must begin by taking the write lock.
    """

    patience: float | None = None  # seconds after which callers get an error
    _since = float("inf")  # time when the current commit began

    def __init__(
        self,
        engine: Engine,
        still_there: Callable[[], None] = lambda: None,
        refuse_other: Callable[[Connection], None] = lambda _: None,
    ) -> None:
        self._engine, self._still_there, self._refuse_other = engine, still_there, refuse_other
        self._queue: SimpleQueue[_Task | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="store writer", daemon=True)
        self._thread.start()

    def submit(self, do: Do, request: Any) -> Future[Any]:
        """Queue a write; ``do(connection, requests)`` returns a result or error per request."""
        if self.patience is not None and time.monotonic() - self._since > self.patience:
            raise StoreError(SLOW)
        task = _Task(do, request)
        with self._gate:
            if self._closed:
                raise StoreError("the store is closed: open it again before writing.")
            self._queue.put(task)
        return task.future

    def close(self) -> None:
        with self._gate:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()
        self._engine.dispose()

    def _run(self) -> None:
        open_ = True
        while open_:
            tasks, open_ = self._waiting()
            self._write([task for task in tasks if task.future.set_running_or_notify_cancel()])

    def _waiting(self) -> tuple[list[_Task], bool]:
        """Wait for writes; return up to MOST of them, and False if the queue is closed."""
        tasks: list[_Task] = []
        try:
            task = self._queue.get()
            while task is not None:
                tasks.append(task)
                if len(tasks) == MOST:
                    break
                task = self._queue.get_nowait()
        except Empty:
            return tasks, True
        return tasks, task is not None

    def _write(self, tasks: list[_Task]) -> None:
        if not tasks:
            return
        self._since = time.monotonic()
        try:
            self._persist(tasks)
            self._still_there()
        except Exception as error:
            for task in tasks:
                task.outcome = as_ours(error)
        self._since = float("inf")
        for task in tasks:
            task.settle()

    def _persist(self, tasks: list[_Task]) -> None:
        try:
            self._commit(tasks, _together)
        except Exception as error:
            if not is_refusal(error):
                raise
            self._commit(tasks, _apart)

    def _commit(self, tasks: list[_Task], run: Callable[[Connection, list[_Task]], None]) -> None:
        for pause in (*PAUSES, None):
            committing = False
            try:
                with self._engine.connect() as connection, connection.begin():
                    self._refuse_other(connection)
                    run(connection, tasks)
                    committing = True
                return
            except DBAPIError as error:
                if committing or pause is None or not _passes(error):
                    raise
            time.sleep(pause)


def _passes(error: DBAPIError) -> bool:
    """Return whether a retry may succeed: after a lost connection, deadlock or busy SQLite."""
    if getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
        return True
    state = getattr(error.orig, "sqlstate", "")
    lost = error.connection_invalidated or state is None
    return lost or state[:2] in ("08", "40") or state in ("57P01", "57P02", "57P03")


@dataclass
class Database:
    url: URL
    readers: Engine  # Reads are autocommitted, statement by statement.
    writer: Writer
    clock: Callable[[], float]  # seconds since 1970
    # Called before long reads. Raises an error if a later version has migrated the tables.
    refuse_other: Callable[[Connection], None]

    def rows(self, statement: Select[Any], **values: Any) -> list[Row[Any]]:
        """Return all rows of a query, with one retry if the connection was lost."""
        with translated():
            try:
                return self._read(statement, values)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            return self._read(statement, values)

    def all(
        self, record: Callable[..., Record], statement: Select[Any], **values: Any
    ) -> list[Record]:
        return [as_record(record, row) for row in self.rows(statement, **values)]

    def first(
        self, record: Callable[..., Record], statement: Select[Any], **values: Any
    ) -> Record | None:
        return next(iter(self.all(record, statement, **values)), None)

    def _read(self, statement: Select[Any], values: dict[str, Any]) -> list[Row[Any]]:
        with self.readers.connect() as connection:
            return list(connection.execute(statement, values).all())

    def stream(self, statement: Select[Any]) -> Iterator[Row[Any]]:
        """Yield the rows of a query that may not fit into memory."""
        with self.reading() as connection:
            yield from connection.execution_options(yield_per=PAGE).execute(statement)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with translated(), self.readers.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection.execution_options(isolation_level="READ COMMITTED")
            self.refuse_other(connection)
            yield connection


@dataclass
class Part:
    database: Database


class BoundWrite(Generic[P, R]):
    """A write, either called synchronously or awaited as ``soon``."""

    def __init__(
        self,
        writer: Writer,
        do: Callable[[Connection, list[Q]], Sequence[R | Exception]],
        request: Callable[P, Q],
    ) -> None:
        self._writer, self._do, self._request = writer, do, request

    def __call__(self, *args: P.args, **named: P.kwargs) -> R:
        future = self._submit(*args, **named)
        try:
            return future.result(self._writer.patience)
        except TimeoutError:
            future.cancel()  # This cancels a write that has not begun.
            raise StoreError(SLOW) from None

    async def soon(self, *args: P.args, **named: P.kwargs) -> R:
        """Write without blocking the event loop; on return, the write is on disk."""
        try:
            async with asyncio.timeout(self._writer.patience):
                return await asyncio.wrap_future(self._submit(*args, **named))
        except TimeoutError:
            raise StoreError(SLOW) from None

    def _submit(self, *args: P.args, **named: P.kwargs) -> Future[R]:
        return self._writer.submit(self._do, self._request(*args, **named))


class Write(Generic[P, R]):
    """Descriptor of a method that writes; made by :func:`write` and :func:`write_together`."""

    def __init__(
        self,
        method: Callable[[Any, Connection, list[Q]], Sequence[R | Exception]],
        request: Callable[P, Q],
        doc: str | None,
    ) -> None:
        self._method, self._request, self.__doc__ = method, request, doc

    @overload
    def __get__(self, part: None, owner: type) -> Self: ...

    @overload
    def __get__(self, part: Part, owner: type) -> BoundWrite[P, R]: ...

    def __get__(self, part: Part | None, owner: type) -> Self | BoundWrite[P, R]:
        if part is None:
            return self
        return BoundWrite(part.database.writer, MethodType(self._method, part), self._request)


def write(method: Callable[Concatenate[Any, Connection, P], R]) -> Write[P, R]:
    """Turn ``method`` into a write, which may be called again after an error before the commit."""

    def each(part: Any, connection: Connection, calls: list[Any]) -> list[R]:
        return [method(part, connection, *args, **named) for args, named in calls]

    return Write(each, lambda *args, **named: (args, named), method.__doc__)


def write_together(
    request: Callable[P, Q],
) -> Callable[[Callable[[Any, Connection, list[Q]], Sequence[R | Exception]]], Write[P, R]]:
    """Turn ``method(self, connection, requests)`` into a write that handles calls together."""
    return lambda method: Write(method, request, method.__doc__)


def columns_of(record: type, table: Table) -> list[ColumnElement[Any]]:
    return [table.c[field.name] for field in fields(record)]


def as_record(record: Callable[..., Record], row: Row[Any]) -> Record:
    return record(**row._mapping)
