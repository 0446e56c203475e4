"""Helpers of routes: shared state, the visitor, and documentation of errors."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, FastAPI, Request

from resemblance.study.entry import token_hash
from resemblance.study.failures import CODES, Failure
from resemblance.study.languages import chosen
from resemblance.study.live import LiveStudy
from resemblance.study.participation import Participation
from resemblance.study.protocol import Refused
from resemblance.web.accounts import Accounts
from resemblance.web.addresses import Arrivals, Newcomers
from resemblance.web.limits import Limits, Sharing, network_of

MOST_KNOWN = 100_000  # largest number of tokens that are remembered
STATIC = Path(__file__).parent / "static"
# codes of errors that the guard raises before any route
BEFORE_ALL = ("too_large", "wrong_host", "wrong_method", "failed")
HOLDER = "resemblance.holder"  # key in the request's scope for the cached result of `holder`


@dataclass
class Shared:
    """State that the routes share: studies, accounts and rate limits."""

    studies: dict[str, LiveStudy]
    accounts: Accounts
    static: Path = STATIC
    clock: Callable[[], float] = time.time
    searches: dict[str, Any] = field(default_factory=dict)  # StudySearch objects by study
    tokens: set[str] = field(default_factory=set)  # digests of valid tokens
    sharing: Sharing = field(default_factory=Sharing)
    arrivals: Arrivals = field(default_factory=Arrivals)

    def __post_init__(self) -> None:
        self.newcomers = Newcomers(self.sharing.processes)
        exact, divided = self.sharing.exact, self.sharing.divided
        self.entries = exact("entries", burst=120, per_second=1)
        self.logins = exact("logins", burst=5, per_second=0.1)  # limit on log-ins by network
        # limit on guesses by name and network
        self.guesses = self.sharing.growing("guesses", burst=5)
        # limit on guesses by name, from all networks
        self.tries = exact("tries", burst=100, per_second=0.03)
        self.requests = divided(burst=60, per_second=10)
        self.strangers = divided(burst=1000, per_second=10)

    def remember(self, hashed: str) -> None:
        """Remember a valid token; its lookups no longer count against the network's rate limit."""
        if len(self.tokens) >= MOST_KNOWN:
            self.tokens.clear()
        self.tokens.add(hashed)

    def study(self, name: str) -> LiveStudy:
        if name not in self.studies:
            raise Failure("unknown_study")
        return self.studies[name]


def refusals(*codes: str) -> dict[int | str, dict[str, Any]]:
    """Return the documentation of the error codes of a route, by status."""
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
    """Return whether a visitor uses https, according to the proxy or the public address."""
    servers = [live.settings.server for live in shared_of(request).studies.values()]
    public = [urlsplit(server.address) for server in servers if server.address]
    host = request.url.hostname
    return request.url.scheme == "https" or any(
        url.scheme == "https" and url.hostname == host for url in public
    )


def limited(by: str) -> Any:
    """Return a dependency that applies a rate limit to requests."""

    async def take(request: Request) -> None:
        budget(request, by)()

    return Depends(take)


def budget(request: Request, by: str) -> Callable[[], None]:
    """Return a function that counts a request against the visitor's limit."""
    limits: Limits = request.app.state.limits
    return lambda: getattr(limits, by).take(visitor(request))


def holder(request: Request) -> tuple[LiveStudy, str, str]:
    """Return the study, the token and its digest; only the first call counts the request."""
    kept: tuple[LiveStudy, str, str] | None = request.scope.get(HOLDER)
    if kept is not None:
        return kept
    shared = shared_of(request)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    live = shared.studies.get(token.partition(".")[0])
    if scheme.lower() != "bearer" or live is None:
        raise Failure("unknown_token")
    hashed = token_hash(token)
    if hashed not in shared.tokens:  # An unknown token may be a guess.
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


def add_routes(app: FastAPI, *routers: APIRouter) -> None:
    """Add routes without ``include_router``, which would analyse each route a second time."""
    for router in routers:
        app.router.routes.extend(router.routes)
