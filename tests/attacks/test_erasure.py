"""Erased people stay erased, whatever is under way."""

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from types import SimpleNamespace

import pytest
from sqlalchemy import func, select

from resemblance.errors import UnknownQuestionError
from resemblance.store import (
    AnswerIn,
    ErasedError,
    Store,
    StoreError,
    Tally,
    Wanted,
    engines,
    schema,
)
from resemblance.study.privacy import Forgetting

N = 25
# SQLite lets one write at a time: of it, tests/simulation looks at all that may come in between
POSTGRESQL = pytest.mark.parametrize("url", ["postgresql"], indirect=True)
THEIRS = (schema.answers, schema.questions, schema.pages, schema.exclusions, schema.tallies)


def rows_about(store, person):
    """Count the rows of each table that are about a person."""
    counts = {}
    for table in THEIRS:
        wanted = select(func.count()).where(table.c.participant == person.id)
        counts[table.name] = store.database.rows(wanted)[0][0]
    return {name: n for name, n in counts.items() if n}


def served_to(store, person, n=1):
    return store.questions.serve(person, [Wanted({"kind": "triplet"})] * n)


@pytest.fixture
def store(url):
    with Store.open(url) as store:
        yield store


@pytest.fixture
def study(store):
    return store.studies.add("ties", "", {})


WRITES = {
    "set_state": lambda store, person: store.people.set_state(person, "consented"),
    "respond": lambda store, person: store.people.respond(person, "age", {"values": {"age": 40}}),
    "exclude": lambda store, person: store.people.exclude(person, True, "I know her", "me"),
    "note": lambda store, person: store.people.note(person, "me", "held", {"reason": "knows Ada"}),
    "serve": lambda store, person: served_to(store, person),
    "take": lambda store, person: store.answers.take(person, [], [Wanted({"kind": "triplet"})]),
}


def test_no_write_brings_a_person_back(store, study):
    person = store.people.enter(study, "prolific", "5f3a", "token", {"agent": "Firefox"})
    store.people.erase(person, "researcher")
    for name, write in WRITES.items():
        with pytest.raises(ErasedError, match=person.code):
            write(store, person)
        assert rows_about(store, person) == {}, name
    left = store.people.named(study, person.code)
    assert (left.state, left.external_id, left.browser) == ("stopped", None, {})


def test_what_the_worker_counted_of_an_erased_person_is_left_out(store, study):
    people = [store.people.enter(study, "open", None, f"{i}") for i in range(2)]
    store.people.erase(people[0], "researcher")
    told = [Tally(one.id, 3, False, {"answers": 3}) for one in people]
    store.tallies.tell(study, {"answers": 6}, told)
    assert [tally.participant for tally in store.tallies.all(study)] == [people[1].id]


@POSTGRESQL
def test_twenty_five_erased_while_they_answer(url, store, study):
    """Each sends answers, pages and entries from two processes while another erases them."""
    people = [store.people.enter(study, "prolific", f"id{i}", f"token {i}") for i in range(N)]
    ended = threading.Event()

    def go_on(door, person):
        out, number = None, 0
        while not ended.is_set():
            number += 1
            try:
                out = served_to(door, person, 3) if out is None else out
                given = [AnswerIn(one.id, {"chosen": 0}) for one in out]
                _, out = door.answers.take(person, given, [Wanted({"kind": "triplet"})] * 2, 3)
                door.people.respond(person, f"page{number}", {"values": {"name": "Ada"}})
                door.people.set_state(person, "consented")
                door.people.exclude(person, True, "knows Ada", "me")
                door.tallies.tell(study, {}, [Tally(person.id, number, False, {})])
            except (ErasedError, UnknownQuestionError):  # erased, or the question is gone
                out = []

    with Store.open(url) as second, ThreadPoolExecutor(N + 2) as threads:
        at_work = [threads.submit(go_on, (store, second)[i % 2], p) for i, p in enumerate(people)]
        try:
            for person in people:
                (second, store)[person.id % 2].people.erase(person, "researcher")
            ended.wait(0.5)
        finally:
            ended.set()
        for one in at_work:
            one.result()
    assert {person.code: rows_about(store, person) for person in people} == {
        person.code: {} for person in people
    }
    left = store.people.all(study)
    assert {(one.state, one.external_id, str(one.browser)) for one in left} == {
        ("stopped", None, "{}")
    }


def test_a_page_under_way_is_refused_over_http(served):
    person = served.person()
    standing = served.store.people.standing
    record = served.store.people.named(served.live.record, person.code)

    def erased_meanwhile(token_hash):
        found = standing(token_hash)
        served.store.people.erase(record, "researcher")
        return found

    served.store.people.standing = erased_meanwhile
    reply = person.post("pages/consent", {"agree": True}, status=410)
    assert reply["error"]["code"] == "erased"
    assert rows_about(served.store, record) == {}
    served.store.people.standing = standing
    assert person.get().status_code == 401


TRACES = ("5f3a-trace", "trace of Firefox", "typed trace", "trace of a reason")


def somebody(store, study):
    """A person about whom each of the traces is stored."""
    agent = {"agent": TRACES[1]}
    person = store.people.enter(study, "prolific", TRACES[0], "token of a trace", agent)
    store.people.respond(person, "age", {"values": {"name": TRACES[2]}})
    store.people.exclude(person, True, TRACES[3], "me")
    store.people.note(person, "rule", "rule", {"rule": "x", "reason": TRACES[3], "value": 0.5})
    return person


def traces_in(folder):
    """Name the files of a folder in which a trace stands."""
    found = {}
    for path in folder.iterdir():
        content = path.read_bytes()
        if left := [trace for trace in TRACES if trace.encode() in content]:
            found[path.name] = left
    return found


def test_the_audit_trail_keeps_nothing_that_was_written_of_a_person(store, study):
    person = somebody(store, study)
    store.people.erase(person, "researcher")
    about = [one for one in store.events.audit(study) if "participant" in one.details]
    assert [one.what for one in about] == ["participant excluded", "rule", "participant erased"]
    assert {one.details["participant"] for one in about} == {person.code}
    assert not [trace for trace in TRACES if trace in str(about)]
    assert about[1].details["rule"] == "x"


def test_the_log_is_cut_once_another_command_has_read_to_its_end(tmp_path, monkeypatch):
    file = tmp_path / "study.sqlite"
    with Store.open(f"sqlite:///{file}") as store, closing(sqlite3.connect(file)) as command:
        study = store.studies.add("ties", "", {})
        people = [store.people.enter(study, "open", None, "token"), somebody(store, study)]
        command.execute("BEGIN").execute("SELECT * FROM participants").fetchall()
        monkeypatch.setattr(engines, "WAIT", 0.1)
        with pytest.raises(StoreError, match=r"study\.sqlite-wal"):
            store.people.erase(people[0], "researcher")
        monkeypatch.setattr(engines, "WAIT", 60)
        with ThreadPoolExecutor(1) as thread:
            erased = thread.submit(store.people.erase, people[1], "researcher")
            with pytest.raises(TimeoutError):
                erased.result(0.5)
            command.rollback()
            assert erased.result(60) is None
        assert traces_in(tmp_path) == {}


def test_a_file_that_somebody_has_to_oneself_is_in_use(tmp_path):
    file = tmp_path / "study.sqlite"
    with closing(sqlite3.connect(file)) as own, closing(sqlite3.connect(file, timeout=0)) as other:
        own.execute("PRAGMA locking_mode = EXCLUSIVE")
        own.execute("PRAGMA journal_mode = WAL")
        own.execute("CREATE TABLE studies (name)")
        assert engines._in_use(other)


def test_what_killed_processes_left_forgets_too(tmp_path):
    """An erasure ended before it emptied the log."""
    file = tmp_path / "study.sqlite"
    url = f"sqlite:///{file}"
    with Store.open(url) as store:
        study = store.studies.add("ties", "", {})
        person = somebody(store, study)
    with Store.open(url) as store:
        store.people._erase(person, "researcher")
        assert traces_in(tmp_path)
        privacy = SimpleNamespace(privacy=SimpleNamespace(forget_ids_after_days=None))
        live = SimpleNamespace(store=store, record=study, clock=time.time, settings=privacy)
        Forgetting(live).step()
    assert traces_in(tmp_path) == {}
