"""Databases that earlier versions wrote, kept in tests/kept: today's code goes on with each."""

import json
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import JSON, Boolean, Integer, MetaData, insert, text

from older_tables import by_migrations
from postgres import postgresql
from resemblance.store import Store, StoreError, migration, schema
from resemblance.store.erasure import copies_of
from resemblance.study.export import Export, write_export
from resemblance.study.worker import run
from web.conftest import Person

KEPT = Path(__file__).parents[1] / "kept"
REVISIONS = sorted(path.name for path in KEPT.iterdir() if path.name.isdigit())
OLDER = [revision for revision in REVISIONS if revision != migration.HEAD]


def revisions():
    from alembic.script import ScriptDirectory

    return {one.revision for one in ScriptDirectory(str(migration.FOLDER)).walk_revisions()}


def as_file(folder):
    """Put a kept database into a file."""
    file = folder / "study.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.executescript((folder / "study.sql").read_text())
    return f"sqlite:///{file}"


def as_server(folder, revision, monkeypatch):
    """Make the tables of that version in PostgreSQL, and put the kept rows in."""
    url = postgresql().create()
    with monkeypatch.context() as then:
        by_migrations(then, revision)
        store = Store.open(url)
    with (
        closing(sqlite3.connect(":memory:")) as kept,
        store.database.writer._engine.begin() as server,
    ):
        kept.executescript((folder / "study.sql").read_text())
        kept.row_factory = sqlite3.Row
        made = MetaData()
        made.reflect(server)
        for table in made.sorted_tables:
            if table.name != migration.VERSION_TABLE:
                copy_rows(kept, server, table)
    store.close()
    return url


def copy_rows(kept, server, table):
    rows = [dict(row) for row in kept.execute(f'SELECT * FROM "{table.name}"')]
    for column in table.columns:
        if isinstance(column.type, JSON):
            column.type.none_as_null = True
        for row in rows:
            row[column.name] = as_stored(column, row[column.name])
    if rows:
        server.execute(insert(table), rows)
    if "id" in table.columns and isinstance(table.c.id.type, Integer):
        server.execute(
            text(
                f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), "
                f"(SELECT coalesce(max(id), 0) + 1 FROM {table.name}), false)"
            )
        )


def as_stored(column, value):
    """Read what SQLite keeps as text, or as a number."""
    if value is not None and isinstance(column.type, JSON):
        return json.loads(value)
    return bool(value) if isinstance(column.type, Boolean) else value


class Kept:
    """A study as it was kept, not opened yet."""

    def __init__(self, revision, folder, url):
        self.revision, self.folder, self.url = revision, folder, url
        told = json.loads((folder / "told.json").read_text())
        self.rows, self.out, self.people = told["rows"], told["out"], told["people"]

    @property
    def file(self):
        return self.folder / "study.sqlite" if self.url.startswith("sqlite") else None


@pytest.fixture
def database():
    return "sqlite"


@pytest.fixture(params=REVISIONS)
def kept(request, database, tmp_path, monkeypatch):
    folder = tmp_path / "words"
    shutil.copytree(KEPT / request.param, folder)
    on_server = database == "postgresql"
    url = as_server(folder, request.param, monkeypatch) if on_server else as_file(folder)
    return Kept(request.param, folder, url)


BOTH = pytest.mark.parametrize("database", ["sqlite", "postgresql"])
ENDS = pytest.mark.parametrize("kept", sorted({REVISIONS[0], REVISIONS[-1]}), indirect=True)


@pytest.fixture
def opened(kept, serve):
    """Open a kept study with today's code."""
    served = serve(kept.folder, database=kept.url)
    served.kept = kept

    def person(who):
        found = Person.__new__(Person)
        found.client, found.code = served.client, kept.people[who]["code"]
        found.headers = {"Authorization": f"Bearer {kept.people[who]['token']}"}
        return found

    served.who = person
    return served


def counts(store):
    of = "SELECT count(*) FROM {}"
    return {
        name: store.database.rows(text(of.format(name)))[0][0] for name in schema.metadata.tables
    }


def test_every_version_before_this_one_is_kept():
    missing = sorted(revisions() - {migration.HEAD} - set(REVISIONS))
    assert not missing, f"keep a database of {missing} before the migration: tests/kept/README.md"
    assert set(REVISIONS) <= revisions()


@BOTH
def test_all_rows_are_there_in_the_tables_of_today(opened):
    found = counts(opened.store)
    assert {name: found[name] for name in opened.kept.rows if name in found} == {
        name: count for name, count in opened.kept.rows.items() if name in found
    }
    version = text(f"SELECT version_num FROM {migration.VERSION_TABLE}")
    assert opened.store.database.rows(version)[0][0] == migration.HEAD
    states = {one.code: one.state for one in opened.store.people.all(opened.live.record)}
    people = opened.kept.people
    assert {who: states[people[who]["code"]] for who in people} == {
        "finished": "finished",
        "under way": "consented",
        "excluded": "consented",
        "declined": "stopped",
        "entered": "entered",
        "erased": "stopped",
    }


def test_a_copy_from_before_is_beside_the_file(opened):
    copies = copies_of(opened.kept.file)
    assert len(copies) == (opened.kept.revision in OLDER)
    for copy in copies:
        assert copy.name.startswith(f"study.sqlite.version-{opened.kept.revision}.")
        assert copy.stat().st_mode & 0o777 == 0o600
        with closing(sqlite3.connect(copy)) as before:
            for table, count in opened.kept.rows.items():
                assert before.execute(f"SELECT count(*) FROM {table}").fetchone() == (count,)
            version = before.execute(f"SELECT version_num FROM {migration.VERSION_TABLE}")
            assert version.fetchone() == (opened.kept.revision,)


def test_the_export_has_all_of_it(opened, tmp_path):
    write_export(Export(opened.live, identified=True), tmp_path / "export")
    people = pd.read_csv(tmp_path / "export/participants.csv", dtype=str).set_index("observer")
    log = pd.read_csv(tmp_path / "export/answers.csv")
    told = opened.kept.people
    assert len(log) == opened.kept.rows["answers"]
    assert people.loc[told["finished"]["code"], "external_id"] == told["finished"]["id"]
    assert people.loc[told["excluded"]["code"], "excluded"] == "True"
    assert pd.isna(people.loc[told["erased"]["code"], "external_id"])
    assert told["erased"]["code"] not in set(log["observer"])
    assert log["skipped"].sum() == 1
    assert len(pd.read_csv(tmp_path / "export/triplets.csv"))


@BOTH
def test_somebody_under_way_goes_on_to_the_end(opened):
    person = opened.who("under way")
    standing = person.get().json()
    assert [question["id"] for question in standing["questions"]] == opened.kept.out
    assert standing["progress"] == {"done": 5, "total": 10}
    while standing["questions"]:
        standing = person.answer(standing["questions"][0])
    person.post(f"pages/{standing['page']['name']}", {"values": {"age": 52}})
    assert person.post("finish")["code"] == "C0FFEE42"


def test_who_comes_back_is_known(opened):
    def enter(who):
        body = {"parameters": {"PROLIFIC_PID": opened.kept.people[who]["id"]}}
        answer = opened.client.post("/api/studies/words/participants", json=body)
        return answer.status_code, answer.json()

    assert enter("finished")[1]["error"]["code"] == "second_entry"
    for who in ("under way", "entered"):
        assert enter(who)[1]["code"] == opened.kept.people[who]["code"]
    status, found = enter("erased")
    assert status == 200
    assert found["code"] not in {one["code"] for one in opened.kept.people.values()}


def test_the_map_of_before_is_shown(opened):
    space = opened.store.spaces.latest(opened.live.record)
    assert (space is None) == (opened.kept.rows.get("spaces", 0) == 0)
    if space is not None:
        assert len(space.positions) == 6


@BOTH
def test_somebody_of_before_is_erased_from_all_files(opened):
    told = opened.kept.people["finished"]
    person = opened.store.people.named(opened.live.record, told["code"])
    answers = len(opened.store.answers.of(person))
    copies = opened.store.people.erase(person, "researcher")
    assert answers == 12
    assert counts(opened.store)["answers"] == opened.kept.rows["answers"] - answers
    assert opened.who("finished").get().status_code == 401
    if opened.kept.file is not None:
        assert copies == copies_of(opened.kept.file)
        for file in [*copies, *opened.kept.folder.glob("study.sqlite*")]:
            assert told["id"].encode() not in file.read_bytes()


@ENDS
def test_the_worker_goes_on(opened, caplog):
    stop = threading.Event()
    worker = threading.Thread(target=run, args=(opened.lives, stop), daemon=True)
    began = opened.live.clock()
    worker.start()
    pulse, end = None, time.monotonic() + 60
    while (pulse is None or pulse.at < began) and time.monotonic() < end:
        time.sleep(0.02)
        pulse = opened.store.tallies.pulse(opened.live.record)
    stop.set()
    worker.join(60)
    counted = [one for one in opened.log() if one.purpose != "practice"]
    assert pulse.told["answers"] == len(counted) >= 20
    assert not [one for one in caplog.records if one.exc_info]


def test_a_version_of_later_is_refused_and_left_alone(kept):
    with Store.open(kept.url) as store, store.database.writer._engine.begin() as connection:
        connection.execute(text(f"UPDATE {migration.VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(StoreError, match=f"9999, and this is version {migration.HEAD}: use the la"):
        Store.open(kept.url)
    if kept.file is not None:
        with closing(sqlite3.connect(kept.file)) as database:
            left = database.execute("SELECT count(*) FROM answers").fetchone()
        assert left == (kept.rows["answers"],)
