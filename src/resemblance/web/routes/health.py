"""Routes that tell whether the server is alive and ready."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from resemblance.web.addresses import is_from_here
from resemblance.web.readiness import Readiness
from resemblance.web.routes.common import shared_of

router = APIRouter(tags=["health"])


@router.get("/health")
async def health() -> dict[str, bool]:
    """Say that the process answers; nothing else is looked at, so it answers under any load."""
    return {"ok": True}


@router.get("/ready", include_in_schema=False)
def ready(request: Request) -> Any:
    """Say whether answers can be stored and the worker is at work: 200 if so, else 503.

    This machine also hears what is odd in how visitors come in; a stranger could use it.
    """
    readiness: Readiness = request.app.state.readiness
    report = readiness.tell()
    if is_from_here(request.scope):
        report = report | {"warnings": shared_of(request).arrivals.warnings}
    return JSONResponse(report, 200 if report["ready"] else 503)
