"""Routes of stimuli, which are requested by digest and never by file name."""

from functools import partial
from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse

from resemblance.study.failures import Failure
from resemblance.study.kinds import KINDS
from resemblance.study.live import LiveStudy
from resemblance.study.stimuli import MEDIA, SIDES, Stimulus, digest_of, sized
from resemblance.web.routes import refusals, shared_of

router = APIRouter(prefix="/media", tags=["media"])
FOREVER = "public, max-age=31536000, immutable"
INERT = "default-src 'none'; style-src 'unsafe-inline'; sandbox"  # disables scripts in SVG
MAKING = CapacityLimiter(2)  # threads that resize pictures; the others stay free for answers
FILE: dict[int | str, Any] = {200: {"content": {"image/png": {}}, "description": "The stimulus."}}


@router.get(
    "/{study}/drawn/{question}.png",
    response_class=Response,
    responses=FILE | refusals("unknown_media", "invalid_request", "unavailable"),
)
def drawn(study: str, question: str, request: Request) -> Response:
    """Draw the picture of a question whose kind draws pictures."""
    live = shared_of(request).study(study)
    asked = live.question(question)
    if asked is None or not (kind := KINDS[asked.kind]).draws:
        raise Failure("unknown_media")
    person = live.store.people.asked(asked)
    condition = live.settings.condition(person.arm if person else None, asked.place)
    png = kind.draw(asked.spec, live.in_condition(condition).material)
    return Response(png, media_type="image/png", headers={"Cache-Control": "private, max-age=3600"})


@router.get(
    "/{study}/{name}",
    response_class=FileResponse,
    responses=FILE | refusals("unknown_media", "changed_media", "invalid_request"),
)
async def stimulus(
    study: str, name: str, request: Request, side: int | None = None
) -> FileResponse:
    """Return a stimulus; refuse it if its file has changed since the study began.

    ``side`` asks for a smaller picture, by the pixels of its longer side; questions list the
    available sizes. Browsers without WebP get the original.
    """
    if side is not None and side not in SIDES:
        raise Failure("invalid_request", f"side is {side}.", f"Give one of {SIDES}.")
    taken = side if "image/webp" in request.headers.get("accept", "") else None
    limiter = None if taken is None else MAKING
    find = partial(_file, shared_of(request).study(study), name, taken)
    return await to_thread.run_sync(find, limiter=limiter)


def _file(live: LiveStudy, name: str, side: int | None) -> FileResponse:
    if name not in live.folder.media:  # perhaps an item that was added a moment ago
        live.reread()
    item = live.folder.media.get(name)
    if item is None:
        raise Failure("unknown_media")
    assert item.path is not None
    if not unchanged(item):
        raise Failure("changed_media")
    path = item.path if side is None else sized(live.folder.path, item, side)
    headers = {"Cache-Control": FOREVER, "Content-Security-Policy": INERT, "Vary": "Accept"}
    if live.settings.server.origins:
        headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return FileResponse(path, media_type=MEDIA[path.suffix.lower()], headers=headers)


_seen: dict[str, tuple[int, int]] = {}  # media name: size and time of the file when it was checked


def unchanged(item: Stimulus) -> bool:
    """Return whether a file is unchanged; it is digested only if its size or time is new."""
    assert item.path is not None
    try:
        stat = item.path.stat()
        stamp = stat.st_size, stat.st_mtime_ns
        if _seen.get(item.media) != stamp:
            if digest_of(item.path.read_bytes()) != item.digest:
                return False
            _seen[item.media] = stamp
    except OSError:
        return False
    return True
