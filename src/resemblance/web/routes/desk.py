"""The researchers' desk: log in, see the studies. Every change carries a CSRF token."""

import logging
from typing import Annotated, Any
from urllib.parse import parse_qsl

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from resemblance.errors import SettingError
from resemblance.study.failures import Failure
from resemblance.web.accounts import FIRST, LEAST_PASSWORD, SESSION_S, Accounts
from resemblance.web.desk import draw, etag_of
from resemblance.web.desk.overview import Overview
from resemblance.web.peers import WARNINGS
from resemblance.web.routes.common import is_secure, refusals, shared_of, visitor

router = APIRouter(prefix="/desk", tags=["desk"])
COOKIE = "desk"
MOST_FIELDS = 400
MOST_WAITING = 8  # log-ins: each digest takes a tenth of a second and 64 MB
UNCHANGED: dict[int | str, dict[str, Any]] = {
    304: {"description": "As it was.", "content": {"text/html": {}}}
}
GUARDED = ("login_required", "unknown_study", "invalid_request", "unavailable")
SENT = (*GUARDED, "wrong_type", "wrong_csrf", "not_owner", "not_admin")
hashing = CapacityLimiter(1)  # one at a time, and none of the threads that pages are served by
log = logging.getLogger("resemblance.web")


def accounts_of(request: Request) -> Accounts:
    """Return who may open the desk."""
    return shared_of(request).accounts


def session(request: Request) -> str:
    """Find the session of a researcher who is logged in."""
    found = request.cookies.get(COOKIE, "")
    if accounts_of(request).holder(found) is None:
        raise Failure("login_required")
    return found


Session = Annotated[str, Depends(session)]


def who(request: Request, session: Session) -> str:
    """Name the researcher who is logged in."""
    name = accounts_of(request).holder(session)
    if name is None:
        raise Failure("login_required")
    return name


Who = Annotated[str, Depends(who)]


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


AnyForm = Annotated[dict[str, str], Depends(form)]


def signed(request: Request, session: Session, who: Who, form: AnyForm) -> dict[str, str]:
    """Read a form that came from a page of this session; a study is changed by its owners alone."""
    accounts, study = accounts_of(request), request.path_params.get("study")
    if not accounts.is_csrf(session, form.get("csrf", "")):
        raise Failure("wrong_csrf")
    if study is not None and accounts.role(who, study) == "reader":
        raise Failure("not_owner")
    return form


Form = Annotated[dict[str, str], Depends(signed)]


def page(
    request: Request, template: str, session: str, status: int = 200, **values: Any
) -> Response:
    """Draw a page for somebody who is logged in; where it is as it was, only say so."""
    shared = shared_of(request)
    name = shared.accounts.holder(session) or ""
    known = {"csrf": shared.accounts.csrf(session), "account": name}
    html = draw(template, shared.static, **known, **values)
    headers = {"ETag": etag_of(html)}
    if status == 200 and request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return HTMLResponse(html, status, headers)


@router.get("", response_class=HTMLResponse, responses=UNCHANGED | refusals("unavailable"))
def desk(request: Request) -> Response:
    """List the studies that one may see, or ask for the password."""
    try:
        found = session(request)
    except Failure:
        return login_page(request)
    accounts = accounts_of(request)
    name = accounts.holder(found) or ""
    lives = [
        live for study, live in shared_of(request).studies.items() if accounts.role(name, study)
    ]
    for live in lives:
        live.reread()
    warned = shared_of(request).arrivals.warnings if accounts.all[name].admin else []
    studies = [Overview(live) for live in lives]
    return page(request, "studies", found, studies=studies, warned=warned, told=WARNINGS)


def login_page(
    request: Request, problem: str = "", status: int = 200, invited: bool = False
) -> HTMLResponse:
    """Ask for name and password; who was invited, for the one-time secret and a new password."""
    accounts = accounts_of(request)
    known = {
        "first": invited or accounts.is_new,
        "named": len(accounts.all) > 1,
        "coded": any(one.totp for one in accounts.all.values()),
        "awaits": accounts.awaits,
    }
    html = draw("login", shared_of(request).static, least=LEAST_PASSWORD, problem=problem, **known)
    return HTMLResponse(html, status)


@router.get("/-/invitation", response_class=HTMLResponse, responses=refusals("unavailable"))
def invitation(request: Request) -> Response:
    """Ask who was invited for the one-time secret, and a password."""
    return login_page(request, invited=True)


@router.post(
    "/login",
    response_class=HTMLResponse,
    responses=refusals("wrong_type", "wrong_secret", "too_many", "invalid_request")
    | {303: {"description": "Logged in."}},
)
async def login(request: Request, form: AnyForm) -> Response:
    """Log in; the one-time secret of an invitation sets the password."""
    shared, invited = shared_of(request), "secret" in form
    name = form.get("name", "").strip()
    shared.logins.take(visitor(request))
    shared.tries.take(name)
    if hashing.statistics().tasks_waiting >= MOST_WAITING:
        raise Failure("too_many", retry_after=2)
    try:
        opened = await to_thread.run_sync(opened_by, shared.accounts, form, limiter=hashing)
    except SettingError as error:
        return login_page(request, f"{error}.", 422, invited)
    known = opened or (name if name in shared.accounts.all else FIRST)
    await to_thread.run_sync(note, request, known, "logged in" if opened else "log-in refused")
    if opened is None:
        log.warning("a log-in as %r from %s was refused", known, visitor(request))
        used = "This secret was used before, or is too old: ask for another."
        return login_page(request, used if invited else "That is not right.", 403, invited)
    answer = RedirectResponse("/desk", 303)
    answer.set_cookie(
        COOKIE,
        shared.accounts.session(opened),
        max_age=SESSION_S,
        path="/desk",
        httponly=True,
        samesite="strict",
        secure=is_secure(request),
    )
    return answer


def opened_by(accounts: Accounts, form: dict[str, str]) -> str | None:
    """Return the account that a form opens."""
    password = form.get("password", "")
    if "secret" in form:
        return accounts.accept(form["secret"], password)
    return accounts.opens(password, form.get("name", "").strip(), form.get("code", ""))


def note(request: Request, name: str, what: str) -> None:
    """Write into the audit trail of every study that an account may see."""
    shared = shared_of(request)
    for study, live in shared.studies.items():
        if shared.accounts.role(name, study):
            live.store.events.record(live.record, name, what, {})


@router.post("/logout", responses=refusals(*SENT) | {303: {"description": "Logged out."}})
def logout(request: Request, session: Session, _: Form) -> Response:
    """Log out: the session ends, wherever its cookie is."""
    accounts_of(request).end(session)
    answer = RedirectResponse("/desk", 303)
    answer.delete_cookie(COOKIE, path="/desk")
    return answer
