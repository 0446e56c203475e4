"""A newer version migrates the database under a server that runs: nothing is lost, it is told."""

import shutil
import subprocess
import sys
import time

import pytest
from sqlalchemy import text

from resemblance.store import StoreError, schema
from resemblance.store.backup import read_rows
from resemblance.study.export import Export, write_export

STEP = f"""
import time
import sqlalchemy as sa
from alembic import op
revision, down_revision = "9999", "{schema.HEAD}"
def upgrade():
    op.add_column("answers", sa.Column("weather", sa.String, server_default="fair"))
    open(FILE, "w").close()
    time.sleep(0.5)
"""
NEWER = """
import sys
from pathlib import Path
from resemblance.store import Store, schema
schema.FOLDER, schema.HEAD = Path(sys.argv[1]), "9999"
Store.open(sys.argv[2]).close()
"""


@pytest.fixture
def begin(tmp_path, url):
    """Begin to migrate in another process, by a version that has one step more."""
    folder = tmp_path / "migrations"
    shutil.copytree(schema.FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "next.py").write_text(
        STEP.replace("FILE", repr(str(tmp_path / "migrating")))
    )

    def begin_():
        process = subprocess.Popen([sys.executable, "-c", NEWER, folder, url])
        until = time.monotonic() + 60
        while not (tmp_path / "migrating").exists():
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.01)
        return process

    yield begin_
    if url.startswith("postgresql"):  # other tests use it, too
        import psycopg

        with psycopg.connect(url) as connection:
            connection.execute("ALTER TABLE answers DROP COLUMN IF EXISTS weather")
            connection.execute(f"UPDATE {schema.VERSION_TABLE} SET version_num = '{schema.HEAD}'")


def counted(store):
    return store.database.rows(text("SELECT count(*) FROM answers"))[0][0]


def test_an_older_server_refuses_to_write_and_says_why(served, begin, tmp_path, caplog):
    store, person = served.store, served.person()
    person.begin()
    standing = person.answer()
    for _ in range(3):
        standing = person.answer(standing["questions"][0])
    process = begin()
    refused = person.answer(standing["questions"][0], status=503)  # it waits for the migration
    assert process.wait(60) == 0
    assert refused["error"]["code"] == "unavailable"
    assert [one for one in caplog.records if one.levelname == "ERROR" and "9999" in one.message]
    (known,) = store.people.all(served.live.record)
    deeds = {
        "erase": lambda: store.people.erase(known, "researcher"),
        "export": lambda: write_export(Export(served.live), tmp_path / "export"),
        "back up": lambda: list(read_rows(store, "ties")),
    }
    for deed in deeds.values():
        with pytest.raises(StoreError, match="9999"):
            deed()
    assert counted(store) == 3
    ready = served.client.get("/ready")
    assert ready.status_code == 503
    assert ready.json()["checks"]["database"] is False
