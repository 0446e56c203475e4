"""The store: all that a study must not lose."""

import time
from collections.abc import Callable
from typing import Self

from resemblance.store.access import Access
from resemblance.store.answers import Answers
from resemblance.store.engines import checked_url, make_engines
from resemblance.store.events import Events
from resemblance.store.exclusions import Exclusions
from resemblance.store.lease import Leases
from resemblance.store.migration import migrate
from resemblance.store.participants import Participants
from resemblance.store.pool import Pool
from resemblance.store.questions import Questions
from resemblance.store.records import AnswerIn, Wanted  # noqa: F401  (the example)
from resemblance.store.spaces import Spaces
from resemblance.store.standing import Standings
from resemblance.store.studies import Studies
from resemblance.store.tallies import Tallies
from resemblance.store.writer import Writer


class Store(
    Studies,
    Participants,
    Questions,
    Standings,
    Answers,
    Pool,
    Exclusions,
    Events,
    Spaces,
    Tallies,
    Leases,
    Access,
):
    """Studies, people, questions and answers in SQLite or PostgreSQL; it knows no science.

    Made by :meth:`open`. Each write returns when it is on the disk, and all that wait at one moment
    share one commit. ``store.answer(...)`` waits for that; ``await store.answer.soon(...)`` lets an
    event loop go on meanwhile, and so for every write. A store may be used by many threads; a
    process that forks opens its own. What is asked and answered is plain JSON.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Store.open(f"sqlite:///{folder}/study.sqlite") as store:
    ...         ties = store.add_study("ties", settings="", stimuli={})
    ...         person = store.enter(ties, "open", None, token_hash="...")
    ...         question = {"kind": "triplet", "head": 4, "options": [1, 2]}
    ...         (served,) = store.serve(person, [Wanted(question)])
    ...         store.answer(person, [AnswerIn(served.id, {"chosen": 0}, rt_ms=812.5)])
    ...         [(answer.code, answer.response) for answer in store.answers_after(ties)]
    ([Acknowledged(question_id='...', new=True)], [])
    [('P0001', {'chosen': 0})]
    """

    @classmethod
    def open(cls, url: str, clock: Callable[[], float] = time.time) -> Self:
        """Open a database, and make or migrate its tables.

        Parameters
        ----------
        url : str
            ``sqlite:///folder/study.sqlite`` (four strokes before an absolute path) or
            ``postgresql://user:password@host/name``. An older SQLite file is copied beside itself
            before it is migrated.
        clock : callable
            Gives the time in seconds since 1970.

        Raises
        ------
        SettingError
            If the address is of another kind.
        StoreError
            If the database cannot be reached, or is of a later version of the package.
        """
        address = checked_url(url)
        readers, writers = make_engines(address)
        try:
            migrate(writers, address)
        except Exception:
            readers.dispose()
            writers.dispose()
            raise
        return cls(address, readers, Writer(writers), clock)

    def close(self) -> None:
        """Do the writes that wait, then close the connections."""
        self._writer.close()
        self._readers.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
