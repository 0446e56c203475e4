"""The application of `resemblance search`: the search page, and an API of the space."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from resemblance import __version__
from resemblance.errors import FileError
from resemblance.fitting import OrdinalEmbedding
from resemblance.study.failures import Failure
from resemblance.web import pages as built
from resemblance.web.guards import Guard, Token, allow_origins
from resemblance.web.limits import Limits
from resemblance.web.media import INERT
from resemblance.web.problems import handle_errors
from resemblance.web.routes import STATIC, add_routes, budget, limited, refusals
from resemblance.web.search import schemas as say
from resemblance.web.search.clicks import Clicks
from resemblance.web.search.pictures import Pictures
from resemblance.web.search.space import Space

LIMITED = refusals("too_many")

pages = APIRouter(tags=["search"])
space = APIRouter(
    prefix="/api", tags=["space"], responses=LIMITED, dependencies=[limited("requests")]
)

Name = Annotated[str, Query(min_length=1, max_length=1000)]


async def space_of(request: Request) -> Space:
    served: Space = request.app.state.space
    return served


Served = Annotated[Space, Depends(space_of)]


@pages.get(
    "/api/search",
    responses=refusals("invalid_request", "too_many"),
    dependencies=[limited("requests")],
)
def page(
    request: Request, served: Served, clicks: say.Clicks = "", like: say.Number | None = None
) -> say.Page:
    """Return the tiles after some clicks; each digit of `clicks` is a clicked tile, from 1.

    A search may begin at an item, whose index is `like`.
    """
    numbers = served.page(say.places(clicks), budget(request, "requests"), like)
    tiles = [
        say.Tile(number=item, name=served.names[item], url=f"/pictures/{item}") for item in numbers
    ]
    return say.Page(clicks=clicks, tiles=tiles)


@pages.post(
    "/api/found",
    responses=refusals("no_clicks", "invalid_request", "too_many", "unavailable"),
    dependencies=[limited("kept")],
)
def found(request: Request, served: Served, end: say.Found) -> say.Kept:
    """Keep the clicks of a search, with the visitor's consent, as one-of-nine judgments."""
    clicks: Clicks | None = request.app.state.clicks
    if clicks is None:
        raise Failure("no_clicks")
    judged = served.judged(*end.places, budget(request, "requests"), end.like)
    return say.Kept(kept=clicks.keep(end.search, *judged))


@pages.get(
    "/pictures/{item}",
    response_class=Response,
    responses=refusals("unknown_media", "broken_picture", "invalid_request"),
)
def picture(request: Request, served: Served, item: int) -> FileResponse:
    """Return a small copy of an item's picture; SVG as it is, with scripts disabled."""
    pictures: Pictures = request.app.state.pictures
    if not 0 <= item < len(pictures.paths):
        raise Failure("unknown_media")
    try:
        file, kind = pictures.small(item)
    except FileError:
        problem = f"The picture of {served.names[item]!r} cannot be shown."
        raise Failure("broken_picture", problem) from None
    headers = {"Cache-Control": "public, max-age=3600", "Content-Security-Policy": INERT}
    return FileResponse(file, media_type=kind, headers=headers)


@space.get("/items")
def items(served: Served) -> say.AllItems:
    """List all items and their positions."""
    model = served.model
    return say.AllItems(
        items=list(model.items_.names),
        positions=model.embedding_.tolist(),
        model=type(model).__name__,
    )


@space.get("/nearest", responses=refusals("unknown_item", "invalid_request"))
def nearest(
    served: Served, item: Name, k: Annotated[int, Query(ge=1, le=1000)] = 10
) -> say.Neighbours:
    """Return the items nearest to an item."""
    place = served.item(item)
    return _neighbours(served.nearest(served.model.embedding_[place], k, place))


@space.post("/nearest", responses=refusals("invalid_request"))
def nearest_to_point(served: Served, body: say.Point) -> say.Neighbours:
    """Return the items nearest to a point."""
    if len(body.point) != (d := served.model.embedding_.shape[1]):
        raise Failure(
            "invalid_request", f"The point has {len(body.point)} coordinates.", f"Give {d}."
        )
    return _neighbours(served.nearest(body.point, body.k))  # type: ignore[arg-type]


def _neighbours(rows: list[dict[str, Any]]) -> say.Neighbours:
    return say.Neighbours(nearest=[say.Neighbour(**row) for row in rows])


@space.get("/distance", responses=refusals("unknown_item", "invalid_request"))
def distance(served: Served, a: Name, b: Name) -> say.Distance:
    """Return the distance between two items."""
    return say.Distance(distance=served.distance(a, b))


@space.get("/answer", responses=refusals("unknown_item", "invalid_request"))
def answer(served: Served, head: Name, a: Name, b: Name) -> say.Probability:
    """Return the probability that a is judged more similar to the head than b."""
    return say.Probability(probability=served.probability(head, a, b))


@space.post("/position", responses=refusals("no_features", "unknown_item", "invalid_request"))
def position(served: Served, body: say.Features | say.Answers) -> say.Position:
    """Return the position of a new item: from its features, or from answers about it."""
    if isinstance(body, say.Features):
        return say.Position(position=served.described(body.features).tolist())
    where, covariance = served.placed(body.answers)
    return say.Position(position=where.tolist(), covariance=covariance.tolist())


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
    """Return the application; without ``hosts`` and ``token``, anybody can use it."""
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
    add_routes(app, pages, *((space,) if public_api else ()))
    _add_page(app, clicks is not None, static)
    handle_errors(app)
    if token is not None:
        app.add_middleware(Token, token=token)
    app.add_middleware(Guard, hosts=hosts, secure=False)
    allow_origins(app, origins)
    app.add_middleware(ProxyHeadersMiddleware)  # Only proxies on this machine are trusted.
    return app


def _add_page(app: FastAPI, keeps: bool, static: Path) -> None:
    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    def page() -> HTMLResponse:
        return built.search_page(static, keeps, "/api")

    @app.get("/favicon.ico", response_class=Response, include_in_schema=False)
    def icon() -> Response:
        return Response(status_code=204)  # Pages contain a link to their own icon.

    @app.get("/static/{name:path}", response_class=Response, include_in_schema=False)
    def file(name: str, request: Request) -> Response:
        return built.built_file(static, name, request)
