"""What a monitor reads at /metrics: counts and times, those of the store and of the requests."""

import json
import os
import signal
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from typer.testing import CliRunner

from postgres import emptied, postgresql
from resemblance.cli.app import app
from resemblance.cli.serve import measured
from resemblance.errors import SettingError
from resemblance.store import StoreError
from resemblance.web.accounts import Accounts
from resemblance.web.app import create_app
from resemblance.web.metrics import ELSEWHERE, Measured
from resemblance.web.peers import networks_of
from resemblance.web.supervisor import Supervisor, Task
from study_folder import LIGHT
from web.conftest import Client, Person


def values_of(text):
    """Read an exposition: the value of each sample, by its name and labels."""
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def monitored(served, tmp_path):
    """The small study, served with metrics: a participant's client, and what the monitor reads."""
    app = create_app(served.lives, Accounts(tmp_path / "secret"), metrics=())
    runner = served.client.runner
    here = httpx.ASGITransport(app, client=("127.0.0.1", 9))
    monitor = httpx.AsyncClient(transport=here, base_url="http://127.0.0.1:8000")

    def read():
        answer = runner.run(monitor.get("/metrics"))
        assert answer.status_code == 200
        return values_of(answer.text)

    client = Client(app, runner)
    client.read = read
    return client


def test_there_are_none_unless_they_are_asked_for(served):
    assert served.client.get("/metrics").json()["error"]["code"] == "unknown_address"
    assert Measured not in [one.cls for one in served.app.user_middleware]


def test_counts_are_those_of_the_store(served, monitored):
    people = [Person(monitored) for _ in range(3)]
    people[0].begin()
    people[0].answer_all()
    people[0].post("finish")
    people[1].begin()
    served.store.pool.put(served.live.record, [{"kind": "triplet"}] * 4, 1)
    served.store.tallies.tell(served.live.record, {})
    served.store.events.record(served.live.record, "worker", "fit", {"number": 7, "seconds": 1.5})
    found = monitored.read()
    assert found["resemblance_answers", "ties"] == len(served.log()) == 12
    assert found["resemblance_participants", "finished", "ties"] == 1
    assert found["resemblance_participants", "consented", "ties"] == 1
    assert found["resemblance_participants", "entered", "ties"] == 1
    assert found["resemblance_questions_waiting", "ties"] == 4
    assert found["resemblance_fits_total", "ties"] == 7
    assert found["resemblance_last_fit_seconds", "ties"] == 1.5
    assert abs(found["resemblance_last_fit_timestamp_seconds", "ties"] - time.time()) < 60
    assert 0 <= found["resemblance_worker_beat_age_seconds", "ties"] < 60
    assert found["resemblance_database_up", "ties"] == 1


def test_what_was_never_told_is_left_out(monitored):
    found = monitored.read()
    assert found["resemblance_fits_total", "ties"] == 0
    assert ("resemblance_last_fit_seconds", "ties") not in found
    assert ("resemblance_worker_beat_age_seconds", "ties") not in found


def test_every_request_is_measured_those_past_the_framework_too(monitored):
    person = Person(monitored)
    person.begin()
    question = person.answer()["questions"][0]
    person.answer(question)
    person.post("answers", {"answers": [], "want": -1}, status=422)
    monitored.get("/nowhere/at/all")
    monitored.get("/s/ties")
    found = monitored.read()

    def requests(route, status):
        return found["resemblance_request_seconds_count", *sorted((route, status))]

    assert requests("/api/me/answers", "2xx") == 2
    assert requests("/api/me/answers", "4xx") == 1
    assert requests("/api/me/pages/{page}", "2xx") == 2
    assert requests("/api/studies/{study}/participants", "2xx") == 1
    assert requests(ELSEWHERE, "4xx") == 1
    largest = found[
        "resemblance_request_seconds_bucket", *sorted(("/api/me/answers", "2xx", "+Inf"))
    ]
    assert largest == 2


def test_routes_are_a_bounded_number(monitored):
    for number in range(50):
        monitored.get(f"/stray/{number}")
        monitored.get(f"/media/ties/{number}.png")
    routes = {key for key in monitored.read() if key[0] == "resemblance_request_seconds_count"}
    assert len(routes) == 2


def test_failures_are_counted_as_such(served, monitored, monkeypatch):
    def fail(*_):
        raise RuntimeError

    person = Person(monitored)
    monkeypatch.setattr(served.store.people, "standing", fail)
    assert person.get().status_code == 500
    assert monitored.read()["resemblance_request_seconds_count", "/api/me", "5xx"] == 1


def test_a_database_that_does_not_answer_is_told(served, monitored, monkeypatch):
    def fail(*_):
        raise StoreError("gone")

    monkeypatch.setattr(served.store.answers, "count", fail)
    found = monitored.read()
    assert found["resemblance_database_up", "ties"] == 0
    assert ("resemblance_answers", "ties") not in found


@pytest.mark.parametrize("name", ["10.0.0.1/8", "lab", ""])
def test_what_is_no_network_is_refused(name):
    with pytest.raises(SettingError, match="give a network"):
        networks_of([name])


def until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(OSError):  # a process that was killed, or is busy, answers nothing
            if found := condition():
                return found
        time.sleep(0.1)
    raise AssertionError("nothing happened in time")


def answer_to(address, body, kind):
    """Send a form or JSON on a connection of its own; give the status."""
    request = urllib.request.Request(address, body, {"Content-Type": kind}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def assert_one_limit(home):
    """Both processes answer, and let through together what one of them would."""
    began = time.monotonic()
    guess = ("/desk/login", b"name=ada&password=guess", "application/x-www-form-urlencoded")
    entry = ("/api/studies/ties/participants", b"{}", "application/json")
    with ThreadPoolExecutor(8) as threads:
        guessed = list(threads.map(lambda _: answer_to(home + guess[0], *guess[1:]), range(24)))
        entered = list(threads.map(lambda _: answer_to(home + entry[0], *entry[1:]), range(300)))
    took = time.monotonic() - began
    assert {*guessed, *entered} <= {200, 403, 429}
    assert 5 <= len(guessed) - guessed.count(429) <= 5 + 0.1 * took + 1
    assert 120 <= len(entered) - entered.count(429) <= 120 + took + 1


def test_two_processes_have_one_limit_are_added_up_and_restarts_counted(make_study):
    folder, url = make_study(study=LIGHT), emptied(postgresql().create())
    task = Task((str(folder),), str(folder / "secret"), url, metrics=())
    supervisor = Supervisor(task, "127.0.0.1", 0, 2)
    supervisor.start()
    home = f"http://127.0.0.1:{supervisor.port}"

    def read():
        with urllib.request.urlopen(f"{home}/metrics", timeout=10) as answer:
            return values_of(answer.read().decode())

    def webs():
        return [pid for role, pid in supervisor.pids() if role == "web"]

    def healths():
        return read().get(("resemblance_request_seconds_count", "/health", "2xx"), 0)

    try:
        until(lambda: len(webs()) == 2)
        for _ in range(60):  # a connection each: both processes take some
            with urllib.request.urlopen(f"{home}/health", timeout=10) as answer:
                assert json.load(answer)["ok"]
        assert until(lambda: healths() == 60)
        time.sleep(1.0)  # the second one listens, too
        assert_one_limit(home)
        os.kill(webs()[0], signal.SIGKILL)
        key = ("resemblance_process_restarts_total", "web")
        assert until(lambda: read().get(key) == 1)
        assert healths() == 60
    finally:
        supervisor.stop()
    assert not os.path.exists(supervisor._folder.name)
    assert not Path(supervisor.buckets.path).exists()


@pytest.mark.parametrize(
    ("given", "found"),
    [((False, None), None), ((True, None), ()), ((False, ["10.0.0.7"]), ("10.0.0.7",))],
)
def test_a_network_that_is_named_switches_them_on(given, found):
    assert measured(*given) == found


def test_a_wrong_network_is_told_before_anything_starts(make_study):
    told = CliRunner().invoke(app, ["serve", str(make_study()), "--metrics-from", "lab"])
    assert told.exit_code != 0
    assert "'lab' does not appear" in told.stderr
