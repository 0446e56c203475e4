"""The guide's recipes for pages of others ask and tell the real server, and lose nothing."""

import json
import re
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from textwrap import indent

import httpx
import numpy as np
import pytest
from fastapi.testclient import TestClient

import resemblance as rs
from browser.conftest import missing
from resemblance.web.search.app import create_search_app
from resemblance.web.search.pictures import Pictures
from web_process import running

GUIDE = Path(__file__).parents[2] / "docs/guide"
PAGE = (GUIDE / "keep-your-page.md").read_text(encoding="utf-8")
PSYCHOPY = GUIDE / "recipes/psychopy"
R = GUIDE / "recipes/ask_tell.R"
NAMES = [f"tie {number}" for number in range(12)]
QUESTIONS = 4
ROW = re.compile(r"\| `POST (\S+)` \| `(\{.*?\})` \| `(\{.*?\})` \|")


class Lossy:
    """A server whose replies are lost where a test says so, after it did what was asked."""

    def __init__(self, app):
        self.app, self.lost, self.calls = app, [], []

    async def __call__(self, scope, receive, send):
        route = scope.get("path", "").rpartition("/")[2]
        self.calls.append(route)
        if route not in self.lost:
            return await self.app(scope, receive, send)
        self.lost.remove(route)

        async def fail(message):
            if message["type"] == "http.response.start":
                message = {**message, "status": 503}
            await send(message)

        return await self.app(scope, receive, fail)


def served(folder):
    space = np.random.default_rng(0).normal(size=(len(NAMES), 2))
    model = rs.CKL(2).set_positions(space, rs.Items(NAMES))
    return create_search_app(model, Pictures([]), sessions=folder)


class Place:
    """A server with a session, and a folder in which somebody takes part."""

    def __init__(self, app, address, home):
        self.app, self.address, self.home = app, address, home
        self.session = httpx.post(f"{address}/api/sessions", json={}).json()["session"]

    def lines(self, event):
        rows = (self.home / "sessions" / f"{self.session}.jsonl").read_text().splitlines()
        return [row for row in map(json.loads, rows) if row.get("event") == event]

    def written(self, text):
        """Put this place into a recipe."""
        for old, new in {
            "https://similarity.example.org": self.address,
            '"SESSION"': f'"{self.session}"',
            "= 100 #": f"= {QUESTIONS} #",
            "<- 100 #": f"<- {QUESTIONS} #",
            "= 100  #": f"= {QUESTIONS}  #",
        }.items():
            text = text.replace(old, new)
        assert "SESSION" not in text
        assert "example.org" not in text
        assert f"{QUESTIONS} " in text
        return text


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = Lossy(served(tmp_path / "sessions"))
    with running(app, lifespan="off") as address:
        yield Place(app, address, tmp_path)


def test_the_requests_of_the_page_are_those_of_the_server(tmp_path):
    app = served(tmp_path)
    client, paths = TestClient(app), app.openapi()["paths"]
    rows = ROW.findall(PAGE)
    assert [path for path, _, _ in rows] == [
        "/api/sessions", "/api/sessions/ID/ask", "/api/sessions/ID/tell"
    ]  # fmt: skip
    known = {}
    for path, body, told in rows:
        assert "post" in paths[path.replace("ID", "{session}")]
        sent = {key: known.get(key, value) for key, value in json.loads(body).items()}
        reply = client.post(path.replace("ID", known.get("session", "")), json=sent)
        assert reply.status_code == 200, reply.text
        assert set(re.findall(r'"(\w+)":', told)) <= set(reply.json())
        known |= {key: reply.json()[key] for key in ("session", "question") if key in reply.json()}
        if "options" in reply.json():
            known["chosen"] = reply.json()["options"][0]


def test_questions_that_people_left_can_be_told_as_skipped(place):
    address = f"{place.address}/api/sessions/{place.session}"
    asked = [httpx.post(f"{address}/ask", json={}).json()["question"] for _ in range(3)]
    httpx.post(f"{address}/tell", json={"question": asked[1], "chosen": None})
    assert httpx.get(address).json()["waiting"] == [asked[0], asked[2]]
    code = re.search(r"```\n(import httpx.*?)```", PAGE, re.S)[1]
    exec(code.replace("http://127.0.0.1:8000/api/sessions/ID", address))
    assert httpx.get(address).json()["waiting"] == []
    assert [one["chosen"] for one in place.lines("tell")] == [None] * 3


class Trials:
    """A loop of the Builder."""

    def __init__(self, most):
        self.most, self.finished = most, False

    def __iter__(self):
        for turn in range(self.most):
            if self.finished:
                return
            yield turn


class Shown:
    """What PsychoPy gives to a routine, and a person who presses keys."""

    def __init__(self, keys):
        self.trials, self.keys, self.seen, self.rows = Trials(20), iter(keys), [], []

    def press(self, head, left, right):
        self.seen.append((head, left, right))
        return next(self.keys)

    def addData(self, name, value):
        self.rows.append((name, value))


def builder(place):
    """Put the three parts together as the Builder does: into one function."""
    parts = [
        indent(place.written((PSYCHOPY / "begin_experiment.py").read_text()), "    "),
        indent((PSYCHOPY / "begin_routine.py").read_text(), "        "),
        indent((PSYCHOPY / "end_routine.py").read_text(), "        "),
    ]
    text = (
        "def run(expInfo, thisExp, trials, key_resp):\n{}\n"
        "    for _ in trials:\n        continueRoutine, key_resp.keys = True, []\n{}\n"
        "        if continueRoutine:\n"
        "            key_resp.keys = thisExp.press(head, left, right)\n{}\n"
    ).format(*parts)
    found = {}
    exec(compile(text, "builder", "exec"), found)
    return found["run"]


def take_part(place, keys):
    """Run the experiment; when the keys are used up, it is closed."""
    shown = Shown(keys)
    with suppress(StopIteration):
        builder(place)({"participant": "P01"}, shown, shown.trials, type("Keys", (), {})())
    return shown


def test_psychopy_asks_and_tells_until_all_are_answered(place):
    shown = take_part(place, ["left", "right", "right", "left", "left"])
    told = place.lines("tell")
    assert [NAMES[one["chosen"]] for one in told] == [
        question[1 if key == "left" else 2]
        for question, key in zip(shown.seen, ["left", "right", "right", "left"], strict=True)
    ]
    assert {one["observer"] for one in told} == {"P01"}
    assert [value for name, value in shown.rows if name == "question"] == [0, 1, 2, 3]
    assert shown.trials.finished
    assert take_part(place, ["left"]).seen == []  # started again: this person is done


def test_psychopy_loses_nothing_when_it_is_started_again(place):
    first = take_part(place, ["left"])
    again = take_part(place, ["right"] * 3)
    assert again.seen[0] == first.seen[1]
    assert len(place.lines("ask")) == len(place.lines("tell")) == QUESTIONS


def test_psychopy_counts_once_what_it_told_twice(place):
    place.app.lost += ["tell"]
    take_part(place, ["left"])
    assert place.app.calls.count("tell") == 2
    assert len(place.lines("tell")) == 1


def test_psychopy_tells_after_a_new_start_what_the_network_lost(place, monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    run = builder(place)
    shown = Shown(["right"])
    shown.press = lambda *asked: place.app.lost.extend(["tell"] * 5) or "right"
    with pytest.raises(Exception, match="503"):
        run({"participant": "P01"}, shown, shown.trials, type("Keys", (), {})())
    assert len(place.lines("tell")) == 1  # it came through, and nobody knows
    take_part(place, [])
    assert len(place.lines("tell")) == 1
    assert len(place.lines("ask")) == 2


def test_psychopy_ends_where_the_session_is_over(place, capsys):
    place.session = "x" * 22
    shown = take_part(place, ["left"])
    assert shown.seen == []
    assert shown.trials.finished
    assert "unknown_session" in capsys.readouterr().out


def has_r():
    program = shutil.which("Rscript")
    if program is None:
        return False
    packages = 'stopifnot(requireNamespace("httr2"), requireNamespace("jsonlite"))'
    return subprocess.run([program, "-e", packages], capture_output=True).returncode == 0


@pytest.fixture(scope="module")
def r():
    if not has_r():
        missing("R with httr2 and jsonlite")


def run_r(place, keys):
    (place.home / "ask_tell.R").write_text(place.written(R.read_text(encoding="utf-8")))
    return subprocess.run(
        ["Rscript", "ask_tell.R"], input="".join(f"{key}\n" for key in keys), cwd=place.home,
        capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.server
@pytest.mark.usefixtures("r")
class TestR:
    def test_it_asks_and_tells_goes_on_and_counts_once(self, place):
        place.app.lost += ["tell"]
        left = run_r(place, [1])  # then nobody is there any more
        assert left.returncode == 1
        assert len(place.lines("tell")) == 1
        assert place.app.calls.count("tell") == 2
        done = run_r(place, [2, 9, 1, 2])  # 9 is no option
        assert done.returncode == 0, done.stderr
        assert len(place.lines("ask")) == len(place.lines("tell")) == QUESTIONS
        assert {one["observer"] for one in place.lines("tell")} == {"P01"}
        shown = re.findall(r"similar to (.*)\?", left.stdout + done.stdout)
        assert len(shown) == QUESTIONS + 1  # the one that was out came again
        assert shown[1] == shown[2]
        assert run_r(place, [1]).stdout == ""  # this person is done

    def test_it_tells_after_a_new_start_what_the_network_lost(self, place):
        place.app.lost += ["tell"] * 5
        assert run_r(place, [1, 1]).returncode == 1
        assert len(place.lines("ask")) == len(place.lines("tell")) == 1
        assert run_r(place, []).returncode == 1  # told, and the next one stands there
        assert (len(place.lines("ask")), len(place.lines("tell"))) == (2, 1)

    def test_it_ends_where_the_session_is_over(self, place):
        place.session = "x" * 22
        done = run_r(place, [1])
        assert done.returncode == 0
        assert "unknown_session" in done.stderr
