"""Run an application on a socket, with limits on connections and requests."""

import ctypes
import socket
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from typing import Any

import httptools
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from resemblance.web.guards import LARGEST, SLOWEST_S
from resemblance.web.limits import network_of

GRACE_S = 5.0  # seconds in which open requests may finish after the process was asked to end
KEPT_S = 150  # seconds until an idle connection is closed; longer than proxies keep it open
# Largest number of connections. They use at most half of the open files that are allowed, because
# responses need files, too.
MOST = 20_000
SWEEP = 10  # The server ticks ten times per second, and checks the connections every SWEEP ticks.
HEAD = 64 * 1024  # largest size of a request line and its headers, in bytes
HEADERS = 100  # largest number of headers of a request
PIPELINED = 8  # largest number of requests of a connection that wait for an earlier request
# Largest size of all unfinished requests, in bytes. Their objects take three times as much.
HELD = 16 << 20
TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)


def run(app: ASGIApp, listening: socket.socket, stop: threading.Event | None = None) -> None:
    """Serve an application until a signal arrives or ``stop`` is set."""
    server = Server(
        uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # addresses.forwarded reads these headers.
            timeout_keep_alive=KEPT_S,
            timeout_graceful_shutdown=int(GRACE_S),
        )
    )
    server.allow_many()
    give_back()
    if stop is not None:
        threading.Thread(target=server.end_after, args=(stop,), daemon=True).start()
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


def give_back() -> None:
    """Make glibc return the memory of request bodies to the system at once."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(-3, 32 * 1024)  # The number -3 is M_MMAP_THRESHOLD.


class State(ServerState):
    """The connections of a process, and the size of their unfinished requests."""

    held = 0

    def make_room(self) -> None:
        """Abort requests until half of HELD is free; begin with the network that uses most."""
        everybody: Any = self.connections
        holding = [connection for connection in everybody if connection.held]
        networks = {each: network_of(each.client[0] if each.client else "") for each in holding}
        totals: Counter[str] = Counter()
        for connection, network in networks.items():
            totals[network] += connection.held
        holding.sort(key=lambda connection: (totals[networks[connection]], connection.held))
        while self.held > HELD / 2 and holding:
            holding.pop().end()


class Connection(HttpToolsProtocol):
    server_state: State
    head, held, refused = 0, 0, False

    def data_received(self, data: bytes) -> None:
        while data and not self.refused:
            room = HEAD - self.head
            part, data = data[:room], data[room:]
            self.head += len(part)
            self._hold(min(self.held + len(part), HEAD + LARGEST))
            super().data_received(part)
            if self.head >= HEAD and not self.refused:
                self.send_400_response("")

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= PIPELINED:
            raise httptools.HttpParserError("too many requests wait")
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if len(self.headers) >= HEADERS:
            self.head = HEAD
            raise httptools.HttpParserError("too many headers")
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self.head = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self.head = 0
        super().on_body(body)

    def on_response_complete(self) -> None:
        if not self.pipeline:
            self._hold(self.head)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._hold(0)
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer the complete requests of a connection, and refuse the remaining data."""
        self.refused = True
        last: Any = self.cycle
        if last is not None and not last.more_body and not last.response_complete:
            last.keep_alive = False
        elif self.head >= HEAD:
            self.transport.write(TOO_LARGE)
            self.transport.close()
        else:
            super().send_400_response(msg)

    def end(self) -> None:
        self.refused = True
        self._hold(0)
        if self.cycle is not None:
            self.cycle.body.clear()
        self.transport.abort()

    def unsent(self) -> int:
        """Return the number of unacknowledged bytes, including the kernel's buffer."""
        unsent = self.transport.get_write_buffer_size()
        with suppress(ImportError, OSError):
            from fcntl import ioctl
            from termios import TIOCOUTQ

            descriptor = self.transport.get_extra_info("socket").fileno()
            unsent += int.from_bytes(ioctl(descriptor, TIOCOUTQ, bytes(4)), sys.byteorder)
        return unsent

    def _hold(self, n_bytes: int) -> None:
        self.server_state.held += n_bytes - self.held
        self.held = n_bytes
        if self.server_state.held > HELD:
            self.server_state.make_room()


class Server(uvicorn.Server):
    """A server that closes idle connections, and connections whose client does not read."""

    most = MOST

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.server_state: State = State()
        # last state of each connection, and when the state last changed
        self._quiet: dict[Connection, tuple[Any, float]] = {}

    def allow_many(self) -> None:
        """Raise the limit on open files, because each visitor has an open connection."""
        with suppress(ImportError, OSError, ValueError):
            import resource

            _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            self.most = min(self.most, most // 2) if most > 0 else self.most

    def end_after(self, stop: threading.Event) -> None:
        stop.wait()
        self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        if counter % SWEEP == 0:
            self.sweep(time.monotonic())
        return await super().on_tick(counter)

    def sweep(self, now: float) -> None:
        connections: list[Any] = list(self.server_state.connections)
        quiet: dict[Any, tuple[Any, float]] = {}
        idle: list[tuple[bool, float, Any]] = []
        for connection in connections:
            asked, unread = connection.cycle, connection.transport.get_write_buffer_size()
            state = asked, connection.unsent()
            before, since = self._quiet.get(connection, (None, now))
            quiet[connection] = state, since if before == state else now
            if asked is None or asked.response_complete or unread:
                idle.append((asked is not None and not unread, quiet[connection][1], connection))
        self._quiet = quiet
        excess = len(connections) - self.most
        for place, (kept, since, connection) in enumerate(sorted(idle, key=lambda at: at[:2])):
            if place < excess or now - since > (KEPT_S if kept else SLOWEST_S):
                connection.end()
