"""Where a person stands: all that a request of the person needs to know, in one read."""

from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, true

from resemblance.store import schema
from resemblance.store.access import Access, columns_of
from resemblance.store.records import Participant, Progress, Served, Standing

ASKED, PEOPLE = schema.questions.c, schema.participants.c


def _count(*which: ColumnElement[bool]) -> ColumnElement[Any]:
    return func.count().filter(*which) if which else func.count()


DONE = (ASKED.state == "answered") | (ASKED.state == "skipped")
WHO = select(PEOPLE.id).where(PEOPLE.token_hash == bindparam("token")).scalar_subquery()
COUNTED = (
    select(_count(), _count(DONE), _count(DONE, ASKED.purpose == "practice"))
    .where(ASKED.participant == WHO)
    .subquery()
)
PARTS = (
    columns_of(Participant, schema.participants),
    list(COUNTED.c),
    columns_of(Served, schema.questions),
)
# Built once: building a statement costs as much as running it.
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


class Standings(Access):
    """Where people stand."""

    def standing(self, token_hash: str) -> Standing | None:
        """Say where the person stands who holds this token; None where nobody does."""
        rows = [tuple(row) for row in self._rows(STANDING, token=token_hash)]
        if not rows:
            return None
        first, out = rows[0], [row[COUNTS:] for row in rows]
        asked = tuple(Served(*question) for question in out if question[0] is not None)
        return Standing(Participant(*first[:PERSON]), asked, Progress(*first[PERSON:COUNTS]))
