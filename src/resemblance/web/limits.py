"""Rate limits: a token bucket for each visitor.

If there are several web processes, exact limits are in a SQLite file that all processes share; the
supervisor creates and removes the file. It contains digests of addresses and names, with a random
key that is new at each start. Writes are not flushed to disk.
"""

import hashlib
import logging
import math
import secrets
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address, ip_network
from pathlib import Path

from resemblance.study.failures import Failure

Bucket = tuple[float, float]  # number of tokens, and the time when it was counted
FILE = "limits.sqlite"
PATIENCE_S = 1.0  # seconds to wait for the lock of the file
SWEEP = 1000  # number of changes between deletions of full buckets
MOST_KEYS = 20_000  # largest number of buckets; beyond it, full and old buckets are deleted
TABLE = "CREATE TABLE IF NOT EXISTS buckets (key BLOB PRIMARY KEY, held REAL, at REAL, full REAL)"
PUT = "INSERT OR REPLACE INTO buckets VALUES (?, ?, ?, ?)"
FILLED = "DELETE FROM buckets WHERE full < ?"
TOO_MANY = """
DELETE FROM buckets WHERE key IN (SELECT key FROM buckets ORDER BY full DESC LIMIT -1 OFFSET ?)
"""
log = logging.getLogger("resemblance.web")
MOST_PARTS = 4  # A divided limit has at most this many parts, even if there are more processes.
# in seconds: the longest pause between two guesses, and the time until guesses are forgotten
LONGEST_S, FORGOTTEN_S = 900.0, 24 * 3600.0


class Buckets:
    def __init__(self, file: Path, key: str) -> None:
        self._key = key.encode()
        self._lock = threading.Lock()
        self._changes = 0
        self._file = sqlite3.connect(
            file, timeout=PATIENCE_S, isolation_level=None, check_same_thread=False
        )
        for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = OFF", TABLE):
            self._file.execute(statement)

    def change(
        self, key: str, taken: Callable[[Bucket | None], Bucket | None], now: float, filling: float
    ) -> bool:
        """Change a bucket atomically for all processes; return False if the file failed.

        ``taken`` maps the old bucket to the new bucket, or to None for no change. An empty bucket
        is full again after ``filling`` seconds.
        """
        digest = hashlib.blake2b(key.encode(errors="replace"), key=self._key, digest_size=16)
        try:
            with self._lock:
                self._change(digest.digest(), taken, now, filling)
            return True
        except sqlite3.Error as error:
            log.warning("web processes cannot share their rate limits: %s", error)
            return False

    def _change(
        self,
        key: bytes,
        taken: Callable[[Bucket | None], Bucket | None],
        now: float,
        filling: float,
    ) -> None:
        self._file.execute("BEGIN IMMEDIATE")
        with self._file:  # The block commits, or rolls back after an error.
            row = self._file.execute(
                "SELECT held, at FROM buckets WHERE key = ?", (key,)
            ).fetchone()
            if (after := taken(row)) is not None:
                self._file.execute(PUT, (key, *after, now + filling))
                self._sweep(now)

    def _sweep(self, now: float) -> None:
        """Delete full buckets sometimes; if there are too many buckets, delete the fullest."""
        self._changes += 1
        if self._changes % SWEEP == 0:
            self._file.execute(FILLED, (now,))
            self._file.execute(TOO_MANY, (MOST_KEYS,))


class BucketsFile:
    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="resemblance-limits-")
        self.path = str(Path(self._folder.name) / FILE)
        self.key = secrets.token_hex(32)

    def remove(self) -> None:
        self._folder.cleanup()


def network_of(address: str) -> str:
    """Return a visitor's network: the IPv4 address, or the first 64 bits of the IPv6 address."""
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
    """A bucket for each key: at most ``burst`` tokens, ``per_second`` new tokens each second."""

    burst: float
    per_second: float
    clock: Callable[[], float] = time.monotonic
    name: str = ""
    # buckets in a shared file; if it fails, each process counts separately
    buckets: Buckets | None = None
    _left: dict[str, Bucket] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self, key: str, most: float = 0.0) -> float:
        """Return the seconds until a token is free; take it if the wait is at most ``most``."""
        now, seconds = self.clock(), 0.0

        def taken(bucket: Bucket | None) -> Bucket | None:
            nonlocal seconds
            seconds, after = self._next(bucket, now)
            return after if seconds <= most else None

        self._change(key, taken, now)
        return seconds

    def take(self, key: str, most: float = 0.0) -> float:
        """Take a token; return the wait in seconds, or raise Failure if it is above ``most``."""
        seconds = self.wait(key, most)
        if seconds > most:
            raise Failure("too_many", retry_after=math.ceil(seconds))
        return seconds

    def _next(self, bucket: Bucket | None, now: float) -> tuple[float, Bucket]:
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
        # A dictionary is in the order of insertion: the latest key comes last.
        self._left.pop(key, None)
        self._left[key] = bucket


@dataclass
class Growing(Limit):
    """A limit on guesses: after ``burst`` guesses, each pause is twice as long as the last."""

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
    """Number of web processes, and the file in which the processes share limits."""

    processes: int = 1
    buckets: Buckets | None = None  # None if there is only one process

    def exact(self, name: str, burst: float, per_second: float) -> Limit:
        """Return a limit that all processes share exactly, for rare and critical requests."""
        return Limit(burst, per_second, name=name, buckets=self.buckets)

    def growing(self, name: str, burst: float) -> Growing:
        return Growing(burst, burst / FORGOTTEN_S, name=name, buckets=self.buckets)

    def divided(self, burst: float, per_second: float) -> Limit:
        """Return a limit that is divided evenly among the processes, for frequent requests."""
        n = min(self.processes, MOST_PARTS)
        return Limit(burst / n, per_second / n)


@dataclass
class Limits:
    """Rate limits of a search page: ``requests``, and ``kept`` for stored clicks."""

    sharing: Sharing = field(default_factory=Sharing)

    def __post_init__(self) -> None:
        divided = self.sharing.divided
        self.requests = divided(burst=60, per_second=10)
        self.kept = divided(burst=30, per_second=0.5)
