"""The participant's page and its files."""

import gzip
from functools import lru_cache
from html import escape
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from resemblance.study.completion import submit_hosts
from resemblance.study.failures import Failure
from resemblance.study.live import LiveStudy
from resemblance.study.protocol import Config
from resemblance.web.guards import CSP
from resemblance.web.routes.common import refusals, shared_of

router = APIRouter(tags=["pages"])
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
WORDY = (".js", ".css", ".svg", ".json", ".map")  # what compressing makes smaller


@router.get(
    "/s/{study}", response_class=HTMLResponse, responses=refusals("unknown_study", "not_built")
)
def participant_page(study: str, request: Request) -> HTMLResponse:
    """Return the page on which people answer."""
    shared = shared_of(request)
    live = shared.study(study)
    shell = shared.static / "participant.html"
    if not shell.is_file():
        raise Failure("not_built")
    html = fill(shell.read_text(encoding="utf-8"), live, request.scope.get("root_path", ""))
    headers = {"Content-Security-Policy": policy(live), "Cache-Control": "no-cache"}
    return HTMLResponse(html, headers=headers)


def fill(shell: str, live: LiveStudy, root: str = "") -> str:
    """Put the study's title, language and settings into the page; ``root`` begins addresses."""
    study = live.settings.study
    config = Config(
        study=study.name,
        title=study.title,
        language=study.language,
        root=root,
        strings=dict(live.folder.strings),
        contact=study.contact,
    )
    safe = config.model_dump_json().replace("<", "\\u003c")
    html = shell.replace("__LANG__", escape(study.language), 1)
    return html.replace("__TITLE__", escape(study.title), 1).replace("__CONFIG__", safe, 1)


def policy(live: LiveStudy) -> str:
    """Say what the page may load, where it may send forms, and who may frame it."""
    hosts = " ".join(("'self'", *submit_hosts(live.settings)))
    policy = CSP.replace("form-action 'self'", f"form-action {hosts}")
    if live.settings.recruitment.source == "mturk":
        policy = policy.replace("frame-ancestors 'none'", f"frame-ancestors {FRAMES}")
    return policy


@router.get("/static/{name:path}", response_class=Response, include_in_schema=False)
def static(name: str, request: Request) -> Response:
    """Return a file of the built page."""
    return built_file(shared_of(request).static, name, request)


def built_file(static: Path, name: str, request: Request) -> Response:
    """Return a file of the built pages, small for slow networks; names carry a digest."""
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
    """Compress a file, once for each time that it is written."""
    return gzip.compress(path.read_bytes(), mtime=0)
