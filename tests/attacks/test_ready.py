"""Alive is not ready: a locked database, a full disk and a silent worker are told."""

import sqlite3
import time
from contextlib import closing

import pytest
from sqlalchemy import text

from resemblance.store import Store
from resemblance.store.engines import checked_url
from resemblance.web import readiness

ON_SQLITE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)


@pytest.fixture
def beating(served, monkeypatch):
    """A server whose worker gave word just now."""
    monkeypatch.setattr(readiness, "FRESH_S", -1.0)
    monkeypatch.setattr(readiness, "PATIENCE_S", 0.3)
    served.store.tallies.tell(served.live.record, {"answers": 0})
    return served


def ready(served):
    reply = served.client.get("/ready")
    told = reply.json()
    assert reply.status_code == (200 if told["ready"] else 503)
    return [name for name, well in told["checks"].items() if not well]


@ON_SQLITE
def test_all_is_well(beating):
    beating.person()
    assert ready(beating) == []
    told = beating.client.get("/ready").text
    assert "P0" not in told
    assert "ties" not in told


@ON_SQLITE
def test_a_folder_that_is_gone_or_a_full_disk_is_told(beating, tmp_path):
    (tmp_path / "study.sqlite").rename(tmp_path / "elsewhere.sqlite")
    assert ready(beating) == ["database"]
    beating.store.database.url = checked_url(f"sqlite:///{tmp_path}/gone/study.sqlite")
    assert ready(beating) == ["database", "disk"]
    beating.store.room = lambda: 1024
    assert ready(beating) == ["database", "disk"]


@ON_SQLITE
def test_without_a_worker_or_with_an_old_beat_it_is_not_ready(served, monkeypatch):
    monkeypatch.setattr(readiness, "FRESH_S", -1.0)
    assert ready(served) == ["worker"]
    served.store.tallies.tell(served.live.record, {})
    assert ready(served) == []
    for hours in (1, -1, -24 * 365):  # the clock jumps
        served.app.state.readiness.clock = lambda hours=hours: time.time() + 3600 * hours
        assert ready(served) == ["worker"]


def test_a_locked_database_is_told_and_the_process_is_alive(beating, url):
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as other:
            other.execute("BEGIN IMMEDIATE")
            assert ready(beating) == ["database"]
            assert beating.client.get("/health").json() == {"ok": True}
    else:
        with Store.open(url) as other, other.database.writer._engine.connect() as connection:
            connection.execute(text("LOCK TABLE pulses IN EXCLUSIVE MODE"))
            assert ready(beating) == ["database"]
            assert beating.client.get("/health").json() == {"ok": True}
    deadline = time.monotonic() + 20
    while ready(beating) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert ready(beating) == []


@ON_SQLITE
def test_who_asks_often_is_told_what_was_found_before(served, monkeypatch):
    looks = []
    monkeypatch.setattr(served.store, "writes", lambda seconds: looks.append(seconds) or True)
    for _ in range(20):
        ready(served)
    assert len(looks) <= 2
