"""The audit trail: who did what, and when; and what the worker has fitted."""

from typing import Any

from sqlalchemy import Connection, insert, select

from resemblance.store import schema
from resemblance.store.access import Access, as_record, columns_of, write
from resemblance.store.records import Event, Json, Study


def note(
    connection: Connection, study: int, at: float, who: str, what: str, **details: Any
) -> None:
    """Write a line within a transaction."""
    line = {"study": study, "at": at, "who": who, "what": what, "details": details}
    connection.execute(insert(schema.events), line)


class Events(Access):
    """The events of studies."""

    @write
    def record(
        self, connection: Connection, study: Study, who: str, what: str, details: Json
    ) -> None:
        """Write a line: ``who`` did ``what``."""
        note(connection, study.id, self.clock(), who, what, **details)

    def audit(self, study: Study, what: str | None = None) -> list[Event]:
        """Return the lines of a study, oldest first; only those that say ``what``, where given."""
        of = schema.events.c
        wanted = select(*columns_of(Event, schema.events)).where(of.study == study.id)
        wanted = wanted if what is None else wanted.where(of.what == what)
        return [as_record(Event, row) for row in self._rows(wanted.order_by(of.id))]

    def trail(self, study: Study, most: int, before: int | None = None) -> list[Event]:
        """Return the last lines of a study, newest first, without the fits; those before an id."""
        of = schema.events.c
        wanted = select(*columns_of(Event, schema.events)).where(of.study == study.id, schema.TRAIL)
        wanted = wanted if before is None else wanted.where(of.id < before)
        rows = self._rows(wanted.order_by(of.id.desc()).limit(most))
        return [as_record(Event, row) for row in rows]
