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
    """Return what the application shares."""
    shared: Shared = request.app.state.shared
    return shared


def visitor(request: Request) -> str:
    """Name the visitor's network, as the proxy told it."""
    return network_of(request.client.host) if request.client else "unknown"


def is_secure(request: Request) -> bool:
    """Say whether a visitor came by https: as the proxy says, or to an address that is https."""
    servers = [live.settings.server for live in shared_of(request).studies.values()]
    public = [urlsplit(server.address) for server in servers if server.address]
    host = request.url.hostname
    return request.url.scheme == "https" or any(
        url.scheme == "https" and url.hostname == host for url in public
    )


def limited(by: str) -> Any:
    """Make the dependency of a route that takes one of a limit, or refuses."""

    async def take(request: Request) -> None:
        budget(request, by)()

    return Depends(take)


def budget(request: Request, by: str) -> Callable[[], None]:
    """Make what takes one of a limit of the visitor, each time that it is called."""
    limits: Limits = request.app.state.limits
    return lambda: getattr(limits, by).take(visitor(request))


def holder(request: Request) -> tuple[LiveStudy, str, str]:
    """Read the token of a request: its study, the token, and its digest.

    A request is counted once, also where the quick path leaves it to the route.
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
    if hashed not in shared.tokens:  # whoever guesses tokens does not read the database at will
        shared.strangers.take(visitor(request))
    shared.requests.take(hashed)
    request.scope[HOLDER] = live, token, hashed
    return live, token, hashed


async def participation(request: Request) -> Participation:
    """Find who asks, by the token."""
    live, token, hashed = holder(request)
    person = await Participation.find(live, hashed, token, language_of(request, live))
    shared_of(request).remember(hashed)
    return person


def language_of(request: Request, live: LiveStudy) -> str:
    """Return the language of the study in which somebody reads it; "" is the study's own."""
    about = live.folder.settings.study
    if not about.translations:
        return ""
    code = chosen(request.headers.get("accept-language", ""), about.languages)
    return "" if code == about.language else code
