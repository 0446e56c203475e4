"""The researcher's desk: log in, pause, exclude, download. Every change carries a CSRF token."""

from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse

from resemblance.errors import SettingError, UnavailableError
from resemblance.store import Participant
from resemblance.web.archive import archive
from resemblance.web.desk import TEMPLATES, draw
from resemblance.web.failures import Failure
from resemblance.web.live import LiveStudy
from resemblance.web.researcher import LEAST_PASSWORD, SESSION_S, Secrets
from resemblance.web.routes.common import house_of, refusals, visitor

router = APIRouter(prefix="/desk", tags=["desk"])
FORMATS = ("csv", "json", "parquet")
COOKIE = "desk"
WHO = "researcher"
EVENTS = 50  # the last lines of the audit trail that are shown
GUARDED = ("login_required", "unknown_study", "invalid_request", "unavailable")
SENT = (*GUARDED, "wrong_type", "wrong_csrf")


def secrets_of(request: Request) -> Secrets:
    """Give the lock of the desk."""
    return house_of(request).secrets


def session(request: Request) -> str:
    """Find the session of a researcher who is logged in."""
    found = request.cookies.get(COOKIE, "")
    if not secrets_of(request).holds(found):
        raise Failure("login_required")
    return found


async def form(request: Request) -> dict[str, str]:
    """Read a form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Failure("wrong_type", remedy="Send a form.")
    try:
        body = (await request.body()).decode()
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=20))
    except ValueError:
        raise Failure("invalid_request") from None


Session = Annotated[str, Depends(session)]
AnyForm = Annotated[dict[str, str], Depends(form)]


def signed(request: Request, session: Session, form: AnyForm) -> dict[str, str]:
    """Read a form that came from a page of this session."""
    if not secrets_of(request).is_csrf(session, form.get("csrf", "")):
        raise Failure("wrong_csrf")
    return form


Form = Annotated[dict[str, str], Depends(signed)]


def page(request: Request, template: str, session: str, **values: Any) -> HTMLResponse:
    """Draw a page for somebody who is logged in."""
    csrf = secrets_of(request).csrf(session)
    return HTMLResponse(draw(template, csrf=csrf, **values))


@router.get("", response_class=HTMLResponse, responses=refusals("unavailable"))
def desk(request: Request) -> HTMLResponse:
    """List the studies, or ask for the password."""
    try:
        found = session(request)
    except Failure:
        return login_page(request)
    lives = house_of(request).studies.values()
    studies = [(live, live.store.counts(live.record)) for live in lives]
    return page(request, "studies", found, studies=studies)


def login_page(request: Request, problem: str = "", status: int = 200) -> HTMLResponse:
    """Ask for the password; at first, for the one-time secret and a new password."""
    first = secrets_of(request).has_once
    html = draw("login", first=first, least=LEAST_PASSWORD, problem=problem)
    return HTMLResponse(html, status)


@router.get("/desk.css", response_class=FileResponse, include_in_schema=False)
def style() -> FileResponse:
    """Give the style of the desk."""
    return FileResponse(TEMPLATES / "desk.css", media_type="text/css")


@router.post(
    "/login",
    response_class=HTMLResponse,
    responses=refusals("wrong_type", "wrong_secret", "too_many", "invalid_request")
    | {303: {"description": "Logged in."}},
)
def login(request: Request, form: AnyForm) -> Response:
    """Log in; the one-time secret sets the password."""
    house_of(request).logins.take(visitor(request))
    lock, password = secrets_of(request), form.get("password", "")
    try:
        right = (
            lock.set_password(form["secret"], password)
            if "secret" in form
            else lock.opens(password)
        )
    except SettingError as error:
        return login_page(request, f"{error}.", 422)
    if not right:
        return login_page(request, "That is not right.", 403)
    answer = RedirectResponse("/desk", 303)
    answer.set_cookie(
        COOKIE,
        lock.session(),
        max_age=SESSION_S,
        path="/desk",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


@router.post("/logout", responses=refusals(*SENT) | {303: {"description": "Logged out."}})
def logout(_: Form) -> Response:
    """Log out."""
    answer = RedirectResponse("/desk", 303)
    answer.delete_cookie(COOKIE, path="/desk")
    return answer


@router.get(
    "/{study}/export.{format}",
    response_class=Response,
    responses=refusals(*GUARDED, "unknown_address")
    | {200: {"content": {"application/zip": {}}, "description": "Tables and codebook."}},
)
def export(study: str, format: str, request: Request, _: Session) -> Response:
    """Give the answers, people by pseudonym, as a zip archive of tables."""
    house = house_of(request)
    live = house.study(study)
    if format not in FORMATS:
        raise Failure("unknown_address", remedy=f"Choose {', '.join(FORMATS)}.")
    try:
        packed = archive(live.folder.path, house.database, format)
    except UnavailableError as error:
        raise Failure("unavailable", f"The export failed: {error}") from None
    headers = {"Content-Disposition": f'attachment; filename="{study}-{format}.zip"'}
    return Response(packed, media_type="application/zip", headers=headers)


@router.get("/{study}", response_class=HTMLResponse, responses=refusals(*GUARDED))
def study_page(study: str, request: Request, session: Session) -> HTMLResponse:
    """Show a study: people, what happened, and what can be done."""
    live = fresh(request, study)
    store, record = live.store, live.record
    return page(
        request,
        "study",
        session,
        live=live,
        name=study,
        people=store.participants(record),
        excluded=store.excluded(record),
        events=store.audit(record)[: -EVENTS - 1 : -1],
        pool=store.pool_size(record),
    )


def fresh(request: Request, study: str) -> LiveStudy:
    """Find a study, its state as it is now."""
    live = house_of(request).study(study)
    live.reread()
    return live


@router.post("/{study}/state", responses=refusals(*SENT) | {303: {"description": "Changed."}})
def set_state(study: str, request: Request, _: Session, form: Form) -> Response:
    """Open, pause or close a study."""
    live, state = fresh(request, study), form.get("state")
    if state not in ("open", "paused", "closed"):
        raise Failure("invalid_request", f"The state cannot be {state!r}.")
    live.store.set_state(live.record, state, WHO)  # type: ignore[arg-type]
    live.reread()
    return RedirectResponse(f"/desk/{study}", 303)


@router.post(
    "/{study}/participants/{code}/exclude",
    responses=refusals(*SENT, "unknown_participant") | {303: {"description": "Changed."}},
)
def exclude(study: str, code: str, request: Request, _: Session, form: Form) -> Response:
    """Let a person's answers count no longer, or again."""
    live = house_of(request).study(study)
    person: Participant | None = live.store.participant(live.record, code)
    if person is None:
        raise Failure("unknown_participant")
    excluded = form.get("excluded") != "no"
    live.store.exclude(person, excluded, form.get("reason", "")[:200], WHO)
    return RedirectResponse(f"/desk/{study}", 303)
