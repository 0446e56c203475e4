"""A fast path for answers, by far the most frequent request.

It does what the route ``POST /api/me/answers`` does, with the same checks and the same code, but
without the framework's layers (docs/benchmarks.md says what they cost). Whatever is not the plain
good case is left to the route: an answer that is sent twice is stored once, so nothing is lost or
doubled by beginning anew.

How a person stands after an answer is remembered, and the next answer begins from there without a
read. It is stored only where the store finds the person still there; what the desk, the worker or
another process changed since then sends the answer to the route, which reads anew.
"""

from fastapi import Request
from pydantic import ValidationError
from pydantic_core import to_json
from starlette.types import ASGIApp, Receive, Scope, Send

from resemblance.errors import ResemblanceError
from resemblance.store import Standing
from resemblance.study.participation import Participation
from resemblance.study.protocol import AnswersRequest
from resemblance.web.guards import replayed
from resemblance.web.routes.common import holder, language_of, participation

PATH = "/api/me/answers"
HEADERS = [(b"content-type", b"application/json")]
MOST = 2000  # people whose standing is remembered: some 5 kB each
ELSEWHERE = (ResemblanceError, ValidationError, ValueError)


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
