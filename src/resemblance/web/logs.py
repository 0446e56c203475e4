"""Log format of the server's processes."""

import logging
import sys

FORMAT = "%(asctime)s %(levelname)s %(message)s"


def set_up(level: str) -> None:
    """Log to standard error: INFO includes every request, WARNING only problems."""
    logging.basicConfig(stream=sys.stderr, format=FORMAT)
    logging.getLogger("resemblance").setLevel(level)
