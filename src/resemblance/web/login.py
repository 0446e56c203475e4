"""The researcher's secret of a server: made by the server, changed at the first login."""

import hashlib
import hmac
import json
import os
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from resemblance.errors import FileError, SettingError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

FILE = "secret"
SESSION_S = 12 * 3600
LEAST_PASSWORD = 10


@dataclass(frozen=True)
class Stored:
    """What the file holds: nothing that opens the door by being read.

    The key signs session cookies; the one-time secret and the password are kept as digests.
    """

    key: str
    once: str | None = None
    password: str | None = None


class Secrets:
    """The lock of the researcher's desk, kept in a file that only its owner reads.

    Parameters
    ----------
    path : Path
        The file; it is made if it is not there.
    clock : callable, optional
        Gives the time in seconds.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path, self._clock = path, clock
        self._hashing = threading.Lock()  # one at a time: each takes 64 MB
        if not path.exists():
            self._write(Stored(secrets.token_urlsafe(32)))

    @property
    def has_password(self) -> bool:
        """Whether a password was set."""
        return self._read().password is not None

    @property
    def has_once(self) -> bool:
        """Whether a one-time secret waits to be used."""
        return self._read().once is not None

    def new_once(self) -> str:
        """Make a one-time secret, which sets the password; the one before is void."""
        once = secrets.token_urlsafe(18)
        self._write(replace(self._read(), once=_digest(once)))
        return once

    def set_password(self, once: str, password: str) -> bool:
        """Set the password by the one-time secret, which is then void, and so is every session.

        Raises
        ------
        SettingError
            If the password is too short.
        """
        stored = self._read()
        if stored.once is None or not hmac.compare_digest(_digest(once), stored.once):
            return False
        if len(password) < LEAST_PASSWORD:
            raise SettingError(f"the password is short: give {LEAST_PASSWORD} characters or more")
        self._write(Stored(secrets.token_urlsafe(32), None, _hasher().hash(password)))
        return True

    def opens(self, password: str) -> bool:
        """Say whether the password is right."""
        from argon2.exceptions import Argon2Error, InvalidHashError

        stored = self._read().password
        try:
            with self._hashing:
                return stored is not None and _hasher().verify(stored, password)
        except (Argon2Error, InvalidHashError):
            return False

    def session(self, purpose: str = "session") -> str:
        """Make a session: when it ends, a number of its own, and the signature of both."""
        ends = f"{int(self._clock()) + SESSION_S}.{secrets.token_urlsafe(12)}"
        return f"{ends}.{self._sign(f'{purpose} {ends}')}"

    def holds(self, session: str, purpose: str = "session") -> bool:
        """Say whether a session was made here, for this purpose, and has not ended."""
        body, _, signature = session.rpartition(".")
        ends = body.partition(".")[0]
        signed = hmac.compare_digest(self._sign(f"{purpose} {body}").encode(), signature.encode())
        return signed and ends.isdigit() and int(ends) > self._clock()

    def csrf(self, session: str) -> str:
        """Return the token that every form of a session carries."""
        return self._sign("csrf " + session)

    def is_csrf(self, session: str, token: str) -> bool:
        """Say whether a form came from a page of this session."""
        return hmac.compare_digest(self.csrf(session).encode(), token.encode())

    def _sign(self, text: str) -> str:
        return hmac.new(self._read().key.encode(), text.encode(), hashlib.sha256).hexdigest()

    def _read(self) -> Stored:
        try:
            return Stored(**json.loads(self.path.read_text()))
        except (OSError, ValueError, TypeError) as error:
            raise FileError(
                f"{self.path} cannot be read ({type(error).__name__}): remove it, and the server "
                "makes a new one"
            ) from None

    def _write(self, stored: Stored) -> None:
        part = self.path.with_name(f".part-{self.path.name}")
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(json.dumps(asdict(stored)))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.path)


def _digest(secret: str) -> str:
    """Digest a secret of 128 bits or more, which needs no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _hasher() -> "PasswordHasher":
    from argon2 import PasswordHasher

    return PasswordHasher()
