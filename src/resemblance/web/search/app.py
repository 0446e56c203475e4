"""The application that serves a fitted space: search page and API."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import FileResponse, HTMLResponse, Response

from resemblance import __version__
from resemblance.fitting import OrdinalEmbedding
from resemblance.study.failures import Failure
from resemblance.web.guards import Guard
from resemblance.web.limits import Limits
from resemblance.web.problems import handle_errors
from resemblance.web.routes import add_routes, pages as built
from resemblance.web.search import api
from resemblance.web.search.clicks import Clicks
from resemblance.web.search.pictures import Pictures
from resemblance.web.search.sessions import Sessions
from resemblance.web.search.space import Space
from resemblance.web.shared import STATIC

PLUGIN = "ask-tell.js"  # plugin of jsPsych for other people's pages
SHARED: dict[str, Any] = {
    "allow_methods": ["GET", "POST"],
    "allow_headers": ["Content-Type"],
    "expose_headers": ["Retry-After"],
}


def create_search_app(
    model: OrdinalEmbedding,
    pictures: Pictures,
    *,
    title: str = "Search by similarity",
    clicks: Path | None = None,
    sessions: Path | None = None,
    public_api: bool = True,
    origins: Sequence[str] = (),
    hosts: frozenset[str] | None = None,
    static: Path = STATIC,
) -> FastAPI:
    """Make the application that serves a fitted model.

    Parameters
    ----------
    model : OrdinalEmbedding
        The model; one with a likelihood.
    pictures : Pictures
        A picture of each of its items.
    title : str
        What the page is called.
    clicks : Path, optional
        Where clicks are kept that people agree to have kept.
    sessions : Path, optional
        The folder of sessions that others drive.
    public_api : bool
        Whether more than the search page is served.
    origins : sequence of str
        Other origins whose pages may use it.
    hosts : frozenset of str, optional
        The names that the server has; None takes any.
    static : Path
        Where the built page is.
    """
    app = FastAPI(
        title="resemblance search",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json" if public_api else None,
    )
    app.state.space, app.state.pictures = Space(model), pictures
    app.state.clicks = None if clicks is None else Clicks(clicks)
    app.state.limits = Limits()
    app.state.sessions = None if sessions is None else Sessions(sessions)
    add_routes(app, api.pages, *((api.space, api.sessions) if public_api else ()))
    _add_page(app, title, clicks is not None, static)
    if public_api:
        _add_plugin(app, static)
    handle_errors(app)
    app.add_middleware(Guard, hosts=hosts, secure=False)
    if origins:  # outside the guard, so that its refusals can be read there too
        app.add_middleware(CORSMiddleware, allow_origins=origins, **SHARED)
    return app


def _add_page(app: FastAPI, title: str, keeps: bool, static: Path) -> None:
    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    def page() -> HTMLResponse:
        return built.search_page(static, title, keeps, "/api")

    @app.get("/favicon.ico", response_class=Response, include_in_schema=False)
    def icon() -> Response:
        return Response(status_code=204)  # pages name an icon of their own

    @app.get("/static/{name:path}", response_class=Response, include_in_schema=False)
    def file(name: str, request: Request) -> Response:
        return built.built_file(static, name, request)


def _add_plugin(app: FastAPI, static: Path) -> None:
    @app.get(f"/plugin/{PLUGIN}", response_class=Response, include_in_schema=False)
    def plugin() -> Response:
        if not (static / PLUGIN).is_file():
            raise Failure("not_built")
        headers = {"Cache-Control": "no-cache"}
        return FileResponse(static / PLUGIN, media_type="text/javascript", headers=headers)
