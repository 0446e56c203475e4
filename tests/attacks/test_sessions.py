"""Logs of sessions are bounded in number, size and age, and none that has answers is lost."""

import os
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

import resemblance as rs
from resemblance.web.search import sessions
from resemblance.web.search.app import create_search_app
from resemblance.web.search.pictures import Pictures

NAMES = list("abcdef")


@pytest.fixture
def app(tmp_path):
    model = rs.CKL(1).set_positions(np.arange(6.0)[:, None], rs.Items(NAMES))
    pictures = Pictures(tuple(Path(name) for name in NAMES))
    made = create_search_app(model, pictures, sessions=tmp_path / "sessions")
    for limit in (made.state.limits.trials, made.state.limits.kept):
        limit.burst = limit.per_second = 1e9
    return made


@pytest.fixture
def client(app):
    return TestClient(app)


def begin(client):
    return client.post("/api/sessions", json={})


def place(client):
    return f"/api/sessions/{begin(client).json()['session']}"


def answer(client, where):
    asked = client.post(f"{where}/ask", json={})
    if asked.status_code != 200:
        return asked
    told = {"question": asked.json()["question"], "chosen": asked.json()["options"][0]}
    return client.post(f"{where}/tell", json=told)


def code(reply):
    return reply.json()["error"]["code"]


def test_a_session_grows_no_further_than_its_bound(client, tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_BYTES", 4_000)
    where = place(client)
    for _ in range(400):
        reply = answer(client, where)
        if reply.status_code != 200:
            break
    assert (reply.status_code, code(reply)) == (429, "too_many")
    (file,) = (tmp_path / "sessions").glob("*.jsonl")
    assert 4_000 <= file.stat().st_size < 8_000
    other = place(client)
    asked = client.post(f"{other}/ask", json={}).json()
    for turn in range(600):  # one question, answered otherwise again and again
        told = {"question": asked["question"], "chosen": asked["options"][turn % 2]}
        reply = client.post(f"{other}/tell", json=told)
        if reply.status_code != 200:
            break
    sizes = [path.stat().st_size for path in (tmp_path / "sessions").glob("*.jsonl")]
    assert max(sizes) < 12_000


def test_all_sessions_together_are_bounded(client, monkeypatch):
    answer(client, place(client))
    monkeypatch.setattr(sessions, "MOST_IN_ALL", 10)
    assert code(begin(client)) == "too_many"


def test_empty_old_files_make_room_and_answers_stay(client, tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "MOST", 3)
    monkeypatch.setattr(sessions, "MOST_OPEN", 0)
    answered = place(client)
    answer(client, answered)
    for _ in range(2):
        place(client)
    assert code(begin(client)) == "too_many"
    for path in (tmp_path / "sessions").glob("*.jsonl"):
        os.utime(path, (0, 0))
    assert begin(client).status_code == 200
    left = {path.stem for path in (tmp_path / "sessions").glob("*.jsonl")}
    assert answered.rpartition("/")[2] in left
    assert len(left) == 2


def test_open_sessions_are_let_go_and_found_again(client, app, tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_OPEN", 2)
    kept = sessions.Sessions(tmp_path / "kept")
    settings = {"n_components": 1, "n_options": 2, "start_per_head": 1, "seed": 0}
    names = [kept.begin(NAMES, settings)[0] for _ in range(5)]
    assert len(kept._open) <= 2
    for name in names:
        assert kept.get(name).ask().number == 0
    assert len(kept._open) <= 2
    again = kept.get(names[0])
    for name in names[1:]:
        kept.get(name)
    assert kept.get(names[0]) is again  # in use: never read into a second one
    assert kept._doors == {}
    monkeypatch.setattr(sessions, "IDLE_S", -1.0)
    del again
    kept.get(names[3])
    assert len(kept._recent) <= 1
