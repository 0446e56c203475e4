"""Thousands who connect and ask nothing, or do not read: people go on, and the others go."""

import json
import resource
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import asdict
from types import SimpleNamespace

import pytest
import uvicorn

from resemblance.web.connections import KEPT_S, Server
from resemblance.web.guards import SLOWEST_S
from resemblance.web.supervisor import Task, listen

FILES = 300  # that a process may open


class Connection:
    def __init__(self, cycle=None, unread=0):
        self.cycle, self.unread, self.is_open, self.transport = cycle, unread, True, self

    def get_write_buffer_size(self):
        return self.unread

    def abort(self):
        self.is_open = False


def answered(complete=True):
    return SimpleNamespace(response_complete=complete)


def swept(connections, *times, most=1000, change=None):
    server = Server(uvicorn.Config(None, lifespan="off", log_config=None))
    server.most = most
    server.server_state.connections.update(connections)
    for now in times:
        server.sweep(now)
        if change:
            change()
    return [one.is_open for one in connections]


def test_who_asks_nothing_or_does_not_read_goes_after_seconds():
    those = [
        Connection(),
        Connection(answered(False), 5),
        Connection(answered(), 5),
        Connection(answered()),
        Connection(answered(False)),
    ]
    assert swept(those, 0.0, SLOWEST_S - 1) == [True] * 5
    assert swept(those, 0.0, SLOWEST_S + 1) == [False, False, False, True, True]
    assert swept(those[3:], 0.0, KEPT_S + 1) == [False, True]


def test_who_reads_stays():
    reader = Connection(answered(False), 10**6)

    def read():
        reader.unread -= 1

    assert swept([reader], *range(0, 200, 10), change=read) == [True]


def test_of_too_many_the_silent_go_first_and_nobody_who_waits_for_us():
    waits, kept = Connection(answered(False)), Connection(answered())
    silent = [Connection() for _ in range(5)]
    assert swept([waits, kept, *silent], 0.0, most=3).count(True) == 3
    assert waits.is_open
    assert kept.is_open


@pytest.fixture
def port(make_study):
    folder, taken = make_study(), listen("127.0.0.1", 0)
    process = subprocess.Popen(
        [sys.executable, "-m", "resemblance.web.process", "web"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[taken.fileno()],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)),
    )
    task = asdict(Task((str(folder),), str(folder / "secret"))) | {"socket": taken.fileno()}
    process.stdin.write(json.dumps(task).encode() + b"\n")
    process.stdin.flush()
    assert b"ready" in process.stdout.readline()
    yield taken.getsockname()[1]
    process.stdin.close()
    process.stdout.close()
    process.wait(20)
    taken.close()


def answers(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/s/ties", timeout=10) as reply:
            return reply.status == 200
    except OSError:
        return False


def test_more_than_a_process_can_hold_shut_nobody_out(port):
    assert answers(port)
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(2 * FILES)]
    for one in silent[::2]:
        one.sendall(b"GET /s/ties HTTP/1.1\r\nHost: loc")
    until = time.monotonic() + 15.0
    while not answers(port) and time.monotonic() < until:
        time.sleep(0.1)
    assert all(answers(port) for _ in range(5))
    for one in silent:
        one.close()
