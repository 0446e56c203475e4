"""Acknowledged writes are on disk; others are not acknowledged."""

import re
import resource
import subprocess
import sys
import threading
import time

import pytest

from postgres import postgresql
from resemblance.store import AnswerIn, Store, StoreError, Wanted

SPEC = {"kind": "triplet", "head": 4, "options": [1, 2]}
ANSWERING = """
import sys
from resemblance.store import AnswerIn, Store, StoreError, Wanted
store = Store.open(sys.argv[1])
study = store.studies.named("ties") or store.studies.add("ties", "", {})
person = store.people.enter(study, "open", None, "token")
served = store.questions.serve(person, [Wanted({"kind": "triplet"})])
try:
    for _ in range(int(sys.argv[2])):
        given = [AnswerIn(served[0].id, 1, client={"padding": "x" * int(sys.argv[3])})]
        acks, served = store.answers.take(person, given, [Wanted({"kind": "triplet"})])
        print("ACK", acks[0].question_id, flush=True)
except StoreError as error:
    print("REFUSED", error, flush=True)
"""


def acknowledged(said):
    return re.findall(r"ACK (\S+)", said)


def stored(url):
    with Store.open(url) as store:
        return [
            answer.question
            for answer in store.answers.after(store.studies.named("ties"), limit=10**6)
        ]


class TestSync:
    def test_postgresql_syncs_each_commit_though_its_default_is_not_to(self):
        url = postgresql().create()
        with Store.open(url) as store:
            store.database.writer.submit(off, url.split("/")[3].split("?")[0]).result()
        with Store.open(url) as store:
            study = store.studies.add("ties", "", {})
            before = syncs(store)
            for i in range(30):
                store.events.record(study, "test", "line", {"i": i})
            assert syncs(store) - before >= 20  # PostgreSQL's own writer does some of them

    def test_a_postgresql_that_never_syncs_is_refused(self, monkeypatch):
        cluster = postgresql()
        url = cluster.create()
        cluster.set("fsync", "off")
        try:
            with pytest.raises(StoreError, match="set fsync = on"):
                Store.open(url)
        finally:
            cluster.set("fsync", "on")
        Store.open(url).close()


def off(connection, names):
    connection.exec_driver_sql(f"ALTER DATABASE {names[0]} SET synchronous_commit = off")
    return [None]


def syncs(store):
    """How often PostgreSQL has brought its log to the disk."""

    def flush(connection, requests):
        connection.exec_driver_sql("SELECT pg_stat_force_next_flush()")
        return requests

    store.database.writer.submit(flush, None).result()
    with store.database.readers.connect() as connection:
        return connection.exec_driver_sql("SELECT wal_sync FROM pg_stat_wal").scalar()


class TestFullDisk:
    def test_a_disk_that_takes_no_more_of_the_log(self, file_url):
        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))

        Store.open(file_url).close()
        command = [sys.executable, "-c", ANSWERING, file_url, "10000", "5000"]
        run = subprocess.run(command, capture_output=True, text=True, preexec_fn=small)
        given = acknowledged(run.stdout)
        assert "REFUSED" in run.stdout, run.stderr
        assert len(given) > 10
        assert stored(file_url) == given


class TestLostServer:
    def test_a_lost_connection_is_made_again(self, server_url):
        with Store.open(server_url) as store, Store.open(server_url) as other:
            study = store.studies.add("ties", "", {})
            lease = store.lease(study)
            other.database.rows(ending())
            assert store.studies.all() == [study]
            assert not lease.held()
            assert store.studies.set_state(study, "paused", "test").state == "paused"

    def test_a_server_that_crashes_loses_nothing(self):
        cluster = postgresql()
        url = cluster.create()
        with Store.open(url) as store:
            study = store.studies.add("ties", "", {})
            given, stop = [], threading.Event()

            def answer(i):
                person = store.people.enter(study, "open", None, f"{i}")
                while not stop.is_set():
                    try:
                        (served,) = store.questions.serve(person, [Wanted(SPEC)])
                        store.answers.take(person, [AnswerIn(served.id, 1)])
                        given.append(served.id)
                    except StoreError:
                        time.sleep(0.05)

            threads = [threading.Thread(target=answer, args=(i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            wait_for(given, 20)
            cluster.stop()
            n = len(given)
            cluster.start()
            wait_for(given, n + 20)
            stop.set()
            for thread in threads:
                thread.join()
            log = [answer.question for answer in store.answers.after(study, limit=10**6)]
        assert set(given) <= set(log)
        assert len(log) == len(set(log))


def ending():
    from sqlalchemy import text

    return text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


def wait_for(given, n, seconds=30):
    end = time.monotonic() + seconds
    while len(given) < n:
        assert time.monotonic() < end
        time.sleep(0.01)
