"""The web application: its routes and middleware."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import FastAPI

from resemblance import __version__
from resemblance.study.live import LiveStudy
from resemblance.web import media, pages, participants, readiness
from resemblance.web.accounts import Accounts
from resemblance.web.addresses import forwarded
from resemblance.web.desk import accounts as desk_accounts, login, study as desk_study
from resemblance.web.desk.rehearsal import PREFIX, Gate, Rehearsal
from resemblance.web.guards import Guard, allow_origins
from resemblance.web.limits import Limits, Sharing
from resemblance.web.participants import Quick
from resemblance.web.problems import handle_errors, is_read, problem_page
from resemblance.web.readiness import Readiness
from resemblance.web.routes import STATIC, Shared, add_routes
from resemblance.web.search import study as search

LOCAL = ("localhost", "127.0.0.1", "[::1]")
PATIENCE_S = 8.0  # Seconds until a write fails. The response is then 503, and the page retries.
ANYWHERE = {"0.0.0.0", "::"}


def create_app(
    studies: Sequence[LiveStudy],
    accounts: Accounts,
    *,
    host: str = LOCAL[0],
    static: Path = STATIC,
    sharing: Sharing | None = None,
) -> FastAPI:
    sharing = sharing or Sharing()
    app = FastAPI(
        title="resemblance",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
    )
    by_name = {live.folder.name: live for live in studies}
    shared = Shared(by_name, accounts, static, sharing=sharing)
    app.state.shared, app.state.rehearsal = shared, Rehearsal(shared)
    for live in studies:
        live.store.database.writer.patience = PATIENCE_S
    app.mount(f"{PREFIX}/{{ticket}}", _stage(app.state.rehearsal))
    app.state.limits, app.state.readiness = Limits(sharing), Readiness(shared.studies.values)
    desks = login, desk_accounts, desk_study
    parts = (participants, media, pages, search, *desks, readiness)
    add_routes(app, *(part.router for part in parts))
    handle_errors(app)
    servers = [live.settings.server for live in studies]
    secure = any((server.address or "").startswith("https:") for server in servers)
    app.add_middleware(Quick)
    app.add_middleware(
        Guard,
        hosts=hosts_of(studies, host),
        secure=secure,
        page=lambda path, accept, failure: (
            problem_page(path, failure, static) if is_read(path, accept) else None
        ),
    )
    allow_origins(app, {origin for server in servers for origin in server.origins})
    trusted = {name for server in servers for name in server.trusted}
    app.add_middleware(forwarded, trusted=trusted, arrivals=shared.arrivals)
    return app


def hosts_of(studies: Sequence[LiveStudy], host: str) -> frozenset[str] | None:
    """Return the allowed host names; None allows all: no public address is known."""
    servers = [live.settings.server for live in studies]
    public = {urlsplit(s.address).hostname or "" for s in servers if s.address}
    if not public and host in ANYWHERE:
        return None
    return frozenset({*LOCAL, *public, host.lower()})


def _stage(rehearsal: Rehearsal) -> Gate:
    app = FastAPI(openapi_url=None)
    add_routes(app, *(part.router for part in (participants, media, pages)))
    handle_errors(app)
    return Gate(app, rehearsal)
