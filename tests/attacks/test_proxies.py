"""Behind a proxy each visitor has limits of its own, as the files in deploy/ set the server up."""

import json
import os
import socket
import socketserver
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from postgres import postgresql
from resemblance.cli.app import app
from resemblance.web.addresses import Arrivals
from study_folder import LIGHT

COMPOSE = Path(__file__).parents[2] / "deploy" / "compose.yaml"
PROXY, OTHER_PROXY = "127.0.0.2", "127.0.0.3"
ATTACKER, PERSON = "127.0.0.4", "127.0.0.5"
HOST = "study.example.org"
BURST = 120  # entries of one network


class Proxy(socketserver.ThreadingTCPServer):
    """A reverse proxy that comes from an address of its own and says for whom, as Caddy does."""

    daemon_threads = allow_reuse_address = True

    def __init__(self, address, port):
        self.own, self.behind = address, port
        super().__init__((address, 0), PassOn)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *error):
        self.shutdown()  # else it goes on with whatever gets the number of its socket
        super().__exit__(*error)


class PassOn(BaseHTTPRequestHandler):
    """Pass a request on; what the visitor wrote of itself is left out."""

    def do_GET(self):
        back = HTTPConnection("127.0.0.1", self.server.behind, source_address=(self.server.own, 0))
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {
            "Host": self.headers["host"],
            "Content-Type": self.headers.get("content-type", ""),
            "X-Forwarded-For": self.client_address[0],
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Host": self.headers["host"],
        }
        back.request(self.command, self.path, body, headers)
        reply = back.getresponse()
        told = reply.read()
        self.send_response(reply.status)
        self.send_header("content-length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_POST = do_GET

    def log_message(self, *_):
        """Say nothing."""


def send(proxy, visitor, method="POST", path="/api/studies/ties/participants", lie=None):
    """Ask a proxy from an address; give the status and the reply."""
    link = HTTPConnection(*proxy.server_address, source_address=(visitor, 0), timeout=30)
    headers = {"Host": HOST, "Content-Type": "application/json"}
    headers |= {"X-Forwarded-For": lie} if lie else {}
    link.request(method, path, "{}" if method == "POST" else None, headers)
    reply = link.getresponse()
    return reply.status, reply.read()


def warnings(port):
    """Ask the server itself, as the health check of the image does.

    One of its processes may hold for a second that the worker has not begun (503): the same is odd.
    """
    link = HTTPConnection("127.0.0.1", port, timeout=10)
    link.request("GET", "/ready")
    return json.load(link.getresponse())["warnings"]


def until(port):
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=10):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not begin")


@contextmanager
def started(words, folder):
    """Start the command of the compose file on this machine."""
    database = {"RESEMBLANCE_DATABASE": postgresql().create()}
    with subprocess.Popen(
        [sys.executable, "-m", "resemblance", *words],
        cwd=folder,
        env={**os.environ, **database},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


@pytest.mark.server
def test_behind_the_shipped_proxy_one_address_shuts_nobody_out(make_study):
    """The compose file as it is, but for the addresses, which this machine has not."""
    told = yaml.safe_load(COMPOSE.read_text())
    (network,) = told["networks"]["outside"]["ipam"]["config"]
    command = told["services"]["study"]["command"]
    assert set(told["services"]["proxy"]["networks"]) == {"outside"}
    assert f'proxies = ["{network["subnet"]}"]' in COMPOSE.read_text()
    port = free_port()
    server = {"address": f"https://{HOST}", "proxies": [PROXY]}
    folder = make_study("study", study={"name": "ties", **LIGHT}, server=server)
    with started([*command, "--port", str(port)], folder.parent) as process:
        until(port)
        with Proxy(PROXY, port) as proxy, Proxy(OTHER_PROXY, port) as stranger:
            sent = [200]
            while (
                sent[-1] == 200 and len(sent) < 20 * BURST
            ):  # buckets fill while machines are slow
                sent.append(send(proxy, ATTACKER, lie=PERSON)[0])
            assert sent.count(200) > BURST
            assert sent[-1] == 429
            assert send(proxy, PERSON)[0] == 200
            assert "untrusted_proxy" not in warnings(port)
            assert "warnings" not in json.loads(send(proxy, PERSON, "GET", "/ready")[1])
            for _ in range(20):  # some reach each of the processes
                send(stranger, PERSON, "GET", "/health")
            assert any("untrusted_proxy" in warnings(port) for _ in range(20))
            toml = folder / "study.toml"
            toml.write_text(toml.read_text().replace("[server]", f"[server]\nport = {port}"))
            checks = (CliRunner().invoke(app, ["check", str(folder)]).output for _ in range(20))
            assert any("server.proxies" in one for one in checks)
        process.terminate()
        assert OTHER_PROXY.encode() in process.stderr.read()


def test_nearly_all_from_one_address_are_told_once_an_hour(caplog):
    now = [0.0]
    arrivals = Arrivals(clock=lambda: now[0])
    for n in range(19):
        arrivals.enter("10.0.0.1" if n else "192.0.2.7")
    assert arrivals.warnings == []
    arrivals.enter("10.0.0.1")
    arrivals.enter("10.0.0.1")
    assert arrivals.warnings == ["one_address"]
    assert len(caplog.records) == 1
    now[0] = 3601.0
    assert arrivals.warnings == []
    arrivals.enter("10.0.0.1")
    assert len(caplog.records) == 2
    for n in range(50):
        arrivals.enter(f"192.0.2.{n}")
    now[0] = 2 * 3601.0
    arrivals.enter("10.0.0.1")
    assert arrivals.warnings == []


def test_the_desk_tells_who_may_mend_it(served):
    accounts = served.shared.accounts
    once = accounts.invite()
    served.client.post("/desk/login", data={"secret": once, "password": "a long password"})
    assert "server.proxies" not in served.client.get("/desk").text
    served.client.get("/health", headers={"X-Forwarded-For": "192.0.2.7"})
    assert served.shared.arrivals.warnings == ["untrusted_proxy"]
    assert "server.proxies" in served.client.get("/desk").text
