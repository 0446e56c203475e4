"""Close silent or slow connections of a web process, to make room for people."""

import time
from typing import Any

import uvicorn

from resemblance.web.guards import SLOWEST_S

KEPT_S = 150  # seconds that a connection is kept, longer than proxies keep theirs
MOST = 20_000  # connections, or half of the files that may be open: some answers are files
SWEEP = 10  # ticks of the server between two looks, a second


class Server(uvicorn.Server):
    """A server that closes silent connections, and those that do not read."""

    most = MOST

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        # last state of each connection, and its time
        self._quiet: dict[Any, tuple[Any, float]] = {}

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
            before, since = self._quiet.get(connection, (None, now))
            quiet[connection] = (asked, unread), since if before == (asked, unread) else now
            if asked is None or asked.response_complete or unread:
                idle.append((asked is not None and not unread, quiet[connection][1], connection))
        self._quiet = quiet
        excess = len(connections) - self.most
        for place, (kept, since, connection) in enumerate(sorted(idle, key=lambda at: at[:2])):
            if place < excess or now - since > (KEPT_S if kept else SLOWEST_S):
                connection.transport.abort()
