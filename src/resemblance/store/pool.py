"""The pool of questions that the worker has chosen and that wait to be served."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update
from sqlalchemy.sql import ColumnElement

from resemblance.store import schema
from resemblance.store.database import Part, write
from resemblance.store.errors import kind_of
from resemblance.store.records import Json, Study

POOL = schema.pool.c
FIRST = POOL.round.desc(), POOL.id  # Questions of the newest fit are served first.
_chosen = (
    select(POOL.id)
    .where(POOL.study == bindparam("study_id"), schema.FREE)
    .order_by(*FIRST)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
    .cte("chosen")
)
TAKE = (
    update(schema.pool)
    .where(POOL.id.in_(select(_chosen.c.id)))
    .values(taken=bindparam("now"))
    .returning(POOL.id, POOL.round, POOL.spec)
)
PUT_BACK = update(schema.pool).where(POOL.id == bindparam("row")).values(taken=None)


class Pool(Part):
    """The waiting questions, in the order in which they are served (FIRST)."""

    @write
    def put(
        self,
        connection: Connection,
        study: Study,
        specs: Sequence[Json],
        round: int,
        most: int | None = None,
    ) -> None:
        """Add questions of the fit ``round``, best first; then keep only the first ``most``."""
        row = {"study": study.id, "round": round, "made": self.database.clock()}
        for spec in specs:
            kind_of(spec)
        if specs:
            connection.execute(insert(schema.pool), [{**row, "spec": spec} for spec in specs])
        if most is not None:
            last = select(POOL.id).where(*_waiting(study)).order_by(*FIRST).offset(most)
            connection.execute(delete(schema.pool).where(POOL.id.in_(last)))

    @write
    def withdraw(self, connection: Connection, study: Study, round_before: int) -> list[Json]:
        stale = *_waiting(study), POOL.round < round_before
        gone = connection.execute(
            delete(schema.pool).where(*stale).returning(POOL.id, POOL.round, POOL.spec)
        )
        return [row.spec for row in sorted(gone, key=_place)]

    def waiting(self, study: Study, since: int = 0) -> list[Json]:
        """Return waiting questions of the fit ``since`` or later, in the order of service."""
        those = select(POOL.spec).where(*_waiting(study), POOL.round >= since)
        return [row.spec for row in self.database.rows(those.order_by(*FIRST))]

    def size(self, study: Study, since: int = 0) -> int:
        those = select(func.count()).where(*_waiting(study), POOL.round >= since)
        return int(self.database.rows(those)[0][0])


def _waiting(study: Study) -> tuple[ColumnElement[bool], ...]:
    return POOL.study == study.id, schema.FREE


def _place(row: Any) -> tuple[int, int]:
    return -row.round, row.id


def take(connection: Connection, now: float, study: int, n: int) -> list[tuple[int, Json]]:
    """Take up to n questions, best first; questions that other processes lock are skipped."""
    if n == 0:
        return []
    rows = connection.execute(TAKE, {"study_id": study, "most": n, "now": now})
    return [(row.id, row.spec) for row in sorted(rows, key=_place)]


def free(connection: Connection, ids: Iterable[int]) -> None:
    rows = [{"row": number} for number in ids]
    if rows:
        connection.execute(PUT_BACK, rows)
