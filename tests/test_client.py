"""What the clients make of servers that are none of ours, or answer wrongly."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

from resemblance.client import Client, StudyClient
from resemblance.errors import SettingError, UnavailableError
from resemblance.failures import Failure

Begin = Callable[..., HTTPServer]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Begin a server that answers everything alike, and notes what it was asked."""
    servers = []

    def answering(status: int, body: bytes, **headers: str) -> HTTPServer:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.server.asked.append((self.path, sent))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *words: object) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        server.asked, server.address = [], f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return server

    yield answering
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1]", b"{}", b'{"nearest": ', b"\xff"])
def test_what_is_no_answer_of_the_server(begin, body):
    with pytest.raises(UnavailableError):
        Client(begin(200, body).address).nearest("rock")


def test_a_body_that_is_cut_off(begin):
    for status, problem in ((200, UnavailableError), (404, Failure)):
        with pytest.raises(problem):
            Client(begin(status, b"{}", Content_Length="100").address).items()


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"error": "no"}', b'{"error": {}}'])
def test_a_refusal_of_another_server(begin, body):
    with pytest.raises(Failure) as problem:
        Client(begin(502, body).address).items()
    assert problem.value.code == "failed"


def test_a_token_goes_to_no_other_server(begin):
    other = begin(200, b'{"answers": [], "next": null}')
    server = begin(301, b"", Location=f"{other.address}/api")
    with pytest.raises(Failure, match=other.address):
        list(StudyClient(server.address, "ties", "secret").answers())
    assert (len(server.asked), other.asked) == (1, [])


@pytest.mark.parametrize(
    ("setting", "use"),
    [
        ("address", lambda: Client("lab.example")),
        ("address", lambda: Client("file:///etc/passwd")),
        ("timeout", lambda: Client("http://127.0.0.1:1", timeout=0)),
        ("token", lambda: StudyClient("http://127.0.0.1:1", "ties", "two\nlines")),
        ("token", lambda: StudyClient("http://127.0.0.1:1", "ties", "")),
    ],
)
def test_settings_that_reach_no_server(setting, use):
    with pytest.raises(SettingError) as problem:
        use()
    assert problem.value.setting == setting


def test_names_are_one_part_of_an_address_and_arrays_are_numbers(begin):
    server = begin(200, b'{"position": [0.0], "answers": [], "next": null}')
    list(StudyClient(server.address, "a/../b", "token").answers())
    Client(server.address).position_of(np.ones(2, np.float32))
    assert server.asked[0][0].startswith("/api/results/a%2F..%2Fb/answers?")
    assert server.asked[1][1] == b'{"features": [1.0, 1.0]}'
