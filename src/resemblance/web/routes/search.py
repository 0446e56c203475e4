"""Routes of a running study's search page, public where its settings allow it."""

from functools import partial

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from resemblance.study.failures import Failure
from resemblance.web.routes.common import budget, limited, refusals, shared_of
from resemblance.web.routes.pages import search_page
from resemblance.web.search import schemas as say
from resemblance.web.search.study import StudySearch

router = APIRouter(tags=["search"])
OFF = ("unknown_study", "unknown_address", "unavailable")
in_thread = partial(  # the threads of participants are never all taken by searches
    to_thread.run_sync, limiter=CapacityLimiter(2)
)


def searched(request: Request, study: str) -> StudySearch:
    shared = shared_of(request)
    live = shared.study(study)
    _ = live.ordered  # reads changes made at the desk
    if not live.settings.search.public:
        raise Failure("unknown_address")
    return shared.searches.get(study) or shared.searches.setdefault(study, StudySearch(live))


@router.get("/s/{study}/search", response_class=HTMLResponse, responses=refusals(*OFF, "not_built"))
def page(study: str, request: Request) -> HTMLResponse:
    """Return the page on which anybody searches the map."""
    settings = searched(request, study).live.settings.search
    static = shared_of(request).static
    return search_page(static, settings.keep_clicks, f"/api/studies/{study}")


@router.get(
    "/api/studies/{study}/search",
    responses=refusals(*OFF, "changed_map", "invalid_request", "too_many"),
    dependencies=[limited("requests")],
)
async def tiles(
    study: str, request: Request, clicks: say.Clicks = "", space: say.Number | None = None
) -> say.Page:
    """Show the tiles that come after some clicks, a digit for each: 1 is the first tile."""
    spend = budget(request, "requests")
    return await in_thread(lambda: searched(request, study).page(say.places(clicks), space, spend))


@router.post(
    "/api/studies/{study}/found",
    responses=refusals(
        *OFF, "no_clicks", "changed_map", "invalid_request", "wrong_type", "too_many"
    ),
    dependencies=[limited("kept")],
)
async def found(study: str, request: Request, end: say.Found) -> say.Kept:
    """Keep the clicks of a search, with the visitor's leave, as judgments."""
    spend = budget(request, "requests")
    return say.Kept(kept=await in_thread(lambda: searched(request, study).keep(end, spend)))
