"""Erase the ids of people whose last visit was long ago."""

from collections.abc import Callable
from typing import Any, TypeAlias

from sqlalchemy import Connection, Select, exists, func, select

from resemblance.store import schema
from resemblance.store.database import Part, as_record, write
from resemblance.store.engines import empty_log
from resemblance.store.people import COLUMNS, KNOWN, PEOPLE, put
from resemblance.store.records import Json, Participant, Study
from resemblance.store.studies import note

AT_ONCE = 500  # Number of people in one write, so that other writes can come in between.
Change: TypeAlias = Callable[[Participant], Json | None]


class Retention(Part):
    def forget(self, study: Study, before: float, change: Change, who: str) -> list[Participant]:
        """Change the ids of people whose last visit was before ``before``; return these people.

        ``change`` returns a person's new ``external_id`` and ``browser``, or None for no change. It
        is called in the transaction of the change, so no person can come back in between.
        """
        forgotten: list[Participant] = []
        last: int | None = 0
        while last is not None:
            changed, last = self._forget_some(study, before, change, last)
            forgotten += changed
        if forgotten:
            self._note(study, who, len(forgotten))
        return forgotten

    @write
    def _forget_some(
        self, connection: Connection, study: Study, before: float, change: Change, after: int
    ) -> tuple[list[Participant], int | None]:
        idle = _idle(study, before).where(PEOPLE.id > after).order_by(PEOPLE.id).limit(AT_ONCE)
        rows = connection.execute(idle.with_for_update()).all()
        people = [as_record(Participant, row) for row in rows]
        changes = [(person, change(person)) for person in people]
        changed = [put(connection, person, values) for person, values in changes if values]
        return changed, people[-1].id if len(people) == AT_ONCE else None

    @write
    def _note(self, connection: Connection, study: Study, who: str, people: int) -> None:
        note(connection, study.id, self.database.clock(), who, "ids forgotten", people=people)

    def clean(self) -> None:
        """Remove erased data from the log of SQLite."""
        empty_log(self.database.url, "the ids are forgotten")


def _idle(study: Study, before: float) -> Select[Any]:
    times = schema.questions.c.served, schema.answers.c.received, schema.pages.c.received
    rest = (
        ~exists().where(time.table.c.participant == PEOPLE.id, time >= before) for time in times
    )
    came = PEOPLE.created < before
    done = func.coalesce(PEOPLE.finished, 0.0) < before
    return select(*COLUMNS).where(PEOPLE.study == study.id, KNOWN, came, done, *rest)
