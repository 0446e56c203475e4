"""Respond to errors with JSON for programs, or with an HTML page for people."""

import logging
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException

from resemblance.errors import UnknownQuestionError
from resemblance.store import ContentError, ErasedError, StoreError, WithdrawnError
from resemblance.study.failures import Failure
from resemblance.web.desk.drawing import draw
from resemblance.web.desk.rehearsal import PREFIX

CORRECT = "Correct the request; if you see this on a page, reload it."
log = logging.getLogger("resemblance.web")


def is_read(path: str, accept: str) -> bool:
    """Return whether a person reads the response in a browser."""
    return "text/html" in accept and not path.startswith(("/api/", "/media/", "/static/"))


def problem_page(path: str, failure: Failure, static: Path) -> str:
    desk = path.startswith("/desk") and not path.startswith(PREFIX)
    return draw("problem" if desk else "nowhere", static, failure=failure)


def handle_errors(app: FastAPI) -> None:
    @app.exception_handler(Failure)
    def refused(request: Request, failure: Failure) -> Response:
        shared = getattr(request.app.state, "shared", None)
        wait = failure.more.get("retry_after")
        headers = {"Retry-After": str(wait)} if wait else None
        if shared is not None and is_read(request.url.path, request.headers.get("accept", "")):
            page = problem_page(request.url.path, failure, shared.static)
            return HTMLResponse(page, failure.status, headers)
        return JSONResponse(failure.body(), failure.status, headers)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return refused(request, Failure("invalid_request", f"{where}: {first['msg']}.", CORRECT))

    @app.exception_handler(ContentError)
    @app.exception_handler(UnknownQuestionError)
    def wrong(request: Request, error: ContentError | UnknownQuestionError) -> Response:
        code = "invalid_request" if isinstance(error, ContentError) else "unknown_question"
        return refused(request, Failure(code, str(error)))

    @app.exception_handler(ErasedError)
    def erased(request: Request, error: ErasedError) -> Response:
        withdrew = isinstance(error, WithdrawnError)
        return refused(request, Failure("withdrawn" if withdrew else "erased"))

    @app.exception_handler(StoreError)
    def unavailable(request: Request, error: StoreError) -> Response:
        log.error("%s", error)
        return refused(request, Failure("unavailable"))

    @app.exception_handler(OSError)
    def no_disk(request: Request, error: OSError) -> Response:
        log.error("%s", error, exc_info=error)
        return refused(request, Failure("unavailable"))

    @app.exception_handler(HTTPException)
    def http(request: Request, error: HTTPException) -> Response:
        codes = {404: "unknown_address", 405: "wrong_method", 413: "too_large"}
        answer = refused(request, Failure(codes.get(error.status_code, "invalid_request")))
        answer.headers.update(error.headers or {})
        return answer
