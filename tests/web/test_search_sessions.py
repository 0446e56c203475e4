"""Sessions of the search application: full disks, crashes, and what is bounded."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

import resemblance as rs
from resemblance.web.search import sessions
from resemblance.web.search.app import create_search_app
from resemblance.web.search.pictures import Pictures
from resemblance.web.search.sessions import Sessions

NAMES = list("abcdef")


@pytest.fixture
def serve(tmp_path):
    model = rs.CKL(1).set_positions(np.arange(6.0)[:, None], rs.Items(NAMES))
    pictures = Pictures(tuple(Path(name) for name in NAMES))
    return lambda: TestClient(create_search_app(model, pictures, sessions=tmp_path))


@pytest.fixture
def full(monkeypatch):
    """Let the disk be full, or not."""

    def full_(is_full):
        def fsync(descriptor):
            if is_full:
                raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", fsync)

    return full_


def begun(client):
    return f"/api/sessions/{client.post('/api/sessions', json={}).json()['session']}"


def asked(client, place):
    question = client.post(f"{place}/ask", json={}).json()
    return {"question": question["question"], "chosen": question["options"][0]}


def test_an_answer_that_was_not_written_is_written_when_it_is_told_again(serve, tmp_path, full):
    client = serve()
    place = begun(client)
    told, (file,) = asked(client, place), tmp_path.iterdir()
    before = file.read_bytes()
    full(True)
    for _ in range(2):
        assert client.post(f"{place}/tell", json=told).status_code == 503
        assert file.read_bytes() == before
    full(False)
    assert client.post(f"{place}/tell", json=told).json()["answers"] == 1
    assert serve().get(place).json()["answers"] == 1
    after = file.read_bytes()
    client.post(f"{place}/tell", json=told)
    assert file.read_bytes() == after


def test_half_a_write_is_taken_back(serve, tmp_path, monkeypatch):
    client = serve()
    place = begun(client)
    (file,) = tmp_path.iterdir()
    before, opened = file.read_bytes(), Path.open

    def half(path, mode="r", *how, **more):
        stream = opened(path, mode, *how, **more)
        return HalfADisk(stream) if path == file and "a" in mode else stream

    monkeypatch.setattr(Path, "open", half)
    assert client.post(f"{place}/ask", json={}).status_code == 503
    assert file.read_bytes() == before


class HalfADisk:
    """A file on a disk that takes seven bytes more."""

    def __init__(self, stream):
        self.stream, self.left = stream, 7

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stream.close()

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def write(self, data):
        if not self.left:
            raise OSError(28, "No space left on device")
        written, self.left = self.stream.write(data[: self.left]), 0
        return written


def test_a_session_that_cannot_be_written_leaves_no_file(serve, tmp_path, full):
    full(True)
    assert serve().post("/api/sessions", json={}).status_code == 503
    assert list(tmp_path.iterdir()) == []


def test_reopening_changes_nothing_but_an_unfinished_line(serve, tmp_path, monkeypatch):
    client = serve()
    place = begun(client)
    told = asked(client, place)
    client.post(f"{place}/tell", json=told)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    monkeypatch.setattr(Path, "write_text", lambda *given, **more: pytest.fail("written anew"))
    for left in (b"", b'{"event": "ask", "numb', "ü".encode()[:1]):
        file.write_bytes(whole + left)
        assert serve().get(place).json()["answers"] == 1
        assert file.read_bytes() == whole
    file.write_bytes(whole[:-1])
    assert serve().get(place).json()["answers"] == 1
    assert file.read_bytes() == whole
    file.write_bytes(b"")
    assert serve().get(place).status_code == 404


def test_reading_one_session_again_keeps_no_other_waiting(tmp_path, monkeypatch):
    settings = {"n_components": 1, "n_options": 2, "start_per_head": 1, "seed": 0}
    first, second = (Sessions(tmp_path).begin(NAMES, settings)[0] for _ in range(2))
    again, read, go_on = Sessions(tmp_path), sessions.Opened.read, threading.Event()
    monkeypatch.setattr(
        sessions.Opened,
        "read",
        lambda path: (path.stem == second or go_on.wait(20)) and read(path),
    )
    slow = threading.Thread(target=again.get, args=(first,), daemon=True)
    slow.start()
    quick = threading.Thread(target=again.get, args=(second,), daemon=True)
    quick.start()
    quick.join(10)
    assert not quick.is_alive()
    assert slow.is_alive()
    go_on.set()
    slow.join(10)
    assert set(again._open) == {first, second}


def test_sessions_of_all_times_are_counted(serve, monkeypatch):
    monkeypatch.setattr(sessions, "MOST", 2)
    statuses = [serve().post("/api/sessions", json={}).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]


def test_questions_that_nobody_answers_are_bounded(serve, tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "MOST_OUT", 3)
    client = serve()
    place = begun(client)
    for _ in range(3):
        last = asked(client, place)
    (file,) = tmp_path.iterdir()
    before = file.read_bytes()
    reply = client.post(f"{place}/ask", json={})
    assert reply.status_code == 429
    assert "the first is 0" in reply.json()["error"]["message"]
    assert file.read_bytes() == before
    client.post(f"{place}/tell", json=last | {"chosen": None})
    assert client.post(f"{place}/ask", json={}).status_code == 200
