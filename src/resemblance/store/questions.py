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
        """Serve questions: ``serve(participant, wanted, ahead=None)``.

        Parameters
        ----------
        participant : Participant
            To whom.
        wanted, ahead
            As ``then_serve`` and ``ahead`` of :meth:`Answers.take`.
        """
        taken = take_turns(connection, self.database.clock(), turns)
        return [turn[1] if isinstance(turn, tuple) else turn for turn in taken]

    @write
    def abandon(self, connection: Connection, study: Study, older_than: float) -> int:
        """Return up the questions out for longer than so many seconds; their pool rows are free.

        Returns
        -------
        int
            How many. An answer that comes later is still taken.
        """
        old = ASKED.served < self.database.clock() - older_than
        giving_up = update(schema.questions).where(schema.OUT, ASKED.study == study.id, old)
        rows = connection.execute(giving_up.values(state="abandoned").returning(ASKED.pool_id))
        pool_ids = [row.pool_id for row in rows]
        free(connection, [number for number in pool_ids if number is not None])
        return len(pool_ids)

    def get(self, question_id: str) -> Served | None:
        """Return the question of this id, whatever became of it; None where there is none."""
        return self.database.first(Served, BY_ID, question=question_id)

    def outstanding(self, participant: Participant) -> list[Served]:
        """Return the questions that are out with a person, in their order."""
        return self.database.all(Served, OUTSTANDING, who=participant.id)

    def all(self, study: Study) -> Iterator[Served]:
        """Yield every question served in a study, in the order in which they were."""
        wanted = select(*COLUMNS).where(ASKED.study == study.id)
        for row in self.database.stream(
            wanted.order_by(ASKED.served, ASKED.participant, ASKED.place)
        ):
            yield as_record(Served, row)


class Answers(Part):
    """The log of answers."""

    @write_together(Turn)
    def take(self, connection: Connection, turns: list[Turn]) -> list[Taken | Refused]:
        """Take answers and serve: ``take(participant, answers, then_serve, ahead, seen)``.

        All in one transaction. An answer that is here already is acknowledged and not stored again;
        one that comes late, after its question was given up, is stored.

        Parameters
        ----------
        participant : Participant
            Who answered.
        answers : sequence of AnswerIn
            At most 500; all of them are stored, or none.
        then_serve : sequence of Wanted
            What to serve then, in this order. From the pool comes what waits there longest.
        ahead : int, optional
            Serve no more of them than leaves this many out with the person: a request that is sent
            again then serves nothing twice.
        seen : Standing, optional
            How the person stood when the answers were checked.

        Returns
        -------
        tuple
            An :class:`Acknowledged` for each answer, and the questions served.

        Raises
        ------
        UnknownQuestionError
            If a question was never served to this person; nothing of these answers is stored.
        ErasedError
            If the person was erased, and nothing was answered.
        StaleError
            If the person stands elsewhere than ``seen``; nothing of these answers is stored.
        ContentError
            If there are too many answers, or one holds what a database cannot.
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
        """Return the number up to which no further answer can appear.

        PostgreSQL gives out numbers before it commits, so 8 may appear after 9. SHARE waits for the
        transactions that hold numbers and lets no new one begin, for the moment of this question.
        """
        with self.database.reading() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("LOCK TABLE answers IN SHARE MODE"))
            return connection.execute(select(func.coalesce(func.max(LOG.id), 0))).scalar_one()
