"""Studies."""

from typing import Any

from sqlalchemy import Connection, insert, select, update

from resemblance.store import schema
from resemblance.store.access import Access, as_record, columns_of, write
from resemblance.store.checks import one_of
from resemblance.store.errors import ContentError
from resemblance.store.events import note
from resemblance.store.records import Json, Study, StudyState

COLUMNS = columns_of(Study, schema.studies)
ITEMS_ADDED = "items added"  # what the audit trail calls it


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

    @write
    def set_changes(
        self,
        connection: Connection,
        study: Study,
        changes: Json | None,
        who: str,
        details: Json | None = None,
    ) -> Study:
        """Keep the settings that go before a study's study.toml; ``details`` says what is new."""
        what = "settings changed"
        return self._change(connection, study, who, what, details, changes=changes)

    @write
    def add_stimuli(
        self, connection: Connection, study: Study, stimuli: dict[str, str], who: str
    ) -> Study:
        """Add stimuli after those that a study has; give it as it is then.

        Raises
        ------
        ContentError
            If it has one of the names already.
        """
        wanted = select(schema.studies.c.stimuli).where(schema.studies.c.id == study.id)
        has = connection.execute(wanted.with_for_update()).scalar_one()
        if twice := [name for name in stimuli if name in has]:
            raise ContentError(f"{study.name} has an item {twice[0]!r} already: give another name")
        details = {"names": list(stimuli)}
        return self._change(connection, study, who, ITEMS_ADDED, details, stimuli=has | stimuli)

    def _change(
        self,
        connection: Connection,
        study: Study,
        who: str,
        what: str,
        details: Json | None = None,
        **values: Any,
    ) -> Study:
        changing = update(schema.studies).where(schema.studies.c.id == study.id).values(**values)
        row = connection.execute(changing.returning(*COLUMNS)).one()
        note(connection, study.id, self.clock(), who, what, **(details or {}))
        return as_record(Study, row)

    def study(self, name: str) -> Study | None:
        """Return the study of this name; None where there is none."""
        rows = self._rows(select(*COLUMNS).where(schema.studies.c.name == name))
        return as_record(Study, rows[0]) if rows else None

    def studies(self) -> list[Study]:
        """Return all studies, oldest first."""
        rows = self._rows(select(*COLUMNS).order_by(schema.studies.c.id))
        return [as_record(Study, row) for row in rows]
