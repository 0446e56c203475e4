"""Served questions, the log of answers, and turns, which store answers and serve questions."""

import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from sqlalchemy import Connection, bindparam, func, insert, select, text, update

from resemblance.errors import UnknownQuestionError
from resemblance.store import schema
from resemblance.store.database import PAGE, Part, as_record, columns_of, write, write_together
from resemblance.store.errors import ContentError, ErasedError, StaleError, WithdrawnError, kind_of
from resemblance.store.people import KNOWN, lock
from resemblance.store.pool import free, take
from resemblance.store.records import (
    Acknowledged,
    Answer,
    AnswerIn,
    Json,
    Participant,
    Served,
    Standing,
    Study,
    Wanted,
)

Kept: TypeAlias = list[Acknowledged] | UnknownQuestionError | StaleError
# Largest number of answers in a turn: 64 turns have fewer than SQLite's limit of 32,766 values.
MOST = 500
Mark: TypeAlias = tuple[Any, ...]  # type of Standing.mark
Marks: TypeAlias = dict[int, Mark]
New: TypeAlias = dict[str, tuple[Participant, AnswerIn]]
Taken: TypeAlias = tuple[list[Acknowledged], list[Served]]
Refused: TypeAlias = UnknownQuestionError | ErasedError | StaleError
FIELDS = [field.name for field in fields(Served)]
ASKED, LOG, PEOPLE = schema.questions.c, schema.answers.c, schema.participants.c
# Statements are built only once, because building one takes as long as running it.
STATES = select(ASKED.id, ASKED.participant, ASKED.state).where(
    ASKED.id.in_(bindparam("ids", expanding=True))
)
MARK = (
    update(schema.questions).where(ASKED.id == bindparam("one")).values(state=bindparam("becomes"))
)
STANDING = select(  # the person's id, then the values of Standing.mark
    PEOPLE.id,
    PEOPLE.token_hash,
    PEOPLE.state,
    select(func.coalesce(func.max(ASKED.place) + 1, 0))
    .where(ASKED.participant == PEOPLE.id)
    .scalar_subquery(),
    select(func.count()).where(LOG.participant == PEOPLE.id).scalar_subquery(),
    select(func.count()).where(ASKED.participant == PEOPLE.id, schema.OUT).scalar_subquery(),
).where(PEOPLE.id.in_(bindparam("who", expanding=True)), KNOWN)
ADD_ANSWERS, ADD_QUESTIONS = insert(schema.answers), insert(schema.questions)
COLUMNS = columns_of(Served, schema.questions)
MINE = ASKED.participant == bindparam("who")
OUTSTANDING = select(*COLUMNS).where(MINE, schema.OUT).order_by(ASKED.place)
BY_ID = select(*COLUMNS).where(ASKED.id == bindparam("question"))
ANSWERS = (
    select(*(LOG[name] for name in ("id", "question", "participant", "response")))
    .add_columns(LOG.rt_ms, LOG.client, LOG.received, PEOPLE.code, PEOPLE.source, PEOPLE.arm)
    .add_columns(*(ASKED[name] for name in ("place", "kind", "purpose", "spec")))
    .add_columns(ASKED.pool_id, ASKED.served, (ASKED.state == "skipped").label("skipped"))
    .join(schema.questions, ASKED.id == LOG.question)
    .join(schema.participants, PEOPLE.id == LOG.participant)
    .order_by(LOG.id)
)
OF_STUDY = (
    ANSWERS.where(LOG.study == bindparam("of"), LOG.id > bindparam("after"))
    .where(LOG.id <= bindparam("horizon"))
    .limit(bindparam("most"))
)
OF_PERSON = ANSWERS.where(LOG.participant == bindparam("who"))
MAIN = (
    select(ASKED.place, ASKED.spec, LOG.response)
    .join(schema.answers, LOG.question == ASKED.id)
    .where(LOG.participant == bindparam("who"), ASKED.purpose == "main")
    .order_by(LOG.id)
)


@dataclass(frozen=True, slots=True)
class Turn:
    """Answers of a person, and questions to serve next: see :meth:`Answers.take`."""

    participant: Participant
    answers: Sequence[AnswerIn]
    then_serve: Sequence[Wanted] = ()
    ahead: int | None = None
    seen: Standing | None = None

    def __post_init__(self) -> None:
        if len(self.answers) > MOST:
            raise ContentError(
                f"{len(self.answers)} answers at once: send at most {MOST} at a time."
            )


def take_turns(connection: Connection, now: float, turns: list[Turn]) -> list[Taken | Refused]:
    """Store the answers of turns, and serve questions; a refused turn changes nothing."""
    lock(connection, *(turn.participant for turn in turns))
    return [taken for batch in _rounds(turns) for taken in _take(connection, now, batch)]


def _rounds(turns: list[Turn]) -> Iterator[list[Turn]]:
    batch: dict[int, Turn] = {}
    for turn in turns:
        if turn.participant.id in batch:
            yield list(batch.values())
            batch = {}
        batch[turn.participant.id] = turn
    yield list(batch.values())


def _take(connection: Connection, now: float, turns: list[Turn]) -> list[Taken | Refused]:
    marks = _marks(connection, turns)
    kept = _keep(connection, now, turns, marks)
    well = [turn for turn, outcome in zip(turns, kept, strict=True) if isinstance(outcome, list)]
    served = iter(_serve(connection, now, well, marks))
    return [_outcome(acks, next(served)) if isinstance(acks, list) else acks for acks in kept]


def _outcome(kept: list[Acknowledged], served: list[Served] | ErasedError) -> Taken | Refused:
    return served if isinstance(served, ErasedError) else (kept, served)


def _marks(connection: Connection, turns: list[Turn]) -> Marks:
    people = {turn.participant.id for turn in turns if turn.then_serve or turn.seen}
    rows = connection.execute(STANDING, {"who": list(people)}) if people else ()
    return {number: tuple(mark) for number, *mark in rows}


def _keep(connection: Connection, now: float, turns: list[Turn], marks: Marks) -> list[Kept]:
    ids = {answer.question_id for turn in turns for answer in turn.answers}
    rows = connection.execute(STATES, {"ids": list(ids)}) if ids else ()
    states = {(person, number): state for number, person, state in rows}
    new: New = {}
    kept = [_stale(turn, marks) or _checked(turn, states, new) for turn in turns]
    if new:
        added = [_row(now, person, answer) for person, answer in new.values()]
        connection.execute(ADD_ANSWERS, added)
        becomes = {i: "skipped" if answer.skipped else "answered" for i, (_, answer) in new.items()}
        connection.execute(MARK, [{"one": i, "becomes": state} for i, state in becomes.items()])
        late = [i for i, (person, _) in new.items() if states[person.id, i] == "abandoned"]
        _take_back(connection, now, late)
    for number, (person, _) in new.items():
        if person.id in marks and states[person.id, number] == "out":
            *rest, out = marks[person.id]
            marks[person.id] = (*rest, out - 1)
    return kept


def _stale(turn: Turn, marks: Marks) -> StaleError | None:
    if turn.seen is None or marks.get(turn.participant.id) == turn.seen.mark:
        return None
    return StaleError(turn.participant.code)


def _checked(turn: Turn, states: dict[tuple[int, str], str], new: New) -> Kept:
    person = turn.participant
    for answer in turn.answers:
        if (person.id, answer.question_id) not in states:
            return UnknownQuestionError(
                f"question {answer.question_id!r} was not served to participant {person.code}: "
                "send answers only to questions that this person was asked. Nothing was stored."
            )
    acknowledged = []
    for answer in turn.answers:
        state = states[person.id, answer.question_id]
        is_new = state in ("out", "abandoned") and answer.question_id not in new
        acknowledged.append(Acknowledged(answer.question_id, is_new))
        if is_new:
            new[answer.question_id] = (person, answer)
    return acknowledged


def _row(now: float, participant: Participant, answer: AnswerIn) -> Json:
    return {
        "question": answer.question_id,
        "study": participant.study,
        "participant": participant.id,
        "response": answer.response,
        "rt_ms": answer.rt_ms,
        "client": answer.client,
        "received": now,
    }


def _take_back(connection: Connection, now: float, late: list[str]) -> None:
    """Mark a question as taken again if its answer arrived after it was put back in the pool."""
    if late:
        rows = select(ASKED.pool_id).where(ASKED.id.in_(late), ASKED.pool_id.is_not(None))
        taking = update(schema.pool).where(schema.pool.c.id.in_(rows), schema.FREE)
        connection.execute(taking.values(taken=now))


def _serve(
    connection: Connection, now: float, turns: list[Turn], marks: Marks
) -> list[list[Served] | ErasedError]:
    planned = [(turn.participant, _planned(turn, marks)) for turn in turns]
    needed = Counter(wanted.pool for _, plan in planned for _, wanted in plan if wanted.pool)
    drawn = {study: iter(take(connection, now, study, n)) for study, n in needed.items()}
    served = [
        [_question(now, who, place, wanted, drawn) for place, wanted in plan]
        for who, plan in planned
    ]
    added = [{name: getattr(row, name) for name in FIELDS} for turn in served for row in turn]
    if added:
        connection.execute(ADD_QUESTIONS, added)
    return [_gone(turn, marks) or questions for turn, questions in zip(turns, served, strict=True)]


def _gone(turn: Turn, marks: Marks) -> ErasedError | None:
    if not turn.then_serve:
        return None
    _, state, *_ = marks.get(turn.participant.id, (None, None))
    if state is None:
        return ErasedError(turn.participant.code)
    return WithdrawnError(turn.participant.code) if state == "withdrawn" else None


def _planned(turn: Turn, marks: Marks) -> list[tuple[int, Wanted]]:
    if turn.participant.id not in marks or _gone(turn, marks):
        return []
    *_, place, _, out = marks[turn.participant.id]
    room = len(turn.then_serve) if turn.ahead is None else max(0, turn.ahead - out)
    return list(enumerate(turn.then_serve[:room], place))


def _question(
    now: float,
    participant: Participant,
    place: int,
    wanted: Wanted,
    drawn: dict[int, Iterator[tuple[int, Json]]],
) -> Served:
    own = (None, wanted.spec)
    pool_id, spec = next(drawn[wanted.pool], own) if wanted.pool else own
    return Served(
        id=secrets.token_urlsafe(16),
        study=participant.study,
        participant=participant.id,
        place=place,
        kind=kind_of(spec),
        purpose=wanted.purpose,
        spec=spec,
        pool_id=pool_id,
        served=now,
    )


def _serving(participant: Participant, wanted: Sequence[Wanted], ahead: int | None = None) -> Turn:
    return Turn(participant, (), wanted, ahead)


class Questions(Part):
    @write_together(_serving)
    def serve(self, connection: Connection, turns: list[Turn]) -> list[list[Served] | Exception]:
        """Serve questions: ``serve(participant, wanted, ahead)``, as in :meth:`Answers.take`."""
        taken = take_turns(connection, self.database.clock(), turns)
        return [turn[1] if isinstance(turn, tuple) else turn for turn in taken]

    @write
    def abandon(self, connection: Connection, study: Study, older_than: float) -> int:
        """Abandon questions open for ``older_than`` seconds; later answers are still accepted."""
        old = ASKED.served < self.database.clock() - older_than
        giving_up = update(schema.questions).where(schema.OUT, ASKED.study == study.id, old)
        rows = connection.execute(giving_up.values(state="abandoned").returning(ASKED.pool_id))
        pool_ids = [row.pool_id for row in rows]
        free(connection, [number for number in pool_ids if number is not None])
        return len(pool_ids)

    def get(self, question_id: str) -> Served | None:
        return self.database.first(Served, BY_ID, question=question_id)

    def outstanding(self, participant: Participant) -> list[Served]:
        return self.database.all(Served, OUTSTANDING, who=participant.id)

    def all(self, study: Study) -> Iterator[Served]:
        """Yield every question served in a study, in order of service."""
        wanted = select(*COLUMNS).where(ASKED.study == study.id)
        for row in self.database.stream(
            wanted.order_by(ASKED.served, ASKED.participant, ASKED.place)
        ):
            yield as_record(Served, row)


class Answers(Part):
    @write_together(Turn)
    def take(self, connection: Connection, turns: list[Turn]) -> list[Taken | Refused]:
        """Store answers, serve questions: ``take(participant, answers, then_serve, ahead, seen)``.

        Both happen in one transaction. An answer that was already stored is acknowledged, but not
        stored again. ``then_serve`` has the questions to serve; questions of the pool may replace
        them. ``ahead`` is the largest number of open questions afterwards, so that a repeated
        request serves nothing twice. ``seen`` is the state on which the request is based. Raises
        UnknownQuestionError, ErasedError, WithdrawnError, or StaleError if ``seen`` is outdated.
        """
        return take_turns(connection, self.database.clock(), turns)

    def after(self, study: Study, after: int = 0, limit: int = 1000) -> list[Answer]:
        """Return the answers of a study with ids above ``after``, in order.

        No answer with a smaller id can appear later, so a reader who continues at the last id
        misses no answer.
        """
        span = {"of": study.id, "after": after, "horizon": self._horizon(), "most": limit}
        return self.database.all(Answer, OF_STUDY, **span)

    def log(self, study: Study, after: int = 0) -> Iterator[Answer]:
        """Yield all answers of a study with ids above ``after``, in order."""
        while batch := self.after(study, after, PAGE):
            yield from batch
            if len(batch) < PAGE:
                return
            after = batch[-1].id

    def count(self, study: Study) -> int:
        return int(self.database.rows(select(func.count()).where(LOG.study == study.id))[0][0])

    def of(self, participant: Participant) -> list[Answer]:
        return self.database.all(Answer, OF_PERSON, who=participant.id)

    def main(self, participant: Participant) -> dict[int, tuple[dict[str, Any], Any]]:
        """Return specs of a person's main questions, and responses, by place in order of answer."""
        rows = self.database.rows(MAIN, who=participant.id)
        return {row.place: (row.spec, row.response) for row in rows}

    def _horizon(self) -> int:
        """Return an id below which no further answer can appear.

        PostgreSQL assigns ids before commits, so the answer 8 may appear after the answer 9. A lock
        waits for transactions that already have ids, and blocks new transactions during this query.
        """
        with self.database.reading() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("LOCK TABLE answers IN SHARE MODE"))
            return connection.execute(select(func.coalesce(func.max(LOG.id), 0))).scalar_one()
