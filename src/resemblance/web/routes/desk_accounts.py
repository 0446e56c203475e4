"""Accounts at the desk: one's own password and codes; who else may see which study."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from resemblance.errors import SettingError
from resemblance.study.failures import Failure
from resemblance.web.accounts import LEAST_PASSWORD, ROLES
from resemblance.web.routes.common import refusals, shared_of, visitor
from resemblance.web.routes.desk import (
    GUARDED,
    SENT,
    UNCHANGED,
    Form,
    Session,
    Who,
    accounts_of,
    page,
)

router = APIRouter(prefix="/desk/-", tags=["desk"])
OWN, OTHERS = "/desk/-/account", "/desk/-/accounts"
SHOWN = UNCHANGED | refusals(*GUARDED, "not_owner", "not_admin")
CHANGED: dict[int | str, Any] = {303: {"description": "Changed."}}


def admin(request: Request, who: Who) -> str:
    """Refuse who may not invite others."""
    if not accounts_of(request).all[who].admin:
        raise Failure("not_admin")
    return who


Admin = Annotated[str, Depends(admin)]


@router.get("/account", response_class=HTMLResponse, responses=SHOWN)
def own_page(request: Request, session: Session, who: Who) -> Response:
    """Show one's own account."""
    return own(request, session, who)


def own(
    request: Request, session: str, who: str, status: int = 200, said: str = "", key: str = ""
) -> Response:
    """Draw one's own account; a key of one-time codes that is to be confirmed as a picture."""
    account = accounts_of(request).all[who]
    picture = drawn(key, who, request.url.hostname or "") if key else ""
    about = {"coded": bool(account.totp), "admin": account.admin, "least": LEAST_PASSWORD}
    return page(request, "account", session, status, said=said, key=key, picture=picture, **about)


def drawn(key: str, name: str, host: str) -> str:
    """Draw a key as the QR code that authenticator programs read."""
    import pyotp
    import segno

    address = pyotp.TOTP(key).provisioning_uri(name=name, issuer_name=f"resemblance {host}".strip())
    return str(segno.make(address).svg_inline(scale=4, light="#fff"))


@router.post("/account/password", response_class=HTMLResponse, responses=CHANGED | refusals(*SENT))
def change_password(request: Request, session: Session, who: Who, form: Form) -> Response:
    """Change one's password, which ends all sessions."""
    accounts = accounts_of(request)
    shared_of(request).logins.take(visitor(request))
    if accounts.opens(form.get("old", ""), who, form.get("code", "")) is None:
        return own(request, session, who, 403, "The old password, or the code, is not right.")
    try:
        accounts.set_password(who, form.get("password", ""))
    except SettingError as error:
        return own(request, session, who, 422, f"{error}.")
    return RedirectResponse("/desk", 303)


@router.post("/account/codes", response_class=HTMLResponse, responses=CHANGED | refusals(*SENT))
def change_codes(request: Request, session: Session, who: Who, form: Form) -> Response:
    """Begin with one-time codes: show a key, then confirm it by a code; or end with them."""
    accounts, key = accounts_of(request), form.get("key", "")
    shared_of(request).logins.take(visitor(request))
    if form.get("end"):
        if accounts.opens(form.get("old", ""), who, form.get("code", "")) is None:
            return own(request, session, who, 403, "The password, or the code, is not right.")
        accounts.confirm_totp(who, "", "")
        return RedirectResponse(OWN, 303)
    if not key:
        return own(request, session, who, key=accounts.new_totp())
    if not accounts.confirm_totp(who, key, form.get("code", "")):
        said = "The code is not right, or too old: is the clock of the device right?"
        return own(request, session, who, 403, said, key)
    return RedirectResponse(OWN, 303)


@router.get("/accounts", response_class=HTMLResponse, responses=SHOWN)
def others_page(request: Request, session: Session, _: Admin) -> Response:
    """Show who may see which study."""
    return others(request, session)


def others(
    request: Request, session: str, status: int = 200, said: str = "", **invitation: str
) -> Response:
    """Draw the accounts; a new invitation is shown once."""
    shared = shared_of(request)
    about: dict[str, Any] = {
        "accounts": shared.accounts.all,
        "studies": list(shared.studies),
        "roles": ROLES,
        "invitation": invitation,
    }
    return page(request, "accounts", session, status, said=said, **about)


@router.post("/accounts/invite", response_class=HTMLResponse, responses=refusals(*SENT))
def invite(request: Request, session: Session, _: Admin, form: Form) -> Response:
    """Invite somebody, or let somebody choose a new password, by a secret that works once."""
    shared, name = shared_of(request), form.get("name", "").strip()
    if name in shared.accounts.all and not form.get("again"):
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
    """Let an account own or read a study, or neither."""
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
