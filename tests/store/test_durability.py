"""What is acknowledged is on the disk; what does not get there is not acknowledged."""

import re
import resource
import shutil
import subprocess
import sys
import threading
import time

import pytest

from postgres import missing, postgresql
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


def fill(store, most=10_000):
    """Answer until the store refuses; give the questions acknowledged, and the error."""
    study = store.studies.named("ties") or store.studies.add("ties", "", {})
    person = store.people.enter(study, "open", None, "token")
    (served,) = store.questions.serve(person, [Wanted(SPEC)])
    given = []
    for _ in range(most):
        try:
            answer = AnswerIn(served.id, {"chosen": 0}, client={"padding": "x" * 2000})
            _, (served,) = store.answers.take(person, [answer], [Wanted(SPEC)])
        except StoreError as error:
            return person, served, given, str(error)
        given.append(answer.question_id)
    raise AssertionError("never refused")


class TestSync:
    def test_every_acknowledgement_of_sqlite_follows_a_sync(self, file_url, tmp_path):
        if shutil.which("strace") is None:
            missing("strace (apt install strace)")
        trace = tmp_path / "trace"
        calls = "trace=fsync,fdatasync,pwrite64,write"
        command = ["strace", "-f", "-y", "-e", calls, "-o", trace, sys.executable, "-c", ANSWERING]
        run = subprocess.run([*command, file_url, "15", "10"], capture_output=True, text=True)
        if "ptrace" in run.stderr:
            missing("the right to trace a process (ptrace)")
        dirty, synced, acks = False, 0, 0
        for line in trace.read_text().splitlines():
            if "pwrite64(" in line and "-wal>" in line:
                dirty, synced = True, 0
            elif "fdatasync(" in line or "fsync(" in line:
                pending = "-wal>" in line
                synced += pending and line.endswith("= 0")
            elif "sync resumed" in line and line.endswith("= 0"):
                synced += 1
            elif '"ACK' in line:
                acks += 1
                assert dirty, "an acknowledgement without a write to the log"
                assert synced, "an acknowledgement before the log was synced"
                dirty, synced = False, 0
        assert acks == 15

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
    def test_a_full_database_acknowledges_nothing_and_goes_on_when_there_is_room(self, file_url):
        with Store.open(file_url) as store:
            limit(store, 100)
            person, served, given, error = fill(store)
            assert "full" in error
            assert "Nothing was acknowledged" in error
            assert len(given) > 10
            study = store.studies.named("ties")
            assert [answer.question for answer in store.answers.after(study)] == given
            assert store.questions.outstanding(person) == [served]
            limit(store, 10_000)
            assert store.answers.take(person, [AnswerIn(served.id, 1)])[0][0].new

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


def limit(store, pages):
    def set_limit(connection, requests):
        return [connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}").scalar()]

    store.database.writer.submit(set_limit, None).result()


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
