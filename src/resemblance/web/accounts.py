"""The researchers of a server: their passwords, their sessions, and what each may do."""

import hashlib
import hmac
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from resemblance.errors import FileError, SettingError
from resemblance.files import lend, owner_of

if TYPE_CHECKING:
    from argon2 import PasswordHasher

Role = Literal["owner", "reader"]
ROLES: tuple[Role, ...] = ("owner", "reader")
FILE = "secret"
FIRST = "researcher"  # the account that a new server begins with
SESSION_S = 12 * 3600
INVITED_S = 7 * 24 * 3600
LEAST_PASSWORD = 10
TOTP_S = 30  # of a code
DRIFT = 1  # codes before and after the present one that are taken


@dataclass(frozen=True)
class Account:
    """A researcher.

    Attributes
    ----------
    password : str or None
        Its argon2id hash; None before the invitation is accepted.
    admin : bool
        Whether all studies are its own, and it may invite others.
    studies : dict of str to "owner" or "reader"
        What it may do in which study.
    totp, totp_used : str and int
        The key of one-time codes, "" without; and the last code used, counted from 1970.
    epoch : int
        Which password it is; sessions of earlier ones have ended.
    """

    password: str | None = None
    admin: bool = False
    studies: dict[str, Role] = field(default_factory=dict)
    totp: str = ""
    totp_used: int = 0
    epoch: int = 0


@dataclass(frozen=True)
class Stored:
    """What the file holds: nothing that opens the door by being read.

    The key signs session cookies; passwords and invitations are kept as digests. ``invitations``
    are (name, end) by digest, ``ended`` the ends of sessions that were logged out, by number.
    """

    key: str
    accounts: dict[str, Account] = field(default_factory=dict)
    invitations: dict[str, tuple[str, float]] = field(default_factory=dict)
    ended: dict[str, float] = field(default_factory=dict)


class Accounts:
    """The accounts of a server, kept in a file that only its owner reads.

    Parameters
    ----------
    path : Path
        The file; it is made if it is not there.
    clock : callable, optional
        Gives the time in seconds.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path, self._clock = path, clock
        self._writing = threading.Lock()
        if not path.exists():
            self._write(Stored(secrets.token_urlsafe(32)))

    @property
    def all(self) -> dict[str, Account]:
        """The accounts by name."""
        return self._read().accounts

    @property
    def is_new(self) -> bool:
        """Whether nobody can log in yet."""
        return all(one.password is None for one in self.all.values())

    @property
    def awaits(self) -> bool:
        """Whether an invitation waits to be accepted."""
        return any(ends > self._clock() for _, ends in self._read().invitations.values())

    @property
    def first(self) -> str:
        """The first account that may invite others, or what it is called on a new server."""
        return next((name for name, one in self.all.items() if one.admin), FIRST)

    def role(self, name: str, study: str) -> Role | None:
        """Say what an account may do in a study."""
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
        """Make an invitation, with which a new account, or a lost password, gets a password.

        Earlier invitations of the account are void; its password stays until this one is accepted.

        Returns
        -------
        str
            The one-time secret. Only its digest is kept, for seven days.
        """
        checked_name(name)
        once = secrets.token_urlsafe(18)
        with self._changing() as stored:
            first = not stored.accounts
            account = stored.accounts.get(name, Account(admin=first))
            account = replace(
                account,
                studies=account.studies | dict(studies or {}),
                admin=account.admin if admin is None else admin,
            )
            stored.accounts[name] = account
            kept = {key: one for key, one in stored.invitations.items() if one[0] != name}
            stored.invitations.clear()
            stored.invitations.update(kept | {_digest(once): (name, self._clock() + INVITED_S)})
        return once

    def accept(self, once: str, password: str) -> str | None:
        """Set the password of an invited account; return its name, None for a wrong secret.

        The invitation is void then, and so is every session of the account.

        Raises
        ------
        SettingError
            If the password is too short.
        """
        invitation = self._read().invitations.get(_digest(once))
        if invitation is None or invitation[1] <= self._clock():
            return None
        hashed = self._hashed(password)
        with self._changing() as stored:
            if stored.invitations.pop(_digest(once), None) is None:
                return None
            account = stored.accounts[invitation[0]]
            changes: dict[str, Any] = {"password": hashed, "epoch": account.epoch + 1, "totp": ""}
            stored.accounts[invitation[0]] = replace(account, **changes)
        return invitation[0]

    def set_password(self, name: str, password: str) -> None:
        """Change a password; every session of the account has ended then."""
        hashed = self._hashed(password)
        with self._changing() as stored:
            account = stored.accounts[name]
            stored.accounts[name] = replace(account, password=hashed, epoch=account.epoch + 1)

    def opens(self, password: str, name: str = "", code: str = "") -> str | None:
        """Return the name of the account that a password opens, with its code where it has one.

        Without a name it is the only account. An unknown name takes as long as a wrong password.
        """
        from argon2.exceptions import Argon2Error, InvalidHashError

        accounts = self.all
        name = next(iter(accounts)) if not name and len(accounts) == 1 else name
        account = accounts.get(name, Account())
        try:
            right = _hasher().verify(account.password or _nobody(), password)
        except (Argon2Error, InvalidHashError):
            return None
        well = (
            right and account.password is not None and (not account.totp or self._uses(name, code))
        )
        return name if well else None

    def remove(self, name: str) -> None:
        """Remove an account, its sessions and invitations.

        Raises
        ------
        SettingError
            If it is the last one that may invite others.
        """
        with self._changing() as stored:
            stored.accounts.pop(name, None)
            if not any(one.admin for one in stored.accounts.values()):
                raise SettingError(f"{name} is the last account that may invite others: keep it")
            for key in [key for key, one in stored.invitations.items() if one[0] == name]:
                del stored.invitations[key]

    def allow(self, name: str, study: str, role: Role | None) -> None:
        """Let an account own or read a study, or neither."""
        with self._changing() as stored:
            account = stored.accounts[name]
            studies = {key: one for key, one in account.studies.items() if key != study}
            studies |= {} if role is None else {study: role}
            stored.accounts[name] = replace(account, studies=studies)

    def new_totp(self) -> str:
        """Make a key for one-time codes, for :meth:`confirm_totp`."""
        import pyotp

        return pyotp.random_base32()

    def confirm_totp(self, name: str, key: str, code: str) -> bool:
        """Ask for codes from now on, if this one is right; an empty key asks for none."""
        used = _matches(key, code, self._clock(), 0) if key else 0
        if used is None:
            return False
        with self._changing() as stored:
            account = stored.accounts[name]
            stored.accounts[name] = replace(account, totp=key, totp_used=used)
        return True

    def _uses(self, name: str, code: str) -> bool:
        """Take a code, once."""
        with self._changing() as stored:
            account = stored.accounts[name]
            used = _matches(account.totp, code, self._clock(), account.totp_used)
            if used is not None:
                stored.accounts[name] = replace(account, totp_used=used)
        return used is not None

    def session(self, name: str) -> str:
        """Make a session: end, number, account and its epoch, and the signature of all."""
        epoch = self.all[name].epoch
        ends = int(self._clock()) + SESSION_S
        body = f"{ends}.{secrets.token_urlsafe(12)}.{epoch}.{name}"
        return f"{body}.{self._sign(f'session {body}')}"

    def holder(self, session: str) -> str | None:
        """Return whose session it is; None where it was not made here, or has ended."""
        body, _, signature = session.rpartition(".")
        if not _same(self._sign(f"session {body}"), signature):
            return None
        ends, number, epoch, name = body.split(".", 3)
        stored = self._read()
        account = stored.accounts.get(name)
        lives = int(ends) > self._clock() and number not in stored.ended
        return name if lives and account is not None and account.epoch == int(epoch) else None

    def end(self, session: str) -> None:
        """End a session: its cookie is worth nothing from now on."""
        if self.holder(session) is None:
            return
        ends, number, _ = session.split(".", 2)
        with self._changing() as stored:
            now = self._clock()
            for key in [key for key, until in stored.ended.items() if until < now]:
                del stored.ended[key]
            stored.ended[number] = float(ends)

    def ticket(self, purpose: str) -> str:
        """Make a ticket for a purpose, which ends as a session does and is nobody's."""
        body = f"{int(self._clock()) + SESSION_S}.{secrets.token_urlsafe(12)}"
        return f"{body}.{self._sign(f'ticket {purpose} {body}')}"

    def holds(self, ticket: str, purpose: str) -> bool:
        """Say whether a ticket was made here, for this purpose, and has not ended."""
        body, _, signature = ticket.rpartition(".")
        ends = body.partition(".")[0]
        signed = _same(self._sign(f"ticket {purpose} {body}"), signature)
        return signed and ends.isdigit() and int(ends) > self._clock()

    def csrf(self, session: str) -> str:
        """Return the token that every form of a session carries."""
        return self._sign("csrf " + session)

    def is_csrf(self, session: str, token: str) -> bool:
        """Say whether a form came from a page of this session."""
        return _same(self.csrf(session), token)

    def _hashed(self, password: str) -> str:
        if len(password) < LEAST_PASSWORD:
            raise SettingError(f"the password is short: give {LEAST_PASSWORD} characters or more")
        return _hasher().hash(password)

    def _sign(self, text: str) -> str:
        return hmac.new(self._read().key.encode(), text.encode(), hashlib.sha256).hexdigest()

    def _read(self) -> Stored:
        try:
            content = json.loads(self.path.read_text())
            return _of_first_version(content) if "once" in content else _of(content)
        except PermissionError:
            raise FileError(
                f"{self.path} belongs to {owner_of(self.path)} and cannot be read here: give it to "
                "the user that serves (chown), and run commands as that user"
            ) from None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise FileError(
                f"{self.path} cannot be read ({type(error).__name__}): restore it from a backup, "
                "or remove it, and the server makes a new one without accounts"
            ) from None

    @contextmanager
    def _changing(self) -> Iterator[Stored]:
        """Read, change and write as one step, whichever process does it."""
        with self._writing, _locked(self.path.with_name(f".{self.path.name}.lock")):
            stored = self._read()
            yield stored
            self._write(stored)

    def _write(self, stored: Stored) -> None:
        part = self.path.with_name(f".part-{self.path.name}")
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(json.dumps(asdict(stored)))
            file.flush()
            os.fsync(file.fileno())
        lend(part)
        os.replace(part, self.path)


def checked_name(name: str) -> str:
    """Refuse what cannot be the name of an account."""
    if not name or len(name) > 60 or not name.isprintable() or name != name.strip():
        raise SettingError(f"{name!r} is no name of an account: give up to 60 characters")
    return name


def _of(content: dict[str, Any]) -> Stored:
    accounts = {name: Account(**one) for name, one in content["accounts"].items()}
    invitations = {key: (name, ends) for key, (name, ends) in content["invitations"].items()}
    return Stored(content["key"], accounts, invitations, content["ended"])


def _of_first_version(content: dict[str, Any]) -> Stored:
    """Read the file of a server that had one password."""
    accounts = {FIRST: Account(content["password"], admin=True)}
    once = {content["once"]: (FIRST, float("inf"))} if content["once"] else {}
    return Stored(content["key"], accounts if content["password"] or once else {}, once)


def _matches(key: str, code: str, now: float, used: int) -> int | None:
    """Return which code of a key it is, of those near to now and after the one used last."""
    import pyotp

    at = int(now // TOTP_S)
    for counter in range(max(at - DRIFT, used + 1), at + DRIFT + 1):
        if _same(pyotp.HOTP(key).at(counter), code.replace(" ", "")):
            return counter
    return None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a file's lock, where the system has such locks."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        lend(path)
        _lock(file)
        yield


def _lock(file: IO[str]) -> None:
    try:
        import fcntl
    except ImportError:  # one process serves where there are none
        return
    fcntl.flock(file, fcntl.LOCK_EX)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode(errors="replace"))


def _digest(secret: str) -> str:
    """Digest a secret of 128 bits or more, which needs no salt."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


@cache
def _nobody() -> str:
    """Return the hash of a password that nobody has."""
    return _hasher().hash(secrets.token_urlsafe(18))


def _hasher() -> "PasswordHasher":
    from argon2 import PasswordHasher

    return PasswordHasher()
