"""Rate limits: a bucket of tokens for each visitor, filled again as time goes on."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address, ip_network

from resemblance.study.failures import Failure
from resemblance.web.buckets import Bucket, Buckets

MOST_PARTS = 4  # into which a limit of frequent requests is divided at most
MOST_KEYS = 20_000  # buckets kept; beyond that full ones and old ones are forgotten


def network_of(address: str) -> str:
    """Return the network that one visitor has for itself: of IPv6 the first 64 bits.

    Examples
    --------
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
    """So many requests at once, and so many a second in the long run, for each key.

    Parameters
    ----------
    burst : float
        How many at once.
    per_second : float
        How many a second.
    clock : callable, optional
        Gives the time; it never goes back.

    Examples
    --------
    >>> limit = Limit(burst=1, per_second=0.5, clock=lambda: 0.0)
    >>> limit.wait("a"), limit.wait("a")
    (0.0, 2.0)
    """

    burst: float
    per_second: float
    clock: Callable[[], float] = time.monotonic
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self, key: str) -> float:
        """Take one; 0 if it is there, else the seconds until it will be."""
        now = self.clock()
        left = self._now(self._left.get(key), now)
        if left >= 1:
            self._keep(key, left - 1, now)
            return 0.0
        return (1 - left) / self.per_second

    def _now(self, bucket: Bucket | None, now: float) -> float:
        """Say what a bucket holds now."""
        left, at = bucket or (self.burst, now)
        return min(self.burst, left + (now - at) * self.per_second)

    def take(self, key: str) -> None:
        """Take one, or refuse the request."""
        with self._lock:
            seconds = self.wait(key)
        if seconds:
            raise Failure("too_many", retry_after=math.ceil(seconds))

    def _keep(self, key: str, left: float, now: float) -> None:
        if len(self._left) >= MOST_KEYS:
            filling = self.burst / self.per_second
            filled = {k: v for k, v in self._left.items() if now - v[1] < filling}
            self._left = dict(list(filled.items())[-MOST_KEYS // 2 :])
        self._left.pop(key, None)  # the last one used stands last
        self._left[key] = (left, now)


@dataclass
class SharedLimit(Limit):
    """A limit that all web processes of a server keep together.

    Parameters
    ----------
    name : str
        Which limit it is.
    buckets : Buckets
        Where they keep it. Where that fails, each process keeps it alone.
    """

    name: str = ""
    buckets: Buckets | None = None

    def wait(self, key: str) -> float:
        """Take one; 0 if it is there, else the seconds until it will be."""
        if self.buckets is None:
            return super().wait(key)
        now, waits = self.clock(), 0.0

        def taken(bucket: Bucket | None) -> Bucket | None:
            nonlocal waits
            left = self._now(bucket, now)
            waits = 0.0 if left >= 1 else (1 - left) / self.per_second
            return (left - 1, now) if left >= 1 else None

        done = self.buckets.change(f"{self.name} {key}", taken, now, self.burst / self.per_second)
        return waits if done else super().wait(key)


@dataclass(frozen=True)
class Sharing:
    """How the web processes of a server share their limits.

    Attributes
    ----------
    processes : int
        How many they are.
    buckets : Buckets or None
        What they keep together; None where there is one process.
    """

    processes: int = 1
    buckets: Buckets | None = None

    def exact(self, name: str, burst: float, per_second: float) -> Limit:
        """Make a limit that holds for all processes together: of what is rare and guards a door."""
        return SharedLimit(burst, per_second, name=name, buckets=self.buckets)

    def divided(self, burst: float, per_second: float) -> Limit:
        """Make a limit of which each process has its part: of what is frequent."""
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
    trials : Limit
        Questions and answers of sessions: a whole laboratory may share one address.
    kept : Limit
        What stays on the disk: sessions begun, and searches that ended.
    """

    sharing: Sharing = field(default_factory=Sharing)

    def __post_init__(self) -> None:
        divided = self.sharing.divided
        self.requests = divided(burst=60, per_second=10)
        self.trials = divided(burst=600, per_second=60)
        self.kept = divided(burst=30, per_second=0.5)
