"""Rate limits: a token bucket for each visitor."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address, ip_network

from resemblance.study.failures import Failure
from resemblance.web.buckets import Bucket, Buckets

MOST_PARTS = 4  # most parts of a limit of frequent requests
# longest pause between two guesses; time until guesses are forgotten
LONGEST_S, FORGOTTEN_S = 900.0, 24 * 3600.0
MOST_KEYS = 20_000  # buckets kept; beyond that full ones and old ones are forgotten


def network_of(address: str) -> str:
    """Return a visitor's network: the address, or the first 64 bits of IPv6.

    >>> network_of("2001:db8:1:2:3:4:5:6"), network_of("::ffff:192.0.2.7"), network_of("192.0.2.7")
    ('2001:db8:1:2::/64', '192.0.2.7', '192.0.2.7')
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, IPv4Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ip_network((ip, 64), strict=False))


@dataclass
class Limit:
    """Token bucket: ``burst`` requests at once, and ``per_second`` in the long run, for each
    key.

    >>> limit = Limit(burst=1, per_second=0.5, clock=lambda: 0.0)
    >>> limit.wait("a"), limit.wait("a")
    (0.0, 2.0)
    """

    burst: float
    per_second: float
    clock: Callable[[], float] = time.monotonic
    name: str = ""
    buckets: Buckets | None = None  # shared by all processes; each counts alone if that fails
    _left: dict[str, Bucket] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self, key: str, most: float = 0.0) -> float:
        """Take a token if there is one within ``most`` seconds; return the waiting time."""
        now, seconds = self.clock(), 0.0

        def taken(bucket: Bucket | None) -> Bucket | None:
            nonlocal seconds
            seconds, after = self._next(bucket, now)
            return after if seconds <= most else None

        self._change(key, taken, now)
        return seconds

    def take(self, key: str, most: float = 0.0) -> float:
        """Take a token or refuse the request; return the waiting time, at most ``most``."""
        seconds = self.wait(key, most)
        if seconds > most:
            raise Failure("too_many", retry_after=math.ceil(seconds))
        return seconds

    def _next(self, bucket: Bucket | None, now: float) -> tuple[float, Bucket]:
        """Return the seconds until a token, and the bucket without it."""
        left, at = bucket or (self.burst, now)
        left = min(self.burst, left + (now - at) * self.per_second)
        return max(0.0, (1 - left) / self.per_second), (left - 1, now)

    def _change(
        self, key: str, taken: Callable[[Bucket | None], Bucket | None], now: float
    ) -> None:
        shared = f"{self.name} {key}", taken, now, self.burst / self.per_second
        if self.buckets is not None and self.buckets.change(*shared):
            return
        with self._lock:
            if (after := taken(self._left.get(key))) is not None:
                self._keep(key, after, now)

    def _keep(self, key: str, bucket: Bucket, now: float) -> None:
        if len(self._left) >= MOST_KEYS:
            filling = self.burst / self.per_second
            filled = {k: v for k, v in self._left.items() if now - v[1] < filling}
            self._left = dict(list(filled.items())[-MOST_KEYS // 2 :])
        self._left.pop(key, None)  # the last one used stands last
        self._left[key] = bucket


@dataclass
class Growing(Limit):
    """Limit on guesses: after ``burst``, each pause is twice as long.

    A bucket holds the number of guesses, and the time of the next.
    """

    def forget(self, key: str) -> None:
        now = self.clock()
        self._change(key, lambda _: (0.0, now), now)

    def _next(self, bucket: Bucket | None, now: float) -> tuple[float, Bucket]:
        guesses, free = bucket or (0.0, now)
        guesses = 1.0 if now - free > FORGOTTEN_S else guesses + 1.0
        pause = 2.0 ** min(guesses - self.burst, 30.0) if guesses >= self.burst else 0.0
        return max(0.0, free - now), (guesses, max(now, free) + min(pause, LONGEST_S))


@dataclass(frozen=True)
class Sharing:
    """How the web processes of a server share their limits."""

    processes: int = 1
    buckets: Buckets | None = None  # None for a single process

    def exact(self, name: str, burst: float, per_second: float) -> Limit:
        """Make a limit that is exact over all processes, for rare and critical requests."""
        return Limit(burst, per_second, name=name, buckets=self.buckets)

    def growing(self, name: str, burst: float) -> Growing:
        """Make a limit on guesses over all processes."""
        return Growing(burst, burst / FORGOTTEN_S, name=name, buckets=self.buckets)

    def divided(self, burst: float, per_second: float) -> Limit:
        """Make a limit that is divided among the processes, for frequent requests."""
        n = min(self.processes, MOST_PARTS)
        return Limit(burst / n, per_second / n)


@dataclass
class Limits:
    """The rate limits of a space, for each visitor.

    Parameters
    ----------
    sharing : Sharing, optional
        How several processes share them.

    Attributes
    ----------
    requests : Limit
        Pages of the search, one more for each that is not worked out yet, and what programs ask
        about the space.
    kept : Limit
        Searches whose clicks are kept.
    """

    sharing: Sharing = field(default_factory=Sharing)

    def __post_init__(self) -> None:
        divided = self.sharing.divided
        self.requests = divided(burst=60, per_second=10)
        self.kept = divided(burst=30, per_second=0.5)
