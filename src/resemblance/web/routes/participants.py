"""Routes of the participant's page."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer

from resemblance.store.records import SIMULATED
from resemblance.study.entry import enter
from resemblance.study.participation import Participation
from resemblance.study.protocol import (
    AnswersReply,
    AnswersRequest,
    Completion,
    Entered,
    Entry,
    Me,
    PageResponse,
    Withdrawal,
    Withdrawn,
)
from resemblance.study.withdrawal import withdraw
from resemblance.web.routes.common import participation, refusals, shared_of, visitor

router = APIRouter(prefix="/api", tags=["participants"])
KNOWN = ("unknown_token", "too_many", "unavailable", "invalid_request")
SENT = (*KNOWN, "wrong_type")
bearer = HTTPBearer(auto_error=False, description="The token that entering gave.")


async def person(request: Request, _: Annotated[Any, Depends(bearer)] = None) -> Participation:
    return await participation(request)


Person = Annotated[Participation, Depends(person)]
ENTRY = refusals(
    "unknown_study",
    "not_ready",
    "closed",
    "full",
    "second_entry",
    "bound",
    "unknown_condition",
    "no_token",
    "bad_token",
    "old_token",
    "no_keys",
    "too_many",
    "invalid_request",
    "wrong_type",
    "unavailable",
)


@router.post("/studies/{study}/participants", responses=ENTRY)
def enter_study(study: str, entry: Entry, request: Request) -> Entered:
    """Let a participant in; the ids of Prolific, MTurk and SONA are read from the parameters."""
    shared = shared_of(request)
    shared.entries.take(network := visitor(request))
    live, is_simulated = shared.study(study), SIMULATED in entry.parameters
    if not is_simulated:
        shared.arrivals.enter(network)
    waits = not is_simulated and shared.newcomers.crowd(live, network)
    browser = entry.browser.model_dump()
    token, participant = enter(live, entry.parameters, browser, entry.key, waits)
    if not is_simulated:
        shared.newcomers.add(live, network, participant)
    return Entered(token=token, code=participant.code)


@router.get("/me", response_model=Me, responses=refusals(*KNOWN))
def read_me(person: Person) -> Any:
    """Say where the participant stands."""
    return person.me()


@router.post(
    "/me/pages/{page}",
    response_model=Me,
    responses=refusals(*SENT, "unknown_page", "consent_required", "erased"),
)
def respond(person: Person, page: str, response: PageResponse) -> Any:
    """Take what was answered on a page: consent, instructions, a questionnaire."""
    return person.respond(page, response)


@router.post(
    "/me/answers",
    response_model=AnswersReply,
    responses=refusals(*SENT, "unknown_question", "consent_required", "paused", "erased"),
)
async def answer(person: Person, request: AnswersRequest) -> Any:
    """Store answers, acknowledge them, and give the next questions."""
    return JSONResponse(await person.answer(request.answers, request.want))


@router.post(
    "/me/finish", response_model=Completion, responses=refusals(*SENT, "unfinished", "erased")
)
def finish(person: Person) -> Any:
    """Return the completion code, once the server holds every answer."""
    return person.finish()


@router.post(
    "/me/withdraw",
    response_model=Withdrawn,
    responses=refusals(*SENT, "no_withdrawal", "erased"),
)
def leave(person: Person, request: Withdrawal) -> Any:
    """Let a participant withdraw, with the answers so far kept or deleted."""
    return withdraw(person, request.keep)
