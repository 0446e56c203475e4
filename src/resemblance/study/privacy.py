"""Identities of participants: encrypted before consent, and erased days after the last visit.

Before consent, the store has a keyed digest (HMAC) of the id, to recognise a second entry. The id,
the browser's report and the parameters of the address are encrypted (AES-GCM). The key is the
person's token, which only the browser stores. After consent, the next request decrypts these data.
If the person declines or never answers, nobody can decrypt them. Erasing an identity does not erase
the answers or the digest.
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

KEY = "identity.key"  # name of the file in the study's folder
DIGEST = "digest:"  # prefix of ids that are stored before consent
SEALED = "sealed"
AGAIN = "again"  # key under which the time of the last entry is stored, in the browser's report
NONCE = 12
# recruiting services with numeric ids, and the largest number of digits
NUMBERED, DIGITS = ("sona",), 9
DAY_S = 86_400.0
EACH_S = 3600.0  # seconds between two checks by the worker
STEADY_S = 600.0  # The clock is trusted after this many seconds without a jump.
JUMP_S = 60.0
# number of days in which a submission may be approved, by recruiting service
REVIEW_DAYS = {"prolific": 21, "mturk": 7}
log = logging.getLogger("resemblance.worker")


def ids_of(folder: Path, source: str, external_id: str) -> tuple[str, ...]:
    """Return the forms in which an id may be stored: the id, and its digest before consent.

    Numeric ids with and without leading zeros mean the same person, so both forms are returned.
    """
    same = [external_id]
    if source in NUMBERED and external_id.isdecimal() and len(external_id) <= DIGITS:
        number = str(int(external_id))
        padded = [number.zfill(n) for n in range(len(number), DIGITS + 1)]
        same += [form for form in padded if form != external_id]
    return tuple(name for form in same for name in (form, _digest(folder, source, form)))


def stand_in(folder: Path, person: Participant) -> str | None:
    """Return the digest that replaces a person's id; a second entry has the same digest."""
    external_id = person.external_id
    if external_id is None or external_id.startswith(DIGEST):
        return external_id
    return ids_of(folder, person.source, external_id)[1]


def _digest(folder: Path, source: str, external_id: str) -> str:
    text = f"{source}:{external_id}".encode(errors="surrogatepass")
    return DIGEST + hmac.new(_key(folder), text, hashlib.sha256).hexdigest()


def seal(token: str, external_id: str | None, browser: Json) -> Json:
    """Encrypt a person's data with a token, which is new for every entry."""
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
    _next: float = 0.0  # time of the next check, by the study's clock
    _begun: bool = False
    _again: bool = True  # whether the log of the database may contain data that were erased earlier
    # difference between the study's clock and the monotonic clock, in seconds
    _ahead: float = float("inf")
    _since: float = 0.0  # time of the last jump of the study's clock, by the monotonic clock

    def step(self) -> None:
        """Erase ids whose time has come, once an hour; failures are logged and retried.

        The first step repeats erasures that an earlier process may not have finished. A clock may
        be wrong, so ids are erased only after ten minutes in which it did not jump.
        """
        now, steady = self.live.clock(), self._is_steady()
        # A larger difference means that the clock was set back.
        if 0.0 < self._next - now <= EACH_S:
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
    """Erase ids and browser data of people whose last visit is over ``days`` ago; return how many.

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
    """Return whether a person's identity was erased, except for the keyed digest."""
    return not person.browser and (person.external_id or DIGEST).startswith(DIGEST)
