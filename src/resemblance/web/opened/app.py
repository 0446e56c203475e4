"""The application of `resemblance open`: it takes files of answers and shows maps."""

import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Header, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from pydantic import BaseModel, Field

from resemblance.study.failures import Failure
from resemblance.web.guards import Guard, Token
from resemblance.web.opened.maps import DOWNLOADS, FIELDS, KINDS, MOST_BYTES, SWITCHES, Maps
from resemblance.web.problems import handle_errors
from resemblance.web.route_state import STATIC
from resemblance.web.routes import add_routes, pages as built

FILES = "/api/files"
INSIDE = (  # a map is a page of its own, which asks nobody for anything
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; media-src data: blob:; frame-ancestors 'self'; "
    "sandbox allow-scripts allow-downloads"
)
TEXT = 2000  # letters of an option
Option = Annotated[str, Field(max_length=TEXT)]
router = APIRouter()


class Wanted(BaseModel):
    """Files of a map, and how to read them."""

    answers: Annotated[list[str], Field(min_length=1, max_length=500)]
    items: str | None = None
    settings: dict[str, Option] = {}


def create_open_app(home: Path, hosts: frozenset[str], static: Path = STATIC) -> FastAPI:
    """Make the application; maps are kept in a folder.

    Its pages require the key in the address or a cookie, so that nobody else on this machine can
    use them; the API requires it in a header, so that no other page in the browser can.
    """

    @asynccontextmanager
    async def ending(app: FastAPI) -> AsyncIterator[None]:
        yield
        app.state.maps.end()

    app = FastAPI(openapi_url=None, lifespan=ending)
    app.state.maps, app.state.static = Maps(home), static
    app.state.key = secrets.token_urlsafe(16)
    add_routes(app, router)
    handle_errors(app)
    app.add_middleware(Token, token=app.state.key)
    app.add_middleware(Guard, hosts=hosts, secure=False, streamed={FILES: MOST_BYTES})
    return app


def maps_of(request: Request, key: str | None) -> Maps:
    state = request.app.state
    if key is None or not secrets.compare_digest(key.encode(), state.key.encode()):
        raise Failure("not_from_here", "This is for the page of this program.", "Load it again.")
    maps: Maps = state.maps
    return maps


Key = Annotated[str | None, Header(alias="X-Key")]


@router.get("/", response_class=HTMLResponse)
def page(request: Request) -> HTMLResponse:
    """Draw the page."""
    state = request.app.state
    config: dict[str, Any] = {
        "key": state.key,
        "kinds": KINDS,
        "most": MOST_BYTES,
    }
    config |= {"running": state.maps.running, "fields": FIELDS, "switches": SWITCHES}
    return HTMLResponse(built.filled(state.static, "open", json.dumps(config)))


@router.get("/favicon.ico", response_class=Response)
def icon() -> Response:
    return Response(status_code=204)


@router.get("/static/{name:path}", response_class=Response)
def static(name: str, request: Request) -> Response:
    """Return a file of the built page."""
    return built.built_file(request.app.state.static, name, request)


@router.post(FILES)
async def send(request: Request, name: str, key: Key = None) -> dict[str, str]:
    """Take a file, as it comes."""
    own, path = maps_of(request, key).files.begin(name)
    size = 0
    with path.open("wb") as file:
        async for part in request.stream():
            size += len(part)
            if size > MOST_BYTES:
                raise Failure("too_large")
            file.write(part)
    return {"file": own}


@router.post("/api/maps")
def begin(request: Request, wanted: Wanted, key: Key = None) -> dict[str, str]:
    """Begin a map."""
    maps = maps_of(request, key)
    return {"map": maps.begin(wanted.answers, wanted.items, wanted.settings)}


@router.get("/api/maps")
def kept(request: Request, key: Key = None) -> list[dict[str, Any]]:
    """List the maps that are kept."""
    return maps_of(request, key).kept()


@router.get("/api/maps/{own}")
def tell(request: Request, own: str, key: Key = None) -> dict[str, Any]:
    """Say how far a map is."""
    return maps_of(request, key).get(own).tell()


@router.post("/api/maps/{own}/stop")
def stop(request: Request, own: str, key: Key = None) -> dict[str, Any]:
    """Keep what there is of a map."""
    own_map = maps_of(request, key).get(own)
    own_map.stop()
    return own_map.tell()


@router.get("/maps/{own}/{name}", response_class=Response)
def file(request: Request, own: str, name: str, keep: bool = False) -> Response:
    """Return a file of a map, by an address that only its page knows: to look at, or to keep."""
    maps: Maps = request.app.state.maps
    path = maps.get(own).folder / name
    if name not in DOWNLOADS or not path.is_file():
        raise Failure("unknown_address")
    headers = {"Content-Security-Policy": INSIDE, "Cross-Origin-Resource-Policy": "same-origin"}
    kept = f"{maps.get(own).folder.name}-{name}" if keep else None
    return FileResponse(path, headers=headers, filename=kept)
