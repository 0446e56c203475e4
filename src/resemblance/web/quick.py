"""The one path that a study uses a hundred times as often as all others: answers come in.

It does what the route ``POST /api/me/answers`` does, with the same checks and the same code, but
without the framework's layers (docs/benchmarks.md says what they cost). Whatever is not the plain
good case is left to the route: an answer that is sent twice is stored once, so nothing is lost or
doubled by beginning anew.
"""

import json

from fastapi import Request
from pydantic import ValidationError
from starlette.types import ASGIApp, Receive, Scope, Send

from resemblance.errors import ResemblanceError
from resemblance.study.protocol import AnswersRequest
from resemblance.web.guards import replayed
from resemblance.web.routes.common import participation

PATH = "/api/me/answers"
HEADERS = [(b"content-type", b"application/json")]
ELSEWHERE = (ResemblanceError, ValidationError, ValueError)


class Quick:
    """Answers ``POST /api/me/answers`` where all is well, else leaves it to what stands behind.

    Parameters
    ----------
    app : ASGI application
        What stands behind.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        body = (await receive())["body"]  # whole: the guard has read it
        try:
            told = await _reply(scope, body)
        except ELSEWHERE:
            await self.app(scope, replayed(body, receive), send)
            return
        headers = [*HEADERS, (b"content-length", b"%d" % len(told))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": told})


async def _reply(scope: Scope, body: bytes) -> bytes:
    """Store the answers of a request, and write the reply."""
    request = AnswersRequest.model_validate_json(body)
    person = await participation(Request(scope))
    reply = await person.answer(request.answers, request.want)
    return json.dumps(reply, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
