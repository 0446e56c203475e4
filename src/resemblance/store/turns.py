"""Take a person's answers and serve the next questions, in one step.

All turns that wait are taken at once, with the same few statements as one.
"""

import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from sqlalchemy import Connection, bindparam, func, insert, select, update

from resemblance.errors import UnknownQuestionError
from resemblance.store import schema
from resemblance.store.errors import ContentError, ErasedError, StaleError, WithdrawnError, kind_of
from resemblance.store.people import KNOWN, lock
from resemblance.store.pool import take
from resemblance.store.records import (
    Acknowledged,
    AnswerIn,
    Json,
    Participant,
    Served,
    Standing,
    Wanted,
)

Kept: TypeAlias = list[Acknowledged] | UnknownQuestionError | StaleError
MOST = 500  # answers of one turn: a commit of 64 turns stays within SQLite's 32,766 values
Mark: TypeAlias = tuple[Any, ...]  # Standing.mark
Marks: TypeAlias = dict[int, Mark]
New: TypeAlias = dict[str, tuple[Participant, AnswerIn]]
Taken: TypeAlias = tuple[list[Acknowledged], list[Served]]
Refused: TypeAlias = UnknownQuestionError | ErasedError | StaleError

FIELDS = [field.name for field in fields(Served)]
ASKED, LOG, PEOPLE = schema.questions.c, schema.answers.c, schema.participants.c
# Built once: building a statement costs as much as running it.
STATES = select(ASKED.id, ASKED.participant, ASKED.state).where(
    ASKED.id.in_(bindparam("ids", expanding=True))
)
MARK = (
    update(schema.questions).where(ASKED.id == bindparam("one")).values(state=bindparam("becomes"))
)
STANDING = select(  # behind the id: as Standing.mark
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


@dataclass(frozen=True, slots=True)
class Turn:
    """Answers of a person, and the questions to serve next: see :meth:`Answers.take`."""

    participant: Participant
    answers: Sequence[AnswerIn]
    then_serve: Sequence[Wanted] = ()
    ahead: int | None = None
    seen: Standing | None = None

    def __post_init__(self) -> None:
        if len(self.answers) > MOST:
            raise ContentError(
                f"{len(self.answers)} answers at once: send at most {MOST}, then the next ones."
            )


def take_turns(connection: Connection, now: float, turns: list[Turn]) -> list[Taken | Refused]:
    """Store the answers of turns and serve; a refused turn is refused as a whole.

    Erased people have no questions: answers to them are unknown, and none are served.
    """
    lock(connection, *(turn.participant for turn in turns))
    return [taken for batch in _rounds(turns) for taken in _take(connection, now, batch)]


def _rounds(turns: list[Turn]) -> Iterator[list[Turn]]:
    """Split turns, in order, into rounds with at most one turn per person."""
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
    """Read the needed states of people who were not erased."""
    people = {turn.participant.id for turn in turns if turn.then_serve or turn.seen}
    rows = connection.execute(STANDING, {"who": list(people)}) if people else ()
    return {number: tuple(mark) for number, *mark in rows}


def _keep(connection: Connection, now: float, turns: list[Turn], marks: Marks) -> list[Kept]:
    """Store new answers; return whether each was new."""
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
    """Add the new answers of a turn, all of which must be to the person's questions."""
    person = turn.participant
    for answer in turn.answers:
        if (person.id, answer.question_id) not in states:
            return UnknownQuestionError(
                f"question {answer.question_id!r} was not served to participant {person.code}: "
                "send answers only to questions that this person was given. None of these is "
                "stored."
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
    """Take questions with late answers out of the pool again, if they still wait there."""
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
    """Return an error if the person was erased, or withdrew, during the request."""
    if not turn.then_serve:
        return None
    _, state, *_ = marks.get(turn.participant.id, (None, None))
    if state is None:
        return ErasedError(turn.participant.code)
    return WithdrawnError(turn.participant.code) if state == "withdrawn" else None


def _planned(turn: Turn, marks: Marks) -> list[tuple[int, Wanted]]:
    if turn.participant.id not in marks or _gone(turn, marks):  # nothing to serve
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
    """Make a question from the pool, or from the wanted one if the pool was empty."""
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
