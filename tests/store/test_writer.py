"""The writer: waiting writes share a commit, and each is told only after it."""

import asyncio
import sqlite3
import threading
import time
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from resemblance.store import ContentError, Store, StoreError, database, engines


@pytest.fixture
def store(file_url):
    with Store.open(file_url) as store:
        yield store


@pytest.fixture
def commits(store):
    """How many commits there have been."""
    seen = []
    event.listen(store.database.writer._engine, "commit", seen.append)
    return seen


@contextmanager
def held(store):
    """Keep the writer busy: what is submitted inside waits until the end."""
    started, go = threading.Event(), threading.Event()

    def wait(connection, requests):
        started.set()
        assert go.wait(60)
        return requests

    first = store.database.writer.submit(wait, None)
    assert started.wait(60)
    try:
        yield
    finally:
        go.set()
    first.result()


def add(store, name):
    return store.studies.add._submit(name, "", {})


def test_what_waits_shares_a_commit(store, commits):
    with held(store):
        futures = [add(store, f"{i}") for i in range(40)]
        assert not any(future.done() for future in futures)
    assert [future.result().name for future in futures] == [f"{i}" for i in range(40)]
    assert len(commits) == 2


def test_a_commit_does_not_grow_without_end(store, commits):
    with held(store):
        futures = [add(store, f"{i}") for i in range(130)]
    assert len({future.result().id for future in futures}) == 130
    assert len(commits) == 4


def test_one_that_is_refused_does_no_harm_to_its_neighbours(store):
    with held(store):
        futures = [add(store, name) for name in ("a", "b", "a", "c")]
    for good in (0, 1, 3):
        assert futures[good].result().state == "open"
    with pytest.raises(ContentError):
        futures[2].result()
    studies = store.studies.all()
    assert [study.name for study in studies] == ["a", "b", "c"]
    assert all(len(store.events.audit(study)) == 1 for study in studies)


def test_an_error_of_the_caller_is_raised_as_it_is(store):
    def broken(connection, requests):
        raise ZeroDivisionError

    with held(store):
        bad, good = store.database.writer.submit(broken, None), add(store, "a")
    with pytest.raises(ZeroDivisionError):
        bad.result()
    assert good.result() == store.studies.named("a")


def test_a_commit_that_failed_is_not_tried_again_as_it_may_have_been_made(
    store, commits, monkeypatch
):
    def fail(connection):
        locked = sqlite3.OperationalError("database is locked")
        locked.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise OperationalError("COMMIT", None, locked)

    monkeypatch.setattr(database, "PAUSES", (0.0,))
    event.listen(store.database.writer._engine, "commit", fail)
    with pytest.raises(StoreError, match="locked"):
        store.studies.add("a", "", {})
    assert len(commits) == 1
    event.remove(store.database.writer._engine, "commit", fail)
    assert store.studies.add("a", "", {}).id == 1


def test_what_was_cancelled_while_it_waited_is_not_done(store):
    with held(store):
        futures = [add(store, name) for name in ("a", "b")]
        assert futures[0].cancel()
    assert futures[1].result().name == "b"
    assert store.studies.named("a") is None
    with pytest.raises(CancelledError):
        futures[0].result()


def test_an_event_loop_goes_on_while_writes_wait(store):
    async def main():
        with held(store):
            writes = [store.studies.add.soon(f"{i}", "", {}) for i in range(3)]
            futures = [asyncio.ensure_future(write) for write in writes]
            await asyncio.sleep(0)
            assert not any(future.done() for future in futures)
        return await asyncio.gather(*futures)

    assert [study.name for study in asyncio.run(main())] == ["0", "1", "2"]


def test_a_write_waits_longer_than_sqlite_where_another_process_writes(file_url, monkeypatch):
    monkeypatch.setattr(engines, "BUSY", 0.05)
    monkeypatch.setattr(database, "PAUSES", (0.05,) * 1000)
    with Store.open(file_url) as store, closing(sqlite3.connect(store_path(file_url))) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = add(store, "faces")
        time.sleep(0.5)  # SQLite itself has given up ten times
        assert not waiting.done()
        other.rollback()
        assert waiting.result(60).name == "faces"


def store_path(file_url):
    return file_url.removeprefix("sqlite:///")
