"""Tables of the database; a change of a table needs a file in ``migrations/versions``."""

import math
from pathlib import Path
from typing import Any

from sqlalchemy import (
    JSON,
    URL,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double as _Double,
    Engine,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    TypeDecorator,
    UniqueConstraint,
    inspect,
    literal_column,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import SchemaItem

from resemblance.store.engines import file_of
from resemblance.store.errors import StoreError, translated
from resemblance.store.lease import LEASE, LOCKS, is_locked

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
FOLDER = Path(__file__).with_name("migrations")
HEAD = "0001"
VERSION_TABLE = "resemblance_version"
VERSION = f"SELECT version_num FROM {VERSION_TABLE}"
VERSIONS = Table(VERSION_TABLE, MetaData(), Column("version_num", String(32), primary_key=True))
LOCK = 0x5E5B0000  # key of PostgreSQL's advisory lock during a migration


class Text(TypeDecorator[str]):
    """A type of text without NUL characters, which PostgreSQL cannot store."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if isinstance(value, str) and "\0" in value:
            raise ValueError("text contains a NUL character")
        return value


class Number(TypeDecorator[float]):
    impl = _Double
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if value is not None and not math.isfinite(value):
            raise ValueError(f"{value} is not a finite number")
        return value


def _owner(table: str, **settings: Any) -> Column[int]:
    name = {"studies": "study", "participants": "participant"}[table]
    return Column(name, ForeignKey(f"{table}.id"), nullable=False, **settings)


def _table(name: str, *columns: SchemaItem, sqlite_autoincrement: bool = False) -> Table:
    """Return a table with an id; with ``sqlite_autoincrement``, ids are never reused."""
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
    sqlite_autoincrement=True,  # Ids are not reused, even after answers are erased.
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

# Conditions contain literals, not parameters, so that both databases use the partial indexes.
OUT = questions.c.state == literal_column("'out'")
FREE = pool.c.taken.is_(None)
# condition: the event is shown at the desk
TRAIL = events.c.what.not_in([literal_column("'fit'"), literal_column("'map'")])

Index("ix_questions_out", questions.c.participant, sqlite_where=OUT, postgresql_where=OUT)
Index("ix_questions_study", questions.c.study, questions.c.served)
Index("ix_questions_pool", questions.c.pool_id)
Index("ix_exclusions_participant", exclusions.c.participant, exclusions.c.id)
Index("ix_pool_free", pool.c.study, pool.c.id, sqlite_where=FREE, postgresql_where=FREE)
Index("ix_events_trail", events.c.study, events.c.id, sqlite_where=TRAIL, postgresql_where=TRAIL)


def migrate(writer: Engine, url: URL) -> None:
    """Create the tables, or migrate older tables; after an error everything is rolled back."""
    name = url.render_as_string()  # The rendered address does not show the password.
    with translated(name), writer.connect() as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
        revision = revision_of(connection)
        if revision == HEAD:
            return
        if revision is None and inspect(connection).has_table("studies"):
            raise StoreError(
                f"{name} has a table 'studies' of another program: use another database."
            )
        if revision is None:
            _make(connection)
        else:
            _upgrade(connection, url, revision)


def _make(connection: Connection) -> None:
    for tables in (metadata, VERSIONS.metadata):
        tables.create_all(connection, checkfirst=False)
    connection.execute(VERSIONS.insert().values(version_num=HEAD))


def refuse_other(connection: Connection) -> None:
    """Refuse tables that a later version has migrated since this process started.

    In PostgreSQL, a migration waits until this transaction ends.
    """
    version = connection.exec_driver_sql(VERSION).scalar()
    if version != HEAD:
        raise StoreError(
            f"the tables were migrated to version {version}, but this process knows {HEAD}: "
            "restart the server with the version of resemblance that migrated them"
        )


def revision_of(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.exec_driver_sql(VERSION).scalar()


def _upgrade(connection: Connection, url: URL, revision: str) -> None:
    from alembic.script import ScriptDirectory

    revisions = {script.revision for script in ScriptDirectory(str(FOLDER)).walk_revisions()}
    if revision not in revisions:
        raise StoreError(
            f"{url.render_as_string()} has tables of version {revision}, but this is version "
            f"{HEAD}: use the later version of resemblance that made them."
        )
    if _at_work(connection, url):
        raise StoreError(
            f"{url.render_as_string()} has tables of version {revision}, which an older server is "
            f"using, but this is version {HEAD}: stop that server, run this again, and serve the "
            "study with this version from then on"
        )
    # The lock waits until writes and long reads have ended.
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"LOCK TABLE {VERSION_TABLE} IN ACCESS EXCLUSIVE MODE"))
    _run(connection, revision)


def _run(connection: Connection, revision: str) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(FOLDER))
    named = {"version_table": VERSION_TABLE, "target_metadata": metadata}
    context = MigrationContext.configure(connection, opts=named)
    with Operations.context(context):
        for script in reversed(list(scripts.iterate_revisions(HEAD, revision))):
            script.module.upgrade()
            context.stamp(scripts, script.revision)


def _at_work(connection: Connection, url: URL) -> bool:
    """Return whether a worker of a running server has a lease in this database."""
    file = file_of(url)
    if file is not None:
        return any(is_locked(lease) for lease in file.parent.glob(f"{file.name}{LEASE}*"))
    held = (
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = :kind AND "
        "objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = "
        "current_database())"
    )
    return bool(connection.execute(text(held), {"kind": LOCKS}).scalar_one())
