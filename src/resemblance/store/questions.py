"""Questions that were served: each to one person, once."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, bindparam, select, update

from resemblance.store import schema
from resemblance.store.access import Access, as_record, columns_of, write, write_together
from resemblance.store.pool import free
from resemblance.store.records import Participant, Served, Study, Wanted
from resemblance.store.turns import Turn, take_turns

ASKED = schema.questions.c
COLUMNS = columns_of(Served, schema.questions)
MINE = ASKED.participant == bindparam("who")
OUTSTANDING = select(*COLUMNS).where(MINE, schema.OUT).order_by(ASKED.place)
BY_ID = select(*COLUMNS).where(ASKED.id == bindparam("question"))


def _serving(participant: Participant, wanted: Sequence[Wanted], ahead: int | None = None) -> Turn:
    return Turn(participant, (), wanted, ahead)


class Questions(Access):
    """The questions that were served."""

    @write_together(_serving)
    def serve(self, connection: Connection, turns: list[Turn]) -> list[list[Served] | Exception]:
        """Serve questions: ``serve(participant, wanted, ahead=None)``.

        Parameters
        ----------
        participant : Participant
            To whom.
        wanted, ahead
            As ``then_serve`` and ``ahead`` of :meth:`answer`.
        """
        taken = take_turns(connection, self.clock(), turns)
        return [turn[1] if isinstance(turn, tuple) else turn for turn in taken]

    @write
    def abandon(self, connection: Connection, study: Study, older_than: float) -> int:
        """Return up the questions out for longer than so many seconds; their pool rows are free.

        Returns
        -------
        int
            How many. An answer that comes later is still taken.
        """
        old = ASKED.served < self.clock() - older_than
        giving_up = update(schema.questions).where(schema.OUT, ASKED.study == study.id, old)
        rows = connection.execute(giving_up.values(state="abandoned").returning(ASKED.pool_id))
        pool_ids = [row.pool_id for row in rows]
        free(connection, [number for number in pool_ids if number is not None])
        return len(pool_ids)

    def question(self, question_id: str) -> Served | None:
        """Return the question of this id, whatever became of it; None where there is none."""
        rows = self._rows(BY_ID, question=question_id)
        return as_record(Served, rows[0]) if rows else None

    def outstanding(self, participant: Participant) -> list[Served]:
        """Return the questions that are out with a person, in their order."""
        return [as_record(Served, row) for row in self._rows(OUTSTANDING, who=participant.id)]

    def questions_of(self, study: Study) -> Iterator[Served]:
        """Yield every question served in a study, in the order in which they were."""
        wanted = select(*COLUMNS).where(ASKED.study == study.id)
        for row in self._stream(wanted.order_by(ASKED.served, ASKED.participant, ASKED.place)):
            yield as_record(Served, row)
