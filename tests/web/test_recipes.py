"""The guide's recipes for PsychoPy and R take people through a real study, and lose nothing."""

import re
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from textwrap import indent

import httpx
import pytest

from browser.conftest import missing
from resemblance.store import Store
from resemblance.study.live import LiveStudy
from resemblance.web.accounts import Accounts
from resemblance.web.app import create_app
from small_study import make_folder
from web_process import running

GUIDE = Path(__file__).parents[2] / "docs/guide"
PAGE = (GUIDE / "keep-your-page.md").read_text(encoding="utf-8")
PSYCHOPY = GUIDE / "recipes/psychopy"
R = GUIDE / "recipes/ask_tell.R"
QUESTIONS = 4
SECTIONS = f"""
[tasks]
per_participant = 1
task_size = {QUESTIONS}
practice = 0
gold_share = 0.0
[asking]
start_per_head = 3
"""
ROUTE = re.compile(r"\| `(GET|POST) (/api/\S+)` \|")


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


class Place:
    """A server with a study, and a folder in which somebody takes part."""

    def __init__(self, app, address, home, live):
        self.app, self.address, self.home, self.live = app, address, home, live

    @property
    def answers(self):
        return self.live.store.answers.after(self.live.record, 0)

    @property
    def people(self):
        return self.live.store.people.all(self.live.record)

    def written(self, text):
        """Put this place into a recipe."""
        text = text.replace("https://similarity.example.org", self.address)
        text = text.replace('"STUDY"', '"dots"')
        assert "STUDY" not in text
        assert "example.org" not in text
        return text


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = Store.open(f"sqlite:///{tmp_path}/study.sqlite")
    live = LiveStudy.open(make_folder(tmp_path / "dots", sections=SECTIONS), store)
    app = Lossy(create_app([live], Accounts(tmp_path / "accounts")))
    with running(app, lifespan="off") as address:
        yield Place(app, address, tmp_path, live)
    store.close()


def test_the_requests_of_the_page_are_those_of_the_server(place):
    paths = httpx.get(f"{place.address}/openapi.json").json()["paths"]
    rows = ROUTE.findall(PAGE)
    assert len(rows) == 5
    for method, path in rows:
        assert method.lower() in paths[path.replace("NAME", "{study}").replace("PAGE", "{page}")]


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
        "def run(expInfo, thisExp, trials, key_resp):\n"
        "    global question, token\n{}\n"
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


def test_psychopy_takes_a_person_through_the_study(place):
    shown = take_part(place, ["left", "right", "right", "left", "left"])
    answers, [person] = place.answers, place.people
    assert [answer.response["chosen"] for answer in answers] == [0, 1, 1, 0]
    text = {item.name: item.text for item in place.live.folder.stimuli}
    for answer, (head, left, right) in zip(answers, shown.seen, strict=True):
        assert text[answer.spec["head"]] == head
        assert [text[name] for name in answer.spec["options"]] == [left, right]
        assert 0 < answer.rt_ms < 60_000
    told = dict(shown.rows)
    assert (told["observer"], person.state) == (person.code, "finished")
    assert shown.trials.finished
    assert take_part(place, ["left"]).seen == []  # started again: this person is done
    assert len(place.people) == 1


def test_psychopy_loses_nothing_when_it_is_started_again(place):
    first = take_part(place, ["left"])
    again = take_part(place, ["right"] * 3)
    assert again.seen[0] == first.seen[1]
    assert len(place.answers) == QUESTIONS
    assert len(place.people) == 1


def test_psychopy_tells_after_a_new_start_what_the_network_lost(place, monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    shown = Shown(["right"])
    shown.press = lambda *asked: place.app.lost.extend(["answers"] * 5) or "right"
    with pytest.raises(Exception, match="503"):
        builder(place)({"participant": "P01"}, shown, shown.trials, type("Keys", (), {})())
    assert len(place.answers) == 1  # it came through, and nobody knows
    take_part(place, [])
    assert len(place.answers) == 1


def test_psychopy_ends_where_the_study_is_closed(place, capsys):
    place.live.store.studies.set_state(place.live.record, "closed", "ann")
    place.live.reread()
    shown = take_part(place, ["left"])
    assert shown.seen == []
    assert shown.trials.finished
    assert '"closed"' in capsys.readouterr().out


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
    def test_it_goes_on_where_it_was_and_counts_once(self, place):
        place.app.lost += ["answers"]
        left = run_r(place, [1])  # then nobody is there any more
        assert left.returncode == 1
        assert [answer.response["chosen"] for answer in place.answers] == [0]
        done = run_r(place, [2, 9, 1, 2])  # 9 is no option
        assert done.returncode == 0, done.stderr
        assert [answer.response["chosen"] for answer in place.answers] == [0, 1, 0, 1]
        [person] = place.people
        assert person.state == "finished"
        again = run_r(place, [1])
        assert (again.stdout, again.returncode) == ("", 0)  # this person is done

    def test_it_tells_after_a_new_start_what_the_network_lost(self, place):
        place.app.lost += ["answers"]
        assert run_r(place, []).returncode == 1  # a question is out, and nobody is there
        place.app.lost += ["answers"] * 5
        assert run_r(place, [1, 1]).returncode == 1
        assert len(place.answers) == 1
        assert run_r(place, []).returncode == 1  # told, and the next one stands there
        assert len(place.answers) == 1

    def test_it_ends_where_the_study_is_closed(self, place):
        place.live.store.studies.set_state(place.live.record, "closed", "ann")
        place.live.reread()
        done = run_r(place, [1])
        assert done.returncode == 0
        assert '"closed"' in done.stderr
