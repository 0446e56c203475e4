"""Routes of stimuli, which are requested by digest, never by file name."""

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
# This policy disables scripts in SVG.
INERT = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
# At most two threads resize pictures, so that other threads are free for answers.
MAKING = CapacityLimiter(2)
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

    ``side`` requests a smaller picture, by the length of its longer side in pixels; questions list
    the available sizes. Browsers without WebP get the original picture.
    """
    if side is not None and side not in SIDES:
        raise Failure("invalid_request", f"side is {side}.", f"Give one of {SIDES}.")
    taken = side if "image/webp" in request.headers.get("accept", "") else None
    limiter = None if taken is None else MAKING
    find = partial(_file, shared_of(request).study(study), name, taken)
    return await to_thread.run_sync(find, limiter=limiter)


def _file(live: LiveStudy, name: str, side: int | None) -> FileResponse:
    if name not in live.folder.media:  # The item may have been added just now.
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


# size and time of each file when its digest was last checked, by name of the stimulus
_seen: dict[str, tuple[int, int]] = {}


def unchanged(item: Stimulus) -> bool:
    """Return whether a file is unchanged; read it only if size or time changed."""
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
