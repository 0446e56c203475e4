"""Log format of the server's processes."""

import logging
import sys

FORMAT = "%(asctime)s %(levelname)s %(message)s"


def set_up(level: str) -> None:
    """Log to the standard error from now on: INFO tells every request, WARNING what goes wrong."""
    logging.basicConfig(stream=sys.stderr, format=FORMAT)
    logging.getLogger("resemblance").setLevel(level)
