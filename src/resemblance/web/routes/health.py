"""Whether the server is well."""

from fastapi import APIRouter, Request

from resemblance.web.routes.common import refusals, shared_of

router = APIRouter(tags=["health"])


@router.get("/health", responses=refusals("unavailable"))
def health(request: Request) -> dict[str, bool]:
    """Say that the server answers and its databases can be read."""
    for live in shared_of(request).studies.values():
        live.reread()
    return {"ok": True}
