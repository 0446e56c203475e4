"""Identities of participants: encrypted before consent, erased some days after the last visit.

Before consent the store has a keyed digest (HMAC) of the id, by which a second entry is recognised.
The id itself, the browser's report and the parameters of the address are encrypted (AES-GCM) under
the person's token, which only the browser keeps. Once the person consents, the next request
decrypts them. If the person declines or never answers, nobody can. Erasing keeps the answers and
the digest.
"""

import hashlib
import hmac
import json
import logging
import os
import secrets
import time
from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from resemblance.errors import FileError
from resemblance.files import write_private
from resemblance.store import ContentError, Participant, StoreError
from resemblance.store.records import Json
from resemblance.study.live import LiveStudy

KEY = "identity.key"  # file in the study's folder
DIGEST = "digest:"  # prefix of ids before consent
SEALED = "sealed"
AGAIN = "again"  # key of the time of the last entry, beside the browser's report
NONCE = 12
NUMBERED, DIGITS = ("sona",), 9  # services with numeric ids, and most digits of such an id
DAY_S = 86_400.0
EACH_S = 3600.0  # seconds between two checks of the worker
STEADY_S = 600.0  # seconds without a jump of the clock until it is trusted
JUMP_S = 60.0
REVIEW_DAYS = {"prolific": 21, "mturk": 7}  # days that work may wait for approval on each service
log = logging.getLogger("resemblance.worker")


def ids_of(folder: Path, source: str, external_id: str) -> tuple[str, ...]:
    """Return the forms under which an id may be stored: itself, and its digest before consent.

    A numeric id with or without leading zeros is the same person: further forms cover these.
    """
    same = [external_id]
    if source in NUMBERED and external_id.isdecimal() and len(external_id) <= DIGITS:
        number = str(int(external_id))
        padded = [number.zfill(n) for n in range(len(number), DIGITS + 1)]
        same += [form for form in padded if form != external_id]
    return tuple(name for form in same for name in (form, _digest(folder, source, form)))


def stand_in(folder: Path, person: Participant) -> str | None:
    """Return the digest that replaces a person's id, by which a second entry is recognised."""
    external_id = person.external_id
    if external_id is None or external_id.startswith(DIGEST):
        return external_id
    return ids_of(folder, person.source, external_id)[1]


def _digest(folder: Path, source: str, external_id: str) -> str:
    text = f"{source}:{external_id}".encode(errors="surrogatepass")
    return DIGEST + hmac.new(_key(folder), text, hashlib.sha256).hexdigest()


def seal(token: str, external_id: str | None, browser: Json) -> Json:
    """Encrypt a person's data under a token, which is new for every entry."""
    try:
        content = json.dumps({"id": external_id, "browser": browser}, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ContentError("a text contains a lone surrogate: remove it, and enter again") from None
    nonce = secrets.token_bytes(NONCE)
    closed = _cipher(token).encrypt(nonce, content, SEALED.encode())
    return {SEALED: b64encode(nonce + closed).decode()}


def opened(token: str, participant: Participant) -> tuple[str | None, Json]:
    if SEALED not in participant.browser:
        return participant.external_id, participant.browser
    try:
        whole = b64decode(participant.browser[SEALED])
        content = json.loads(_cipher(token).decrypt(whole[:NONCE], whole[NONCE:], SEALED.encode()))
    except (InvalidTag, ValueError):
        raise StoreError(
            f"data of {participant.code} from before consent cannot be decrypted, because it "
            "was changed in the database: erase the person, who may then enter again"
        ) from None
    return content["id"], content["browser"]


def _cipher(token: str) -> AESGCM:
    return AESGCM(hashlib.sha256(f"before consent, sealed {token}".encode()).digest())


def readable(participant: Participant) -> tuple[str | None, Json]:
    own_id = None if (participant.external_id or "").startswith(DIGEST) else participant.external_id
    return own_id, {} if SEALED in participant.browser else participant.browser


@lru_cache(maxsize=64)
def _key(folder: Path) -> bytes:
    """Read the key of a study's digests; if missing, create a file that only its owner may read."""
    path = folder / KEY
    try:
        if not path.exists():
            _make(path)
        return bytes.fromhex(path.read_text())
    except (OSError, ValueError) as error:
        raise FileError(
            f"{path} cannot be read or created ({error}): the server needs it to recognise people. "
            "Make the user that serves the owner of the file and its folder (chown). If the key is "
            "lost, remove the file: the server creates another, and people may take part again"
        ) from None


def _make(path: Path) -> None:
    """Create a key file, unless another process has just created it."""
    part = path.with_name(f".part-{secrets.token_hex(8)}")
    try:
        write_private(part, secrets.token_hex(32))
        os.link(part, path)
    except FileExistsError:
        pass
    finally:
        part.unlink(missing_ok=True)


@dataclass
class Forgetting:
    live: LiveStudy
    _next: float = 0.0  # next check, by the study's clock
    _begun: bool = False
    _again: bool = True  # whether earlier erasures may have left data in the database's log
    _ahead: float = float("inf")  # the study's clock minus the monotonic clock
    _since: float = 0.0  # last jump of the clock, by the monotonic clock

    def step(self) -> None:
        """Erase ids that are due, once an hour; failures are logged and retried.

        The first step repeats erasures that an earlier process may have left unfinished. Ids are
        erased only after ten minutes without a jump of the clock, in case it was set wrong.
        """
        now, steady = self.live.clock(), self._is_steady()
        if 0.0 < self._next - now <= EACH_S:  # a larger difference: the clock was set back
            return
        self._next = now + (EACH_S if steady else STEADY_S)
        try:
            if not self._begun:
                self.live.store.people.erase_again(self.live.record)
            self._begun = True
            if steady and self.live.settings.privacy.forget_ids_after_days is not None:
                forget_ids(self.live, "server", again=self._again)
                self._again = False
        except StoreError as error:
            log.warning("%s: %s", self.live.folder.name, error)
            self._begun, self._again = False, True

    def _is_steady(self) -> bool:
        now = time.monotonic()
        ahead = self.live.clock() - now
        if abs(ahead - self._ahead) > JUMP_S:
            self._ahead, self._since = ahead, now
        return now - self._since >= STEADY_S


def forget_ids(live: LiveStudy, who: str, days: int | None = None, again: bool = True) -> int:
    """Erase the ids and browser data of people away for ``days``; return the number of people.

    ``again`` also removes traces of earlier erasures from the database's log.
    """
    days = live.settings.privacy.forget_ids_after_days if days is None else days
    assert days is not None
    before = live.clock() - DAY_S * days

    def change(person: Participant) -> Json | None:
        if person.browser.get(AGAIN, 0.0) >= before or is_forgotten(person):
            return None
        return {"external_id": stand_in(live.folder.path, person), "browser": {}}

    store, record = live.store, live.record
    forgotten = store.retention.forget(record, before, change, who)
    if forgotten or (again and any(map(is_forgotten, store.people.all(record)))):
        store.retention.clean()
    return len(forgotten)


def is_forgotten(person: Participant) -> bool:
    """Return whether a person cannot be identified without the study's key."""
    return not person.browser and (person.external_id or DIGEST).startswith(DIGEST)
