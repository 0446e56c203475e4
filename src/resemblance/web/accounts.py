"""Accounts of researchers: passwords, log-in sessions and permissions."""

import hashlib
import hmac
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from resemblance.errors import FileError, SettingError
from resemblance.files import owner_of, refuse_as_root, write_private

if TYPE_CHECKING:
    from argon2 import PasswordHasher

Role = Literal["owner", "reader"]
Kind = Literal["session", "invitation", "browser"]
ROLES: tuple[Role, ...] = ("owner", "reader")
FILE = "secret"
FIRST = "researcher"  # name of the first account of a new server
SESSION_S, INVITED_S, KNOWN_S = 12 * 3600, 7 * 24 * 3600, 365 * 24 * 3600
# Expired invitations are kept for this many seconds, in case the clock was wrong.
LATE_S = 400 * 86400.0
LEAST_PASSWORD = 10
TOTP_S = 30  # duration of a one-time code in seconds
DRIFT = 1  # number of earlier codes, and of later codes, that are also accepted


def new_epoch() -> int:
    """Return a random epoch: an account that is removed and created again gets another epoch."""
    return secrets.randbits(53)


@dataclass(frozen=True)
class Account:
    password: str | None = None  # argon2id hash; None before the invitation is accepted
    admin: bool = False  # whether the account may see all studies and invite people
    studies: dict[str, Role] = field(default_factory=dict)
    totp: str = ""  # key of one-time codes; "" if codes are off
    totp_used: int = 0  # time step of the last code that was used, counted from 1970
    # A new epoch begins when the password or codes change, and when a user logs out everywhere.
    epoch: int = field(default_factory=new_epoch)


@dataclass(frozen=True)
class Pass:
    """A credential, valid until ``ends`` or until the account gets a new epoch."""

    kind: Kind
    name: str
    epoch: int
    ends: float
    began: float = 0.0
    browser: str = ""  # content of the User-Agent header


@dataclass(frozen=True)
class Stored:
    key: str  # key that signs tickets
    accounts: dict[str, Account] = field(default_factory=dict)
    passes: dict[str, Pass] = field(default_factory=dict)  # for each digest of a secret, its pass


class Accounts:
    """The accounts of a server, in a file that only its owner can read."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        refuse_as_root(path.parent)
        self.path, self._clock = path, clock
        self._writing = threading.Lock()
        if not path.exists():
            self._write(Stored(secrets.token_urlsafe(32)))

    @property
    def all(self) -> dict[str, Account]:
        return self._read().accounts

    @property
    def is_new(self) -> bool:
        return all(account.password is None for account in self.all.values())

    @property
    def awaits(self) -> bool:
        stored = self._read()
        return any(
            g.kind == "invitation" and self._alive(stored, g) for g in stored.passes.values()
        )

    @property
    def first(self) -> str:
        """The name of the first account that may invite people."""
        return next((name for name, account in self.all.items() if account.admin), FIRST)

    def role(self, name: str, study: str) -> Role | None:
        account = self.all.get(name)
        if account is None:
            return None
        return "owner" if account.admin else account.studies.get(study)

    def invite(
        self,
        name: str = FIRST,
        studies: Mapping[str, Role] | None = None,
        admin: bool | None = None,
    ) -> str:
        """Invite somebody to set a password; return a one-time secret, valid for a week."""
        checked_name(name)
        with self._changing() as stored:
            first = not stored.accounts
            account = stored.accounts.get(name, Account(admin=first))
            account = replace(
                account,
                studies=account.studies | dict(studies or {}),
                admin=account.admin if admin is None else admin,
            )
            stored.accounts[name] = account
            for key, grant in list(stored.passes.items()):
                if (grant.kind, grant.name) == ("invitation", name):
                    del stored.passes[key]
            return self._give(stored, "invitation", name, INVITED_S)

    def invites(self, once: str) -> bool:
        return self._holder("invitation", once) is not None

    def accept(self, once: str, password: str) -> str | None:
        """Set the password of an invited account; return the name, or None if refused."""
        if (name := self._holder("invitation", once)) is None:
            return None
        hashed = self._hashed(password)
        with self._changing() as stored:
            if stored.passes.pop(_digest(once), None) is None:
                return None
            _begin_epoch(stored, name, password=hashed, totp="")
        return name

    def set_password(self, name: str, password: str) -> None:
        hashed = self._hashed(password)
        with self._changing() as stored:
            _begin_epoch(stored, name, password=hashed)

    def end_all(self, name: str) -> None:
        with self._changing() as stored:
            _begin_epoch(stored, name)

    def meant(self, name: str) -> str:
        """Return the account of a name; "" means the only account."""
        accounts = self.all
        return next(iter(accounts)) if not name and len(accounts) == 1 else name

    def opens(self, password: str, name: str = "", code: str = "") -> str | None:
        """Return the name if password and code are right; checks of unknown names take as long."""
        from argon2.exceptions import Argon2Error, InvalidHashError

        name = self.meant(name)
        account = self.all.get(name, Account())
        try:
            _hasher().verify(account.password or _nobody(), password)
        except (Argon2Error, InvalidHashError):
            return None
        well = account.password is not None and (not account.totp or self._uses(name, code))
        return name if well else None

    def remove(self, name: str) -> None:
        """Remove an account and its sessions, but not the last account that may invite people."""
        with self._changing() as stored:
            stored.accounts.pop(name, None)
            if not any(account.admin for account in stored.accounts.values()):
                raise SettingError(f"{name} is the last account that may invite others: keep it")

    def begin_anew(self, names: Collection[str]) -> None:
        """Remove all other accounts, and end all sessions, invitations and tickets."""
        kept = {name: account for name, account in self.all.items() if name in names}
        if kept and not any(account.admin for account in kept.values()):
            raise SettingError("none of these accounts may invite others: keep one that may")
        self._write(Stored(secrets.token_urlsafe(32), kept))

    def allow(self, name: str, study: str, role: Role | None) -> None:
        with self._changing() as stored:
            account = stored.accounts[name]
            studies = {key: granted for key, granted in account.studies.items() if key != study}
            studies |= {} if role is None else {study: role}
            stored.accounts[name] = replace(account, studies=studies)

    def new_totp(self) -> str:
        import pyotp

        return pyotp.random_base32()

    def confirm_totp(self, name: str, key: str, code: str) -> bool:
        """Turn one-time codes on if ``code`` is right, or off if ``key`` is empty."""
        used = _matches(key, code, self._clock(), 0) if key else 0
        if used is None:
            return False
        with self._changing() as stored:
            _begin_epoch(stored, name, totp=key, totp_used=used)
        return True

    def _uses(self, name: str, code: str) -> bool:
        with self._changing() as stored:
            account = stored.accounts[name]
            used = _matches(account.totp, code, self._clock(), account.totp_used)
            if used is not None:
                stored.accounts[name] = replace(account, totp_used=used)
        return used is not None

    def session(self, name: str, browser: str = "") -> str:
        with self._changing() as stored:
            return self._give(stored, "session", name, SESSION_S, browser)

    def sessions(self, session: str) -> list[tuple[Pass, bool]]:
        """Return the account's sessions, newest first, and whether each is the given session."""
        stored, name = self._read(), self.holder(session)
        grants = [
            (grant, key == _digest(session))
            for key, grant in stored.passes.items()
            if (grant.kind, grant.name) == ("session", name) and self._alive(stored, grant)
        ]
        return sorted(grants, key=lambda pair: -pair[0].began)

    def holder(self, session: str) -> str | None:
        return self._holder("session", session)

    def end(self, session: str) -> None:
        with self._changing() as stored:
            stored.passes.pop(_digest(session), None)

    def remember(self, name: str) -> str:
        """Return a secret for a cookie, which later proves that a browser has logged in before."""
        with self._changing() as stored:
            return self._give(stored, "browser", name, KNOWN_S)

    def remembers(self, browser: str, name: str) -> bool:
        return self._holder("browser", browser) == name

    def _give(
        self, stored: Stored, kind: Kind, name: str, seconds: float, browser: str = ""
    ) -> str:
        once, now = secrets.token_urlsafe(18), self._clock()
        epoch = stored.accounts[name].epoch
        stored.passes[_digest(once)] = Pass(kind, name, epoch, now + seconds, now, browser)
        return once

    def _holder(self, kind: Kind, once: str) -> str | None:
        stored = self._read()
        grant = stored.passes.get(_digest(once))
        if grant is None or grant.kind != kind or not self._alive(stored, grant):
            return None
        return grant.name

    def _alive(self, stored: Stored, grant: Pass, late: float = 0.0) -> bool:
        account = stored.accounts.get(grant.name)
        of_now = account is not None and account.epoch == grant.epoch
        return of_now and grant.ends + late > self._clock()

    def ticket(self, session: str, purpose: str) -> str:
        """Return a signed ticket for one purpose, valid as long as the session."""
        key = _digest(session)
        return f"{key}.{self._sign(f'ticket {purpose} {key}')}"

    def holds(self, ticket: str, purpose: str) -> bool:
        key, _, signature = ticket.partition(".")
        stored = self._read()
        grant = stored.passes.get(key)
        signed = _same(self._sign(f"ticket {purpose} {key}"), signature)
        return signed and grant is not None and self._alive(stored, grant)

    def _hashed(self, password: str) -> str:
        if len(password) < LEAST_PASSWORD:
            raise SettingError(f"the password is short: give {LEAST_PASSWORD} characters or more")
        return _hasher().hash(password)

    def _sign(self, text: str) -> str:
        return hmac.new(self._read().key.encode(), text.encode(), hashlib.sha256).hexdigest()

    def _read(self) -> Stored:
        try:
            content = json.loads(self.path.read_text())
            accounts = {name: Account(**of) for name, of in content["accounts"].items()}
            passes = {key: Pass(**of) for key, of in content["passes"].items()}
            return Stored(content["key"], accounts, passes)
        except PermissionError:
            raise FileError(
                f"{self.path} belongs to {owner_of(self.path)} and cannot be read: make the user "
                "that serves its owner (chown), and run commands as that user"
            ) from None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise FileError(
                f"{self.path} cannot be read ({type(error).__name__}): restore it from a backup, "
                "or remove it, and the server creates a new one without accounts"
            ) from None

    @contextmanager
    def _changing(self) -> Iterator[Stored]:
        with self._writing, _locked(self.path.with_name(f".{self.path.name}.lock")):
            stored = self._read()
            yield stored
            kept = {
                key: grant
                for key, grant in stored.passes.items()
                if self._alive(stored, grant, LATE_S if grant.kind == "invitation" else 0.0)
            }
            self._write(replace(stored, passes=kept))

    def _write(self, stored: Stored) -> None:
        part = self.path.with_name(f".part-{self.path.name}")
        part.unlink(missing_ok=True)
        write_private(part, json.dumps(asdict(stored)))
        os.replace(part, self.path)


def file_for(studies: Sequence[Path]) -> Path:
    """Return the accounts file of studies on one server; their order does not matter."""
    files = {(study / FILE).resolve(): study for study in studies if (study / FILE).exists()}
    if len(files) > 1:
        raise SettingError(
            f"{', '.join(map(str, files.values()))} have different accounts, in files {FILE!r}: "
            "serve them separately, or remove all of these files but the one to use"
        )
    return next(iter(files), (studies[0] / FILE).absolute())


def checked_name(name: str) -> str:
    if not name or len(name) > 60 or not name.isprintable() or name != name.strip():
        raise SettingError(f"{name!r} cannot name an account: give 1 to 60 printable characters")
    return name


def _begin_epoch(stored: Stored, name: str, **changes: Any) -> None:
    stored.accounts[name] = replace(stored.accounts[name], epoch=new_epoch(), **changes)


def _matches(key: str, code: str, now: float, used: int) -> int | None:
    """Return the time step whose unused code is given, or None; clocks may drift."""
    import pyotp

    at = int(now // TOTP_S)
    # A used step in the future means that the clock was set back.
    used = used if used <= at + DRIFT else 0
    for counter in range(max(at - DRIFT, used + 1), at + DRIFT + 1):
        if _same(pyotp.HOTP(key).at(counter), code.replace(" ", "")):
            return counter
    return None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        _lock(file)
        yield


def _lock(file: IO[str]) -> None:
    try:
        import fcntl
    except ImportError:  # On Windows there is only one process.
        return
    fcntl.flock(file, fcntl.LOCK_EX)


def _same(first: str, second: str) -> bool:
    return hmac.compare_digest(first.encode(), second.encode(errors="replace"))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


@cache
def _nobody() -> str:
    """Return the hash of a random password, checked in place of unknown names."""
    return _hasher().hash(secrets.token_urlsafe(18))


def _hasher() -> "PasswordHasher":
    from argon2 import PasswordHasher

    return PasswordHasher()
