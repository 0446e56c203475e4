"""Prolific's public keys, which verify signed entries."""

import json
import logging
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.request import Request, urlopen

from resemblance.study.failures import Failure

PROLIFIC = "https://api.prolific.com/.well-known/study/jwks.json"
DAY_S = 86_400.0
ASK_S = 60.0  # seconds between lookups of an unknown key: anybody can invent key names
RETRY_S = 30.0  # seconds between tries after keys could not be read
WAIT_S = 4.0  # timeout of one try
LARGEST = 1 << 18
log = logging.getLogger("resemblance.web")


class Keys:
    """The public keys of a signer, read daily, and again for an unknown key."""

    def __init__(self, place: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.place, self._clock = place, clock
        self._keys: dict[str, Any] = {}
        self._read = self._tried = float("-inf")
        self._lock = threading.Lock()

    def find(self, name: str) -> Any:
        """Return the key of this name, or None; raises Failure if keys cannot be read."""
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
