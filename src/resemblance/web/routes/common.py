"""What routes share: the shared, the visitor, and how refusals are documented."""

from typing import Any

from fastapi import Request

from resemblance.study.entry import token_hash
from resemblance.study.failures import CODES, Failure
from resemblance.study.participation import Participation
from resemblance.study.protocol import Refused
from resemblance.web.shared import Shared

BEFORE_ALL = ("too_large", "wrong_host", "wrong_method", "failed")  # what the guard says


def refusals(*codes: str) -> dict[int | str, dict[str, Any]]:
    """Document the codes with which a route refuses."""
    found: dict[int | str, list[str]] = {}
    for code in (*BEFORE_ALL, *codes):
        found.setdefault(CODES[code][0], []).append(code)
    return {
        status: {"model": Refused, "description": ", ".join(names)}
        for status, names in sorted(found.items())
    }


def shared_of(request: Request) -> Shared:
    """Return what the application shares."""
    shared: Shared = request.app.state.shared
    return shared


def visitor(request: Request) -> str:
    """Name the visitor's address, as the proxy told it."""
    return request.client.host if request.client else "unknown"


async def participation(request: Request) -> Participation:
    """Find who asks, by the token."""
    shared = shared_of(request)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    live = shared.studies.get(token.partition(".")[0])
    if scheme.lower() != "bearer" or live is None:
        raise Failure("unknown_token")
    hashed = token_hash(token)
    shared.requests.take(hashed)
    return await Participation.find(live, hashed)
