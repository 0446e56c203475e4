"""Logs of a server: from every process, without ids and tokens."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request

from study_folder import LIGHT


def test_serve_says_where_and_supervisor_web_and_worker_speak_alike(make_study):
    """The option becomes the variable of the processes below; Ctrl-C ends them."""
    folder = make_study(study=LIGHT, recruitment={"source": "prolific"})
    more = make_study("more", study=LIGHT)
    command = [sys.executable, "-m", "resemblance", "--debug", "serve", folder, more]
    command += ["--port", "0"]
    pipe, person = subprocess.PIPE, "5f3a" * 6
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=pipe, stderr=log, text=True)
        told = [process.stdout.readline() for _ in range(5)]
        home, *paths = places_of(told[:3])
        body = json.dumps({"parameters": {"PROLIFIC_PID": person}}).encode()
        entry = urllib.request.Request(f"{home}/api/studies/ties/participants", body)
        entry.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(entry, timeout=10) as answer:
            token = json.load(answer)["token"]
        end = time.monotonic() + 30
        while "at work" not in (folder / "log").read_text() and time.monotonic() < end:
            time.sleep(0.1)
        (web,) = children(process.pid, "web")
        os.kill(web, signal.SIGKILL)
        while "is restarted" not in (folder / "log").read_text() and time.monotonic() < end:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        process.stdout.close()
    assert paths == ["/s/ties", "/s/more", "/desk"]
    once = folder / "one-time-secret"  # never into a journal
    assert str(once) in told[3]
    assert once.stat().st_mode & 0o777 == 0o600
    assert len(once.read_text().strip()) > 20
    assert once.read_text().strip() not in "".join(told)
    assert once.read_text().strip() not in (folder / "secret").read_text()
    said = (folder / "log").read_text()
    lines = said.splitlines()
    assert all(re.match(r"[-\d]+ [:\d]+,\d+ (INFO|WARNING) ", line) for line in lines)
    (entered,) = [line for line in lines if "participants" in line]
    assert " 200 " in entered
    assert any(line.endswith("ties: at work") for line in lines)
    (again,) = [line for line in lines if "is restarted" in line]
    assert "the web process" in again
    assert person not in said
    assert token not in said


def places_of(lines):
    """Give the host of some lines, and the path of each."""
    found = [re.search(r"(http://[^/\s]+)(/\S*)", line) for line in lines]
    assert len({one[1] for one in found}) == 1
    return [found[0][1], *(one[2] for one in found)]


def children(pid, role):
    """Name the processes of a supervisor that have this role."""
    with open(f"/proc/{pid}/task/{pid}/children") as listed:
        for child in map(int, listed.read().split()):
            with open(f"/proc/{child}/cmdline") as line:
                if line.read().rstrip("\0").endswith(role):
                    yield child
