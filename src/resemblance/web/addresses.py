"""Network addresses of visitors, also behind reverse proxies, and limits by network."""

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from resemblance.store import Participant
from resemblance.study.entry import UNANSWERED_MINUTES
from resemblance.study.live import LiveStudy

# headers that proxies add to requests
PASSED_ON = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "true-client-ip",
    "cf-connecting-ip",
)
# headers that give the visitor's address
FOR_SOMEBODY = {b"forwarded", b"x-forwarded-for", b"x-real-ip"}
# Warn if nearly all of the latest people came from one network: a share of at least NEARLY_ALL of
# LATEST people, or of fewer people, but at least LEAST.
LATEST, LEAST, NEARLY_ALL = 50, 20, 0.9
# People of one network who have not answered may hold at most 25 % of the places, but always ten.
SHARE, LEAST_PLACES = 0.25, 10
TOLD_S = 3600.0  # For this many seconds a warning is shown, and is not logged again.
# warnings about proxies, in the log, in `check` and at the desk
WARNINGS = {
    "untrusted_proxy": (
        "a request was forwarded for a visitor, but not by a trusted proxy, so all visitors of its "
        "sender share one rate limit. If the sender is your proxy, name it in server.proxies; "
        "otherwise somebody forged the header, and there is nothing to do"
    ),
    "one_address": (
        "nearly all people who entered recently share one network address, and so one rate limit. "
        "In a laboratory this is normal; otherwise a proxy hides their addresses: let it forward "
        "them, and name it in server.proxies"
    ),
}
log = logging.getLogger("resemblance.web")


def is_from_here(scope: Scope) -> bool:
    """Return whether a request was sent on this machine, and not by a proxy on it."""
    headers = Headers(scope=scope)
    if scope["client"] is None or any(name in headers for name in PASSED_ON):
        return False
    try:
        peer = ip_address(scope["client"][0].partition("%")[0])
    except ValueError:  # The peer is a Unix socket.
        return False
    if isinstance(peer, IPv6Address) and peer.ipv4_mapped is not None:
        peer = peer.ipv4_mapped
    return peer.is_loopback


@dataclass
class Arrivals:
    """The latest entries at one web process, and warnings about the visitors' addresses."""

    clock: Callable[[], float] = time.monotonic
    _latest: deque[str] = field(default_factory=lambda: deque(maxlen=LATEST))
    _seen: dict[str, float] = field(default_factory=dict)  # time of the last warning, by code

    def enter(self, network: str) -> None:
        self._latest.append(network)
        most = Counter(self._latest).most_common(1)[0][1]
        if len(self._latest) >= LEAST and most >= NEARLY_ALL * len(self._latest):
            self.warn("one_address", network)

    @property
    def warnings(self) -> list[str]:
        return [code for code, at in self._seen.items() if self.clock() - at < TOLD_S]

    def warn(self, code: str, address: str) -> None:
        if code not in self.warnings:
            self._seen[code] = self.clock()
            log.warning("%s: %s", address, WARNINGS[code])


@dataclass
class Newcomers:
    """People who entered recently, by network; only in memory, so addresses are not stored."""

    processes: int = 1
    clock: Callable[[], float] = time.monotonic
    # for each study and id of a person: time of entry, network and person
    _came: dict[tuple[str, int], tuple[float, str, Participant]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, live: LiveStudy, network: str, person: Participant) -> None:
        with self._lock:
            self._came[live.folder.name, person.id] = self.clock(), network, person

    def crowd(self, live: LiveStudy, network: str) -> bool:
        """Return whether a network's people without answers fill its share of places."""
        places = live.settings.recruitment.max_participants
        if places is None or live.settings.recruitment.signed:
            return False
        since = self.clock() - 60.0 * UNANSWERED_MINUTES
        share = max(LEAST_PLACES, SHARE * places) / self.processes
        with self._lock:
            self._came = {key: came for key, came in self._came.items() if came[0] > since}
            own = [
                (key, person)
                for key, (_, whence, person) in self._came.items()
                if (key[0], whence) == (live.folder.name, network)
            ]
        if len(own) < share:
            return False
        answered = [key for key, person in own if live.store.answers.of(person)]
        with self._lock:
            for key in answered:
                self._came.pop(key, None)
        return len(own) - len(answered) >= share


def forwarded(app: ASGIApp, trusted: Iterable[str], arrivals: Arrivals) -> ASGIApp:
    """Read visitors' addresses from headers of trusted proxies; warn of other proxies."""
    believing: Any = ProxyHeadersMiddleware(app, sorted(trusted))  # type: ignore[arg-type]

    async def passed(scope: Scope, receive: Receive, send: Send) -> None:
        peer = (scope.get("client") or ("",))[0]
        forwards = any(name in FOR_SOMEBODY for name, _ in scope.get("headers", ()))
        if forwards and peer not in believing.trusted_hosts:
            arrivals.warn("untrusted_proxy", peer)
        await believing(scope, receive, send)

    return passed
