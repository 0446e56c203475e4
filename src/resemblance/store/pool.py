"""The pool: questions that wait to be served to somebody."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from resemblance.store import schema
from resemblance.store.checks import kind_of
from resemblance.store.database import Part, write
from resemblance.store.records import Json, Study

POOL = schema.pool.c
_chosen = (
    select(POOL.id)
    .where(POOL.study == bindparam("study_id"), schema.FREE)
    .order_by(POOL.id)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
    .cte("chosen")
)
TAKE = (
    update(schema.pool)
    .where(POOL.id.in_(select(_chosen.c.id)))
    .values(taken=bindparam("now"))
    .returning(POOL.id, POOL.spec)
)
PUT_BACK = update(schema.pool).where(POOL.id == bindparam("row")).values(taken=None)


class Pool(Part):
    """The questions that wait, first come first served."""

    @write
    def put(self, connection: Connection, study: Study, specs: Sequence[Json], round: int) -> None:
        """Add questions, best first, that were chosen after the fit of number ``round``."""
        row = {"study": study.id, "round": round, "made": self.database.clock()}
        for spec in specs:
            kind_of(spec)
        if specs:
            connection.execute(insert(schema.pool), [{**row, "spec": spec} for spec in specs])

    @write
    def withdraw(self, connection: Connection, study: Study, round_before: int) -> list[Json]:
        """Remove the waiting questions of rounds before this one, and give what they asked."""
        stale = schema.FREE & (POOL.study == study.id) & (POOL.round < round_before)
        gone = connection.execute(delete(schema.pool).where(stale).returning(POOL.id, POOL.spec))
        return [row.spec for row in sorted(gone, key=lambda row: row.id)]

    def size(self, study: Study) -> int:
        """Count the questions that wait."""
        waiting = select(func.count()).where(POOL.study == study.id, schema.FREE)
        return int(self.database.rows(waiting)[0][0])


def take(connection: Connection, now: float, study: int, n: int) -> list[tuple[int, Json]]:
    """Take up to n questions, oldest first, past those that another process is taking."""
    if n == 0:
        return []
    rows = connection.execute(TAKE, {"study_id": study, "most": n, "now": now})
    return sorted(((row.id, row.spec) for row in rows), key=lambda taken: taken[0])


def free(connection: Connection, ids: Iterable[int]) -> None:
    """Put taken questions back."""
    rows = [{"row": number} for number in ids]
    if rows:
        connection.execute(PUT_BACK, rows)
