"""The worker's counts of answers, by person and in total."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Literal, TypeAlias

from sqlalchemy import ColumnElement, Connection, Select, Table, func, select
from sqlalchemy.dialects import postgresql, sqlite

from resemblance.store import schema
from resemblance.store.database import Part, columns_of, write
from resemblance.store.errors import one_of
from resemblance.store.people import KNOWN
from resemblance.store.records import SIMULATED, Json, PersonRow, Pulse, Study, Tally

PeopleOrder: TypeAlias = Literal["newest", "oldest", "answers"]
PeopleOnly: TypeAlias = Literal[
    "all", "flagged", "excluded", "finished", "under way", "withdrawn", "simulated"
]
PEOPLE, TALLY, RULED = schema.participants.c, schema.tallies.c, schema.exclusions.c
# number of rows in one statement, whose values must stay below SQLite's limit of 32,766
AT_ONCE = 500

_earlier = schema.exclusions.alias("earlier").c
_last = select(func.max(_earlier.id)).where(_earlier.participant == PEOPLE.id).scalar_subquery()
JOINED = schema.participants.outerjoin(schema.tallies).outerjoin(
    schema.exclusions, RULED.id == _last
)
ORDERS: dict[str, list[ColumnElement[Any]]] = {
    "newest": [PEOPLE.id.desc()],
    "oldest": [PEOPLE.id.asc()],
    "answers": [func.coalesce(TALLY.answers, 0).desc(), PEOPLE.id.desc()],
}
ONLY: dict[str, list[ColumnElement[bool]]] = {
    "all": [],
    "flagged": [TALLY.flagged],
    "excluded": [RULED.excluded],
    "finished": [PEOPLE.state == "finished"],
    "withdrawn": [PEOPLE.state == "withdrawn"],
    "simulated": [PEOPLE.source == SIMULATED],
    "under way": [PEOPLE.state.in_(("entered", "consented"))],
}
COLUMNS = [
    *(PEOPLE[name] for name in ("id", "code", "source", "state", "created", "finished", "arm")),
    *(TALLY[name] for name in ("answers", "flagged", "figures")),
    *(RULED[name] for name in ("excluded", "reason", "by")),
]


class Tallies(Part):
    @write
    def tell(
        self,
        connection: Connection,
        study: Study,
        counts: Json,
        tallies: Iterable[Tally] = (),
    ) -> None:
        """Store the worker's heartbeat, its total counts, and the counts of people."""
        rows = [{"study": study.id, **asdict(tally)} for tally in tallies]
        for start in range(0, len(rows), AT_ONCE):
            _put(connection, schema.tallies, _alive(connection, rows[start : start + AT_ONCE]))
        _put(
            connection,
            schema.pulses,
            [{"study": study.id, "at": self.database.clock(), "told": counts}],
        )

    def pulse(self, study: Study) -> Pulse | None:
        of = schema.pulses.c
        return self.database.first(Pulse, select(of.at, of.told).where(of.study == study.id))

    def all(self, study: Study) -> list[Tally]:
        wanted = select(*columns_of(Tally, schema.tallies)).where(TALLY.study == study.id)
        return self.database.all(Tally, wanted)

    def people(
        self,
        study: Study,
        order: PeopleOrder = "newest",
        only: PeopleOnly = "all",
        code: str = "",
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[list[PersonRow], int]:
        """Return a page of the table of people, and the number of rows of the whole table."""
        one_of(order, PeopleOrder)
        wanted = [PEOPLE.study == study.id, *ONLY[one_of(only, PeopleOnly)]]
        if code:
            wanted.append(PEOPLE.code.contains(code.upper(), autoescape=True))
        page = _of_people(COLUMNS, wanted).order_by(*ORDERS[order]).limit(limit).offset(offset)
        count = self.database.rows(_of_people([func.count().label("n")], wanted))[0].n
        return self.database.all(PersonRow, page), count


def _of_people(columns: list[Any], wanted: list[ColumnElement[bool]]) -> Select[Any]:
    return select(*columns).select_from(JOINED).where(*wanted)


def _alive(connection: Connection, rows: list[Json]) -> list[Json]:
    whose = select(PEOPLE.id).where(PEOPLE.id.in_([row["participant"] for row in rows]), KNOWN)
    locked = connection.execute(whose.order_by(PEOPLE.id).with_for_update())
    kept = {row.id for row in locked}
    return [row for row in rows if row["participant"] in kept]


def _put(connection: Connection, table: Table, rows: list[Json]) -> None:
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    if not rows:
        return
    adding = dialect.insert(table).values(rows)
    key = list(table.primary_key)
    new = {c.name: adding.excluded[c.name] for c in table.columns if c not in key}
    connection.execute(adding.on_conflict_do_update(index_elements=key, set_=new))
