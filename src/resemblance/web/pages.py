"""Routes of the built web pages and of their files."""

import gzip
import json
import re
from functools import lru_cache
from html import escape
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from resemblance.study.display import Display
from resemblance.study.entry import submit_hosts
from resemblance.study.failures import Failure
from resemblance.study.languages import find_language
from resemblance.study.live import LiveStudy
from resemblance.study.protocol import Config, Look, Spoken
from resemblance.web.desk.drawing import draw
from resemblance.web.guards import CSP
from resemblance.web.routes import language_of, refusals, shared_of

router = APIRouter(tags=["pages"])
SEARCH = "Search by similarity"
FRAMES = "https://workersandbox.mturk.com https://www.mturk.com https://*.mturk.com"
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".png": "image/png",
    ".map": "application/json",
}
WORDY = (".js", ".css", ".svg", ".json", ".map")  # suffixes of files that are compressed


@router.get("/", response_class=HTMLResponse, include_in_schema=False)
def front_page(request: Request) -> HTMLResponse:
    """Show what this server is and whom to contact, without names of studies."""
    if "text/html" not in request.headers.get("accept", ""):
        raise Failure("unknown_address")
    shared = shared_of(request)
    given = {live.settings.study.contact for live in shared.studies.values()}
    contacts = sorted(contact for contact in given if contact)
    return HTMLResponse(draw("front", shared.static, contacts=contacts))


@router.get(
    "/s/{study}",
    response_class=HTMLResponse,
    responses=refusals("unknown_study", "not_built"),
)
def participant_page(study: str, request: Request) -> Response:
    """Return the page on which people answer."""
    live = shared_of(request).study(study)
    about = live.settings.study
    config = Config(
        study=about.name,
        languages=[spoken(live, code) for code in about.languages],
        display=look(live.settings.display),
        minutes=live.settings.minutes,
        root=request.scope.get("root_path", ""),  # beginning of the path of all addresses
        hand=live.settings.quality.hand,
        contact=about.contact,
    )
    first = spoken(live, language_of(request, live) or about.language)
    words = {"LANG": first.code, "DIR": first.direction, "TITLE": first.title}
    words["NOSCRIPT"] = str(first.strings["noscript"])
    html = filled(shared_of(request).static, "participant", config.model_dump_json(), **words)
    headers = {"Content-Security-Policy": policy(live), "Cache-Control": "no-cache"}
    return HTMLResponse(html, headers=headers | {"Vary": "Accept-Language"})


def look(display: Display) -> Look:
    width, height = display.smallest
    return Look(
        scheme=display.scheme,
        surround=display.surround,
        min_width=width,
        min_height=height,
        measures=display.measures,
        needs_headphones=display.headphones == "refuse",
    )


def spoken(live: LiveStudy, code: str) -> Spoken:
    folder, language = live.folder.spoken(code), find_language(code)
    title = live.settings.spoken(code).study.title
    strings = dict(folder.words)
    return Spoken(
        code=code, name=language.name, direction=language.direction, title=title, strings=strings
    )


def search_page(static: Path, keeps: bool, api: str) -> HTMLResponse:
    """Return the search page; if ``keeps``, the page asks for consent to store clicks."""
    config = json.dumps({"title": SEARCH, "keeps": keeps, "api": api})
    html = filled(static, "search", config, TITLE=SEARCH)
    return HTMLResponse(html, headers={"Cache-Control": "no-cache"})


def filled(static: Path, page: str, config: str, **words: str) -> str:
    shell = static / f"{page}.html"
    if not shell.is_file():
        raise Failure("not_built")
    parts = {mark: escape(word) for mark, word in words.items()}
    parts["CONFIG"] = config.replace("<", "\\u003c")
    # All marks are replaced in one pass, so marks inside inserted values are not replaced.
    return re.sub(
        f"__({'|'.join(parts)})__", lambda mark: parts[mark[1]], shell.read_text(encoding="utf-8")
    )


def policy(live: LiveStudy) -> str:
    hosts = " ".join(("'self'", *submit_hosts(live.settings)))
    policy = CSP.replace("form-action 'self'", f"form-action {hosts}")
    if live.settings.recruitment.source == "mturk":
        policy = policy.replace("frame-ancestors 'none'", f"frame-ancestors {FRAMES}")
    return policy


@router.get(
    "/plugin/ask-tell.js",
    response_class=Response,
    responses=refusals("not_built"),
)
def plugin(request: Request) -> FileResponse:
    """Return the jsPsych plugin for pages of other sites."""
    file = shared_of(request).static / "ask-tell.js"
    if not file.is_file():
        raise Failure("not_built")
    return FileResponse(file, media_type=TYPES[".js"], headers={"Cache-Control": "no-cache"})


@router.get("/static/{name:path}", response_class=Response, include_in_schema=False)
def static(name: str, request: Request) -> Response:
    """Return a file of the built page."""
    return built_file(shared_of(request).static, name, request)


def built_file(static: Path, name: str, request: Request) -> Response:
    root = static.resolve()
    path = root / "nothing" if "\0" in name else (root / name).resolve()
    if not path.is_relative_to(root) or not path.is_file():
        raise Failure("unknown_address")
    kind = TYPES.get(path.suffix, "application/octet-stream")
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    if path.suffix in WORDY and "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(squeezed(path, path.stat().st_mtime), media_type=kind, headers=headers)
    return FileResponse(path, media_type=kind, headers=headers)


@lru_cache(maxsize=32)
def squeezed(path: Path, written: float) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)
