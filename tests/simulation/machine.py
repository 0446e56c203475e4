"""Processes, a clock and faults that a seed decides: a study within one process, like many.

Every statement to the database, every commit, every change of a file and every wait is a *point*.
A fault that is armed happens at the n-th point from then on. A process that is killed changes
nothing any more: what is put back or cleaned up on the way out is not done either.
"""

import asyncio
import os
import random
import secrets
import shutil
import sqlite3
from collections import Counter
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from anyio import to_thread
from argon2 import PasswordHasher
from sqlalchemy import MetaData, create_mock_engine
from sqlalchemy.dialects import sqlite

from resemblance.store import Store, database, engines, people, schema, store
from resemblance.study import live as live_module, participation as participation_module, privacy
from resemblance.study.folder import StudyFolder
from resemblance.study.live import LiveStudy
from resemblance.study.worker import loop
from resemblance.web import accounts, app as web_app
from resemblance.web.accounts import FILE, Accounts
from resemblance.web.desk import login
from resemblance.web.limits import Sharing
from resemblance.web.participants import Quick

START = 1_900_000_000.0  # seconds since 1970
ENGINES = {}  # by the address of a database, those that nobody uses
LENT = {}  # by the engine that writes, where it belongs and what reads beside it
FAULTS = "kill", "kill", "kill", "error", "full", "busy"
JUMPS = {"a delay": 60.0, "an hour ahead": 3700.0, "an hour back": -3700.0}  # of the clock, in s
ERRORS = {
    "error": ("disk I/O error", "SQLITE_IOERR"),
    "full": ("database or disk is full", "SQLITE_FULL"),
    "busy": ("database is locked", "SQLITE_BUSY"),
}
STATES = {"full": "53100", "busy": "40P01"}  # of PostgreSQL; an error is a connection that is cut


HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


class Killed(BaseException):
    """The process is gone."""


def make_engines(url):
    """Lend connections to a database, on which each statement and commit is a point.

    Statements are built once for each engine: those that a process leaves are lent to the next.
    """
    if not (free := ENGINES.setdefault(str(url), [])):
        readers, writers = engines.make_engines(url)
        for name in ("do_execute", "do_executemany", "do_execute_no_params", "do_commit"):
            what = "commit" if name == "do_commit" else "statement"
            setattr(writers.dialect, name, guarded(getattr(writers.dialect, name), what))
        free.append((readers, writers))
    if engines.file_of(url):
        Path(str(url.database)).touch(mode=0o600)
    readers, writers = free.pop()
    LENT[writers] = free, readers
    return readers, writers


@cache
def made_by(metadata):
    """Write the statements that make tables of SQLite once: SQLAlchemy would at each restore."""
    found, dialect = [], sqlite.dialect()
    mock = create_mock_engine(
        "sqlite://", lambda one, *_: found.append(one.compile(dialect=dialect))
    )
    MetaData.create_all(metadata, mock, checkfirst=False)
    return [str(one) for one in found]


def create_all(metadata, connection, checkfirst):
    """Make the tables of a database."""
    if connection.dialect.name != "sqlite":
        MetaData.create_all(metadata, connection, checkfirst=checkfirst)
        return
    for statement in made_by(metadata):
        connection.exec_driver_sql(statement)


def guarded(do, what):
    """Make a function one that passes a point of the machine that runs first."""

    def doing(*arguments, **named):
        Machine.now.point(what, *arguments[:1])
        return do(*arguments, **named)

    return doing


def break_sqlite(fault):
    """Let SQLite fail as it does."""
    said, name = ERRORS[fault]
    error = sqlite3.OperationalError(said)
    error.sqlite_errorcode, error.sqlite_errorname = getattr(sqlite3, name), name
    raise error


def break_postgresql(fault, what, connection):
    """Let PostgreSQL fail as it does; where a connection is cut at a commit, that was done."""
    if fault == "error":
        if what == "commit":
            connection.commit()
        connection.pgconn.finish()
        raise psycopg.OperationalError("the connection is lost")
    raise psycopg.errors.lookup(STATES[fault])("the database fails")


class Writer(database.Writer):
    """Writes at once, in the thread of who asks; or all that wait together, when told to."""

    def __init__(self, engine, still_there=lambda: None, refuse_other=lambda _: None):
        self._engine, self._still_there, self._refuse_other = engine, still_there, refuse_other
        self._closed, self.waiting = False, None

    def submit(self, do, request):
        if self._closed:
            raise store.StoreError("the store is closed")
        task = database._Task(do, request)
        if self.waiting is None:
            self._write([task])
        else:
            self.waiting.append(task)
        return task.future

    def _write(self, tasks):
        super()._write([task for task in tasks if task.future.set_running_or_notify_cancel()])
        Machine.now.point("acknowledgement")

    def close(self):
        if not self._closed:
            self._closed = True
            self._engine.dispose()
            free, readers = LENT.pop(self._engine)
            free.append((readers, self._engine))


async def at_once(do, *arguments, **_):
    """Do what another thread would do; there is nothing to wait for."""
    return do(*arguments) if callable(do) else None


class Machine:
    """The computer: its clock, its chance, its disk, and what goes wrong next.

    Parameters
    ----------
    seed : int
        Decides everything.
    """

    now = None  # the machine that runs

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.time = START + self.random.randrange(86_400)
        self.armed, self.dead = None, False
        self.points = Counter()

    def clock(self):
        return self.time

    def arm(self, fault, after):
        """Let a fault happen at a point that is so many away."""
        self.armed = [fault, after]

    def point(self, what, handle=None):
        """Pass a point, perhaps with a connection or a cursor: here something may go wrong."""
        self.points[what] += 1
        if self.dead:
            raise Killed
        if self.armed is None:
            return
        self.armed[1] -= 1
        if self.armed[1] > 0:
            return
        fault, self.armed = self.armed[0], None
        if fault in JUMPS:
            self.time += JUMPS[fault]
            return
        if fault == "kill":
            self.dead = True
            raise Killed
        if what in ("acknowledgement", "wait"):  # no database is asked there
            return
        if what == "file":
            raise OSError(28, "No space left on device")
        own = "driver_connection" if what == "commit" else "connection"
        connection = getattr(handle, own, None)
        if hasattr(connection, "pgconn"):
            break_postgresql(fault, what, connection)
        break_sqlite(fault)

    @contextmanager
    def undisturbed(self):
        """Let somebody act from outside: nothing goes wrong meanwhile."""
        dead, armed, self.dead, self.armed = self.dead, self.armed, False, None
        try:
            yield
        finally:
            self.dead, self.armed = dead, armed

    @contextmanager
    def running(self):
        """Put the simulated clock, chance and disk in place of the real ones."""
        with pytest.MonkeyPatch.context() as patch:
            Machine.now = self
            chosen = random.Random(self.random.random())
            draw = lambda n=32: bytes(chosen.randrange(256) for _ in range(n))  # noqa: E731
            patch.setattr(secrets, "token_hex", lambda n=32: draw(n).hex())
            patch.setattr(secrets, "token_urlsafe", lambda n=32: draw(n).hex()[:43])
            patch.setattr(people, "drawn", lambda: f"-{draw(3).hex().upper()}")
            patch.setattr(store, "Writer", Writer)
            patch.setattr(store, "make_engines", make_engines)
            patch.setattr(database, "PAUSES", (0.0, 0.0, 0.0))
            ticks = SimpleNamespace(monotonic=lambda: self.time, time=lambda: self.time)
            ticks.sleep = lambda _: None
            for module in (live_module, loop, privacy, database):
                patch.setattr(module, "time", ticks)
            patch.setattr(loop.StudyWork, "_new_learner", lambda work: None)
            patch.setattr(participation_module, "off_the_loop", self.read)
            patch.setattr(web_app, "Quick", self._remember)
            patch.setattr(to_thread, "run_sync", at_once)
            patch.setattr(login, "sleep", at_once)
            patch.setattr(accounts, "_hasher", lambda: HASHER)
            patch.setattr(secrets, "randbits", chosen.getrandbits)
            for one in (schema.metadata, schema.VERSIONS.metadata):
                patch.setattr(one, "create_all", partial(create_all, one))
            self._guard_files(patch)
            with asyncio.Runner() as runner:
                self.run = runner.run
                yield self
        Machine.now = None

    async def read(self, live, read, *arguments):
        """Read, with a point before: others go on meanwhile."""
        self.point("wait")
        await asyncio.sleep(0)
        return read(*arguments)

    def _remember(self, app):
        """Make the quick path of a process, and remember it."""
        self.quick = Quick(app)
        return self.quick

    def _guard_files(self, patch):
        """Make each change of a file a point; who is killed changes none."""

        for home, names in (
            (os, ("replace", "link", "unlink", "rename")),
            (Path, ("replace", "unlink", "touch")),
            (shutil, ("rmtree",)),
            (sqlite3, ("connect",)),
        ):
            for name in names:
                patch.setattr(home, name, guarded(getattr(home, name), "file"))


class Count:
    """Counts the requests that a limit would count."""

    sent = taken = 0

    def take(self, key):
        self.taken += 1


class Process:
    """A web process, a worker or a command: it is opened, works, and ends or is killed.

    Parameters
    ----------
    machine : Machine
        Where it runs.
    path : Path
        The study's folder.
    """

    def __init__(self, machine, path):
        self.machine, self.path = machine, path
        self.live = None

    def open(self):
        """Start, where it does not run."""
        if self.live is not None:
            return self.live
        self.machine.dead = False
        folder = StudyFolder.open(self.path)
        kept = Store.open(folder.database, self.machine.clock)
        try:
            self.live = LiveStudy.open(folder, kept, self.machine.clock)
        except BaseException:
            kept.close()
            raise
        kept, several = Accounts(self.path / FILE, self.machine.clock), Sharing(processes=2)
        self.app = web_app.create_app([self.live], kept, sharing=several)
        self.app.middleware_stack = self.app.build_middleware_stack()
        self.quick, self.shared = self.machine.quick, self.app.state.shared
        self.requests = self.shared.requests = Count()
        for limit in (self.shared.logins, self.shared.guesses, self.shared.tries):
            limit.clock = self.machine.clock
        self.work = loop.StudyWork(self.live)
        return self.live

    def end(self):
        """Go, in peace or not: no connection and no lease is left."""
        if self.live is None:
            return
        with self.machine.undisturbed():
            if self.work._lease is not None:
                self.work._lease.release()
            self.live.store.close()
        self.machine.dead = False
        self.live = None
