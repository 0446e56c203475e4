"""Verify the signed parameters of Prolific ("secure URL parameters").

Prolific adds ``prolific_token`` to the address, a JWT that is valid for a few minutes. Its claim
``prolific`` has the ids of person, study and submission; its claim ``aud`` is the site that may use
the token. Ids are read from the token, because anybody can forge the other parameters.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from resemblance.study.failures import Failure
from resemblance.study.live import LiveStudy
from resemblance.study.recruit import RECRUITED

PROLIFIC = "https://api.prolific.com/.well-known/study/jwks.json"
DAY_S = 86_400.0
ASK_S = 60.0  # Seconds between downloads for unknown ids of keys. Anybody can invent such ids.
RETRY_S = 30.0  # seconds between downloads after a failure
WAIT_S = 4.0  # timeout of a download in seconds
LARGEST = 1 << 18  # largest size of the key set in bytes
TOKEN = "prolific_token"
ALGORITHM = "RS256"  # Only this algorithm is accepted, even if the token's header names another.
SKEW_S = 60.0  # largest difference between Prolific's clock and this server's, in seconds
log = logging.getLogger("resemblance.web")


class Keys:
    """Public keys of a signer; downloaded daily, and when the id of a key is unknown."""

    def __init__(self, place: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.place, self._clock = place, clock
        self._keys: dict[str, Any] = {}
        self._read = self._tried = float("-inf")
        self._lock = threading.Lock()

    def find(self, name: str) -> Any:
        """Return the key with this id, or None; raise Failure if no keys can be downloaded."""
        if self._is_old(name):
            with self._lock:
                if self._is_old(name):
                    self._read_again()
        return self._keys.get(name)

    def _is_old(self, name: str) -> bool:
        age = self._clock() - self._read
        return age > DAY_S or (name not in self._keys and age > ASK_S)

    def _read_again(self) -> None:
        now = self._clock()
        if now - self._tried < RETRY_S:
            raise _no_keys()
        self._tried = now
        try:
            self._keys = _keys_of(_content(self.place))
        except (OSError, ValueError) as error:
            log.error("the keys of Prolific at %s cannot be read: %s", self.place, error)
            raise _no_keys() from None
        self._read = now


def _no_keys() -> Failure:
    return Failure("no_keys", retry_after=int(RETRY_S))


def _content(place: str) -> bytes:
    request = Request(place, headers={"Accept": "application/json"})
    with urlopen(request, timeout=WAIT_S) as answer:
        content: bytes = answer.read(LARGEST)
        return content


def _keys_of(content: bytes) -> dict[str, Any]:
    key_set = json.loads(content)
    listed = key_set.get("keys") if isinstance(key_set, dict) else None
    pairs = [_key_of(entry) for entry in listed] if isinstance(listed, list) else []
    keys = dict(pair for pair in pairs if pair is not None)
    if not keys:
        raise ValueError("it holds no RSA key with a name")
    return keys


def _key_of(key: Any) -> tuple[str, Any] | None:
    from jwt.algorithms import RSAAlgorithm
    from jwt.exceptions import InvalidKeyError

    if not isinstance(key, dict) or key.get("kty") != "RSA" or not key.get("kid"):
        return None
    try:
        public = {name: key[name] for name in ("kty", "n", "e")}
        return str(key["kid"]), RSAAlgorithm.from_jwk(public)
    except (InvalidKeyError, KeyError, ValueError, TypeError, AttributeError):
        return None


@lru_cache(maxsize=64)
def keys_at(place: str) -> Keys:
    return Keys(place)


def signed(live: LiveStudy, parameters: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters that Prolific signed; raise Failure without a valid token."""
    token = parameters.get(TOKEN)
    if not token:
        raise Failure("no_token")
    claims = _verified(live, token)
    audience, entries = claims["aud"], claims.get("prolific")
    named = audience if isinstance(audience, list) else [audience]
    if not any(isinstance(name, str) and is_for(name, live) for name in named):
        raise Failure("bad_token", "Prolific signed this address for another site.")
    if not isinstance(entries, dict):
        raise Failure("bad_token", "The token of this address names nobody.")
    _of_this_study(live, entries.get("STUDY_ID"))
    return {name: value for name, value in entries.items() if isinstance(value, str)}


def _verified(live: LiveStudy, token: str) -> dict[str, Any]:
    import jwt

    try:
        name = jwt.get_unverified_header(token).get("kid")
        claims: dict[str, Any] = jwt.decode(
            token,
            _key(name),
            algorithms=[ALGORITHM],
            leeway=SKEW_S,
            options={"require": ["exp", "aud"], "verify_aud": False},
        )
        return claims
    except jwt.ExpiredSignatureError:
        raise Failure("old_token") from None
    except jwt.ImmatureSignatureError:
        log.warning("a token of Prolific is dated in the future: check this machine's clock")
        raise Failure("bad_token", "The token of this address is not valid yet.") from None
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
        raise Failure("bad_token") from error


def _key(name: object) -> Any:
    key = keys_at(PROLIFIC).find(name) if isinstance(name, str) else None
    if key is None:
        raise Failure("bad_token", "Prolific has no key of this name.")
    return key


def is_for(audience: str, live: LiveStudy) -> bool:
    """Return whether the token was issued for this study's site, or for its page there."""
    address = urlsplit(live.settings.server.address or "")
    try:
        url = urlsplit(audience if "//" in audience else f"//{audience}")
        same = (url.hostname, _port(url, address)) == (address.hostname, _port(address, address))
    except ValueError:
        return False
    page = url.path.rstrip("/") in ("", f"/s/{live.folder.name}")
    return same and page and url.scheme in ("", address.scheme)


def _port(url: Any, address: Any) -> int:
    return url.port or {"http": 80, "https": 443}[url.scheme or address.scheme]


def _of_this_study(live: LiveStudy, study_id: object) -> None:
    """Raise Failure if Prolific sent a person to another study of the researcher."""
    ids = set(live.settings.recruitment.study_ids)
    ids |= {
        event.details["task"]
        for event in live.store.events.audit(live.record, RECRUITED)
        if event.details["source"] == "prolific"
    }
    if ids and study_id not in ids:
        raise Failure("bad_token", "Prolific signed this address for another study.")
