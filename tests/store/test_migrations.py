"""Databases of other versions: older ones are migrated after a backup, newer ones refused."""

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from resemblance.store import AnswerIn, Store, StoreError, Wanted, schema

HEAD = schema.HEAD
NEXT = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "9999", "HEAD"


def upgrade():
    op.add_column("answers", sa.Column("weather", sa.String, server_default="fair"))
    BROKEN
"""


def told(url):
    """Open a database, answer a question, and say what is in it."""
    with Store.open(url) as store:
        study = store.studies.named("ties") or store.studies.add("ties", "", {})
        person = store.people.enter(study, "open", None, f"token {len(store.people.all(study))}")
        (served,) = store.questions.serve(person, [Wanted({"kind": "triplet"})])
        store.answers.take(person, [AnswerIn(served.id, 1)])
        return [(answer.id, answer.response) for answer in store.answers.after(study)]


def rows(url, statement):
    with Store.open(url) as store:
        return [tuple(row) for row in store.database.rows(text(statement))]


@pytest.fixture
def next_version(tmp_path, monkeypatch):
    """Pretend that there is a later version of the tables."""

    def pretend(broken=""):
        folder = tmp_path / f"migrations{len(broken)}"
        shutil.copytree(schema.FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
        script = NEXT.replace("BROKEN", broken).replace("HEAD", HEAD)
        (folder / "versions" / "next.py").write_text(script)
        monkeypatch.setattr(schema, "FOLDER", folder)
        monkeypatch.setattr(schema, "HEAD", "9999")

    return pretend


def test_a_new_database_has_the_tables_of_the_schema(new_url):
    with Store.open(new_url) as store, store.database.readers.connect() as connection:
        ours = {"version_table": schema.VERSION_TABLE, "compare_server_default": True}
        context = MigrationContext.configure(connection, opts=ours)
        assert compare_metadata(context, schema.metadata) == []


def test_an_older_database_is_migrated_with_all_that_is_in_it(new_url, next_version):
    before = told(new_url)
    next_version()
    assert told(new_url)[:1] == before
    assert rows(new_url, "SELECT weather FROM answers") == [("fair",), ("fair",)]
    assert rows(new_url, f"SELECT * FROM {schema.VERSION_TABLE}") == [("9999",)]


def test_a_migration_that_fails_leaves_all_as_it_was(new_url, next_version, monkeypatch):
    before = told(new_url)
    with monkeypatch.context():
        next_version('op.execute("nonsense")')
        with pytest.raises(StoreError, match="nonsense"):
            told(new_url)
    monkeypatch.undo()
    assert told(new_url)[:1] == before


def test_a_newer_database_is_refused_and_not_touched(new_url, next_version, monkeypatch):
    next_version()
    told(new_url)
    monkeypatch.undo()
    with pytest.raises(
        StoreError, match=f"version 9999, but this is version {HEAD}: use the later"
    ):
        told(new_url)


def test_eight_processes_may_begin_at_once(new_url):
    with ThreadPoolExecutor(8) as threads:
        stores = list(threads.map(Store.open, [new_url] * 8))
    for store in stores:
        assert store.studies.all() == []
        store.close()


def test_tables_of_others_are_not_taken_for_ours(file_url, tmp_path):
    with closing(sqlite3.connect(tmp_path / "study.sqlite")) as file:
        file.execute("CREATE TABLE studies (a)")
    with pytest.raises(StoreError, match="a table 'studies' of another program"):
        Store.open(file_url)


def test_a_file_that_is_no_database_is_named(file_url, tmp_path):
    (tmp_path / "study.sqlite").write_text("not a database, but long enough to be read as one")
    with pytest.raises(StoreError, match=r"study\.sqlite failed: file is not a database"):
        Store.open(file_url)


def test_nobody_migrates_a_database_that_an_older_server_works_on(new_url, next_version):
    server = Store.open(new_url)
    study = server.studies.add("ties", "", {})
    next_version()
    with server.lease(study):
        with pytest.raises(StoreError, match=f"version {HEAD}"):
            Store.open(new_url)
        with server.database.readers.connect() as connection:
            assert schema.revision_of(connection) == HEAD
    server.close()
    with Store.open(new_url) as newer:
        assert newer.studies.named("ties")
