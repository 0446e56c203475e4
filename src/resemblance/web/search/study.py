"""Routes of the search page of a running study, if settings make the page public."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from resemblance.errors import SettingError
from resemblance.study.failures import Failure
from resemblance.study.files import CLICKS
from resemblance.study.live import LiveStudy
from resemblance.study.stimuli import sides_of
from resemblance.web.pages import search_page
from resemblance.web.routes import budget, limited, refusals, shared_of
from resemblance.web.search import schemas as say
from resemblance.web.search.clicks import Clicks
from resemblance.web.search.schemas import Found, Page, Tile

if TYPE_CHECKING:
    from resemblance.web.search.space import Space

SIDE = 520  # length of the longer side of a picture, in pixels
FRESH_S = 60.0  # seconds between checks for a newer map
OPEN = 4  # largest number of maps in memory
REMEMBERED = 2**24  # largest size of the cached searches of a map, in bytes
router = APIRouter(tags=["search"])
OFF = ("unknown_study", "unknown_address", "unavailable")
in_thread = partial(  # At most two threads search, so that other threads are free for participants.
    to_thread.run_sync, limiter=CapacityLimiter(2)
)


class StudySearch:
    """The maps of a study; a search uses the map in which it began."""

    def __init__(self, live: LiveStudy) -> None:
        self.live = live
        # maps by id, the most recently used last
        self._spaces: OrderedDict[int, Space] = OrderedDict()
        self._lock = threading.Lock()
        self._newest: int | None = None
        self._looked = 0.0

    @cached_property
    def clicks(self) -> Clicks:
        return Clicks(self.live.folder.path / CLICKS)

    def newest(self) -> int | None:
        """Return the id of the latest map, which new searches use; None before the first fit."""
        if self._newest is None or time.monotonic() - self._looked > FRESH_S:
            self._looked = time.monotonic()
            kept = self.live.store.spaces.scored(self.live.record)
            self._newest = kept[-1].id if kept else None
        return self._newest

    def page(
        self,
        clicks: Sequence[int],
        number: int | None,
        spend: Callable[[], None],
        like: int | None = None,
    ) -> Page:
        """Return the page after some clicks in a map; before the first map a page without tiles."""
        clicked = "".join(str(click + 1) for click in clicks)
        begins = number is None
        number = self.newest() if begins else number
        if number is None:
            return Page(clicks=clicked, tiles=[])
        try:
            space = self.space(number, spend)
        except Failure as failure:
            if begins and failure.code == "changed_map":  # The latest map cannot be searched.
                return Page(clicks=clicked, tiles=[])
            raise
        items = space.page(clicks, spend, like)
        tiles = [self._tile(item, space.names[item]) for item in items]
        return Page(clicks=clicked, tiles=tiles, space=number)

    def space(self, number: int, spend: Callable[[], None]) -> "Space":
        """Return a map; if it must be read from the store, `spend` counts a request."""
        with self._lock:
            if number not in self._spaces:
                spend()
                self._spaces[number] = self._read(number)
                if len(self._spaces) > OPEN:
                    self._spaces.popitem(last=False)
            self._spaces.move_to_end(number)
            return self._spaces[number]

    def keep(self, end: Found, spend: Callable[[], None]) -> int:
        """Store the clicks of a search; return the number of judgments."""
        if not self.live.settings.search.keep_clicks:
            raise Failure("no_clicks")
        if end.space is None:
            raise Failure("invalid_request", "The search names no space.", "Start over.")
        judged = self.space(end.space, spend).judged(*end.places, spend, end.like)
        with self._lock:
            clicks = self.clicks
        return clicks.keep(end.search, *judged)

    def _read(self, number: int) -> "Space":
        from resemblance.web.search.space import Space

        row = self.live.store.spaces.get(self.live.record, number)
        if row is None:  # The store has deleted this old map.
            raise Failure("changed_map")
        try:
            return Space(_model(row.model), remembered=REMEMBERED)
        except SettingError:  # The model has no probabilities.
            raise Failure("changed_map") from None

    def _tile(self, number: int, item: str) -> Tile:
        stimulus = self.live.folder.by_name.get(item)
        if stimulus is None:  # The item was added, and this process has not read it yet.
            return Tile(number=number, name=None)
        url = None
        if stimulus.type == "image":
            size = f"?side={SIDE}" if sides_of(stimulus) else ""
            url = f"/media/{quote(self.live.folder.name)}/{stimulus.media}{size}"
        name, text, link = stimulus.alt or None, stimulus.text or None, stimulus.link or None
        return Tile(number=number, name=name, url=url, text=text, link=link)


def _model(content: bytes) -> Any:
    from resemblance.saving import load

    with NamedTemporaryFile(suffix=".npz") as file:
        file.write(content)
        file.flush()
        return load(file.name)


def searched(request: Request, study: str) -> StudySearch:
    shared = shared_of(request)
    live = shared.study(study)
    _ = live.ordered  # Reading this property reads changes made at the desk.
    if not live.settings.search.public:
        raise Failure("unknown_address")
    return shared.searches.get(study) or shared.searches.setdefault(study, StudySearch(live))


@router.get("/s/{study}/search", response_class=HTMLResponse, responses=refusals(*OFF, "not_built"))
def page(study: str, request: Request) -> HTMLResponse:
    """Return the search page."""
    settings = searched(request, study).live.settings.search
    static = shared_of(request).static
    return search_page(static, settings.keep_clicks, f"/api/studies/{study}")


@router.get(
    "/api/studies/{study}/search",
    responses=refusals(*OFF, "changed_map", "invalid_request", "too_many"),
    dependencies=[limited("requests")],
)
async def tiles(
    study: str,
    request: Request,
    clicks: say.Clicks = "",
    space: say.Number | None = None,
    like: say.Number | None = None,
) -> say.Page:
    """Return the tiles after some clicks; each digit of `clicks` is a clicked tile, from 1.

    A search may begin at an item, whose index is `like`.
    """
    spend, clicked = budget(request, "requests"), say.places(clicks)
    return await in_thread(lambda: searched(request, study).page(clicked, space, spend, like))


@router.post(
    "/api/studies/{study}/found",
    responses=refusals(
        *OFF, "no_clicks", "changed_map", "invalid_request", "wrong_type", "too_many"
    ),
    dependencies=[limited("kept")],
)
async def found(study: str, request: Request, end: say.Found) -> say.Kept:
    """Keep the clicks of a search, with the visitor's consent, as judgments."""
    spend = budget(request, "requests")
    return say.Kept(kept=await in_thread(lambda: searched(request, study).keep(end, spend)))
