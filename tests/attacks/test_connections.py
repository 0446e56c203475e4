"""Thousands who connect and ask nothing, or do not read: people go on, and the others go."""

import contextlib
import re
import resource
import socket
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import uvicorn

from postgres import missing
from resemblance.web import connections
from resemblance.web.connections import KEPT_S, Server
from resemblance.web.guards import SLOWEST_S
from resemblance.web.simulated_people import Visitor
from web_process import started, until

FILES = 300  # that a process opens of its own, at most
MANY, FEWEST = 10_000, 1_000  # connections at once; fewer say nothing
EACH_KB = 16  # the most that one may cost
IMPATIENT = (
    "-c",
    (  # a web process that waits for 10 s, so that the test need not wait for 20
        "from resemblance.web import connections, process\n"
        "connections.SLOWEST_S = 10.0\n"
        "process.main()"
    ),
)


class Connection:
    def __init__(self, cycle=None, unread=0):
        self.cycle, self.unread, self.is_open, self.transport = cycle, unread, True, self

    def get_write_buffer_size(self):
        return self.unread

    unsent = get_write_buffer_size

    def end(self):
        self.is_open = False


def answered(complete=True):
    return SimpleNamespace(response_complete=complete)


def swept(those, *times):
    server = Server(uvicorn.Config(None, lifespan="off", log_config=None))
    server.server_state.connections.update(those)
    for now in times:
        server.sweep(now)
    return [one.is_open for one in those]


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


async def large(scope, receive, send):
    """Send what takes a slow reader long."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(256):
        part = {"type": "http.response.body", "body": bytes(65536), "more_body": True}
        await send(part)
    await send({"type": "http.response.body"})


async def small(scope, receive, send):
    """Send a short answer when the body is there."""
    while (await receive()).get("more_body"):
        pass
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]}
    )
    await send({"type": "http.response.body"})


@pytest.fixture
def run(monkeypatch):
    """Run applications on real sockets; give their addresses and states."""
    states, ends = [], []
    made = connections.State
    monkeypatch.setattr(connections, "State", lambda: states.append(made()) or states[-1])

    def run_(app):
        listening, stop = socket.create_server(("127.0.0.1", 0)), threading.Event()
        given = {"target": connections.run, "args": (app, listening, stop)}
        thread = threading.Thread(**given)
        thread.start()
        ends.append((thread, stop))
        return listening.getsockname(), states

    yield run_
    for thread, stop in ends:
        stop.set()
        thread.join()


def test_a_slow_reader_stays_until_it_stops(run, monkeypatch):
    monkeypatch.setattr(connections, "SLOWEST_S", 1.5)
    address, states = run(large)
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        reader.connect(address)
        reader.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for _ in range(60):  # 100 kB a second, so that the kernel is full of what was sent
            assert len(reader.recv(10_000)) > 0
            time.sleep(0.1)
        assert states[0].connections
        until(lambda: not states[0].connections, 10)


def test_the_network_that_holds_most_makes_room(run, monkeypatch):
    monkeypatch.setattr(connections, "HELD", 400_000)
    address, states = run(small)
    post = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n"
    with socket.create_connection(address) as person, contextlib.ExitStack() as strangers:
        person.sendall(post + bytes(30_000))
        until(lambda: states[0].held > 30_000, 5)
        for _ in range(60):
            given = {"source_address": ("127.0.0.9", 0)}
            stranger = strangers.enter_context(socket.create_connection(address, **given))
            stranger.sendall(post + bytes(20_000))
            assert states[0].held <= 400_000
        person.sendall(bytes(30_000))
        assert person.recv(100).startswith(b"HTTP/1.1 200")


def silent(address, n):
    """Open connections that ask nothing, or half a question; a port names one of an address."""
    many = [
        socket.create_connection(address, source_address=(f"127.0.0.{2 + number % 8}", 0))
        for number in range(n)
    ]
    for one in many[::2]:
        one.sendall(b"GET /s/ties HTTP/1.1\r\nHost: loc")
    return many


@pytest.fixture
def many_files():
    """Let this process, and those it starts, hold MANY connections, or as many as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MANY if hard < 0 else min(MANY, hard // 2)
    if most < FEWEST:
        missing(f"the right to open {2 * FEWEST} files (ulimit -Hn)")
    resource.setrlimit(resource.RLIMIT_NOFILE, (2 * most, hard))
    yield most
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_ten_thousand_who_ask_nothing_cost_little_keep_nobody_and_go(make_study, many_files):
    with started(make_study(recruitment={"simulated": "enter"}), program=IMPATIENT) as run:
        of = Path(f"/proc/{run.process.pid}")
        visit(run.url, "ann")
        before = memory_kb(of)
        many = silent(run.address, many_files)
        held = until(lambda: max(0, n_files(of) - many_files))
        visit(run.url, "bob")
        assert memory_kb(of) - before < EACH_KB * many_files
        assert held < FILES
        until(lambda: n_files(of) < FILES)
        visit(run.url, "cyd")
        for one in many:
            one.close()


def visit(url, name):
    """Take part from the first page to the code."""
    visitor = Visitor(url, "ties", name, lambda question: {"chosen": 0})
    visitor.run()
    assert visitor.code


def n_files(of):
    return len(list((of / "fd").iterdir()))


def memory_kb(of):
    return int(re.search(r"VmRSS:\s+(\d+) kB", (of / "status").read_text())[1])
