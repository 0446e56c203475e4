"""A writer thread that commits waiting writes together, then acknowledges each."""

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from resemblance.store.errors import StoreError, as_ours, is_refusal

Do: TypeAlias = Callable[[Connection, list[Any]], Sequence[Any]]
MOST = 64  # writes in one commit: PostgreSQL keeps that many savepoints at hand
PAUSES = (0.05, 0.5, 2.0)  # seconds before each further try
SLOW = "the disk, or the database, does not answer: nothing is acknowledged until it does"


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
    """Run each task behind a savepoint, so that a refused one leaves no traces."""
    for task in tasks:
        try:
            with connection.begin_nested():
                (task.outcome,) = task.do(connection, [task.request])
        except Exception as error:
            if not is_refusal(error):
                raise
            task.outcome = as_ours(error)


class Writer:
    """A queue of writes with one connection (group commit).

    If a write is refused, the others of its commit are repeated, each behind a savepoint. Futures
    are resolved after the commit has returned and the data is on disk. ``still_there`` is called
    after each commit and ``refuse_other`` first in each transaction; both may raise. The engine's
    ``begin`` must acquire the right to write at once.
    """

    patience: float | None = None  # seconds that who asked waits
    _since = float("inf")  # start of the commit under way

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
        """Queue a write; its future is resolved when the write is durable.

        ``do(connection, requests)`` returns the outcome of each request, or an error for a request
        that was refused and has written nothing.
        """
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
        """Wait for a write and take all waiting ones; False once the queue is closed."""
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
        """Run all tasks together; if the database refuses one, run them again separately."""
        try:
            self._commit(tasks, _together)
        except Exception as error:
            if not is_refusal(error):
                raise
            self._commit(tasks, _apart)

    def _commit(self, tasks: list[_Task], run: Callable[[Connection, list[_Task]], None]) -> None:
        """Run and commit, with retries after lost connections and conflicts."""
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
    """Return whether a retry can help: after a lost connection, a deadlock or a restart.

    Or after another process wrote without a pause, since SQLite has no queue of writers.
    """
    if getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
        return True
    state = getattr(error.orig, "sqlstate", "")
    lost = error.connection_invalidated or state is None
    return lost or state[:2] in ("08", "40") or state in ("57P01", "57P02", "57P03")
