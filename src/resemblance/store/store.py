"""The store: durable records of studies."""

import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from sqlalchemy import Connection, update

from resemblance.store import schema
from resemblance.store.database import Database, Writer
from resemblance.store.engines import checked_url, file_of, make_engines, still_there
from resemblance.store.errors import StoreError
from resemblance.store.lease import Lease, lease
from resemblance.store.people import People
from resemblance.store.pool import Pool
from resemblance.store.questions import Answers, Questions
from resemblance.store.records import AnswerIn, Study, Wanted  # noqa: F401  (the example)
from resemblance.store.retention import Retention
from resemblance.store.schema import migrate, refuse_other
from resemblance.store.studies import Events, Spaces, Studies
from resemblance.store.tallies import Tallies


class Store:
    """Studies, people, questions and answers in SQLite or PostgreSQL.

    A write returns when its data are on disk; writes that wait at the same time share one commit.
    In an event loop, use ``await store.answers.take.soon(...)``. Threads can share a store, but a
    forked process must open its own store.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Store.open(f"sqlite:///{folder}/study.sqlite") as store:
    ...         ties = store.studies.add("ties", settings="", stimuli={})
    ...         person = store.people.enter(ties, "open", None, token_hash="...")
    ...         question = {"kind": "triplet", "head": 4, "options": [1, 2]}
    ...         (served,) = store.questions.serve(person, [Wanted(question)])
    ...         store.answers.take(person, [AnswerIn(served.id, {"chosen": 0}, rt_ms=812.5)])
    ...         [(answer.code, answer.response) for answer in store.answers.after(ties)]
    ([Acknowledged(question_id='...', new=True)], [])
    [('P0001', {'chosen': 0})]
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.studies, self.events = Studies(database), Events(database)
        self.people, self.tallies = People(database), Tallies(database)
        self.questions, self.answers = Questions(database), Answers(database)
        self.pool, self.spaces = Pool(database), Spaces(database)
        self.retention = Retention(database)

    @classmethod
    def open(cls, url: str, clock: Callable[[], float] = time.time) -> Self:
        """Open ``sqlite:///file`` or ``postgresql://...``, and create or migrate its tables."""
        address = checked_url(url)
        readers, writers = make_engines(address)
        try:
            migrate(writers, address)
        except Exception:
            readers.dispose()
            writers.dispose()
            raise
        writer = Writer(writers, still_there(address), refuse_other)
        return cls(Database(address, readers, writer, clock, refuse_other))

    @property
    def is_remote(self) -> bool:
        """Whether the database is a server, so that reads wait for another process."""
        return self.database.readers.dialect.name == "postgresql"

    def writes(self, seconds: float) -> bool:
        """Return whether a test write, which changes nothing, succeeds within ``seconds``."""
        with suppress(StoreError, TimeoutError):
            self.database.writer.submit(_write_nothing, None).result(seconds)
            return True
        return False

    def room(self) -> int | None:
        """Return the number of free bytes beside a SQLite file; None for PostgreSQL."""
        file = file_of(self.database.url)
        if file is None:
            return None
        try:
            return shutil.disk_usage(file.absolute().parent).free
        except OSError:  # The folder has been removed.
            return 0

    def lease(self, study: Study) -> Lease | None:
        return lease(self.database, study)

    def close(self) -> None:
        self.database.writer.close()
        self.database.readers.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _write_nothing(connection: Connection, requests: list[Any]) -> list[None]:
    pulses = schema.pulses
    connection.execute(update(pulses).where(pulses.c.study == -1).values(at=pulses.c.at))
    return [None] * len(requests)
