"""Questions, each served to one person; and answers, numbered in a log."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, bindparam, func, select, text, update

from resemblance.store import schema
from resemblance.store.database import PAGE, Part, as_record, columns_of, write, write_together
from resemblance.store.pool import free
from resemblance.store.records import Answer, Participant, Served, Study, Wanted
from resemblance.store.turns import Refused, Taken, Turn, take_turns

LOG, ASKED, PEOPLE = schema.answers.c, schema.questions.c, schema.participants.c
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


def _serving(participant: Participant, wanted: Sequence[Wanted], ahead: int | None = None) -> Turn:
    return Turn(participant, (), wanted, ahead)


class Questions(Part):
    """The questions that were served."""

    @write_together(_serving)
    def serve(self, connection: Connection, turns: list[Turn]) -> list[list[Served] | Exception]:
        """Serve questions: ``serve(participant, wanted, ahead=None)``, as in
        :meth:`Answers.take`.
        """
        taken = take_turns(connection, self.database.clock(), turns)
        return [turn[1] if isinstance(turn, tuple) else turn for turn in taken]

    @write
    def abandon(self, connection: Connection, study: Study, older_than: float) -> int:
        """Give up questions that are out for longer than this, free their pool rows, and count
        them.

        Later answers to them are still accepted.
        """
        old = ASKED.served < self.database.clock() - older_than
        giving_up = update(schema.questions).where(schema.OUT, ASKED.study == study.id, old)
        rows = connection.execute(giving_up.values(state="abandoned").returning(ASKED.pool_id))
        pool_ids = [row.pool_id for row in rows]
        free(connection, [number for number in pool_ids if number is not None])
        return len(pool_ids)

    def get(self, question_id: str) -> Served | None:
        """Return the question with this id, or None."""
        return self.database.first(Served, BY_ID, question=question_id)

    def outstanding(self, participant: Participant) -> list[Served]:
        """Return the open questions of a person, in order."""
        return self.database.all(Served, OUTSTANDING, who=participant.id)

    def all(self, study: Study) -> Iterator[Served]:
        """Yield every question served in a study, in order of service."""
        wanted = select(*COLUMNS).where(ASKED.study == study.id)
        for row in self.database.stream(
            wanted.order_by(ASKED.served, ASKED.participant, ASKED.place)
        ):
            yield as_record(Served, row)


class Answers(Part):
    """The log of answers."""

    @write_together(Turn)
    def take(self, connection: Connection, turns: list[Turn]) -> list[Taken | Refused]:
        """Store answers and serve questions: ``take(participant, answers, then_serve, ahead,
        seen)``.

        All in one transaction. Repeated answers are acknowledged and not stored again; late
        answers to given-up questions are stored. At most 500 answers, all or none. ``then_serve``
        is served in order, from the pool first; ``ahead`` limits the questions that are out
        afterwards, so that a repeated request serves nothing twice; ``seen`` is the state that the
        answers were checked against. Returns :class:`Acknowledged` for each answer, and the served
        questions. Raises UnknownQuestionError for questions never served to this person,
        StaleError if ``seen`` is outdated, ErasedError, WithdrawnError, or ContentError.
        """
        return take_turns(connection, self.database.clock(), turns)

    def after(self, study: Study, after: int = 0, limit: int = 1000) -> list[Answer]:
        """Return the next answers of a study's log: those numbered above ``after``, in order.

        No answer appears later below one that was given, whichever process took it: going on from
        the last number misses none.
        """
        span = {"of": study.id, "after": after, "horizon": self._horizon(), "most": limit}
        return self.database.all(Answer, OF_STUDY, **span)

    def log(self, study: Study, after: int = 0) -> Iterator[Answer]:
        """Yield the answers of a study's log numbered above ``after``, in order, to its end."""
        while batch := self.after(study, after, PAGE):
            yield from batch
            if len(batch) < PAGE:
                return
            after = batch[-1].id

    def count(self, study: Study) -> int:
        """Count the answers of a study, skipped ones too."""
        return int(self.database.rows(select(func.count()).where(LOG.study == study.id))[0][0])

    def of(self, participant: Participant) -> list[Answer]:
        """Return the answers of one person, in order."""
        return self.database.all(Answer, OF_PERSON, who=participant.id)

    def _horizon(self) -> int:
        """Return the number below which no further answer can appear.

        PostgreSQL assigns numbers before commits, so 8 may appear after 9. SHARE waits for the
        transactions that hold numbers and blocks new ones for the moment of this query.
        """
        with self.database.reading() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("LOCK TABLE answers IN SHARE MODE"))
            return connection.execute(select(func.coalesce(func.max(LOG.id), 0))).scalar_one()
