"""Rate-limit buckets that the web processes of one supervisor share in a file.

The supervisor makes the file when it starts, and removes it when it stops. It holds no address and
no name: keys are digests under a key that is drawn anew for every start. Nothing waits for the
disk, as a file that the power took is of no use to anybody.
"""

import hashlib
import logging
import secrets
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

Bucket = tuple[float, float]  # the rest, and the time when it was counted
FILE = "limits.sqlite"
PATIENCE_S = 1.0  # timeout of waiting for another process
SWEEP = 1000  # changes between two looks for buckets that are full again
MOST_KEYS = 20_000  # buckets kept
TABLE = "CREATE TABLE IF NOT EXISTS buckets (key BLOB PRIMARY KEY, held REAL, at REAL, full REAL)"
PUT = "INSERT OR REPLACE INTO buckets VALUES (?, ?, ?, ?)"
FILLED = "DELETE FROM buckets WHERE full < ?"
TOO_MANY = """
DELETE FROM buckets WHERE key IN (SELECT key FROM buckets ORDER BY full DESC LIMIT -1 OFFSET ?)
"""
log = logging.getLogger("resemblance.web")


class Buckets:
    """Rate-limit buckets in a file, shared by all processes."""

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
        """Change a bucket atomically among all processes; return False on failure.

        ``taken`` returns the new bucket, or None to leave it. An empty bucket is full again after
        ``filling`` seconds.
        """
        digest = hashlib.blake2b(key.encode(errors="replace"), key=self._key, digest_size=16)
        try:
            with self._lock:
                self._change(digest.digest(), taken, now, filling)
            return True
        except sqlite3.Error as error:
            log.warning("limits are not shared among the web processes: %s", error)
            return False

    def _change(
        self,
        key: bytes,
        taken: Callable[[Bucket | None], Bucket | None],
        now: float,
        filling: float,
    ) -> None:
        self._file.execute("BEGIN IMMEDIATE")
        with self._file:  # commits, or takes it back
            row = self._file.execute(
                "SELECT held, at FROM buckets WHERE key = ?", (key,)
            ).fetchone()
            if (after := taken(row)) is not None:
                self._file.execute(PUT, (key, *after, now + filling))
                self._sweep(now)

    def _sweep(self, now: float) -> None:
        """Delete full buckets, and the fullest ones if there are too many."""
        self._changes += 1
        if self._changes % SWEEP == 0:
            self._file.execute(FILLED, (now,))
            self._file.execute(TOO_MANY, (MOST_KEYS,))


class BucketsFile:
    """The supervisor's file of buckets, from its start to its end."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="resemblance-limits-")
        self.path = str(Path(self._folder.name) / FILE)
        self.key = secrets.token_hex(32)

    def remove(self) -> None:
        self._folder.cleanup()
