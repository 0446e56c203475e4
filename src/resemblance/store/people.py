"""Participants of a study: progress, withdrawal, erasure and exclusion."""

import secrets
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    true,
    update,
)

from resemblance.store import schema
from resemblance.store.database import Part, as_record, columns_of, write
from resemblance.store.engines import empty_log
from resemblance.store.errors import ErasedError, WithdrawnError, one_of
from resemblance.store.pool import free
from resemblance.store.records import (
    SIMULATED,
    Json,
    PageResponse,
    Participant,
    ParticipantState,
    Progress,
    Served,
    Standing,
    Study,
)
from resemblance.store.studies import note

ASKED, PEOPLE, RULED = schema.questions.c, schema.participants.c, schema.exclusions.c
PAGES, STUDY = schema.pages.c, schema.studies.c
COLUMNS = columns_of(Participant, schema.participants)
AHEAD_S = 3600.0  # A time further in the future was stored before the clock was set back.
# characters of pseudonyms, without vowels and similar letters
LETTERS = "BCDFGHJKMNPQRSTVWXZ23456789"
TRAIL = ("participant", "rule", "action")  # details of events that remain after a person is erased
OWN = "external_id", "token_hash", "completion_code", "arm"
KNOWN = PEOPLE.token_hash.is_not(None)  # condition: the person is not erased
# in the audit trail: the name of the event, and the actor of a person's own withdrawal
WITHDREW, BY_ONESELF = "participant withdrew", "participant"
GONE = ("stopped", "withdrawn")  # States of people who no longer have a place.
ERASED = "participant erased"  # name of an event in the audit trail
RELEASED = "released "  # beginning of token_hash if the person may enter from another browser
# Frequent statements are built only once, because building one takes as long as running it.
LOCK = (
    select(PEOPLE.id)
    .where(PEOPLE.id.in_(bindparam("who", expanding=True)))
    .order_by(PEOPLE.id)
    .with_for_update()
)
ALIVE = select(PEOPLE.state).where(PEOPLE.id == bindparam("who"), KNOWN).with_for_update()
Counter: TypeAlias = Callable[..., dict[str, int]]


def _count(*which: ColumnElement[bool]) -> ColumnElement[Any]:
    return func.count().filter(*which) if which else func.count()


DONE = (ASKED.state == "answered") | (ASKED.state == "skipped")
WHO = select(PEOPLE.id).where(PEOPLE.token_hash == bindparam("token")).scalar_subquery()
COUNTED = (
    select(_count(), _count(DONE), _count(DONE, ASKED.purpose == "practice"))
    .where(ASKED.participant == WHO)
    .subquery()
)
PARTS = COLUMNS, list(COUNTED.c), columns_of(Served, schema.questions)
STANDING = (
    select(*(column for part in PARTS for column in part))
    .select_from(
        schema.participants.join(COUNTED, true()).outerjoin(
            schema.questions, (ASKED.participant == PEOPLE.id) & schema.OUT
        )
    )
    .where(PEOPLE.token_hash == bindparam("token"))
    .order_by(ASKED.place)
)
PERSON, COUNTS = len(PARTS[0]), len(PARTS[0]) + len(PARTS[1])


class People(Part):
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
        again: Callable[[Participant, bool], Json] | None = None,
        also: Sequence[str] = (),
        assign: Callable[[Counter], str | None] | None = None,
    ) -> Participant:
        """Admit a new person, or return the person who has the same external id or token.

        ``admit(count)`` may raise an error for a new person; ``count(active, fresh)`` returns the
        same as :meth:`counts`. ``assign(count)`` returns the arm of a new person; here ``count``
        gives people by arm. ``again(person, bound)`` returns values to store for a person who
        returns; ``bound`` is False after :meth:`release`. ``also`` lists other ids under which the
        person may be stored.
        """
        connection.execute(select(STUDY.id).where(STUDY.id == study.id).with_for_update())
        twice = select(*COLUMNS).where(PEOPLE.study == study.id, PEOPLE.token_hash == token_hash)
        if row := connection.execute(twice).first():
            return as_record(Participant, row)
        fresh: Json = {"token_hash": token_hash, "browser": browser or {}}
        if prior := _prior(connection, study, source, [*filter(None, [external_id]), *also]):
            if again is not None:
                token = select(PEOPLE.token_hash).where(PEOPLE.id == prior.id)
                held = connection.execute(token).scalar() or RELEASED
                fresh |= again(prior, not held.startswith(RELEASED))
            if prior.state == "withdrawn":
                fresh |= {"browser": {}, "external_id": prior.external_id}
            return put(connection, prior, fresh)
        count = self._counter(connection, study.id, source)
        if admit is not None:
            admit(count)
        earlier = select(func.count()).where(PEOPLE.study == study.id)
        number = connection.execute(earlier).scalar_one() + 1
        person = {
            "study": study.id,
            # A random suffix prevents duplicates after an older backup is restored.
            "code": f"P{number:04d}{drawn()}",
            "source": source,
            "external_id": external_id,
            "state": "entered",
            "created": self.database.clock(),
            "arm": assign(partial(count, by=PEOPLE.arm)) if assign is not None else None,
            **fresh,
        }
        adding = insert(schema.participants).values(**person).returning(*COLUMNS)
        return as_record(Participant, connection.execute(adding).one())

    @write
    def set_state(
        self,
        connection: Connection,
        participant: Participant,
        state: ParticipantState,
        completion_code: str | None = None,
    ) -> Participant:
        """Set a person's state; a completion code and time of finishing never change."""
        values: dict[str, Any] = {"state": one_of(state, ParticipantState)}
        if state == "finished":
            values["finished"] = func.coalesce(PEOPLE.finished, self.database.clock())
            values["completion_code"] = func.coalesce(PEOPLE.completion_code, completion_code)
        return _changed(connection, participant, values)

    @write
    def consent(
        self,
        connection: Connection,
        participant: Participant,
        external_id: str | None,
        browser: Json,
    ) -> Participant:
        values: Json = {"external_id": external_id, "browser": browser, "state": "consented"}
        return _changed(connection, participant, values)

    @write
    def decline(self, connection: Connection, participant: Participant) -> Participant:
        """Record that a person declined, and delete everything that identifies the person."""
        values: Json = {"external_id": None, "browser": {}, "state": "stopped", "arm": None}
        return _changed(connection, participant, values)

    @write
    def withdraw(
        self, connection: Connection, participant: Participant, external_id: str | None
    ) -> Participant:
        """Record a withdrawal; answers remain, open questions are removed."""
        again = alive(connection, participant) == "withdrawn"
        if not again:
            _take_back(connection, participant)
            now, code = self.database.clock(), participant.code
            note(connection, participant.study, now, BY_ONESELF, WITHDREW, participant=code)
        values: Json = {"external_id": external_id, "browser": {}, "state": "withdrawn"}
        return put(connection, participant, values)

    def named(self, study: Study, code: str) -> Participant | None:
        wanted = select(*COLUMNS).where(PEOPLE.study == study.id, PEOPLE.code == code)
        return self.database.first(Participant, wanted)

    def asked(self, question: Served) -> Participant | None:
        """Return the person to whom a question was served; None if erased."""
        wanted = select(*COLUMNS).where(PEOPLE.id == question.participant)
        return self.database.first(Participant, wanted)

    def all(self, study: Study) -> list[Participant]:
        wanted = select(*COLUMNS).where(PEOPLE.study == study.id).order_by(PEOPLE.id)
        return self.database.all(Participant, wanted)

    def arms(self, study: Study) -> dict[str, dict[str, int]]:
        """Return the numbers of people by arm and state, without simulated people."""
        wanted = select(PEOPLE.arm, PEOPLE.state, func.count().label("n")).where(
            PEOPLE.study == study.id, PEOPLE.arm.is_not(None), PEOPLE.source != SIMULATED
        )
        counts: dict[str, dict[str, int]] = {}
        for row in self.database.rows(wanted.group_by(PEOPLE.arm, PEOPLE.state)):
            counts.setdefault(row.arm, {})[row.state] = row.n
        return counts

    def counts(
        self, study: Study, active: float | None = None, fresh: float = 0.0
    ) -> dict[str, int]:
        """Return the numbers of people by state, without simulated people.

        With ``active``, people who have not finished are counted in two cases: they entered at the
        time ``fresh`` or later, or they have answered and got a question at ``active`` or later.
        """
        now = self.database.clock()
        return _as_counts(self.database.rows(_counts(study.id, now, active, fresh)))

    def took(self, study: Study) -> list[float]:
        """Return the durations of people who finished, in seconds, without simulated people."""
        wanted = select((PEOPLE.finished - PEOPLE.created).label("took")).where(
            PEOPLE.study == study.id, PEOPLE.state == "finished", PEOPLE.source != SIMULATED
        )
        return [row.took for row in self.database.rows(wanted)]

    def _counter(self, connection: Connection, study: int, source: str) -> Counter:
        wanted = partial(_counts, study, self.database.clock(), simulated=source == SIMULATED)
        return lambda *of, **by: _as_counts(connection.execute(wanted(*of, **by)).all())

    @write
    def respond(
        self, connection: Connection, participant: Participant, page: str, response: Json
    ) -> bool:
        """Store the response to a page; return False if the page already has a response."""
        _taking_part(connection, participant)
        earlier = select(PAGES.id).where(PAGES.participant == participant.id, PAGES.page == page)
        if connection.execute(earlier).first():
            return False
        row = {"study": participant.study, "participant": participant.id, "page": page}
        adding = insert(schema.pages).values(
            **row, response=response, received=self.database.clock()
        )
        connection.execute(adding)
        return True

    def responses(self, study: Study, participant: Participant | None = None) -> list[PageResponse]:
        """Return the responses to pages, of all people or of one person, in order of time."""
        columns = PAGES.participant, PEOPLE.code, PEOPLE.source, PAGES.page, PAGES.response
        wanted = (
            select(*columns, PAGES.received)
            .join(schema.participants, PEOPLE.id == PAGES.participant)
            .where(PAGES.study == study.id)
            .order_by(PAGES.id)
        )
        if participant is not None:
            wanted = wanted.where(PAGES.participant == participant.id)
        return self.database.all(PageResponse, wanted)

    def standing(self, token_hash: str) -> Standing | None:
        rows = [tuple(row) for row in self.database.rows(STANDING, token=token_hash)]
        if not rows:
            return None
        first, out = rows[0], [row[COUNTS:] for row in rows]
        asked = tuple(Served(*question) for question in out if question[0] is not None)
        progress = Progress(*first[PERSON:COUNTS])
        return Standing(Participant(*first[:PERSON]), asked, progress, token_hash)

    @write
    def release(self, connection: Connection, participant: Participant, by: str) -> None:
        """Allow a person to return in another browser; the old token becomes invalid."""
        alive(connection, participant)
        nobodys = RELEASED + secrets.token_hex(16)  # No token has this hash.
        put(connection, participant, {"token_hash": nobodys})
        now, what = self.database.clock(), "participant released"
        note(connection, participant.study, now, by, what, participant=participant.code)

    @write
    def exclude(
        self,
        connection: Connection,
        participant: Participant,
        excluded: bool,
        reason: str,
        by: str,
    ) -> None:
        alive(connection, participant)
        now, study = self.database.clock(), participant.study
        row: Json = {"study": study, "participant": participant.id, "excluded": excluded}
        row |= {"reason": reason, "by": by, "at": now}
        connection.execute(insert(schema.exclusions), row)
        what = "participant excluded" if excluded else "participant included"
        note(connection, study, now, by, what, participant=participant.code, reason=reason)

    @write
    def note(
        self, connection: Connection, participant: Participant, who: str, what: str, details: Json
    ) -> None:
        alive(connection, participant)
        line = {**details, "participant": participant.code}
        note(connection, participant.study, self.database.clock(), who, what, **line)

    def simulated(self, study: Study) -> set[int]:
        wanted = select(PEOPLE.id).where(PEOPLE.study == study.id, PEOPLE.source == SIMULATED)
        return {row.id for row in self.database.rows(wanted)}

    def excluded(self, study: Study) -> set[int]:
        last = select(func.max(RULED.id)).where(RULED.study == study.id)
        wanted = select(RULED.participant).where(
            RULED.id.in_(last.group_by(RULED.participant)), RULED.excluded
        )
        return {row.participant for row in self.database.rows(wanted)}

    def erase(self, participant: Participant, who: str) -> None:
        """Erase a person: answers, questions, pages, external id, token and browser.

        The pseudonym remains, so that it is never used again. Events of the audit trail remain
        without texts about the person. LeftoverError means that the person is erased, but SQLite's
        log could not be emptied.
        """
        self._erase(participant, who)
        empty_log(self.database.url, "the person is erased")

    def erase_again(self, study: Study) -> None:
        """Empty SQLite's log if people were erased, because an earlier process may have failed."""
        if self.database.rows(select(PEOPLE.id).where(PEOPLE.study == study.id, ~KNOWN).limit(1)):
            empty_log(self.database.url, "the person is erased")

    @write
    def _erase(self, connection: Connection, participant: Participant, who: str) -> None:
        lock(connection, participant)
        theirs = (schema.answers, schema.questions, schema.pages, schema.exclusions, schema.tallies)
        for table in theirs:
            connection.execute(delete(table).where(table.c.participant == participant.id))
        nothing: Json = dict.fromkeys(OWN)  # The arm is erased, too, because it may reveal a group.
        put(connection, participant, nothing | {"browser": {}, "state": "stopped"})
        now, study = self.database.clock(), participant.study
        _clean_trail(connection, participant)
        note(connection, study, now, who, ERASED, participant=participant.code)


def _clean_trail(connection: Connection, participant: Participant) -> None:
    of = schema.events.c
    about = of.details["participant"].as_string() == participant.code
    lines = select(of.id, of.details).where(of.study == participant.study, about)
    for line in connection.execute(lines).all():
        left = {key: value for key, value in line.details.items() if key in TRAIL}
        cleaning = update(schema.events).where(of.id == line.id).values(details=left)
        connection.execute(cleaning)


def lock(connection: Connection, *people: Participant) -> None:
    """Lock people's rows in PostgreSQL until the commit; SQLite has only one writer."""
    if connection.dialect.name == "postgresql":
        connection.execute(LOCK, {"who": list({person.id for person in people})})


def drawn() -> str:
    return "-" + "".join(secrets.choice(LETTERS) for _ in range(5))


def _prior(connection: Connection, study: Study, source: str, ids: list[str]) -> Participant | None:
    if not ids:
        return None
    theirs = (PEOPLE.study == study.id, PEOPLE.source == source, PEOPLE.external_id.in_(ids))
    row = connection.execute(select(*COLUMNS).where(*theirs).with_for_update()).first()
    return as_record(Participant, row) if row else None


def _changed(connection: Connection, person: Participant, values: Json) -> Participant:
    _taking_part(connection, person)
    return put(connection, person, values)


def put(connection: Connection, person: Participant, values: Json) -> Participant:
    changing = update(schema.participants).where(PEOPLE.id == person.id).values(**values)
    return as_record(Participant, connection.execute(changing.returning(*COLUMNS)).one())


def alive(connection: Connection, person: Participant) -> str:
    """Prevent a person's erasure until the commit; return the state or raise ErasedError."""
    row = connection.execute(ALIVE, {"who": person.id}).first()
    if row is None:
        raise ErasedError(person.code)
    return str(row.state)


def _taking_part(connection: Connection, person: Participant) -> None:
    if alive(connection, person) == "withdrawn":
        raise WithdrawnError(person.code)


def _take_back(connection: Connection, person: Participant) -> None:
    unanswered = ASKED.state.in_(("out", "abandoned"))
    taking = delete(schema.questions).where(ASKED.participant == person.id, unanswered)
    gone = connection.execute(taking.returning(ASKED.state, ASKED.pool_id)).all()
    free(connection, [row.pool_id for row in gone if row.state == "out" and row.pool_id])


def _counts(
    study: int,
    now: float,
    active: float | None = None,
    fresh: float = 0.0,
    simulated: bool = False,
    by: ColumnElement[Any] = PEOPLE.state,
) -> Select[Any]:
    """Count people by state, or count those who have a place by arm."""
    wanted = select(by.label("by"), func.count().label("n")).group_by(by)
    if by is not PEOPLE.state:
        wanted = wanted.where(PEOPLE.state.not_in(GONE), by.is_not(None))
    wanted = wanted.where(PEOPLE.study == study)
    wanted = wanted.where((PEOPLE.source == SIMULATED) == simulated)
    if active is None:
        return wanted
    theirs = exists().where(ASKED.participant == PEOPLE.id)
    asked, came = _since(ASKED.served, active, now), _since(PEOPLE.created, fresh, now)
    at_work = theirs.where(asked) & theirs.where(ASKED.state == "answered")
    return wanted.where((PEOPLE.state == "finished") | came | at_work)


def _since(time: ColumnElement[float], since: float, now: float) -> ColumnElement[bool]:
    """Return the condition that a time is ``since`` or later; 0 means any time.

    Times in the future come from before the clock was set back, and are not recent.
    """
    return time.between(since, now + AHEAD_S) if since else time >= since


def _as_counts(rows: Any) -> dict[str, int]:
    return {row.by: row.n for row in rows}
