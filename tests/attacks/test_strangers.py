"""Requests that never become whole: serve, search and open refuse them alike."""

import re
import resource
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import resemblance as rs
from resemblance.web.connections import HEAD, HEADERS, PIPELINED
from study_folder import write_study
from web_process import Running, started, until

FILES = 1_000  # that a server may open
MANY = 1_100  # connections that ask nothing
HALF, BODY = 450, 262_000  # bodies that do not end, and the bytes of each
MOST_MB = 100  # that these may cost together
GET = b"GET /favicon.ico HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /api/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@contextmanager
def program(*words, **settings):
    """Run a command that serves, until it answers."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = free.getsockname()
    command = [sys.executable, "-m", "resemblance", *map(str, words), f"--port={address[1]}"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **settings)
    try:
        until(lambda: answer(address, GET + b"\r\n"))
        yield Running(process, address)
    finally:
        process.terminate()
        process.wait(20)


def search(folder, **settings):
    items = rs.Items([f"tie {i}" for i in range(12)])
    for name in items.names:
        Image.new("RGB", (8, 8)).save(folder / f"{name}.png")
    positions = np.random.default_rng(0).normal(size=(12, 2))
    rs.save(rs.CKL(2, mu=0.3).set_positions(positions, items), folder / "ties.npz")
    return program("search", folder / "ties.npz", "--images", folder, **settings)


SERVERS = {
    "serve": lambda folder, **settings: started(write_study(folder / "ties"), **settings),
    "search": search,
    "open": lambda folder, **settings: program("open", "--no-browser", cwd=folder, **settings),
}


@pytest.fixture(scope="module", params=SERVERS)
def server(request, tmp_path_factory):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    limit = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (FILES, FILES))
    folder = tmp_path_factory.mktemp(request.param)
    with SERVERS[request.param](folder, preexec_fn=limit) as running:
        yield running
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connect(address):
    return socket.create_connection(address, timeout=20, source_address=("127.0.0.9", 0))


def answer(address, *parts):
    """Send a request, and return all that comes back until the connection ends or waits."""
    said = b""
    with suppress(OSError), socket.create_connection(address, timeout=20) as connection:
        for part in parts:
            connection.sendall(part)
        connection.settimeout(2)
        while part := connection.recv(65536):
            said += part
            connection.settimeout(0.3)
    return said


def status(said):
    return int(said.split(None, 2)[1])


def memory_mb(server):
    text = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", text)[1]) / 1024


CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n"
TOO_LONG = (
    (b"GET /" + b"a" * HEAD,),
    (GET, b"X-Long: " + b"a" * HEAD),
    (GET, *(b"X-%d: %s\r\n" % (n, b"a" * 1000) for n in range(HEAD // 1000))),
    (GET, b"a: b\r\n" * (HEADERS + 1)),
    (POST, CHUNKED, b"a: b\r\n" * (HEADERS + 1)),
    (POST, CHUNKED + b"X-Long: " + b"a" * 2 * HEAD),
)


def test_too_long_a_head_is_refused_and_one_of_nearly_as_much_is_taken(server):
    for parts in TOO_LONG:
        assert status(answer(server.address, *parts)) == 431, parts[0][:40]
    long = b"X-Long: " + b"a" * (HEAD - len(GET) - 20) + b"\r\n\r\n"
    assert status(answer(server.address, GET, long)) in (204, 403, 404)


def test_of_many_requests_at_once_the_first_are_answered(server):
    said = answer(server.address, (GET + b"\r\n") * 6000)
    assert 1 <= said.count(b"HTTP/1.1 ") <= 2 + PIPELINED
    assert b"connection: close" in said


def test_half_bodies_cost_little_and_nobody_waits(server):
    before = memory_mb(server)
    head = POST + b"Content-Length: %d\r\n\r\n" % BODY
    many = [connect(server.address) for _ in range(HALF)]
    for connection in many:
        with suppress(OSError):
            connection.sendall(head + b" " * (BODY - 1))
    until(lambda: answer(server.address, GET + b"Connection: close\r\n\r\n"), 10)
    assert memory_mb(server) - before < MOST_MB
    for connection in many:
        connection.close()


def test_more_silent_connections_than_a_server_can_hold_shut_nobody_out(server):
    many = [connect(server.address) for _ in range(MANY)]
    for connection in many:
        with suppress(OSError):
            connection.sendall(GET)
    until(lambda: answer(server.address, GET + b"\r\n"), 10)
    for connection in many:
        connection.close()
