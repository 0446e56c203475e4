"""Middleware around all routes: request checks, response headers and the log."""

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Callable, Collection, Mapping
from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from resemblance.study.failures import Failure

LARGEST = 256 * 1024
SLOWEST_S = 20.0  # seconds in which the body of a request must arrive
CSP = (
    "default-src 'self'; img-src 'self' data:; media-src 'self' blob:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Content-Security-Policy": CSP,
    "Cache-Control": "no-store",
}
STAY = {"Strict-Transport-Security": "max-age=31536000"}  # header that is sent only over https
TOLD = ("study", "page")  # parameters of the path that appear in the log
_TICKET = re.compile(r"(?<=/-try/)[^/]+")  # the secret ticket in the address of a rehearsal
log = logging.getLogger("resemblance.web")


SHARED: dict[str, Any] = {
    "allow_methods": ["GET", "POST"],
    "allow_headers": ["Content-Type", "Authorization"],
    "expose_headers": ["Retry-After"],
}


def allow_origins(app: FastAPI, origins: Collection[str]) -> None:
    """Allow requests from pages of other origins; call this after adding the guard."""
    if origins:
        app.add_middleware(CORSMiddleware, allow_origins=sorted(origins), **SHARED)


def plain_page(path: str, accept: str, failure: Failure) -> str | None:
    """Return an error as an HTML page for browsers; None for programs, which get JSON."""
    if "text/html" not in accept:
        return None
    return (
        "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{escape(failure.message)}</title><h1>{escape(failure.message)}</h1>"
        f"<p>{escape(failure.remedy)}"
    )


class Guard:
    """Checks every request before its route, and adds headers to every response."""

    def __init__(
        self,
        app: ASGIApp,
        hosts: frozenset[str] | None,
        secure: bool,
        page: Callable[[str, str, Failure], str | None] = plain_page,
        streamed: Mapping[str, int] | None = None,
    ) -> None:
        self.app, self.hosts, self.page = app, hosts, page
        self.streamed = streamed or {}
        headers = HEADERS | (STAY if secure else {})
        self.headers = [(k.lower().encode(), v.encode()) for k, v in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked = scope["method"]
        if asked == "HEAD":  # Monitors send HEAD, which is handled as GET, but without a body.
            scope = {**scope, "method": "GET"}
        answer = _Answer(scope, send, self.headers, asked)
        try:
            self._check(scope)
            if scope["path"] not in self.streamed:
                receive = replayed(await _in_time(receive), receive)
            await self.app(scope, receive, answer.send)
        except ClientDisconnect:
            return
        except Exception as error:
            if answer.status:
                raise
            if not isinstance(error, Failure):
                number = secrets.token_hex(4)
                log.exception("%s failed (%s)", answer.name, number)
                remedy = f"Try again; the researcher finds the cause in the log, at {number}."
                error = Failure("failed", remedy=remedy, number=number)
            await self._refusal(scope, error)(scope, receive, answer.send)
        finally:
            answer.tell()

    def _refusal(self, scope: Scope, failure: Failure) -> Response:
        accept = Headers(scope=scope).get("accept", "")
        page = self.page(scope["path"], accept, failure)
        headers = {"Connection": "close"} if failure.code in ("too_slow", "too_large") else None
        if page is None:
            return JSONResponse(failure.body(), failure.status, headers)
        return HTMLResponse(page, failure.status, headers)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").rsplit(":", 1)[0].lower()
        if self.hosts is not None and host not in self.hosts:
            raise Failure("wrong_host")
        length = headers.get("content-length", "0")
        most = self.streamed.get(scope["path"], LARGEST)
        if not length.isdigit() or int(length) > most:
            raise Failure("too_large")
        if scope["method"] == "POST" and scope["path"].startswith("/api/") and most == LARGEST:
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                raise Failure("wrong_type")


class Token:
    """Requires a secret as a query parameter (which sets a cookie), cookie or bearer token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app, self.token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        # Browsers send cookies to all ports of a machine, so the name contains the port.
        cookie = f"resemblance-{request.url.port}"
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self._opens(request.query_params.get("token", "")):
            answer = RedirectResponse(request.url.remove_query_params("token"), 303)
            answer.set_cookie(cookie, self.token, httponly=True, samesite="lax")
            await answer(scope, receive, send)
        elif self._opens(request.cookies.get(cookie, "")) or self._opens(bearer):
            await self.app(scope, receive, send)
        else:
            raise Failure(
                "not_from_here",
                "The token of the address that the program printed is missing.",
                "Open that address again.",
            )

    def _opens(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(errors="replace"), self.token.encode())


async def _in_time(receive: Receive) -> bytes:
    """Read the body within limits of time and size, without trusting Content-Length."""
    body, more = b"", True
    try:
        async with asyncio.timeout(SLOWEST_S):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > LARGEST:
                    raise Failure("too_large")
    except TimeoutError:
        raise Failure("too_slow") from None
    return body


def replayed(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


class _Answer:
    def __init__(
        self, scope: Scope, send: Send, headers: list[tuple[bytes, bytes]], asked: str
    ) -> None:
        self._send, self.headers, self.asked = send, headers, asked
        self.status, self.began = 0, time.perf_counter()
        self._scope = scope

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = message.get("headers", [])
            names = {name for name, _ in own}
            message["headers"] = [*own, *(pair for pair in self.headers if pair[0] not in names)]
        elif self.asked == "HEAD":
            message = {**message, "body": b""}
        await self._send(message)

    def tell(self) -> None:
        """Log the request without query, body and headers, because they contain secrets."""
        took = 1e3 * (time.perf_counter() - self.began)
        log.info("%s %d %.1f ms", self.name, self.status, took)

    @property
    def name(self) -> str:
        """Method and path, but no ids of questions, names of files or tickets."""
        return f"{self.asked} {_address(self._scope)}"


def _address(scope: Scope) -> str:
    route = getattr(scope.get("route"), "path", None)
    if route is None or _TICKET.search(scope["path"]):
        path: str = scope["path"].encode("unicode_escape").decode()
        return _TICKET.sub("*", path)
    for part in TOLD:
        value = str(scope["path_params"].get(part)).encode("unicode_escape").decode()
        route = route.replace(f"{{{part}}}", value)
    return str(route)
