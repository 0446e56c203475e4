"""How much each visitor may ask of a space."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fastapi import Depends, Request

from resemblance.web.limits import Limit
from resemblance.web.routes.common import visitor


@dataclass
class Limits:
    """The rate limits of a space, for each visitor.

    Attributes
    ----------
    requests : Limit
        Pages of the search, one more for each that is not worked out yet, and what programs ask
        about the space.
    trials : Limit
        Questions and answers of sessions: a whole laboratory may share one address.
    kept : Limit
        What stays on the disk: sessions begun, and searches that ended.
    """

    requests: Limit = field(default_factory=lambda: Limit(burst=60, per_second=10))
    trials: Limit = field(default_factory=lambda: Limit(burst=600, per_second=60))
    kept: Limit = field(default_factory=lambda: Limit(burst=30, per_second=0.5))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, by: str, key: str) -> None:
        """Take one of a limit, or refuse."""
        limit: Limit = getattr(self, by)
        with self._lock:
            limit.take(key)


def limited(by: str) -> Any:
    """Make the dependency of a route that takes one of a limit, or refuses."""

    async def take(request: Request) -> None:
        budget(request, by)()

    return Depends(take)


def budget(request: Request, by: str) -> Callable[[], None]:
    """Make what takes one of a limit of the visitor, each time that it is called."""
    limits: Limits = request.app.state.limits
    return lambda: limits.take(by, visitor(request))
