"""The application that serves a fitted space: the search page, the API, and what it can do."""

import json
from html import escape
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from resemblance import __version__
from resemblance.fitting import OrdinalEmbedding
from resemblance.web import app as studies
from resemblance.web.failures import Failure
from resemblance.web.guards import Guard
from resemblance.web.house import STATIC
from resemblance.web.routes import pages as built
from resemblance.web.search import api
from resemblance.web.search.limiting import Limits
from resemblance.web.search.pictures import Pictures
from resemblance.web.search.reference import STYLE, reference
from resemblance.web.search.sessions import Sessions
from resemblance.web.search.space import Space


def create_search_app(
    model: OrdinalEmbedding,
    pictures: Pictures,
    *,
    title: str = "Search by similarity",
    clicks: Path | None = None,
    sessions: Path | None = None,
    public_api: bool = True,
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
    app.state.space, app.state.pictures = Space(model, clicks), pictures
    app.state.limits = Limits()
    app.state.sessions = None if sessions is None else Sessions(sessions)
    for router in (api.pages, *((api.space, api.sessions) if public_api else ())):
        app.include_router(router)
    _add_page(app, title, clicks is not None, static)
    if public_api:
        _add_reference(app)
    studies.handle_errors(app)
    app.add_middleware(Guard, hosts=hosts, secure=False)
    return app


def _add_page(app: FastAPI, title: str, keeps: bool, static: Path) -> None:
    config = json.dumps({"title": title, "keeps": keeps}).replace("<", "\\u003c")

    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    def page() -> HTMLResponse:
        shell = static / "search.html"
        if not shell.is_file():
            raise Failure("not_built")
        html = shell.read_text(encoding="utf-8").replace("__TITLE__", escape(title), 1)
        html = html.replace("__CONFIG__", config, 1)
        return HTMLResponse(html, headers={"Cache-Control": "no-cache"})

    @app.get("/favicon.ico", response_class=Response, include_in_schema=False)
    def icon() -> Response:
        return Response(status_code=204)  # pages name an icon of their own

    @app.get("/static/{name:path}", response_class=Response, include_in_schema=False)
    def file(name: str, request: Request) -> Response:
        return built.built_file(static, name, request)


def _add_reference(app: FastAPI) -> None:
    @app.get("/docs", response_class=HTMLResponse, include_in_schema=False)
    def docs() -> HTMLResponse:
        return HTMLResponse(reference(app.openapi()))

    @app.get("/docs.css", response_class=Response, include_in_schema=False)
    def style() -> Response:
        return Response(STYLE, media_type="text/css")
