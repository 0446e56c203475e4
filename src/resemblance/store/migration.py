"""Migrate a database to this version's tables."""

from pathlib import Path

from sqlalchemy import URL, Column, Connection, Engine, MetaData, String, Table, inspect, text

from resemblance.store import schema
from resemblance.store.engines import file_of
from resemblance.store.errors import StoreError, translated
from resemblance.store.lease import LEASE, LOCKS, is_locked

FOLDER = Path(__file__).with_name("migrations")
HEAD = "0001"
VERSION_TABLE = "resemblance_version"
VERSION = f"SELECT version_num FROM {VERSION_TABLE}"
VERSIONS = Table(VERSION_TABLE, MetaData(), Column("version_num", String(32), primary_key=True))
LOCK = 0x5E5B0000  # held while PostgreSQL migrates


def migrate(writer: Engine, url: URL) -> None:
    """Create the tables, or migrate older ones.

    Concurrent processes wait for the one that migrates. A failed migration is rolled back. Raises
    StoreError for tables of a later version, or unknown tables of these names.
    """
    name = url.render_as_string()  # hides the password
    with translated(name), writer.connect() as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
        revision = revision_of(connection)
        if revision == HEAD:
            return
        if revision is None and inspect(connection).has_table("studies"):
            raise StoreError(
                f"{name} has a table 'studies' that is not ours: name another database."
            )
        if revision is None:
            _make(connection)
        else:
            _upgrade(connection, url, revision)


def _make(connection: Connection) -> None:
    for metadata in (schema.metadata, VERSIONS.metadata):
        metadata.create_all(connection, checkfirst=False)
    connection.execute(VERSIONS.insert().values(version_num=HEAD))


def refuse_other(connection: Connection) -> None:
    """Refuse tables that a later version migrated while this process ran.

    On PostgreSQL, migrations wait for this transaction.
    """
    version = connection.exec_driver_sql(VERSION).scalar()
    if version != HEAD:
        raise StoreError(
            f"the database has tables of version {version} by now, and this process knows {HEAD}: "
            "start the server again, with the version of resemblance that migrated them"
        )


def revision_of(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.exec_driver_sql(VERSION).scalar()


def _upgrade(connection: Connection, url: URL, revision: str) -> None:
    """Run the missing migrations; Alembic is loaded only here."""
    from alembic.script import ScriptDirectory

    revisions = {script.revision for script in ScriptDirectory(str(FOLDER)).walk_revisions()}
    if revision not in revisions:
        raise StoreError(
            f"{url.render_as_string()} has tables of version {revision}, and this is version "
            f"{HEAD}: use the later version of resemblance that made them."
        )
    if _at_work(connection, url):
        raise StoreError(
            f"{url.render_as_string()} has tables of version {revision}, which an older server "
            f"works on now, and this is version {HEAD}: stop that server, then run this again, "
            "and serve the study with this version from then on"
        )
    if connection.dialect.name == "postgresql":  # writes, and long reads, end before
        connection.execute(text(f"LOCK TABLE {VERSION_TABLE} IN ACCESS EXCLUSIVE MODE"))
    _run(connection, revision)


def _run(connection: Connection, revision: str) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(FOLDER))
    named = {"version_table": VERSION_TABLE, "target_metadata": schema.metadata}
    context = MigrationContext.configure(connection, opts=named)
    with Operations.context(context):
        for script in reversed(list(scripts.iterate_revisions(HEAD, revision))):
            script.module.upgrade()
            context.stamp(scripts, script.revision)


def _at_work(connection: Connection, url: URL) -> bool:
    """Return whether a worker holds a study of this database; its server would meet new tables."""
    file = file_of(url)
    if file is not None:
        return any(is_locked(lease) for lease in file.parent.glob(f"{file.name}{LEASE}*"))
    held = (
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = :kind AND "
        "objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = "
        "current_database())"
    )
    return bool(connection.execute(text(held), {"kind": LOCKS}).scalar_one())
