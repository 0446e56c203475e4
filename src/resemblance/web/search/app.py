"""The application that serves a fitted space: search page and API."""

from collections.abc import Sequence
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from resemblance import __version__
from resemblance.fitting import OrdinalEmbedding
from resemblance.web.guards import Guard, Token, allow_origins
from resemblance.web.limits import Limits
from resemblance.web.problems import handle_errors
from resemblance.web.route_state import STATIC
from resemblance.web.routes import add_routes, pages as built
from resemblance.web.search import api
from resemblance.web.search.clicks import Clicks
from resemblance.web.search.pictures import Pictures
from resemblance.web.search.space import Space


def create_search_app(
    model: OrdinalEmbedding,
    pictures: Pictures,
    *,
    clicks: Path | None = None,
    public_api: bool = True,
    origins: Sequence[str] = (),
    hosts: frozenset[str] | None = None,
    token: str | None = None,
    static: Path = STATIC,
) -> FastAPI:
    """Make the application that serves a fitted model.

    Parameters
    ----------
    model : OrdinalEmbedding
        The model; one with a likelihood.
    pictures : Pictures
        A picture of each of its items.
    clicks : Path, optional
        The file of clicks that visitors agreed to keep.
    public_api : bool
        Whether more than the search page is served.
    origins : sequence of str
        Other origins whose pages may use it.
    hosts : frozenset of str, optional
        The names that the server has; None takes any.
    token : str, optional
        The secret of those who may use it; None lets everybody in.
    static : Path
        The folder of the built page.
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
    add_routes(app, api.pages, *((api.space,) if public_api else ()))
    _add_page(app, clicks is not None, static)
    handle_errors(app)
    if token is not None:
        app.add_middleware(Token, token=token)
    app.add_middleware(Guard, hosts=hosts, secure=False)
    allow_origins(app, origins)
    app.add_middleware(ProxyHeadersMiddleware)  # those of this machine
    return app


def _add_page(app: FastAPI, keeps: bool, static: Path) -> None:
    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    def page() -> HTMLResponse:
        return built.search_page(static, keeps, "/api")

    @app.get("/favicon.ico", response_class=Response, include_in_schema=False)
    def icon() -> Response:
        return Response(status_code=204)  # pages name an icon of their own

    @app.get("/static/{name:path}", response_class=Response, include_in_schema=False)
    def file(name: str, request: Request) -> Response:
        return built.built_file(static, name, request)
