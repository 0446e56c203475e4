"""Encrypt a person's ids before consent, so that nobody can read them.

The id at the source becomes a keyed digest, which recognises a second entry. The id itself, the
browser's report and the parameters of the address are sealed (AES-GCM): the key is the person's
token, which the browser holds and the store does not. With consent the browser's next request
opens them; who declines, or never answers, leaves what nobody can open.
"""

import hashlib
import hmac
import json
import os
import secrets
from base64 import b64decode, b64encode
from functools import lru_cache
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from resemblance.errors import FileError
from resemblance.files import write_private
from resemblance.store import ContentError, Participant, StoreError

Json = dict[str, Any]
KEY = "identity.key"  # file in the study's folder
DIGEST = "digest:"  # prefix of ids before consent
SEALED = "sealed"
AGAIN = "again"  # key of the time of return, beside the browser's report
NONCE = 12
NUMBERED, DIGITS = ("sona",), 9  # services whose ids are numbers, and how long these are


def ids_of(folder: Path, source: str, external_id: str) -> tuple[str, ...]:
    """Return an id as stored after consent, and the digest that replaces it before.

    Further values are other ids of the same person: for services with numeric ids, leading zeros
    make no new person.
    """
    same = [external_id]
    if source in NUMBERED and external_id.isdecimal() and len(external_id) <= DIGITS:
        number = str(int(external_id))
        padded = [number.zfill(n) for n in range(len(number), DIGITS + 1)]
        same += [form for form in padded if form != external_id]
    return tuple(name for form in same for name in (form, _digest(folder, source, form)))


def stand_in(folder: Path, person: Participant) -> str | None:
    """Return the digest of a person's id: it recognises a second entry, and identifies nobody."""
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
        raise ContentError("a text holds half of a character: remove it, and enter again") from None
    nonce = secrets.token_bytes(NONCE)  # the key is new as well: each closes one text
    closed = _cipher(token).encrypt(nonce, content, SEALED.encode())
    return {SEALED: b64encode(nonce + closed).decode()}


def opened(token: str, participant: Participant) -> tuple[str | None, Json]:
    """Return a person's id and browser, decrypted if necessary."""
    if SEALED not in participant.browser:
        return participant.external_id, participant.browser
    try:
        whole = b64decode(participant.browser[SEALED])
        content = json.loads(_cipher(token).decrypt(whole[:NONCE], whole[NONCE:], SEALED.encode()))
    except (InvalidTag, ValueError):
        raise StoreError(
            f"data of {participant.code} from before consent cannot be decrypted, since it "
            "was changed in the database: erase the person, who may then enter again"
        ) from None
    return content["id"], content["browser"]


def _cipher(token: str) -> AESGCM:
    """Return the cipher of a token with 256 random bits."""
    return AESGCM(hashlib.sha256(f"before consent, sealed {token}".encode()).digest())


def readable(participant: Participant) -> tuple[str | None, Json]:
    """Return the id and browser of a person who consented, else nothing."""
    own_id = None if (participant.external_id or "").startswith(DIGEST) else participant.external_id
    return own_id, {} if SEALED in participant.browser else participant.browser


@lru_cache(maxsize=64)
def _key(folder: Path) -> bytes:
    """Read the key of a study's digests, or create it for its owner alone."""
    path = folder / KEY
    try:
        if not path.exists():
            _make(path)
        return bytes.fromhex(path.read_text())
    except (OSError, ValueError) as error:
        raise FileError(
            f"{path} cannot be read or made ({error}): the server recognises people by it. See who "
            "owns it and its folder, and give it to the user that serves (chown); if it is lost, "
            "remove it: a new one is made, and whoever took part may do so again"
        ) from None


def _make(path: Path) -> None:
    """Create a key file; keep another process's if that was first."""
    part = path.with_name(f".part-{secrets.token_hex(8)}")
    try:
        write_private(part, secrets.token_hex(32))
        os.link(part, path)
    except FileExistsError:
        pass
    finally:
        part.unlink(missing_ok=True)
