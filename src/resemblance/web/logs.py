"""What the processes of a server log: lines of text, or one JSON object a line."""

import logging
import sys
import threading
from typing import Literal, TypeAlias, get_args

LogFormat: TypeAlias = Literal["text", "json"]
FORMATS: tuple[str, ...] = get_args(LogFormat)
TEXT = "%(asctime)s %(levelname)s %(message)s"
RENAMED = {"levelname": "level", "name": "logger"}


def set_up(level: str, form: str = "text") -> None:
    """Log to the standard error from now on: what this package says from ``level`` on.

    Parameters
    ----------
    level : str
        INFO tells every request, WARNING only what goes wrong.
    form : "text" or "json"
        json is one object a line: time, level, logger, message, and what a line tells besides.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(form))
    logging.basicConfig(handlers=[handler])
    logging.getLogger("resemblance").setLevel(level)
    if form == "json":
        _catch_the_rest()


def formatter(form: str) -> logging.Formatter:
    """Return what writes a line of this format."""
    if form == "text":
        return logging.Formatter(TEXT)
    from pythonjsonlogger.json import JsonFormatter

    return JsonFormatter(
        "%(levelname)s %(name)s %(message)s", rename_fields=RENAMED, timestamp="time"
    )


def _catch_the_rest() -> None:
    """Log warnings, and what ends a thread or the process, which Python would print by itself."""
    log = logging.getLogger("resemblance")
    logging.captureWarnings(True)
    sys.excepthook = lambda *raised: log.critical("the process failed", exc_info=raised)

    def of_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
            raised = args.exc_type, args.exc_value, args.exc_traceback
            log.critical("a thread failed", exc_info=raised)

    threading.excepthook = of_thread
