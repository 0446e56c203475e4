"""Routes of the participant's page, with a fast path for answers.

The fast path handles ``POST /api/me/answers`` with the same checks as the route, but without
FastAPI. After an error it passes the request on to the route. This is safe, because an answer that
arrives twice is stored only once.

After each answer the fast path caches the person's state, so that the next answer needs no read.
The store refuses an answer if another process, the desk or the worker has changed the state in the
meantime; then the route reads the state again.
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
bearer = HTTPBearer(auto_error=False, description="The token that the entry returned.")
PATH = "/api/me/answers"
HEADERS = [(b"content-type", b"application/json")]
MOST = 2000  # largest number of cached states, of about 5 kB each
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
    """Admit a participant; the parameters have the ids of Prolific, MTurk or SONA."""
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
    """Return the participant's state, page and questions."""
    return person.me()


@router.post(
    "/me/pages/{page}",
    response_model=Me,
    responses=refusals(*SENT, "unknown_page", "consent_required", "erased"),
)
def respond(person: Person, page: str, response: PageResponse) -> Any:
    """Store the response to a page: consent, instructions or a questionnaire."""
    return person.respond(page, response)


@router.post(
    "/me/answers",
    response_model=AnswersReply,
    responses=refusals(*SENT, "unknown_question", "consent_required", "paused", "erased"),
)
async def answer(person: Person, request: AnswersRequest) -> Any:
    """Store answers, acknowledge them, and return the next questions."""
    return JSONResponse(await person.answer(request.answers, request.want))


@router.post(
    "/me/finish", response_model=Completion, responses=refusals(*SENT, "unfinished", "erased")
)
def finish(person: Person) -> Any:
    """Return the completion code if all answers have arrived."""
    return person.finish()


@router.post(
    "/me/withdraw",
    response_model=Withdrawn,
    responses=refusals(*SENT, "no_withdrawal", "erased"),
)
def leave(person: Person, request: Withdrawal) -> Any:
    """Withdraw from the study; the answers so far are kept or deleted."""
    return withdraw(person, request.keep)


class Quick:
    """Handles ``POST /api/me/answers`` while there is no error; passes on other requests."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.standings: dict[str, Standing] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        body = (await receive())["body"]  # The guard has already read the complete body.
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
        # A cached state is used only once, so concurrent requests read it again.
        if standing := self.standings.pop(hashed, None):
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
