"""Simulate a faulty proxy or network between a person and a real server."""

import http.client
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat

PAGE = b"<html><body><h1>Bad gateway</h1></body></html>"
FAULTS = [
    "lost request",
    "lost reply",
    "cut reply",
    "twice",
    "late copy",
    "byte by byte",
    "502",
    "502 afterwards",
    "404",  # from a proxy whose server is down
    "401",  # from a network that requires a login
]
PASSED_ON = ["twice", "late copy", "byte by byte"]  # faults after which the reply arrives


class Relay:
    """A context that forwards requests to a local port.

    Requests to ``/api`` meet one fault each, in order; later requests meet none.
    """

    def __init__(self, port, faults):
        self.port, self.faults, self.late, self.met = port, chain(faults, repeat("")), [], []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.relay = self
        self.server.block_on_close = False  # a browser keeps its connections
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()
        self.pass_late()

    def next(self, path):
        with self.lock:
            fault = next(self.faults) if path.startswith("/api/") else ""
            self.met += [(fault, path)] if fault else []
            return fault

    def pass_on(self, method, path, headers, body, slowly=False):
        there = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        there.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers:
            there.putheader(name, value)
        there.endheaders(None if slowly else body or None)
        for byte in body if slowly else b"":
            there.send(bytes([byte]))
            time.sleep(0.0005)
        reply = there.getresponse()
        told = reply.status, reply.getheaders(), reply.read()
        there.close()
        return told

    def pass_late(self):
        """Send the copies that were held back, after later requests."""
        with self.lock:
            late, self.late = self.late, []
        for request in late:
            self.pass_on(*request)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        relay = self.server.relay
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = self.command, self.path, self.headers.items(), body
        fault = relay.next(self.path)
        late = bool(relay.late) and self.path.startswith("/api/")
        if fault == "lost request":
            self.close_connection = True
        elif fault in ("404", "401", "502"):
            self.tell(int(fault), [("Content-Type", "text/html")], PAGE)
        else:
            told = relay.pass_on(*request, slowly=fault == "byte by byte")
            if fault == "twice":
                told = relay.pass_on(*request)
            if fault == "502 afterwards":
                told = 502, [("Content-Type", "text/html")], PAGE
            if late:
                relay.pass_late()
            if fault == "late copy":
                relay.late.append(request)
            self.tell(*told, cut={"lost reply": 0, "cut reply": 2}.get(fault))

    do_POST = do_GET

    def tell(self, status, headers, body, cut=None):
        """Send a reply; with cut=0 hang up instead, with cut=2 hang up after half of it."""
        if cut is not None:
            self.close_connection = True
        if cut == 0:
            return
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // cut] if cut else body)
