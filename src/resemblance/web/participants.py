"""The participant's page: its routes, and a fast path for answers.

The fast path does what the route ``POST /api/me/answers`` does, with the same checks, but without
the framework's layers. Whatever is not the plain good case is left to the route: an answer that is
sent twice is stored once, so nothing is lost or doubled by beginning anew.

The state of a person after an answer is remembered, and the next answer begins from there without a
read. The store takes it only if this state still holds; what the desk, the worker or another
process changed since then sends the answer to the route, which reads anew.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer
from pydantic import ValidationError
from pydantic_core import to_json
from starlette.types import ASGIApp, Receive, Scope, Send

from resemblance.errors import ResemblanceError
from resemblance.store import Standing
from resemblance.store.records import SIMULATED
from resemblance.study.entry import enter
from resemblance.study.participation import Participation, withdraw
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
from resemblance.web.guards import replayed
from resemblance.web.routes import holder, language_of, participation, refusals, shared_of, visitor

router = APIRouter(prefix="/api", tags=["participants"])
KNOWN = ("unknown_token", "too_many", "unavailable", "invalid_request")
SENT = (*KNOWN, "wrong_type")
bearer = HTTPBearer(auto_error=False, description="The token that entering gave.")
PATH = "/api/me/answers"
HEADERS = [(b"content-type", b"application/json")]
MOST = 2000  # people whose standing is remembered: some 5 kB each
ELSEWHERE = (ResemblanceError, ValidationError, ValueError)


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


class Quick:
    """Answers ``POST /api/me/answers`` in the usual case; passes on other requests."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.standings: dict[str, Standing] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        body = (await receive())["body"]  # whole: the guard has read it
        try:
            reply = await self._reply(scope, body)
        except ELSEWHERE:
            await self.app(scope, replayed(body, receive), send)
            return
        headers = [*HEADERS, (b"content-length", b"%d" % len(reply))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": reply})

    async def _reply(self, scope: Scope, body: bytes) -> bytes:
        sent, request = AnswersRequest.model_validate_json(body), Request(scope)
        live, token, hashed = holder(request)
        if standing := self.standings.pop(hashed, None):  # requests beside this one read anew
            language = language_of(request, live)
            person = Participation(live, standing, token, language, remembered=True)
        else:
            person = await participation(request)
        reply = await person.answer(sent.answers, sent.want)
        self._remember(person.standing)
        return to_json(reply)

    def _remember(self, standing: Standing) -> None:
        if len(self.standings) >= MOST:
            del self.standings[next(iter(self.standings))]
        self.standings[standing.token_hash] = standing
