"""Maps of files at the desk: the page of `resemblance open`, for who may invite others."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from resemblance.failures import Failure
from resemblance.web.accounts import MAPS
from resemblance.web.opened.app import FILES, unguarded
from resemblance.web.opened.maps import MOST_BYTES
from resemblance.web.shared import Shared

PREFIX = "/desk/-maps"  # no study can be called like this
STREAMED = {f"{PREFIX}{FILES}": MOST_BYTES}


class AdminsOnly:
    """Lets in who is logged in at the desk as somebody who may invite others."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        home = shared.accounts.path.with_name(MAPS)
        self.pages = unguarded(home, shared.static, True, shared.database)
        self.app: ASGIApp = self.pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the session of a request."""
        accounts = self.shared.accounts
        name = accounts.holder(Request(scope).cookies.get("desk", ""))
        if name is None:
            raise Failure("login_required")
        if not accounts.all[name].admin:
            raise Failure("not_admin")
        await self.app(scope, receive, send)


def mount(app: FastAPI, shared: Shared) -> None:
    """Put the page behind the desk of a server of one process, which ends what runs as it ends."""
    gate = AdminsOnly(shared)
    app.mount(PREFIX, gate)

    @asynccontextmanager
    async def ending(_: FastAPI) -> AsyncIterator[None]:
        yield
        gate.pages.state.maps.end()

    app.router.lifespan_context = ending
