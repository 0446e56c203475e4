"""Machines as participants: shown the whole question, kept, counted, not mixed with people."""

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from PIL import Image

import resemblance as rs
from resemblance.errors import ResemblanceError, UnavailableError
from resemblance.observers import Command, Endpoint, Reply, machines

NAMES = ["a", "bb", "cccc", "dddddddd"]
QUESTIONS = rs.Triplets([[0, 1, 2], [1, 2, 3], [3, 1, 0], [2, 3, 0]], NAMES)


def nearest_in_length(asked):
    gaps = [abs(len(str(asked.head)) - len(str(one))) for one in asked.options]
    return f"Number {1 + int(np.argmin(gaps))}."


def test_what_it_names_is_its_answer_in_both_orders():
    told = rs.MachineParticipant(nearest_in_length, "ruler").ask(QUESTIONS)
    assert told.judgments.index.tolist() == [
        row for one in ([0, 1, 2], [1, 2, 3], [3, 1, 0], [2, 0, 3]) for row in (one, one)
    ]
    assert (told.refused, told.agreement, told.first) == (0, 1.0, 0.5)
    assert set(told.judgments.observer) == {"machine: ruler"}
    assert set(told.judgments.to_pandas()["kind"]) == {"machine"}
    once = rs.MachineParticipant(nearest_in_length, "ruler", orders=1).ask(QUESTIONS)
    assert (len(once.judgments), once.agreement) == (4, None)


def test_effects_of_order_and_refusals_are_counted():
    told = rs.MachineParticipant(lambda asked: "1", "first").ask(QUESTIONS)
    assert (told.agreement, told.first, told.refused) == (0.0, 1.0, 0)
    replies = iter(["I cannot", "1 or 2", "3", "0", "", "2", "2", "both"])
    told = rs.MachineParticipant(lambda asked: next(replies), "shy").ask(QUESTIONS)
    assert (told.refused, len(told.judgments)) == (6, 2)
    with pytest.raises(ResemblanceError, match="8 replies"):
        rs.MachineParticipant(lambda asked: "no", "mute").ask(QUESTIONS)


@pytest.mark.parametrize(
    "questions",
    [
        rs.Choices([0, 1], [[1, 2, 3], [0, 2, -1]], [1, 0], NAMES),
        rs.OddOneOuts([[0, 1, 2], [1, 2, 3]], [0, 1], NAMES),
    ],
    ids=["choices", "odd"],
)
def test_every_kind_of_question_is_answered_as_asked(questions):
    told = rs.MachineParticipant(lambda asked: "2", "second").ask(questions)
    assert type(told.judgments) is type(questions)
    asked = [frozenset(row) for row in questions.index.tolist()]
    assert [frozenset(row) for row in told.judgments.index.tolist()[::2]] == asked


def test_what_was_answered_is_kept_and_a_stopped_run_goes_on(tmp_path):
    cache, calls = tmp_path / "replies.jsonl", []

    def stops(asked):
        if len(calls) == 5:
            raise UnavailableError("gone")
        calls.append(asked)
        return Reply(nearest_in_length(asked), tokens=10)

    with pytest.raises(UnavailableError):
        rs.MachineParticipant(stops, "ruler", cache=cache).ask(QUESTIONS)
    with cache.open("a") as file:
        file.write('{"key": "cut o')  # as a process that was killed leaves it
    calls_before = list(calls)
    calls.clear()
    told = rs.MachineParticipant(stops, "ruler", cache=cache).ask(QUESTIONS)
    assert (len(calls_before), len(calls), told.cached, told.tokens) == (5, 3, 5, 30)
    whole = rs.MachineParticipant(nearest_in_length, "ruler").ask(QUESTIONS)
    np.testing.assert_array_equal(told.judgments.index, whole.judgments.index)
    lines = [json.loads(line) for line in cache.read_text().splitlines()]
    assert {line["kind"] for line in lines} == {"machine"}
    other = rs.MachineParticipant(nearest_in_length, "another", cache=cache).ask(QUESTIONS)
    assert other.cached == 0
    cache.write_text("nothing\n" + cache.read_text())
    with pytest.raises(ResemblanceError, match="line 1"):
        rs.MachineParticipant(stops, "ruler", cache=cache)


def test_some_are_asked_at_a_time_and_what_is_beside_a_failure_is_kept(tmp_path):
    together, cache = threading.Barrier(4), tmp_path / "replies.jsonl"

    def slow(asked):
        together.wait(10)  # until four are out
        return nearest_in_length(asked)

    told = rs.MachineParticipant(slow, "ruler", at_once=4).ask(QUESTIONS)
    whole = rs.MachineParticipant(nearest_in_length, "ruler").ask(QUESTIONS)
    np.testing.assert_array_equal(told.judgments.index, whole.judgments.index)
    calls, gone, seen = iter(range(8)), threading.Event(), []

    def fails(asked):
        if next(calls) == 5:
            gone.set()
            raise UnavailableError("gone")
        if len(seen) >= 4:  # those beside it come later
            gone.wait(10)
            time.sleep(0.1)
        seen.append(nearest_in_length(asked))
        return seen[-1]

    with pytest.raises(UnavailableError):
        rs.MachineParticipant(fails, "ruler", cache=cache, at_once=4).ask(QUESTIONS)
    again = rs.MachineParticipant(nearest_in_length, "ruler", cache=cache, at_once=4).ask(QUESTIONS)
    assert again.cached == len(seen)
    np.testing.assert_array_equal(again.judgments.index, whole.judgments.index)
    with pytest.raises(ResemblanceError):
        rs.MachineParticipant(fails, "ruler", at_once=0)


def test_a_slow_reply_holds_up_no_other():
    others, waits, steps = threading.Event(), iter([True]), []

    def slow_once(asked):
        if next(waits, False):
            assert others.wait(10)  # until all others were answered
        return nearest_in_length(asked)

    def stepped(done, n):
        steps.append((done, n))
        if done == n - 1:
            others.set()

    told = rs.MachineParticipant(slow_once, "ruler", at_once=2).ask(QUESTIONS, stepped)
    whole = rs.MachineParticipant(nearest_in_length, "ruler").ask(QUESTIONS)
    assert steps == [(done, 8) for done in range(1, 9)]
    np.testing.assert_array_equal(told.judgments.index, whole.judgments.index)
    np.testing.assert_array_equal(told.judgments.observer, whole.judgments.observer)


def test_nothing_is_asked_after_a_failure():
    gone, calls = threading.Event(), []

    def fails_first(asked):
        calls.append(asked)
        if len(calls) == 1:
            gone.set()
            raise UnavailableError("gone")
        gone.wait(10)
        time.sleep(0.1)
        return "1"

    with pytest.raises(UnavailableError):
        rs.MachineParticipant(fails_first, "ruler", at_once=2).ask(QUESTIONS)
    assert len(calls) <= 2


def test_a_fit_takes_no_machine_for_a_person(tmp_path):
    """Unless asked: without the column, all are observers. A column "kind" of one's own is none."""
    rows = np.random.default_rng(0).permuted(np.tile(np.arange(4), (30, 1)), axis=1)[:, :3]
    people = rs.Triplets(rows, NAMES, observer=["ann"] * 30)
    machine = rs.MachineParticipant(nearest_in_length, "ruler").ask(QUESTIONS).judgments
    odd = rs.MachineParticipant(lambda asked: "1", "first").ask(
        rs.OddOneOuts([[0, 1, 2]], [0], NAMES)
    )
    together = rs.join_judgments([people, machine])
    together.to_pandas().to_csv(tmp_path / "all.csv", index=False)
    model = rs.STE(2, random_state=0)
    read = rs.read_triplets(tmp_path / "all.csv")
    for mixed in (together, read, [people, machine], [people, odd.judgments]):
        with pytest.raises(ResemblanceError, match="kind"):
            model.fit(mixed)
    together.to_pandas().to_parquet(tmp_path / "all.parquet", index=False)
    with pytest.raises(ResemblanceError, match="machine: ruler"):
        model.fit(rs.scan_triplets(tmp_path / "all.parquet"))
    own = rs.Triplets(rows, NAMES, observer=["ann"] * 30, extra={"kind": ["machine", "tool"] * 15})
    asked = rs.Triplets(together.index, NAMES, observer=together.observer)
    for alone in (machine, own, asked):
        assert np.isfinite(model.fit(alone).embedding_).all()


def test_a_command_reads_the_question_and_writes_its_answer():
    program = (
        "import json,sys; q=json.load(sys.stdin); print(1+q['options'].index(max(q['options'])))"
    )
    told = rs.MachineParticipant(Command(sys.executable, "-c", program)).ask(QUESTIONS[:2])
    assert told.judgments.index[:, 1].tolist() == [2, 2, 3, 3]
    for words in (["no-such-program-here"], [sys.executable, "-c", "raise SystemExit(3)"]):
        with pytest.raises(UnavailableError):
            rs.MachineParticipant(Command(*words)).ask(QUESTIONS[:1])
    slow = Command(sys.executable, "-c", "import time; time.sleep(60)", timeout=0.1)
    with pytest.raises(UnavailableError, match="timed out"):
        rs.MachineParticipant(slow).ask(QUESTIONS[:1])


@pytest.fixture
def server():
    """A server of chats that is busy once, and chooses the picture with most bytes."""
    got, statuses, strange = [], [429], []

    class Chats(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            got.append((self.headers, body))
            status = statuses.pop() if statuses else 200
            urls = [
                part["image_url"]["url"]
                for part in body["messages"][0]["content"]
                if part["type"] == "image_url"
            ]
            best = 1 + int(np.argmax([len(url) for url in urls[-3:]] or [0]))
            reply = {
                "choices": [{"message": {"content": f"It is {best}"}}],
                "usage": {"total_tokens": 7},
            }
            said = strange.pop() if strange else json.dumps(reply).encode()
            self.send_response(status)
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Chats)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.got, server.statuses, server.strange = got, statuses, strange
    server.address = f"http://127.0.0.1:{server.server_port}/v1/chat/completions"
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def pictures(tmp_path):
    rng = np.random.default_rng(0)
    for k, side in enumerate((8, 16, 32, 64)):
        image = Image.fromarray(rng.integers(0, 255, (side, side, 3), dtype=np.uint8))
        image.save(tmp_path / f"{k}.png")
    return [tmp_path / f"{k}.png" for k in range(4)]


def test_a_server_of_chats_sees_the_pictures(server, pictures, tmp_path, monkeypatch):
    monkeypatch.setattr(machines, "PAUSE_S", 0.01)
    monkeypatch.setenv("SOME_KEY", "secret words")
    items = rs.Items(NAMES, images=pictures)
    cache = tmp_path / "replies.jsonl"
    endpoint = Endpoint(server.address, "see", temperature=0.5, key="SOME_KEY")
    machine = rs.MachineParticipant(endpoint, cache=cache)
    told = machine.ask(rs.OddOneOuts([[0, 1, 2], [3, 1, 0]], [0, 1], items))
    assert told.judgments.index[:, 0].tolist() == [2, 2, 3, 3]
    assert (told.tokens, told.refused, told.agreement) == (28, 0, 1.0)
    headers, body = server.got[-1]
    assert (body["model"], body["temperature"]) == ("see", 0.5)
    assert headers["Authorization"] == "Bearer secret words"
    assert len(server.got) == 5  # one of them while it was busy
    kept = cache.read_text() + repr(vars(machine)) + repr(vars(endpoint))
    assert "secret" not in kept
    assert "see, temperature 0.5" in cache.read_text()
    Image.new("RGB", (9, 9)).save(pictures[2])  # another picture is another question
    again = machine.ask(rs.OddOneOuts([[0, 1, 2], [3, 1, 0]], [0, 1], items))
    assert again.cached == 2


def test_a_server_that_fails_is_told(server, monkeypatch):
    monkeypatch.setattr(machines, "PAUSE_S", 0.01)
    server.statuses[:] = [503] * machines.TRIES
    machine = rs.MachineParticipant(Endpoint(server.address, "see"), shown=NAMES)
    with pytest.raises(UnavailableError, match="503"):
        machine.ask(QUESTIONS)
    assert len(server.got) == machines.TRIES
    server.statuses[:] = [401]
    with pytest.raises(UnavailableError, match="401"):
        machine.ask(QUESTIONS)
    assert len(server.got) == machines.TRIES + 1
    server.strange[:] = [b'{"choices": []}']
    with pytest.raises(UnavailableError, match="another form"):
        machine.ask(QUESTIONS)
    server.strange[:] = [b"<html>"] * machines.TRIES
    with pytest.raises(UnavailableError, match="no answer"):
        machine.ask(QUESTIONS)


def test_what_cannot_be_asked_is_refused():
    for make in (
        lambda: rs.MachineParticipant(lambda asked: "1"),
        lambda: rs.MachineParticipant(nearest_in_length, "ruler", orders=3),
        lambda: rs.MachineParticipant(nearest_in_length, "r", shown=NAMES[:2]).ask(QUESTIONS),
        lambda: rs.MachineParticipant(nearest_in_length, "r").ask([[0, 1, 2, 3]]),
        lambda: Endpoint("file:///etc", "see"),
        lambda: Endpoint("http://localhost:1/", "see", key="NO_SUCH_VARIABLE"),
    ):
        with pytest.raises(ResemblanceError):
            make()
