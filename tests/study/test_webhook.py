"""A webhook: told what happens, signed, in order, until it is taken, and not again."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from resemblance.errors import ResemblanceError
from resemblance.study.rules import RULE
from resemblance.study.webhook import SIGNATURE, is_signed, signed
from resemblance.study.worker import calls
from small_study import SMALL, Hands, People, make_folder, open_study

SECRET = "sixteen letters, or more"


@pytest.fixture
def receiver():
    """A program that fails twice."""
    got, statuses = [], [500, 503]

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = statuses.pop() if statuses else 204
            got.append((status, body, self.headers[SIGNATURE]))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.got = got
    yield server
    server.shutdown()
    server.server_close()


def sections(address):
    return f'{SMALL}[webhook]\naddress = "{address}"\nsecret = "hook.key"\n'


def write_secret(path, secret=SECRET):
    path.mkdir(exist_ok=True)
    (path / "hook.key").write_text(secret)


def wait_for(hands, found, seconds=20.0):
    until = time.monotonic() + seconds
    while not found() and time.monotonic() < until:
        hands.watch()
        time.sleep(0.02)
    assert found()


def test_what_happens_is_told_until_it_is_taken_and_once(tmp_path, receiver, monkeypatch):
    monkeypatch.setattr(calls, "FIRST_S", 0.01)
    write_secret(tmp_path / "dots")
    address = f"http://127.0.0.1:{receiver.server_port}/hook"
    live = open_study(
        tmp_path / "dots", f"sqlite:///{tmp_path}/s.sqlite", sections=sections(address)
    )
    hands = Hands(live)
    hands.settle()
    before = len(receiver.got)
    for state in ("paused", "open"):
        live.store.studies.set_state(live.record, state, "ann")
    person = People(live, 1).persons[0]
    rule = {"rule": "gold below 0.7", "action": "flag"}
    live.store.people.note(person, RULE, RULE, rule)
    newest = live.store.events.trail(live.record, 1)[0].id
    told = lambda: live.store.events.last(live.record, calls.CALLED)  # noqa: E731
    wait_for(hands, lambda: told() is not None and told().details["upto"] == newest)
    taken = [json.loads(body) for status, body, _ in receiver.got if status == 204]
    assert [(one["event"], one["by"]) for one in taken] == [
        ("study paused", "ann"),
        ("study open", "ann"),
        (RULE, RULE),
    ]
    assert taken[-1]["details"] == {"participant": person.code, **rule}
    assert (before, len(receiver.got)) == (0, 5)
    assert all(
        is_signed(SECRET.encode(), body, header, time.time()) for _, body, header in receiver.got
    )
    hands.work.close()
    again = Hands(live)
    again.begin()
    again.watch()
    time.sleep(0.1)
    assert len(receiver.got) == 5
    live.store.close()


def test_only_who_has_the_secret_signs():
    body, now = b'{"study": "dots"}', 1_800_000_000
    header = signed(b"the secret", body, now)
    assert is_signed(b"the secret", body, header, now + 299)
    for secret, told, said, at in (
        (b"another", body, header, now),
        (b"the secret", body + b" ", header, now),
        (b"the secret", body, header, now + 301),
        (b"the secret", body, header.replace(str(now), str(now + 1)), now),
        (b"the secret", body, "nonsense", now),
    ):
        assert not is_signed(secret, told, said, at)


@pytest.mark.parametrize(
    ("address", "secret"),
    [
        ("http://lab.example.org/hook", SECRET),
        ("file:///etc/passwd", SECRET),
        ("https://lab.example.org/hook", "short"),
        ("https://lab.example.org/hook", None),
    ],
)
def test_what_anybody_could_read_or_sign_is_refused(tmp_path, address, secret):
    if secret is not None:
        write_secret(tmp_path / "dots", secret)
    with pytest.raises(ResemblanceError, match=r"webhook|hook\.key"):
        make_folder(tmp_path / "dots", sections=sections(address))
