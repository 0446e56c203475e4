"""Studies."""

from sqlalchemy import Connection, insert, select, update

from resemblance.store import schema
from resemblance.store.access import Access, as_record, columns_of, write
from resemblance.store.checks import one_of
from resemblance.store.events import note
from resemblance.store.records import Study, StudyState

COLUMNS = columns_of(Study, schema.studies)


class Studies(Access):
    """The studies of a database."""

    @write
    def add_study(
        self,
        connection: Connection,
        name: str,
        settings: str,
        stimuli: dict[str, str],
        who: str = "server",
    ) -> Study:
        """Add a study; it is open.

        Raises
        ------
        ContentError
            If there is a study of this name.
        """
        now = self.clock()
        values = {"name": name, "settings": settings, "stimuli": stimuli}
        adding = insert(schema.studies).values(**values, state="open", created=now)
        study = as_record(Study, connection.execute(adding.returning(*COLUMNS)).one())
        note(connection, study.id, now, who, "study added")
        return study

    @write
    def set_state(self, connection: Connection, study: Study, state: StudyState, who: str) -> Study:
        """Open, pause or close a study; give it as it is then."""
        one_of(state, StudyState)
        return self._change(connection, study, who, f"study {state}", state=state)

    @write
    def set_settings(self, connection: Connection, study: Study, settings: str, who: str) -> Study:
        """Keep a changed study.toml; give the study as it is then."""
        return self._change(connection, study, who, "settings changed", settings=settings)

    def _change(
        self, connection: Connection, study: Study, who: str, what: str, **values: str
    ) -> Study:
        changing = update(schema.studies).where(schema.studies.c.id == study.id).values(**values)
        row = connection.execute(changing.returning(*COLUMNS)).one()
        note(connection, study.id, self.clock(), who, what)
        return as_record(Study, row)

    def study(self, name: str) -> Study | None:
        """Give the study of this name; None where there is none."""
        rows = self._rows(select(*COLUMNS).where(schema.studies.c.name == name))
        return as_record(Study, rows[0]) if rows else None

    def studies(self) -> list[Study]:
        """Give all studies, oldest first."""
        rows = self._rows(select(*COLUMNS).order_by(schema.studies.c.id))
        return [as_record(Study, row) for row in rows]
