"""Routes of the desk for logging in and for listing studies; forms of other sites are refused."""

import logging
import time
from hashlib import sha256
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlsplit

from anyio import CapacityLimiter, sleep, to_thread
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from resemblance.errors import SettingError
from resemblance.study.failures import Failure
from resemblance.web.accounts import FIRST, KNOWN_S, LEAST_PASSWORD, SESSION_S, Accounts
from resemblance.web.addresses import WARNINGS
from resemblance.web.desk.drawing import draw, etag_of
from resemblance.web.desk.overview import Overview
from resemblance.web.routes import is_secure, refusals, shared_of, visitor

router = APIRouter(prefix="/desk", tags=["desk"])
COOKIE = "desk"
LOGGED_IN, REFUSED = "logged in", "log-in refused"  # names of events in the audit trail
# Longest delay of a log-in in seconds. Beyond it the request is refused with Retry-After.
HELD_S = 10.0
# largest number of characters that are stored of a name, and of a User-Agent
MOST_NAME, MOST_AGENT = 60, 200
REFUSED_DAYS = 7  # days for which refused log-ins are reported
MOST_FIELDS = 400
# largest number of log-ins that may wait; hashing a password takes 0.1 s and 64 MB
MOST_WAITING = 8
UNCHANGED: dict[int | str, dict[str, Any]] = {
    304: {"description": "Not modified.", "content": {"text/html": {}}}
}
GUARDED = ("login_required", "unknown_study", "invalid_request", "unavailable")
SENT = (*GUARDED, "wrong_type", "wrong_origin", "old_form", "not_owner", "not_admin")
# Passwords are hashed in a single thread, besides the threads that serve pages.
hashing = CapacityLimiter(1)
log = logging.getLogger("resemblance.web")


def gives(kind: str, about: str, *codes: str) -> dict[str, Any]:
    """Return the documentation of a route that returns a file: type of the file, and errors."""
    responses: dict[int | str, Any] = {200: {"content": {kind: {}}, "description": about}}
    return {"response_class": Response, "responses": refusals(*GUARDED, *codes) | responses}


def download(content: bytes, kind: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)


def accounts_of(request: Request) -> Accounts:
    return shared_of(request).accounts


def session(request: Request) -> str:
    token = request.cookies.get(COOKIE, "")
    if accounts_of(request).holder(token) is None:
        raise Failure("login_required")
    return token


Session = Annotated[str, Depends(session)]


def who(request: Request, session: Session) -> str:
    name = accounts_of(request).holder(session)
    if name is None:
        raise Failure("login_required")
    return name


Who = Annotated[str, Depends(who)]


def refuse_other_sites(request: Request) -> None:
    """Refuse forms of other sites, by the header Sec-Fetch-Site, or Origin in older browsers."""
    headers = request.headers
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if site is None and origin is not None:
        own = {live.settings.server.address for live in shared_of(request).studies.values()}
        same = origin in own or urlsplit(origin).netloc == headers.get("host")
        site = "same-origin" if same else "cross-site"
    if site not in (None, "same-origin", "none"):
        raise Failure("wrong_origin")


async def form(request: Request) -> dict[str, str]:
    refuse_other_sites(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Failure("wrong_type", remedy="Send a form.")
    try:
        body = (await request.body()).decode()
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise Failure("invalid_request") from None


AnyForm = Annotated[dict[str, str], Depends(form)]


def signed(request: Request, who: Who, form: AnyForm) -> dict[str, str]:
    """Return the form of a logged-in user; refuse changes to a study by its readers."""
    accounts, study = accounts_of(request), request.path_params.get("study")
    if study is not None and accounts.role(who, study) == "reader":
        raise Failure("not_owner")
    return form


Form = Annotated[dict[str, str], Depends(signed)]


def page(
    request: Request, template: str, session: str, status: int = 200, **values: Any
) -> Response:
    """Return a page for a logged-in researcher, or 304 if the page has not changed."""
    shared = shared_of(request)
    name = shared.accounts.holder(session) or ""
    html = draw(template, shared.static, account=name, **values)
    headers = {"ETag": etag_of(html)}
    if status == 200 and request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return HTMLResponse(html, status, headers)


@router.get("", response_class=HTMLResponse, responses=UNCHANGED | refusals("unavailable"))
def desk(request: Request) -> Response:
    """List the user's studies, or ask for the password."""
    try:
        token = session(request)
    except Failure:
        return login_page(request)
    accounts = accounts_of(request)
    name = accounts.holder(token) or ""
    lives = [
        live for study, live in shared_of(request).studies.items() if accounts.role(name, study)
    ]
    for live in lives:
        live.reread()
    warned = shared_of(request).arrivals.warnings if accounts.all[name].admin else []
    since = time.time() - 24 * 3600 * REFUSED_DAYS
    refused = [live.store.events.said(live.record, name, REFUSED, since) for live in lives]
    values = {"refused": max(refused, default=(0, 0.0)), "days": REFUSED_DAYS}
    values |= {"studies": [Overview(live) for live in lives], "warned": warned, "told": WARNINGS}
    return page(request, "studies", token, 200, **values)


def login_page(
    request: Request, problem: str = "", status: int = 200, invited: bool = False
) -> HTMLResponse:
    accounts = accounts_of(request)
    about = {
        "first": invited or accounts.is_new,
        "named": len(accounts.all) > 1,
        "coded": any(account.totp for account in accounts.all.values()),
        "awaits": accounts.awaits,
    }
    html = draw("login", shared_of(request).static, least=LEAST_PASSWORD, problem=problem, **about)
    return HTMLResponse(html, status)


@router.get("/-/invitation", response_class=HTMLResponse, responses=refusals("unavailable"))
def invitation(request: Request) -> Response:
    """Show a form for the one-time secret of an invitation and a new password."""
    return login_page(request, invited=True)


@router.post(
    "/login",
    response_class=HTMLResponse,
    responses=refusals("wrong_type", "wrong_secret", "too_many", "invalid_request")
    | {303: {"description": "Logged in."}},
)
async def login(request: Request, form: AnyForm) -> Response:
    """Log in, or set a password by the one-time secret of an invitation."""
    shared, invited = shared_of(request), "secret" in form
    name, password = form.get("name", "").strip(), form.get("password", "")
    try:
        opened = await (
            accepted(request, form["secret"], password)
            if invited
            else opened_by(request, name, password, form.get("code", ""))
        )
    except SettingError as error:
        return login_page(request, f"{error}.", 422, invited)
    who = opened or ("" if invited else shared.accounts.meant(name))
    await to_thread.run_sync(note, request, who, LOGGED_IN if opened else REFUSED)
    if opened is None:
        # An unknown name may be a mistyped password, so it is not logged.
        account = who if who in shared.accounts.all else FIRST
        log.warning("a log-in as %r from %s was refused", account, visitor(request))
        used = "This secret was used before, or is too old: ask for another."
        return login_page(request, used if invited else "Wrong name or password.", 403, invited)
    return logged_in(request, opened)


async def accepted(request: Request, once: str, password: str) -> str | None:
    """Set a password with a one-time secret; only attempts with wrong secrets are delayed."""
    shared = shared_of(request)
    if not shared.accounts.invites(once):
        await sleep(shared.logins.take(visitor(request), HELD_S))
        return None
    return await to_thread.run_sync(shared.accounts.accept, once, password, limiter=hashing)


async def opened_by(request: Request, name: str, password: str, code: str) -> str | None:
    """Return the account if the password is right; each further guess is delayed longer.

    Delays of browsers that have logged in to this account before are counted separately, so that
    guesses from elsewhere cannot lock out their users.
    """
    shared, network = shared_of(request), visitor(request)
    accounts = shared.accounts
    name = accounts.meant(name)
    browser = request.cookies.get(browser_cookie(name), "")
    remembered = accounts.remembers(browser, name)
    guesser = f"{browser if remembered else network} {name[:MOST_NAME]}"
    pauses = [] if remembered else [shared.logins.take(network, HELD_S)]
    pauses.append(shared.guesses.take(guesser, HELD_S))
    if not remembered:
        pauses.append(shared.tries.take(name[:MOST_NAME], HELD_S))
        if hashing.statistics().tasks_waiting >= MOST_WAITING:
            raise Failure("too_many", retry_after=2)
    await sleep(max(pauses))
    account = await to_thread.run_sync(accounts.opens, password, name, code, limiter=hashing)
    if account is not None:
        shared.guesses.forget(guesser)
    return account


def browser_cookie(name: str) -> str:
    return f"{COOKIE}-{sha256(name.encode(errors='replace')).hexdigest()[:12]}"


def logged_in(request: Request, name: str, to: str = "/desk") -> Response:
    accounts, answer = accounts_of(request), RedirectResponse(to, 303)
    agent = request.headers.get("user-agent", "")[:MOST_AGENT]
    given = {COOKIE: (accounts.session(name, agent), SESSION_S)}
    cookie = browser_cookie(name)
    if not accounts.remembers(request.cookies.get(cookie, ""), name):
        given[cookie] = accounts.remember(name), KNOWN_S
    for cookie, (value, seconds) in given.items():
        answer.set_cookie(
            cookie,
            value,
            max_age=seconds,
            path="/desk",
            httponly=True,
            samesite="strict",
            secure=is_secure(request),
        )
    return answer


def note(request: Request, name: str, what: str) -> None:
    shared = shared_of(request)
    for study, live in shared.studies.items():
        if shared.accounts.role(name, study):
            live.store.events.record(live.record, name, what, {})


@router.post("/logout", responses=refusals(*SENT) | {303: {"description": "Logged out."}})
def logout(request: Request, session: Session, _: Form) -> Response:
    """End the session."""
    accounts_of(request).end(session)
    answer = RedirectResponse("/desk", 303)
    answer.delete_cookie(COOKIE, path="/desk")
    return answer
