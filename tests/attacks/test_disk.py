"""A disk that is read-only, or does not answer: nothing is acknowledged or lost, and it is told."""

import threading
import time
from contextlib import closing

import pytest
from sqlalchemy import event

from resemblance.web import app, readiness


@pytest.fixture
def waiting(served, monkeypatch):
    """A person before a question, at a server whose worker gave word just now."""
    monkeypatch.setattr(readiness, "FRESH_S", -1.0)
    monkeypatch.setattr(readiness, "PATIENCE_S", 0.2)
    served.store.tallies.tell(served.live.record, {"answers": 0})
    person = served.person()
    person.begin()
    return person, person.answer()["questions"][0]


def ill(served):
    checks = served.client.get("/ready").json()["checks"]
    return [name for name, well in checks.items() if not well]


def read_only(served, url, on):
    engine = served.store.database.writer._engine
    with closing(engine.raw_connection()) as connection:
        if url.startswith("sqlite"):
            connection.driver_connection.execute(f"PRAGMA query_only = {on}")
        else:
            connection.driver_connection.execute(f"SET default_transaction_read_only = {on}")
            connection.driver_connection.commit()


def test_a_read_only_disk(served, waiting, url, caplog):
    person, question = waiting
    read_only(served, url, "ON")
    told = person.answer(question, status=503)
    assert told["error"]["code"] == "unavailable"
    assert "read" not in str(told)
    assert "read" in caplog.records[-1].getMessage()
    assert ill(served) == ["database"]
    assert served.log() == []
    read_only(served, url, "OFF")
    assert person.answer(question)["acknowledged"] == [question["id"]]
    assert (len(served.log()), ill(served)) == (1, [])


def test_a_disk_that_does_not_answer(served, waiting, caplog):
    person, question = waiting
    writer, well = served.store.database.writer, threading.Event()
    assert writer.patience == app.PATIENCE_S < 30.0  # the page waits half a minute
    writer.patience = 0.3
    event.listen(writer._engine, "commit", lambda _: well.wait(60))
    began = time.monotonic()
    assert person.answer(question, status=503)["error"]["code"] == "unavailable"
    assert caplog.records[-1].levelname == "ERROR"
    for _ in range(60):  # more than there are threads: refused at once, not after its patience
        entry = served.client.post("/api/studies/ties/participants", json={"parameters": {}})
        assert entry.status_code == 503
    assert served.client.get("/s/ties").status_code == 200
    assert ill(served) == ["database"]
    assert time.monotonic() - began < 15.0
    well.set()
    until = time.monotonic() + 20.0
    while ill(served) and time.monotonic() < until:
        time.sleep(0.02)
    assert person.answer(question)["acknowledged"] == [question["id"]]
    assert [one.question for one in served.log()] == [question["id"]]
