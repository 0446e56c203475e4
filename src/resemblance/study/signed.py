"""Verify entries that Prolific signed, by its secure URL parameters.

Prolific then adds ``prolific_token`` to the address, a JWT of a few minutes: who comes, to which of
its studies, for which submission (the claim ``prolific``), and to whom it is addressed (``aud``).
The ids are taken from it, and not from the parameters beside it, which anybody can write.
"""

import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from resemblance.study import keys
from resemblance.study.failures import Failure
from resemblance.study.keys import keys_at
from resemblance.study.live import LiveStudy
from resemblance.study.recruit.offer import RECRUITED

TOKEN = "prolific_token"
ALGORITHM = "RS256"  # whatever a token says of itself
SKEW_S = 60.0  # allowed difference of two clocks
log = logging.getLogger("resemblance.web")


def signed(live: LiveStudy, parameters: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters that Prolific signed; raises Failure for missing, bad or old tokens."""
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
    key = keys_at(keys.PROLIFIC).find(name) if isinstance(name, str) else None
    if key is None:
        raise Failure("bad_token", "Prolific has no key of this name.")
    return key


def is_for(audience: str, live: LiveStudy) -> bool:
    """Return whether a token is addressed to this study: to its host, or to its page there."""
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
    """Refuse people who were sent to another of the researcher's studies, if the ids are known."""
    ids = set(live.settings.recruitment.study_ids)
    ids |= {
        event.details["task"]
        for event in live.store.events.audit(live.record, RECRUITED)
        if event.details["source"] == "prolific"
    }
    if ids and study_id not in ids:
        raise Failure("bad_token", "Prolific signed this address for another study.")
