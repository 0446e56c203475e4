"""The tables of the database. A change needs a migration in ``migrations/versions``."""

import math
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double as _Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    TypeDecorator,
    UniqueConstraint,
    literal_column,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import SchemaItem

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)
LogNumber = BigInteger().with_variant(Integer, "sqlite")
Json = JSON(none_as_null=True)


class Text(TypeDecorator[str]):
    """Text without NUL, which PostgreSQL cannot hold and all databases refuse here."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if isinstance(value, str) and "\0" in value:
            raise ValueError("text holds a NUL character")
        return value


class Number(TypeDecorator[float]):
    """A finite number."""

    impl = _Double
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if value is not None and not math.isfinite(value):
            raise ValueError(f"{value} is not a finite number")
        return value


def _owner(table: str, **settings: Any) -> Column[int]:
    """Make the foreign key ``study`` or ``participant``."""
    name = {"studies": "study", "participants": "participant"}[table]
    return Column(name, ForeignKey(f"{table}.id"), nullable=False, **settings)


def _table(name: str, *columns: SchemaItem, sqlite_autoincrement: bool = False) -> Table:
    """Make a table with numbered rows; with autoincrement, numbers are never reused."""
    number = Column("id", Integer, primary_key=True)
    return Table(name, metadata, number, *columns, sqlite_autoincrement=sqlite_autoincrement)


studies = _table(
    "studies",
    Column("name", Text, nullable=False, unique=True),
    Column("settings", Text, nullable=False),
    Column("stimuli", Json, nullable=False),
    Column("state", Text, nullable=False),
    Column("created", Number, nullable=False),
    Column("secret", Text, nullable=False),
)
participants = _table(
    "participants",
    _owner("studies"),
    Column("code", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("external_id", Text),
    Column("token_hash", Text, unique=True),
    Column("state", Text, nullable=False),
    Column("browser", Json, nullable=False),
    Column("created", Number, nullable=False),
    Column("finished", Number),
    Column("completion_code", Text),
    Column("arm", Text),
    UniqueConstraint("study", "code"),
    UniqueConstraint("study", "source", "external_id"),
)
pool = _table(
    "pool",
    _owner("studies"),
    Column("spec", Json, nullable=False),
    Column("round", Integer, nullable=False),
    Column("made", Number, nullable=False),
    Column("taken", Number),
    sqlite_autoincrement=True,
)
questions = Table(
    "questions",
    metadata,
    Column("id", Text, primary_key=True),
    _owner("studies"),
    _owner("participants"),
    Column("place", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("spec", Json, nullable=False),
    Column("pool_id", ForeignKey("pool.id", ondelete="SET NULL")),
    Column("served", Number, nullable=False),
    Column("state", Text, nullable=False),
    UniqueConstraint("participant", "place"),
)
answers = Table(
    "answers",
    metadata,
    Column("id", LogNumber, primary_key=True),
    Column("question", ForeignKey("questions.id"), nullable=False, unique=True),
    _owner("studies"),
    _owner("participants", index=True),
    Column("response", Json),
    Column("rt_ms", Number),
    Column("client", Json, nullable=False),
    Column("received", Number, nullable=False),
    Index("ix_answers_log", "study", "id"),
    sqlite_autoincrement=True,  # a number is never used twice, even after its answer was erased
)
pages = _table(
    "pages",
    _owner("studies", index=True),
    _owner("participants"),
    Column("page", Text, nullable=False),
    Column("response", Json, nullable=False),
    Column("received", Number, nullable=False),
    UniqueConstraint("participant", "page"),
)
exclusions = _table(
    "exclusions",
    _owner("studies", index=True),
    _owner("participants"),
    Column("excluded", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", Number, nullable=False),
    sqlite_autoincrement=True,
)
events = _table(
    "events",
    _owner("studies", index=True),
    Column("at", Number, nullable=False),
    Column("who", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("details", Json, nullable=False),
    sqlite_autoincrement=True,
)
spaces = _table(
    "spaces",
    _owner("studies"),
    Column("made", Number, nullable=False),
    Column("answers", Integer, nullable=False),
    Column("model", LargeBinary, nullable=False),
    Column("positions", Json, nullable=False),
    Column("uncertainty", Json),
    Column("scores", Json, nullable=False),
    Index("ix_spaces_study_id", "study", "id"),
    sqlite_autoincrement=True,
)
tallies = Table(
    "tallies",
    metadata,
    _owner("participants", primary_key=True, autoincrement=False),
    _owner("studies", index=True),
    Column("answers", Integer, nullable=False),
    Column("flagged", Boolean, nullable=False),
    Column("figures", Json, nullable=False),
)
pulses = Table(
    "pulses",
    metadata,
    _owner("studies", primary_key=True, autoincrement=False),
    Column("at", Number, nullable=False),
    Column("told", Json, nullable=False),
)

# Conditions spelled with a literal, so that both databases see that their index serves.
OUT = questions.c.state == literal_column("'out'")
FREE = pool.c.taken.is_(None)
# events that people read
TRAIL = events.c.what.not_in([literal_column("'fit'"), literal_column("'map'")])

Index("ix_questions_out", questions.c.participant, sqlite_where=OUT, postgresql_where=OUT)
Index("ix_questions_study", questions.c.study, questions.c.served)
Index("ix_questions_pool", questions.c.pool_id)
Index("ix_exclusions_participant", exclusions.c.participant, exclusions.c.id)
Index("ix_pool_free", pool.c.study, pool.c.id, sqlite_where=FREE, postgresql_where=FREE)
Index("ix_events_trail", events.c.study, events.c.id, sqlite_where=TRAIL, postgresql_where=TRAIL)
