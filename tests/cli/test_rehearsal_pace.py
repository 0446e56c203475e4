"""A rehearsal at people's pace, on slow networks, with a server that stays: no time passes."""

import threading
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

from resemblance.cli import rehearse
from resemblance.store import Store
from resemblance.study.creation import create_study
from resemblance.study.folder import StudyFolder
from resemblance.study.live import LiveStudy
from resemblance.web.simulated_people import Visitor

QUESTION = {"id": "q", "kind": "triplet", "head": None, "options": []}


class Clock(threading.Event):
    """What somebody waits for, of which none passes."""

    def __init__(self):
        super().__init__()
        self.waited = []

    def wait(self, timeout=None):
        self.waited.append(timeout)
        return self.is_set()


class Server:
    """Takes a connection's place: a page-less study of one question."""

    def __init__(self, host, timeout):
        self.sent = []

    def request(self, method, path, content, headers):
        self.path = path

    def getresponse(self):
        replies = {
            "/api/studies/ties/participants": b'{"token": "t", "code": "P1"}',
            "/api/me": b'{"state": "asked", "page": null, "questions": [%s]}',
            "/api/me/answers": b'{"state": "finished", "page": null, "acknowledged": ["q"]}',
            "/api/me/finish": b'{"code": "C"}',
        }
        question = b'{"id": "q", "kind": "triplet", "head": null, "options": [], "reason": null}'
        body = replies[self.path].replace(b"%s", question)
        return SimpleNamespace(status=200, read=lambda: body)


@pytest.mark.parametrize(("speed", "delay"), [(1.0, 0.0), (0.5, 0.4), (0.0, 0.4)])
def test_a_visitor_takes_its_time_and_that_of_its_network(monkeypatch, speed, delay):
    monkeypatch.setattr("http.client.HTTPConnection", Server)
    clock, told = Clock(), []
    visitor = Visitor(
        *("http://there", "ties", "ann", lambda question: {"chosen": 0}),
        took=lambda question: 7.0,
        speed=speed,
        delay=delay,
        stop=clock,
    )
    answer = visitor._answer
    monkeypatch.setattr(visitor, "_answer", lambda one: told.append(answer(one)) or told[-1])
    visitor.run()
    assert clock.waited == [delay, delay, speed * 7.0, delay, delay]  # entry, me, it, answer, end
    assert (visitor.code, visitor.acknowledged, told[0]["rt_ms"]) == ("C", ["q"], 7000.0)


@pytest.fixture
def rehearsed(run, tmp_path, monkeypatch):
    """Rehearse a study, of which nobody takes part; tell who would have, and what was served."""
    (tmp_path / "pics").mkdir()
    for number in range(8):
        Image.new("RGB", (8, 8), (30 * number, 0, 0)).save(tmp_path / "pics" / f"p{number}.png")
    create_study(tmp_path / "ties", images=tmp_path / "pics")
    noted = SimpleNamespace(visitors=[], settings=None, stopped=0)

    class Supervisor:
        """Prepares the tables of a study, and serves nothing."""

        port = 1

        def __init__(self, task, host, port):
            self.copy = StudyFolder.open(Path(task.studies[0]))

        def start(self):
            noted.settings = self.copy.settings
            with closing(Store.open(self.copy.database)) as store:
                LiveStudy.open(self.copy, store)

        def stop(self):
            noted.stopped += 1

    def through(live, visitors):
        noted.visitors = visitors
        return {}

    monkeypatch.setattr("resemblance.web.supervisor.Supervisor", Supervisor)
    monkeypatch.setattr(rehearse, "through", through)
    monkeypatch.setattr(rehearse, "mapped", lambda *of: {})

    def rehearse_with(*options):
        run("rehearse", "ties", "--people", 10, *options)
        return noted

    rehearse_with.noted = noted
    return rehearse_with


@pytest.mark.parametrize(("pace", "speed"), [("people", 1.0), ("fast", 0.0)])
def test_one_in_five_has_a_slow_network_and_people_take_time(rehearsed, tmp_path, pace, speed):
    noted = rehearsed("--pace", pace)
    assert [one.speed for one in noted.visitors] == [speed] * 10
    slow = [number for number, one in enumerate(noted.visitors) if one.delay]
    assert (slow, {one.delay for one in noted.visitors}) == ([0, 5], {0.0, rehearse.NETWORK_S})
    asked = StudyFolder.open(tmp_path / "ties").settings.quality.least_answered
    assert asked > 0
    assert noted.settings.quality.least_answered == (asked if speed else 0.0)  # by the clock
    times = [one.took(QUESTION) for one in noted.visitors]
    assert all(0.2 < seconds < 60 for seconds in times)
    assert len(set(times)) > 5


def test_the_server_stays_until_ctrl_c(rehearsed, tmp_path, monkeypatch):
    slept = []

    def sleep(seconds):
        report = tmp_path / "ties-rehearsal" / "rehearsal.md"
        slept.append((seconds, report.is_file(), rehearsed.noted.stopped))
        if len(slept) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(rehearse, "time", SimpleNamespace(sleep=sleep))
    rehearsed("--stay")
    assert slept == [(1.0, True, 0)] * 3  # what was found is written before
    assert rehearsed.noted.stopped == 1
    rehearsed()
    assert (len(slept), rehearsed.noted.stopped) == (3, 2)
