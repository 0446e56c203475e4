"""Participants: who entered a study, and how far each is."""

from collections.abc import Callable
from typing import Any, TypeAlias

from sqlalchemy import Connection, Select, bindparam, exists, func, insert, select, update

from resemblance.store import schema
from resemblance.store.access import Access, as_record, columns_of, write
from resemblance.store.checks import one_of
from resemblance.store.records import (
    Json,
    PageResponse,
    Participant,
    ParticipantState,
    Study,
)

PEOPLE = schema.participants.c
COLUMNS = columns_of(Participant, schema.participants)
# Statements of every request are built once: building one costs as much as running it.
LOCK = (
    select(PEOPLE.id)
    .where(PEOPLE.id.in_(bindparam("who", expanding=True)))
    .order_by(PEOPLE.id)
    .with_for_update()
)
Counter: TypeAlias = Callable[..., dict[str, int]]


class Participants(Access):
    """The people of studies, and what they answered on pages."""

    @write
    def enter(
        self,
        connection: Connection,
        study: Study,
        source: str,
        external_id: str | None,
        token_hash: str,
        browser: Json | None = None,
        admit: Callable[[Counter], None] | None = None,
    ) -> Participant:
        """Let a person in; one who was here before (the same external id) comes back.

        Parameters
        ----------
        study : Study
            Which study.
        source : str
            Who sent the person.
        external_id : str or None
            The person's id there.
        token_hash : str
            The hash of the person's new token; one from before is no longer valid.
        browser : dict, optional
            What the browser told of itself.
        admit : callable, optional
            Called before somebody new enters, with a function ``count(since, active=0)`` that
            gives what :meth:`counts` does; it raises an error to refuse, and nobody enters in
            between.
        """
        _lock_study(connection, study)
        fresh = {"token_hash": token_hash, "browser": browser or {}}
        back = update(schema.participants).values(**fresh).returning(*COLUMNS)
        back = back.where(PEOPLE.study == study.id, PEOPLE.source == source)
        if external_id is not None:
            known = connection.execute(back.where(PEOPLE.external_id == external_id)).one_or_none()
            if known is not None:
                return as_record(Participant, known)
        if admit is not None:
            admit(lambda *of: _as_counts(connection.execute(_counts(study, *of)).all()))
        earlier = select(func.count()).where(PEOPLE.study == study.id)
        person = {
            "study": study.id,
            "code": f"P{connection.execute(earlier).scalar_one() + 1:04d}",
            "source": source,
            "external_id": external_id,
            "state": "entered",
            "created": self.clock(),
            **fresh,
        }
        adding = insert(schema.participants).values(**person).returning(*COLUMNS)
        return as_record(Participant, connection.execute(adding).one())

    @write
    def set_participant_state(
        self,
        connection: Connection,
        participant: Participant,
        state: ParticipantState,
        completion_code: str | None = None,
    ) -> Participant:
        """Say how far a person is, and give the person as stored then.

        The first completion code and the first time of finishing stay.
        """
        values: dict[str, Any] = {"state": one_of(state, ParticipantState)}
        if state == "finished":
            values["finished"] = func.coalesce(PEOPLE.finished, self.clock())
            values["completion_code"] = func.coalesce(PEOPLE.completion_code, completion_code)
        changing = update(schema.participants).where(PEOPLE.id == participant.id).values(**values)
        return as_record(Participant, connection.execute(changing.returning(*COLUMNS)).one())

    def participant(self, study: Study, code: str) -> Participant | None:
        """Return the person of this pseudonym; None where there is none."""
        return self._person(select(*COLUMNS).where(PEOPLE.study == study.id, PEOPLE.code == code))

    def participants(self, study: Study) -> list[Participant]:
        """Return all people of a study, in the order in which they entered."""
        wanted = select(*COLUMNS).where(PEOPLE.study == study.id).order_by(PEOPLE.id)
        return [as_record(Participant, row) for row in self._rows(wanted)]

    def counts(self, study: Study, since: float = 0.0, active: float = 0.0) -> dict[str, int]:
        """Count the people of each state, of those who entered at ``since`` or later.

        Who has not finished is counted only if a question was served to the person, or the person
        entered, at ``active`` or later.
        """
        return _as_counts(self._rows(_counts(study, since, active)))

    @write
    def respond(
        self, connection: Connection, participant: Participant, page: str, response: Json
    ) -> bool:
        """Keep what a person answered on a page; False where that page was answered before."""
        lock(connection, participant)
        of = schema.pages.c
        earlier = select(of.id).where(of.participant == participant.id, of.page == page)
        if connection.execute(earlier).first():
            return False
        row = {"study": participant.study, "participant": participant.id, "page": page}
        adding = insert(schema.pages).values(**row, response=response, received=self.clock())
        connection.execute(adding)
        return True

    def responses(self, study: Study, participant: Participant | None = None) -> list[PageResponse]:
        """Return what people, or one person, answered on the pages of a study, oldest first."""
        of = schema.pages.c
        wanted = (
            select(of.participant, PEOPLE.code, of.page, of.response, of.received)
            .join(schema.participants, PEOPLE.id == of.participant)
            .where(of.study == study.id)
            .order_by(of.id)
        )
        if participant is not None:
            wanted = wanted.where(of.participant == participant.id)
        return [as_record(PageResponse, row) for row in self._rows(wanted)]

    def _person(self, wanted: Select[Any], **values: str) -> Participant | None:
        rows = self._rows(wanted, **values)
        return as_record(Participant, rows[0]) if rows else None


def lock(connection: Connection, *people: Participant) -> None:
    """Let no other process write for these people until the commit; SQLite lets none anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(LOCK, {"who": list({person.id for person in people})})


def _lock_study(connection: Connection, study: Study) -> None:
    of = schema.studies.c
    connection.execute(select(of.id).where(of.id == study.id).with_for_update())


def _counts(study: Study, since: float, active: float = 0.0) -> Select[Any]:
    wanted = select(PEOPLE.state, func.count().label("n")).group_by(PEOPLE.state)
    wanted = wanted.where(PEOPLE.study == study.id, PEOPLE.created >= since)
    if not active:
        return wanted  # all of them: no question need be looked at
    asked = schema.questions.c
    served = exists().where(asked.participant == PEOPLE.id, asked.served >= active)
    return wanted.where((PEOPLE.state == "finished") | (PEOPLE.created >= active) | served)


def _as_counts(rows: Any) -> dict[str, int]:
    return {row.state: row.n for row in rows}
