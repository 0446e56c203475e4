"""Answers: taken once, in the order of a log."""

from sqlalchemy import Connection, bindparam, func, select, text

from resemblance.errors import UnknownQuestionError
from resemblance.store import schema
from resemblance.store.access import Access, as_record, write_together
from resemblance.store.records import Answer, Participant, Study
from resemblance.store.turns import Taken, Turn, take_turns

LOG, ASKED, PEOPLE = schema.answers.c, schema.questions.c, schema.participants.c
ANSWERS = (
    select(*(LOG[name] for name in ("id", "question", "participant", "response")))
    .add_columns(LOG.rt_ms, LOG.client, LOG.received, PEOPLE.code)
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


class Answers(Access):
    """The log of answers."""

    @write_together(Turn)
    def answer(
        self, connection: Connection, turns: list[Turn]
    ) -> list[Taken | UnknownQuestionError]:
        """Take answers and serve: ``answer(participant, answers, then_serve=(), ahead=None)``.

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

        Returns
        -------
        tuple
            An :class:`Acknowledged` for each answer, and the questions served.

        Raises
        ------
        UnknownQuestionError
            If a question was never served to this person; nothing of these answers is stored.
        ContentError
            If there are too many answers, or one holds what a database cannot.
        """
        return take_turns(connection, self.clock(), turns)

    def answers_after(self, study: Study, after: int = 0, limit: int = 1000) -> list[Answer]:
        """Return the next answers of a study's log: those numbered above ``after``, in order.

        No answer appears later below one that was given, whichever process took it: going on from
        the last number misses none.
        """
        span = {"of": study.id, "after": after, "horizon": self._horizon(), "most": limit}
        return [as_record(Answer, row) for row in self._rows(OF_STUDY, **span)]

    def answers_of(self, participant: Participant) -> list[Answer]:
        """Return the answers of one person, in order."""
        return [as_record(Answer, row) for row in self._rows(OF_PERSON, who=participant.id)]

    def _horizon(self) -> int:
        """Return the number up to which no further answer can appear.

        PostgreSQL gives out numbers before it commits, so 8 may appear after 9. SHARE waits for the
        transactions that hold numbers and lets no new one begin, for the moment of this question.
        """
        with self._reading() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("LOCK TABLE answers IN SHARE MODE"))
            return connection.execute(select(func.coalesce(func.max(LOG.id), 0))).scalar_one()
