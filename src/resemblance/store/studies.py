"""Studies, their audit trail, and their fitted spaces."""

import secrets
from math import log
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from resemblance.store import schema
from resemblance.store.database import Part, as_record, columns_of, write
from resemblance.store.errors import ContentError, one_of
from resemblance.store.records import Event, Json, Scored, Space, Study, StudyState

COLUMNS, EVENT = columns_of(Study, schema.studies), columns_of(Event, schema.events)
LINE = schema.events.c
ITEMS_ADDED = "items added"  # name of an event in the audit trail
FIT_BEGUN = "fit begun"  # name of an event that the desk does not show
MOST = 50  # largest number of stored spaces of a study
NEWEST = 20  # number of newest spaces, which are never deleted
SPACE = schema.spaces.c


def note(
    connection: Connection, study: int, at: float, who: str, what: str, **details: Any
) -> None:
    line = {"study": study, "at": at, "who": who, "what": what, "details": details}
    connection.execute(insert(schema.events), line)


def new_secret() -> str:
    return secrets.token_hex(16)


class Studies(Part):
    @write
    def add(
        self,
        connection: Connection,
        name: str,
        settings: str,
        stimuli: dict[str, str],
        who: str = "server",
    ) -> Study:
        now = self.database.clock()
        values = {"name": name, "settings": settings, "stimuli": stimuli}
        values["secret"] = new_secret()
        adding = insert(schema.studies).values(**values, state="open", created=now)
        study = as_record(Study, connection.execute(adding.returning(*COLUMNS)).one())
        note(connection, study.id, now, who, "study added")
        return study

    @write
    def set_state(self, connection: Connection, study: Study, state: StudyState, who: str) -> Study:
        one_of(state, StudyState)
        return self._change(connection, study, who, f"study {state}", state=state)

    @write
    def set_settings(
        self,
        connection: Connection,
        study: Study,
        settings: str,
        who: str,
        details: Json | None = None,
    ) -> Study:
        """Store a changed study.toml; with ``details``, refuse if the stored text has changed."""
        if details is not None:
            now = select(schema.studies.c.settings).where(schema.studies.c.id == study.id)
            if connection.execute(now.with_for_update()).scalar_one() != study.settings:
                raise ContentError(f"{study.name}: somebody else changed the settings: reload them")
        return self._change(connection, study, who, "settings changed", details, settings=settings)

    @write
    def add_stimuli(
        self, connection: Connection, study: Study, stimuli: dict[str, str], who: str
    ) -> Study:
        """Append stimuli, and return the study; raise ContentError if a name is repeated."""
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
        note(connection, study.id, self.database.clock(), who, what, **(details or {}))
        return as_record(Study, row)

    def named(self, name: str) -> Study | None:
        return self.database.first(Study, select(*COLUMNS).where(schema.studies.c.name == name))

    def all(self) -> list[Study]:
        return self.database.all(Study, select(*COLUMNS).order_by(schema.studies.c.id))


class Events(Part):
    @write
    def record(
        self, connection: Connection, study: Study, who: str, what: str, details: Json
    ) -> None:
        note(connection, study.id, self.database.clock(), who, what, **details)

    def audit(self, study: Study, what: str | None = None) -> list[Event]:
        wanted = select(*EVENT).where(LINE.study == study.id)
        wanted = wanted if what is None else wanted.where(LINE.what == what)
        return self.database.all(Event, wanted.order_by(LINE.id))

    def last(self, study: Study, what: str) -> Event | None:
        wanted = select(*EVENT).where(LINE.study == study.id, LINE.what == what)
        return self.database.first(Event, wanted.order_by(LINE.id.desc()).limit(1))

    def said(self, study: Study, who: str, what: str, since: float) -> tuple[int, float]:
        """Return the number of events with this actor and name, and the time of the last event."""
        lines = LINE.study == study.id, LINE.what == what, LINE.who == who, LINE.at >= since
        columns = [func.count().label("n"), func.max(LINE.at).label("last")]
        wanted = select(*columns).where(*lines)
        (row,) = self.database.rows(wanted)
        return row.n, row.last or 0.0

    def trail(self, study: Study, most: int, before: int | None = None) -> list[Event]:
        """Return the last events before an id, newest first, except events of fits."""
        wanted = select(*EVENT).where(LINE.study == study.id, schema.TRAIL, LINE.what != FIT_BEGUN)
        wanted = wanted if before is None else wanted.where(LINE.id < before)
        return self.database.all(Event, wanted.order_by(LINE.id.desc()).limit(most))


class Spaces(Part):
    @write
    def add(
        self,
        connection: Connection,
        study: Study,
        answers: int,
        model: bytes,
        positions: list[list[float]],
        uncertainty: list[float] | None,
        scores: Json,
    ) -> int:
        """Store a fitted space; then delete some spaces, so that at most 50 remain."""
        row = {"study": study.id, "made": self.database.clock(), "answers": answers, "model": model}
        row |= {"positions": positions, "uncertainty": uncertainty, "scores": scores}
        added = connection.execute(insert(schema.spaces).values(**row).returning(SPACE.id))
        number: int = added.scalar_one()
        kept = select(SPACE.id, SPACE.answers).where(SPACE.study == study.id).order_by(SPACE.id)
        past = [(row.id, row.answers) for row in connection.execute(kept)]
        gone = [past.pop(_closest(past)) for _ in range(len(past) - MOST)]
        if gone:
            ids = [number for number, _ in gone]
            connection.execute(delete(schema.spaces).where(SPACE.id.in_(ids)))
        return number

    def latest(self, study: Study) -> Space | None:
        return next(iter(self.all(study, 1)), None)

    def get(self, study: Study, number: int) -> Space | None:
        """Return the space with this id; None if it is deleted."""
        return self.database.first(Space, _spaces_of(study).where(SPACE.id == number))

    def all(self, study: Study, limit: int = MOST) -> list[Space]:
        newest = _spaces_of(study).order_by(SPACE.id.desc())
        return self.database.all(Space, newest.limit(limit))

    def scored(self, study: Study) -> list[Scored]:
        wanted = select(*columns_of(Scored, schema.spaces)).where(SPACE.study == study.id)
        return self.database.all(Scored, wanted.order_by(SPACE.id))


def _spaces_of(study: Study) -> Select[Any]:
    return select(*columns_of(Space, schema.spaces)).where(SPACE.study == study.id)


def _closest(past: list[tuple[int, int]]) -> int:
    step = [log(max(answers, 1)) for _, answers in past]
    return min(range(1, len(past) - NEWEST), key=lambda place: step[place + 1] - step[place - 1])
