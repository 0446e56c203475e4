"""Pages of one study at the desk: tabs, actions, downloads, and an editor of study.toml."""

import re
from dataclasses import dataclass
from difflib import unified_diff
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse

from resemblance.errors import ResemblanceError, UnavailableError
from resemblance.store.tallies import PeopleOnly, PeopleOrder
from resemblance.study.export.archive import unpublished_because
from resemblance.study.export.files import FORMATS
from resemblance.study.export.packing import exported
from resemblance.study.failures import Failure
from resemblance.study.files import read_text
from resemblance.study.live import EditedError, LiveStudy
from resemblance.study.settings_file import FILE, MAY_CHANGE
from resemblance.study.stimuli import digest_of
from resemblance.study.thumbnails import FOLDER
from resemblance.web.desk import overview
from resemblance.web.desk.login import (
    GUARDED,
    SENT,
    UNCHANGED,
    Form,
    Session,
    Who,
    accounts_of,
    download,
    gives,
    page,
)
from resemblance.web.desk.overview import Overview
from resemblance.web.routes import refusals, shared_of

router = APIRouter(prefix="/desk", tags=["desk"])
ARCHIVE = "archive"  # format of the export for publication in a data repository
EVENTS = 50  # number of lines of the audit trail on a page
PEOPLE = 50  # number of rows in the table of people on a page
TABS = {
    "": "Overview",
    "people": "People",
    "map": "Map",
    "questions": "Questions",
    "settings": "Settings",
}
SHOWN = UNCHANGED | refusals(*GUARDED)
CHANGED: dict[int | str, Any] = {303: {"description": "Changed."}}
_THUMBNAIL = re.compile(r"[0-9a-f]{32}\.webp")
Limited = Annotated[int, Query(ge=0, le=10**6)]


class Fault(NamedTuple):
    line: int
    problem: str


@dataclass(frozen=True)
class Draft:
    text: str
    opened: str  # digest of the file when the user began to edit
    faults: tuple[Fault, ...] = ()  # reasons why the file was not saved
    # changes between the file and the text, if somebody else has saved the file
    other: tuple[str, ...] = ()

    @classmethod
    def of(cls, live: LiveStudy) -> "Draft":
        text = read_text(live.folder.path / FILE)
        return cls(text, digest_of(text.encode()))

    @classmethod
    def refused(cls, live: LiveStudy, text: str, opened: str, problems: str) -> "Draft":
        folder = re.escape(f"{live.folder.path}/")
        place = re.compile(rf"{folder}{re.escape(FILE)}, (?:line (\d+)|(last line)): ")
        faults = []
        for problem in problems.splitlines():
            at = place.match(problem)
            line = 0 if at is None else int(at[1] or len(text.splitlines()))
            said = problem if at is None else problem[at.end() :]
            faults.append(Fault(line, re.sub(folder, "", said)))
        return cls(text, opened, tuple(sorted(faults)))

    @classmethod
    def beside_another(cls, live: LiveStudy, text: str) -> "Draft":
        """Return a draft with another user's changes; saving the draft again overwrites them."""
        now = cls.of(live)
        lines = unified_diff(now.text.splitlines(), text.splitlines(), "there", "here", "", "", 1)
        return cls(text, now.opened, other=tuple(lines)[2:] or ("no difference",))

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines() or [""]

    def said_of(self, line: int) -> str:
        return "; ".join(fault.problem for fault in self.faults if fault.line == line)


def find_study(request: Request, study: str, who: Who) -> LiveStudy:
    if accounts_of(request).role(who, study) is None:
        raise Failure("unknown_study")
    return shared_of(request).study(study)


Live = Annotated[LiveStudy, Depends(find_study)]


def tab(
    request: Request,
    live: LiveStudy,
    session: str,
    name: str,
    status: int = 200,
    **values: Any,
) -> Response:
    live.reread()
    accounts = accounts_of(request)
    owns = accounts.role(accounts.holder(session) or "", live.folder.name) == "owner"
    context = {
        "live": live,
        "of": Overview(live),
        "name": live.folder.name,
        "owns": owns,
        "tab": name,
        "tabs": TABS,
    }
    return page(request, f"study_{name or 'overview'}", session, status, **context, **values)


def back(live: LiveStudy, form: dict[str, str]) -> Response:
    where = form.get("tab", "")
    path = f"/desk/{live.folder.name}"
    path = f"{path}/{where}" if where in TABS and where else path
    query = form.get("query", "")
    return RedirectResponse(f"{path}?{query}" if query else path, 303)


@router.get("/{study}", response_class=HTMLResponse, responses=SHOWN)
def study_page(live: Live, request: Request, session: Session) -> Response:
    """Show the progress of a study: answers over time, the error of fits, when to stop."""
    return tab(request, live, session, "", charts=overview)


@router.get("/{study}/people", response_class=HTMLResponse, responses=SHOWN)
def people_page(
    live: Live,
    request: Request,
    session: Session,
    order: PeopleOrder = "newest",
    only: PeopleOnly = "all",
    code: Annotated[str, Query(max_length=20)] = "",
    start: Limited = 0,
) -> Response:
    """Show a page of the table of people, with the quality of their answers."""
    rows, total = live.store.tallies.people(live.record, order, only, code, PEOPLE, start)
    wanted = {"order": order, "only": only, "code": code}
    place = {"total": total, "start": start, "size": PEOPLE}

    def link(start: int) -> str:
        return urlencode(wanted | {"start": start})

    values: dict[str, Any] = {"rows": rows, "wanted": wanted, "link": link, **place}
    return tab(request, live, session, "people", **values)


@router.get("/{study}/map", response_class=HTMLResponse, responses=SHOWN)
def map_page(live: Live, request: Request, session: Session) -> Response:
    """Show the latest map, and the items with the least certain positions."""
    return tab(request, live, session, "map")


@router.get("/{study}/questions", response_class=HTMLResponse, responses=SHOWN)
def questions_page(live: Live, request: Request, session: Session) -> Response:
    """Show the pages and questions that participants see."""
    return tab(request, live, session, "questions")


@router.post("/{study}/try", responses=refusals(*SENT) | {303: {"description": "A rehearsal."}})
def rehearse(live: Live, request: Request, session: Session, _: Form) -> Response:
    """Begin a rehearsal: the participant's page with a temporary database."""
    return RedirectResponse(request.app.state.rehearsal.address(live.folder.name, session), 303)


@router.get("/{study}/settings", response_class=HTMLResponse, responses=SHOWN)
def settings_page(
    live: Live,
    request: Request,
    session: Session,
    before: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
) -> Response:
    """Show settings, downloads and the audit trail."""
    return settings_tab(request, live, session, before=before)


def settings_tab(
    request: Request,
    live: LiveStudy,
    session: str,
    status: int = 200,
    before: int | None = None,
    problem: str = "",
    draft: Draft | None = None,
) -> Response:
    draft = draft or Draft.of(live)
    events = live.store.events.trail(live.record, EVENTS + 1, before)
    form: dict[str, Any] = {"draft": draft, "problem": problem, "may_change": MAY_CHANGE}
    downloads: dict[str, Any] = {"formats": FORMATS}
    downloads["lacking"] = unpublished_because(live.folder.path)
    trail: dict[str, Any] = {"events": events[:EVENTS], "more": len(events) > EVENTS}
    return tab(request, live, session, "settings", status, **form, **downloads, **trail)


@router.post("/{study}/settings", response_class=HTMLResponse, responses=CHANGED | refusals(*SENT))
def change_settings(
    live: Live, request: Request, session: Session, who: Who, form: Form
) -> Response:
    """Save a new study.toml; changes take effect at once."""
    text = form.get("text", "").replace("\r\n", "\n")
    try:
        live.edit(text, form.get("opened", ""), who)
    except EditedError:
        draft = Draft.beside_another(live, text)
        return settings_tab(request, live, session, 409, draft=draft)
    except ResemblanceError as error:
        draft = Draft.refused(live, text, form.get("opened", ""), str(error))
        return settings_tab(request, live, session, 422, draft=draft)
    return back(live, {"tab": "settings"})


@router.post("/{study}/state", responses=refusals(*SENT) | CHANGED)
def set_state(live: Live, who: Who, form: Form) -> Response:
    """Open, pause or close a study."""
    state = form.get("state")
    if state not in ("open", "paused", "closed"):
        raise Failure("invalid_request", f"The state cannot be {state!r}.")
    live.store.studies.set_state(live.record, state, who)  # type: ignore[arg-type]
    live.reread()
    return back(live, form)


@router.post(
    "/{study}/participants/{code}/exclude",
    responses=refusals(*SENT, "unknown_participant", "erased") | CHANGED,
)
def exclude(live: Live, code: str, who: Who, form: Form) -> Response:
    """Exclude or include a person's answers, or let the person enter from another browser."""
    person = live.store.people.named(live.record, code)
    if person is None:
        raise Failure("unknown_participant")
    if form.get("excluded") == "release":
        live.store.people.release(person, who)
    else:
        excluded = form.get("excluded") != "no"
        live.store.people.exclude(person, excluded, form.get("reason", "")[:200], who)
    return back(live, {"tab": "people", "query": form.get("query", "")})


@router.get(
    "/{study}/export.{format}",
    **gives("application/zip", "Tables with a codebook.", "unknown_address"),
)
def export(live: Live, format: str, request: Request, who: Who) -> Response:
    """Return a zip file of the study's tables with pseudonyms, or the archive for publication."""
    if format not in (*FORMATS, ARCHIVE):
        raise Failure("unknown_address", remedy=f"Choose {', '.join((*FORMATS, ARCHIVE))}.")
    if format == ARCHIVE and (lacking := unpublished_because(live.folder.path)):
        raise Failure("invalid_request", "Nothing was exported.", f"Not yet: {lacking}.")
    try:
        packed = exported(live.folder.path, format)
    except UnavailableError as error:
        raise Failure("unavailable", f"The export failed: {error}") from None
    live.store.events.record(live.record, who, "exported", {"format": format})
    return download(packed, "application/zip", f"{live.folder.name}-{format}.zip")


@router.get(
    "/{study}/model.npz",
    **gives("application/octet-stream", "The last fit.", "unknown_address"),
)
def model(live: Live) -> Response:
    """Return the last fitted model, in a file for `resemblance.load`."""
    space = live.store.spaces.latest(live.record)
    if space is None:
        raise Failure("unknown_address", "Nothing has been fitted yet.", "Wait for the first fit.")
    return download(space.model, "application/octet-stream", f"{live.record.name}-model.npz")


@router.get(
    "/{study}/thumbnails/{name}",
    **gives("image/webp", "A thumbnail.", "unknown_media"),
)
def thumbnail(live: Live, name: str) -> FileResponse:
    """Return the thumbnail of an item."""
    path = live.folder.path / FOLDER / name
    if not _THUMBNAIL.fullmatch(name) or not path.is_file():
        raise Failure("unknown_media")
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return FileResponse(path, media_type="image/webp", headers=headers)
