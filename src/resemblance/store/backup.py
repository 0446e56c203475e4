"""Read all rows of a study in one snapshot, or write them into another database."""

import base64
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Integer, LargeBinary, Table, func, insert, select

from resemblance.store import schema
from resemblance.store.database import PAGE
from resemblance.store.errors import ContentError, translated
from resemblance.store.records import Json
from resemblance.store.store import Store
from resemblance.store.studies import note

Row = dict[str, Any]
# Tables in order: each table comes after the tables to which it refers.
KEPT: tuple[Table, ...] = (
    schema.studies,
    schema.participants,
    schema.pool,
    schema.questions,
    schema.answers,
    schema.pages,
    schema.exclusions,
    schema.events,
    schema.spaces,
)
RESTORED = "restored"  # name of an event in the audit trail
NUMBERED = {"study": "studies", "participant": "participants", "pool_id": "pool"}


def read_rows(store: Store, study: str) -> Iterator[tuple[str, Row]]:
    """Yield (table, row) for all rows of a study in one snapshot, without the worker's counts."""
    with translated(), _one_moment(store) as connection:
        of = schema.studies.c
        named = select(of.id).where(of.name == study)
        numbers = connection.execute(named).scalars().all()
        if not numbers:
            raise ContentError(f"this database has no study {study!r}")
        paged = connection.execution_options(yield_per=PAGE)
        for table in KEPT:
            own = table.c.id if table is schema.studies else table.c.study
            rows = select(table).where(own.in_(numbers)).order_by(table.c.id)
            for row in paged.execute(rows):
                yield table.name, _plain(table, row._mapping)


@contextmanager
def _one_moment(store: Store) -> Iterator[Connection]:
    """Yield a connection whose reads are all from one snapshot."""
    with store.database.readers.connect() as connection:
        if connection.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
            store.database.refuse_other(connection)
            yield connection
            return
        connection.exec_driver_sql("BEGIN")
        try:
            store.database.refuse_other(connection)
            yield connection
        finally:
            connection.exec_driver_sql("ROLLBACK")


def _plain(table: Table, row: Any) -> Row:
    coded = {name: base64.b64encode(row[name]).decode() for name in _binary(table, row)}
    return {**row, **coded}


def write_rows(
    store: Store,
    study: str,
    rows: Callable[[], Iterable[tuple[str, Row]]],
    who: str,
    digest: str = "",
) -> Json:
    """Write the rows of a study into a database in one transaction; count the rows by table.

    A retry calls ``rows`` again. Nothing is written if the last event of the study is the
    restoration of a backup with the same ``digest``.
    """

    def do(connection: Connection, _: list[None]) -> list[Json]:
        if there := _restored(connection, study, digest):
            return [there]
        put = _Put(connection)
        for name, row in rows():
            put.row(name, row)
        put.flush()
        first, *parts = put.names or [""]
        if first != study or not all(part.startswith(f"{study}/") for part in parts):
            raise ContentError(f"the rows are of {put.names}, not only of the study {study!r}")
        number = min(put.numbers["studies"].values())
        now = store.database.clock()
        note(connection, number, now, who, RESTORED, rows=put.counts, digest=digest)
        return [put.counts]

    counts: Json = store.database.writer.submit(do, None).result()
    return counts


def _restored(connection: Connection, study: str, digest: str) -> Json | None:
    named = select(schema.studies.c.id).where(schema.studies.c.name == study)
    number = connection.execute(named).scalar()
    if number is None:
        return None
    of = schema.events.c
    trail = select(of.what, of.details).where(of.study == number).order_by(of.id.desc())
    what, details = connection.execute(trail.limit(1)).one()
    if what == RESTORED and digest and details.get("digest") == digest:
        counts: Json = details["rows"]
        answers = select(func.count()).where(schema.answers.c.study == number)
        if connection.execute(answers).scalar() == counts["answers"]:
            return counts
    raise ContentError(
        f"the database already has a study {study!r}: restore into another database, or move this "
        "one away first"
    )


class _Put:
    """Inserts rows in blocks; ids of referenced rows are replaced by new ids."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.numbers: dict[str, dict[int, int]] = {name: {} for name in NUMBERED.values()}
        self.counts: Json = {table.name: 0 for table in KEPT}
        self.names: list[str] = []  # names of the studies that the rows contain
        self._tables = {table.name: table for table in KEPT}
        self._waiting: list[Row] = []
        self._name = KEPT[0].name

    def row(self, name: str, row: Row) -> None:
        if name not in self._tables:
            raise ContentError(f"the backup has rows of an unknown table {name!r}")
        if name != self._name or len(self._waiting) >= PAGE:
            self.flush()
        self._name = name
        if name == schema.studies.name:
            self.names.append(str(row.get("name")))
        self._waiting.append(row)

    def flush(self) -> None:
        table, rows = self._tables[self._name], self._waiting
        if not rows:
            return
        old = [row.get("id") for row in rows]
        values = [self._values(table, row) for row in rows]
        if self._name in self.numbers:
            added = insert(table).returning(table.c.id, sort_by_parameter_order=True)
            new = self.connection.execute(added, values).scalars()
            self.numbers[self._name].update(zip(old, new, strict=True))  # type: ignore[arg-type]
        else:
            self.connection.execute(insert(table), values)
        self.counts[self._name] += len(rows)
        self._waiting = []

    def _values(self, table: Table, row: Row) -> Row:
        unknown = set(row).difference(table.c.keys())
        if unknown:
            raise ContentError(f"{table.name} has no column {min(unknown)!r}")
        values = dict(row)
        if isinstance(table.c.id.type, Integer):
            values.pop("id", None)
        for column, other in NUMBERED.items():
            if (old := values.get(column)) is not None:
                if old not in self.numbers[other]:
                    raise ContentError(
                        f"{table.name} refers to row {old!r} of {other}, which is missing"
                    )
                values[column] = self.numbers[other][old]
        try:
            return values | {n: base64.b64decode(values[n]) for n in _binary(table, values)}
        except (TypeError, ValueError):
            raise ContentError(f"a row of {table.name} has no valid base64") from None


def _binary(table: Table, row: Any) -> list[str]:
    return [c.name for c in table.c if isinstance(c.type, LargeBinary) and c.name in row]
