"""A database that is moved or removed under a running server acknowledges nothing."""

import time

import pytest
from sqlalchemy import create_engine, text

from postgres import postgresql
from resemblance.store import Store, StoreError, Wanted
from resemblance.store.engines import checked_url


def moved(path):
    path.rename(path.with_name("moved.sqlite"))


CHANGES = {"moved": moved, "removed": lambda path: path.unlink()}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_file_without_its_name_acknowledges_nothing(tmp_path, change):
    file = tmp_path / "study.sqlite"
    with Store.open(f"sqlite:///{file}") as store:
        study = store.studies.add("ties", "", {})
        person = store.people.enter(study, "open", None, "token")
        store.questions.serve(person, [Wanted({"kind": "triplet"})])
        change(file)
        with pytest.raises(StoreError, match=r"study\.sqlite"):
            store.questions.serve(person, [Wanted({"kind": "triplet"})])


def test_one_that_is_put_back_goes_on(tmp_path):
    file = tmp_path / "study.sqlite"
    with Store.open(f"sqlite:///{file}") as store:
        study = store.studies.add("ties", "", {})
        moved(file)
        with pytest.raises(StoreError):
            store.people.enter(study, "open", None, "token")
        file.with_name("moved.sqlite").rename(file)
        assert store.people.enter(study, "open", None, "another token")


def test_another_postgresql_database_behind_the_address_acknowledges_nothing():
    server = postgresql()
    url, other = server.create(), server.create()
    with Store.open(other) as store:
        store.studies.add("ties", "", {})
    name, spare = checked_url(url).database, checked_url(other).database
    with Store.open(url) as store:
        study = store.studies.add("ties", "", {})
        admin = create_engine(
            checked_url(url).set(database="postgres"), isolation_level="AUTOCOMMIT"
        )
        with admin.connect() as connection:
            for one in (name, spare):
                ending = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :n"
                connection.execute(text(ending), {"n": one})
            until = time.monotonic() + 10
            while True:
                try:
                    connection.execute(text(f'ALTER DATABASE "{name}" RENAME TO "{name}_gone"'))
                    break
                except Exception:
                    assert time.monotonic() < until
                    time.sleep(0.05)
            connection.execute(text(f'ALTER DATABASE "{spare}" RENAME TO "{name}"'))
        admin.dispose()
        with pytest.raises(StoreError, match="another"):
            store.people.enter(study, "open", None, "token")
