"""Routes for accounts: the user's own password and codes, and access for other users."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from resemblance.errors import SettingError
from resemblance.study.failures import Failure
from resemblance.web.accounts import LEAST_PASSWORD, ROLES
from resemblance.web.desk.login import (
    GUARDED,
    SENT,
    UNCHANGED,
    Form,
    Session,
    Who,
    accounts_of,
    logged_in,
    opened_by,
    page,
)
from resemblance.web.routes import refusals, shared_of

router = APIRouter(prefix="/desk/-", tags=["desk"])
OWN, OTHERS = "/desk/-/account", "/desk/-/accounts"
NOT_RIGHT = "The current password, or the code, is wrong."
SHOWN = UNCHANGED | refusals(*GUARDED, "not_owner", "not_admin")
CHANGED: dict[int | str, Any] = {303: {"description": "Changed."}}


def admin(request: Request, who: Who) -> str:
    if not accounts_of(request).all[who].admin:
        raise Failure("not_admin")
    return who


Admin = Annotated[str, Depends(admin)]


@router.get("/account", response_class=HTMLResponse, responses=SHOWN)
def own_page(request: Request, session: Session, who: Who) -> Response:
    """Show the user's own account."""
    return own(request, session, who)


def own(
    request: Request, session: str, who: str, status: int = 200, said: str = "", **new: str
) -> Response:
    accounts = accounts_of(request)
    account, key = accounts.all[who], new.get("key", "")
    picture = drawn(key, who, request.url.hostname or "") if key else ""
    about: dict[str, Any] = {"coded": bool(account.totp), "admin": account.admin}
    about |= {"least": LEAST_PASSWORD, "sessions": accounts.sessions(session)}
    about |= {"key": key, "ticket": new.get("ticket", ""), "picture": picture}
    return page(request, "account", session, status, said=said, **about)


def drawn(key: str, name: str, host: str) -> str:
    import pyotp
    import segno

    address = pyotp.TOTP(key).provisioning_uri(name=name, issuer_name=f"resemblance {host}".strip())
    return str(segno.make(address).svg_inline(scale=4, light="#fff"))


async def confirmed(request: Request, who: Who, form: Form) -> bool:
    """Return whether a form contains the user's password and, if in use, the code."""
    old, code = form.get("old", ""), form.get("code", "")
    return await opened_by(request, who, old, code) is not None


Confirmed = Annotated[bool, Depends(confirmed)]


@router.post("/account/password", response_class=HTMLResponse, responses=CHANGED | refusals(*SENT))
def change_password(
    request: Request, session: Session, who: Who, form: Form, sure: Confirmed
) -> Response:
    """Change the user's password, and end all other sessions."""
    if not sure:
        return own(request, session, who, 403, NOT_RIGHT)
    try:
        accounts_of(request).set_password(who, form.get("password", ""))
    except SettingError as error:
        return own(request, session, who, 422, f"{error}.")
    return logged_in(request, who, OWN)


@router.post("/account/codes", response_class=HTMLResponse, responses=CHANGED | refusals(*SENT))
def change_codes(
    request: Request, session: Session, who: Who, form: Form, sure: Confirmed
) -> Response:
    """Turn one-time codes off, or show a new key, which the user confirms with a code."""
    accounts = accounts_of(request)
    if not sure:
        return own(request, session, who, 403, NOT_RIGHT)
    if form.get("end"):
        accounts.confirm_totp(who, "", "")
        return logged_in(request, who, OWN)
    key = accounts.new_totp()
    ticket = accounts.ticket(session, purpose(request, who, key))
    return own(request, session, who, key=key, ticket=ticket)


@router.post(
    "/account/codes/confirm", response_class=HTMLResponse, responses=CHANGED | refusals(*SENT)
)
def confirm_codes(request: Request, session: Session, who: Who, form: Form) -> Response:
    """Turn one-time codes on, with the key that was shown before."""
    accounts, key, ticket = accounts_of(request), form.get("key", ""), form.get("ticket", "")
    if not accounts.holds(ticket, purpose(request, who, key)):
        raise Failure("old_form")
    if not accounts.confirm_totp(who, key, form.get("code", "")):
        said = "The code is wrong or too old: check the clock of the device, and try again."
        return own(request, session, who, 403, said, key=key, ticket=ticket)
    return logged_in(request, who, OWN)


def purpose(request: Request, who: str, key: str) -> str:
    return f"codes {who} {accounts_of(request).all[who].epoch} {key}"


@router.post("/account/everywhere", responses=CHANGED | refusals(*SENT))
def log_out_everywhere(request: Request, who: Who, _: Form) -> Response:
    """Log out in every browser."""
    accounts_of(request).end_all(who)
    return RedirectResponse("/desk", 303)


@router.get("/accounts", response_class=HTMLResponse, responses=SHOWN)
def others_page(request: Request, session: Session, _: Admin) -> Response:
    """Show all accounts and their access to studies."""
    return others(request, session)


def others(
    request: Request, session: str, status: int = 200, said: str = "", **invitation: str
) -> Response:
    shared = shared_of(request)
    who = shared.accounts.holder(session) or ""
    about: dict[str, Any] = {
        "coded": bool(shared.accounts.all[who].totp),
        "accounts": shared.accounts.all,
        "studies": list(shared.studies),
        "roles": ROLES,
        "invitation": invitation,
    }
    return page(request, "accounts", session, status, said=said, **about)


@router.post("/accounts/invite", response_class=HTMLResponse, responses=refusals(*SENT))
def invite(request: Request, session: Session, _: Admin, form: Form, sure: Confirmed) -> Response:
    """Make a one-time secret to create an account, or to choose a new password."""
    shared, again = shared_of(request), form.get("again", "")
    name = again or form.get("name", "").strip()
    if not sure:
        return others(request, session, 403, NOT_RIGHT)
    if name in shared.accounts.all and not again:
        return others(request, session, 422, f"There is an account {name!r} already.")
    wanted = {study: form.get(f"role {study}", "") for study in shared.studies}
    studies: dict[str, Any] = {study: role for study, role in wanted.items() if role in ROLES}
    try:
        once = shared.accounts.invite(name, studies, True if form.get("admin") else None)
    except SettingError as error:
        return others(request, session, 422, f"{error}.")
    address = f"{request.url.scheme}://{request.url.netloc}/desk/-/invitation"
    return others(request, session, invited=name, address=address, once=once)


@router.post("/accounts/allow", responses=CHANGED | refusals(*SENT))
def allow(request: Request, _: Admin, form: Form) -> Response:
    """Set an account's access to a study: owner, reader or none."""
    accounts, study, role = accounts_of(request), form.get("of", ""), form.get("role", "")
    if form.get("name") not in accounts.all or study not in shared_of(request).studies:
        raise Failure("invalid_request")
    accounts.allow(form["name"], study, role if role in ROLES else None)
    return RedirectResponse(OTHERS, 303)


@router.post("/accounts/remove", response_class=HTMLResponse, responses=CHANGED | refusals(*SENT))
def remove(request: Request, session: Session, _: Admin, form: Form) -> Response:
    """Remove an account."""
    try:
        accounts_of(request).remove(form.get("name", ""))
    except SettingError as error:
        return others(request, session, 422, f"{error}.")
    return RedirectResponse(OTHERS, 303)
