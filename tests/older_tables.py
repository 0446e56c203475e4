"""Databases as earlier versions made them: one migration after the other, up to theirs."""

from alembic import op
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Integer,
    String,
    UniqueConstraint,
    text,
)

from resemblance.store import migration, schema

GROWING = {"sqlite_autoincrement": True}  # a number is never used twice


def make_first_tables():
    """Make the tables of version 0001, which no version of the package makes any more."""
    _make_people()
    _make_questions()
    _make_notes()
    _make_indexes()


def _needed(name, kind):
    return Column(name, kind, nullable=False)


def _number():
    return Column("id", Integer, primary_key=True)


def _study():
    return Column("study", Integer, ForeignKey("studies.id"), nullable=False)


def _participant():
    return Column("participant", Integer, ForeignKey("participants.id"), nullable=False)


def _make_people():
    op.create_table(
        "studies",
        _number(),
        Column("name", String, nullable=False, unique=True),
        _needed("settings", String),
        _needed("stimuli", JSON),
        _needed("state", String),
        _needed("created", Double),
    )
    op.create_table(
        "participants",
        _number(),
        _study(),
        _needed("code", String),
        _needed("source", String),
        Column("external_id", String),
        Column("token_hash", String, unique=True),
        _needed("state", String),
        _needed("browser", JSON),
        _needed("created", Double),
        Column("finished", Double),
        Column("completion_code", String),
        UniqueConstraint("study", "code"),
        UniqueConstraint("study", "source", "external_id"),
    )


def _make_questions():
    op.create_table(
        "pool",
        _number(),
        _study(),
        _needed("spec", JSON),
        _needed("round", Integer),
        _needed("made", Double),
        Column("taken", Double),
        **GROWING,
    )
    op.create_table(
        "questions",
        Column("id", String, primary_key=True),
        _study(),
        _participant(),
        _needed("place", Integer),
        _needed("kind", String),
        _needed("purpose", String),
        _needed("spec", JSON),
        Column("pool_id", Integer, ForeignKey("pool.id", ondelete="SET NULL")),
        _needed("served", Double),
        _needed("state", String),
        UniqueConstraint("participant", "place"),
    )
    op.create_table(
        "answers",
        Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
        Column("question", String, ForeignKey("questions.id"), nullable=False, unique=True),
        _study(),
        _participant(),
        Column("response", JSON),
        Column("rt_ms", Double),
        _needed("client", JSON),
        _needed("received", Double),
        **GROWING,
    )


def _make_notes():
    op.create_table(
        "pages",
        _number(),
        _study(),
        _participant(),
        _needed("page", String),
        _needed("response", JSON),
        _needed("received", Double),
        UniqueConstraint("participant", "page"),
    )
    op.create_table(
        "exclusions",
        _number(),
        _study(),
        _participant(),
        _needed("excluded", Boolean),
        _needed("reason", String),
        _needed("by", String),
        _needed("at", Double),
        **GROWING,
    )
    op.create_table(
        "events",
        _number(),
        _study(),
        _needed("at", Double),
        _needed("who", String),
        _needed("what", String),
        _needed("details", JSON),
        **GROWING,
    )


def _make_indexes():
    for table in ("pages", "exclusions", "events"):
        op.create_index(f"ix_{table}_study", table, ["study"])
    op.create_index("ix_answers_participant", "answers", ["participant"])
    op.create_index("ix_answers_log", "answers", ["study", "id"])
    op.create_index("ix_questions_study", "questions", ["study", "served"])
    op.create_index("ix_questions_pool", "questions", ["pool_id"])
    out, free = text("state = 'out'"), text("taken IS NULL")
    _index_where("ix_questions_out", "questions", ["participant"], out)
    _index_where("ix_pool_free", "pool", ["study", "id"], free)


def _index_where(name, table, columns, where):
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)


def by_migrations(monkeypatch, revision=migration.HEAD):
    """Make the tables of new databases as that version did."""

    def make(connection):
        named = {"target_metadata": schema.metadata}
        with Operations.context(MigrationContext.configure(connection, opts=named)):
            make_first_tables()
        migration.VERSIONS.create(connection)
        connection.execute(migration.VERSIONS.insert().values(version_num="0001"))
        migration._run(connection, "0001")

    monkeypatch.setattr(migration, "HEAD", revision)
    monkeypatch.setattr(migration, "_make", make)
