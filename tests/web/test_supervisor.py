"""The supervisor: what dies is started again, and what it leaves behind ends."""

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import pytest

from resemblance.errors import SettingError, UnavailableError
from resemblance.study.live import open_folders, open_stores
from resemblance.web.supervisor import Supervisor, Task, listen
from study_folder import LIGHT
from web_process import until

MAIN = """
import json, sys, time
from resemblance.web.supervisor import Supervisor, Task
supervisor = Supervisor(Task((sys.argv[1],), sys.argv[1] + "/secret"), "127.0.0.1", 0)
supervisor.start()
time.sleep(float(sys.argv[2]))
print(json.dumps([supervisor.port, dict(supervisor.pids())]), flush=True)
time.sleep(60)
"""


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def is_well(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=10) as answer:
            return json.load(answer)["ok"]
    except OSError:
        return False


@pytest.fixture
def supervisor(make_study):
    folder = make_study(study=LIGHT)
    made = Supervisor(Task((str(folder),), str(folder / "secret")), "127.0.0.1", 0)
    made.start()
    yield made
    made.stop()


def test_whatever_is_killed_comes_back_until_all_is_stopped(supervisor):
    assert is_well(supervisor.port)
    first = until(lambda: len(supervisor.pids()) == 2 and dict(supervisor.pids()))
    for role in ("web", "worker"):
        os.kill(first[role], signal.SIGKILL)
        until(lambda role=role: dict(supervisor.pids()).get(role, first[role]) != first[role])
    assert until(lambda: is_well(supervisor.port))
    pids = until(lambda: len(supervisor.pids()) == 2 and dict(supervisor.pids()))
    supervisor.stop()
    assert not any(alive(pid) for pid in pids.values())
    assert supervisor.pids() == []


def test_nothing_is_left_when_the_supervisor_is_killed(make_study):
    folder = make_study(study=LIGHT)
    command = [sys.executable, "-c", MAIN, str(folder), "1.0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    port, pids = json.loads(process.stdout.readline())
    assert is_well(port)
    process.kill()
    process.wait()
    process.stdout.close()
    until(lambda: not any(alive(pid) for pid in pids.values()))
    assert not is_well(port)


def test_changed_stimuli_are_told(make_study):
    folder = make_study(study=LIGHT)
    _, stores = open_stores(open_folders([folder]))
    stores[0].close()
    (folder / "stimuli/item0.png").write_bytes(b"other")
    (folder / "stimuli/item1.png").rename(folder / "stimuli/new.png")
    again = Supervisor(Task((str(folder),), f"{folder}/secret"), "127.0.0.1", 0)
    with pytest.raises(SettingError, match="changed: item0; removed: item1; added: new"):
        again.start()


def test_a_port_in_use_is_told():
    taken = listen("127.0.0.1", 0)
    with pytest.raises(UnavailableError, match="choose another --port"):
        listen("127.0.0.1", taken.getsockname()[1], patience=0.1)
    taken.close()


def test_a_port_that_is_left_in_a_moment_is_waited_for():
    taken = listen("127.0.0.1", 0)
    port = taken.getsockname()[1]
    threading.Timer(0.2, taken.close).start()
    listen("127.0.0.1", port).close()
