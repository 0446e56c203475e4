"""Dependencies that routes share: the server's state, the visitor, documented refusals."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from fastapi import Depends, Request

from resemblance.study.entry import token_hash
from resemblance.study.failures import CODES, Failure
from resemblance.study.languages import chosen
from resemblance.study.live import LiveStudy
from resemblance.study.participation import Participation
from resemblance.study.protocol import Refused
from resemblance.web.limits import Limits, network_of
from resemblance.web.route_state import Shared

BEFORE_ALL = ("too_large", "wrong_host", "wrong_method", "failed")  # codes of the guard's refusals
HOLDER = "resemblance.holder"  # key of the request's scope with its holder


def refusals(*codes: str) -> dict[int | str, dict[str, Any]]:
    """Document the codes with which a route refuses."""
    by_status: dict[int | str, list[str]] = {}
    for code in (*BEFORE_ALL, *codes):
        by_status.setdefault(CODES[code][0], []).append(code)
    return {
        status: {"model": Refused, "description": ", ".join(names)}
        for status, names in sorted(by_status.items())
    }


def shared_of(request: Request) -> Shared:
    shared: Shared = request.app.state.shared
    return shared


def visitor(request: Request) -> str:
    return network_of(request.client.host) if request.client else "unknown"


def is_secure(request: Request) -> bool:
    """Return whether a visitor uses https, by the proxy or the public address."""
    servers = [live.settings.server for live in shared_of(request).studies.values()]
    public = [urlsplit(server.address) for server in servers if server.address]
    host = request.url.hostname
    return request.url.scheme == "https" or any(
        url.scheme == "https" and url.hostname == host for url in public
    )


def limited(by: str) -> Any:
    """Return a dependency that takes a token of a limit, or refuses."""

    async def take(request: Request) -> None:
        budget(request, by)()

    return Depends(take)


def budget(request: Request, by: str) -> Callable[[], None]:
    """Return a function that takes a token of the visitor's limit at each call."""
    limits: Limits = request.app.state.limits
    return lambda: getattr(limits, by).take(visitor(request))


def holder(request: Request) -> tuple[LiveStudy, str, str]:
    """Return the study, the token and its digest from a request.

    A request is counted once, also when the quick path passes it on.
    """
    kept: tuple[LiveStudy, str, str] | None = request.scope.get(HOLDER)
    if kept is not None:
        return kept
    shared = shared_of(request)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    live = shared.studies.get(token.partition(".")[0])
    if scheme.lower() != "bearer" or live is None:
        raise Failure("unknown_token")
    hashed = token_hash(token)
    if hashed not in shared.tokens:  # limits the lookups of guessed tokens
        shared.strangers.take(visitor(request))
    shared.requests.take(hashed)
    request.scope[HOLDER] = live, token, hashed
    return live, token, hashed


async def participation(request: Request) -> Participation:
    live, token, hashed = holder(request)
    person = await Participation.find(live, hashed, token, language_of(request, live))
    shared_of(request).remember(hashed)
    return person


def language_of(request: Request, live: LiveStudy) -> str:
    about = live.folder.settings.study
    if not about.translations:
        return ""
    code = chosen(request.headers.get("accept-language", ""), about.languages)
    return "" if code == about.language else code
