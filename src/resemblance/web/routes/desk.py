"""The researcher's desk: log in, see the studies. Every change carries a CSRF token."""

from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from resemblance.errors import SettingError
from resemblance.study.failures import Failure
from resemblance.web.desk import draw, etag_of
from resemblance.web.desk.overview import Overview
from resemblance.web.login import LEAST_PASSWORD, SESSION_S, Secrets
from resemblance.web.routes.common import is_secure, refusals, shared_of, visitor

router = APIRouter(prefix="/desk", tags=["desk"])
COOKIE = "desk"
MOST_FIELDS = 400
UNCHANGED: dict[int | str, dict[str, Any]] = {
    304: {"description": "As it was.", "content": {"text/html": {}}}
}
GUARDED = ("login_required", "unknown_study", "invalid_request", "unavailable")
SENT = (*GUARDED, "wrong_type", "wrong_csrf")


def secrets_of(request: Request) -> Secrets:
    """Return the lock of the desk."""
    return shared_of(request).secrets


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
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=MOST_FIELDS))
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


def page(
    request: Request, template: str, session: str, status: int = 200, **values: Any
) -> Response:
    """Draw a page for somebody who is logged in; where it is as it was, only say so."""
    shared = shared_of(request)
    html = draw(template, shared.static, csrf=shared.secrets.csrf(session), **values)
    headers = {"ETag": etag_of(html)}
    if status == 200 and request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return HTMLResponse(html, status, headers)


@router.get("", response_class=HTMLResponse, responses=UNCHANGED | refusals("unavailable"))
def desk(request: Request) -> Response:
    """List the studies, or ask for the password."""
    try:
        found = session(request)
    except Failure:
        return login_page(request)
    lives = shared_of(request).studies.values()
    for live in lives:
        live.reread()
    return page(request, "studies", found, studies=[Overview(live) for live in lives])


def login_page(request: Request, problem: str = "", status: int = 200) -> HTMLResponse:
    """Ask for the password; at first, for the one-time secret and a new password."""
    first = secrets_of(request).has_once
    static = shared_of(request).static
    html = draw("login", static, first=first, least=LEAST_PASSWORD, problem=problem)
    return HTMLResponse(html, status)


@router.post(
    "/login",
    response_class=HTMLResponse,
    responses=refusals("wrong_type", "wrong_secret", "too_many", "invalid_request")
    | {303: {"description": "Logged in."}},
)
def login(request: Request, form: AnyForm) -> Response:
    """Log in; the one-time secret sets the password."""
    shared_of(request).logins.take(visitor(request))
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
        secure=is_secure(request),
    )
    return answer


@router.post("/logout", responses=refusals(*SENT) | {303: {"description": "Logged out."}})
def logout(_: Form) -> Response:
    """Log out."""
    answer = RedirectResponse("/desk", 303)
    answer.delete_cookie(COOKIE, path="/desk")
    return answer
