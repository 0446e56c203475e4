"""A local host for upstream files, so that downloads are tested on a closed network."""

import hashlib
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format, *args):
        pass


class Mirror:
    """A host of files on 127.0.0.1, which counts what it serves and can go away."""

    def __init__(self, root):
        self.root = root
        self.requests = 0
        mirror = self

        class Handler(QuietHandler):
            def do_GET(self):
                mirror.requests += 1
                super().do_GET()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root)))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def offer(self, remote, content):
        """Serve the content at the remote file's place and return the file pinned to it."""
        place = self.root / remote.upstream
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        return replace(remote, sha256=hashlib.sha256(content).hexdigest())

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    served = Mirror(tmp_path / "mirror")
    monkeypatch.setenv("RESEMBLANCE_DATA_MIRROR", served.url)
    monkeypatch.setenv("RESEMBLANCE_DATA", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield served
    served.close()
