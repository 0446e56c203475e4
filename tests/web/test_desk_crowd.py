"""The desk lets an imagined crowd rehearse a study: one at a time, apart from all that is real."""

import os
import signal
import subprocess
import sys
import time

import pytest

from resemblance.web.desk import crowd
from resemblance.web.desk.crowd import Crowd
from web.test_desk_study import log_in, post

FAKE = """
import os, pathlib, sys
print("   3 s     40 answers", flush=True)
os.read(0, 1)
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
out.mkdir()
(out / "rehearsal.md").write_text("# Rehearsal of ties\\n\\n- 8 imagined people\\n")
"""


def until(holds, seconds=60.0):
    late = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < late
        time.sleep(0.01)


@pytest.fixture
def desk(make_study, serve, monkeypatch):
    monkeypatch.setattr(crowd, "COMMAND", (sys.executable, "-c", FAKE))
    served = log_in(serve(make_study()))
    yield served
    if process := served.app.state.crowd._process:
        process.communicate()  # closes its input, and waits


def files_of(folder):
    paths = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".sqlite-shm"]
    return {path: path.read_bytes() for path in paths}


def page(desk):
    return desk.client.get("/desk/ties/questions").text


def test_a_rehearsal_runs_alone_and_leaves_its_report(desk):
    before = files_of(desk.live.folder.path)
    assert post(desk, "rehearse", people="8").status_code == 303
    until(lambda: "Under way: 3 s, 40 answers" in page(desk))
    assert "/desk/ties/rehearse" not in page(desk)
    refused = post(desk, "rehearse", people="8")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "rehearsing")
    report = "/desk/ties/rehearsal/rehearsal.md"
    assert desk.client.get(report).status_code == 404
    desk.app.state.crowd._process.communicate()
    assert "<li>8 imagined people</li>" in page(desk)
    assert desk.client.get(report).text.startswith("# Rehearsal of ties")
    assert desk.client.get("/desk/ties/rehearsal/lock").status_code == 404
    assert files_of(desk.live.folder.path) == before
    assert post(desk, "rehearse", people="2").status_code == 303


def test_another_web_process_sees_that_one_runs(desk):
    post(desk, "rehearse", people="8")
    other = Crowd(desk.shared.accounts.path)
    assert (other.running, other.status("other")["running"]) == ("ties", False)


@pytest.mark.parametrize("people", ["", "1", "501", "-3", "8.5", "many"])
def test_a_crowd_of_no_size_is_refused(desk, people):
    refused = post(desk, "rehearse", people=people)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "invalid_request")
    assert not desk.app.state.crowd.folder.exists()


def test_one_that_failed_says_why(desk, monkeypatch):
    monkeypatch.setattr(crowd, "COMMAND", (sys.executable, "-c", "raise SystemExit('no place')"))
    post(desk, "rehearse", people="8")
    desk.app.state.crowd._process.communicate()
    assert "without a report: no place" in page(desk)


def test_what_earlier_servers_left_is_removed_at_the_start(make_study, serve, tmp_path):
    folder = tmp_path / f".crowd-{os.getppid()}" / "ties"
    for left in (tmp_path / ".crowd-1" / "ties" / "tmp", folder / "tmp"):
        left.mkdir(parents=True)
        (left / "study.sqlite").write_text("")
    serve(make_study())
    assert list(tmp_path.glob(".crowd-1")) == list(folder.iterdir()) == []


@pytest.mark.server
def test_it_ends_with_the_process_that_began_it(make_study, tmp_path):  # a whole server starts
    (tmp_path / "tmp").mkdir()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as of a server in the background
    process = subprocess.Popen(
        [sys.executable, "-m", crowd.__name__, "rehearse", str(make_study()), "--people", "2"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp"), "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    signal.signal(signal.SIGINT, before)
    first = process.stdout.readline()
    assert "take part" in first, first + process.communicate()[0]
    assert list((tmp_path / "tmp").iterdir())
    process.communicate()
    assert not (tmp_path / "ties-rehearsal" / "rehearsal.md").exists()
    assert list((tmp_path / "tmp").iterdir()) == []
