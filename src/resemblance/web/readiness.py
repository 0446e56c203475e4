"""Checks that a server can write, has disk space, and has a live worker."""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from resemblance.store import StoreError
from resemblance.study.live import LiveStudy
from resemblance.web.addresses import is_from_here
from resemblance.web.routes import shared_of

PATIENCE_S = 2.0  # seconds until a write counts as failed
LEAST_ROOM = 200 * 1024 * 1024  # smallest free space beside a SQLite file, in bytes
# largest age in seconds of a live worker's heartbeat; the worker sends one every ten seconds
OLDEST_BEAT_S = 45.0
FRESH_S = 1.0  # seconds for which a report is cached
router = APIRouter(tags=["health"])


@dataclass
class Readiness:
    """Checks of all studies for ``/ready``; the report has no data about people."""

    studies: Callable[[], Iterable[LiveStudy]]
    clock: Callable[[], float] = time.time
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _at: float = float("-inf")
    _state: dict[str, Any] = field(default_factory=dict)

    def tell(self) -> dict[str, Any]:
        with self._lock:
            if time.monotonic() - self._at > FRESH_S:
                self._state, self._at = self._look(), time.monotonic()
            return self._state

    def _look(self) -> dict[str, Any]:
        lives = list(self.studies())
        stores = {id(live.store): live.store for live in lives}.values()
        writes = [store.writes(PATIENCE_S) for store in stores]
        rooms = [room for store in stores if (room := store.room()) is not None]
        room, beat = min(rooms, default=None), self._oldest_beat(lives)
        checks = {
            "database": all(writes),
            "disk": room is None or room >= LEAST_ROOM,
            "worker": beat is not None and beat < OLDEST_BEAT_S,
        }
        figures = {"free_bytes": room, "worker_beat_s": None if beat is None else round(beat, 1)}
        return {"ready": all(checks.values()), "checks": checks, **figures}

    def _oldest_beat(self, lives: list[LiveStudy]) -> float | None:
        try:
            pulses = [live.store.tallies.pulse(live.record) for live in lives]
        except StoreError:
            return None
        ages = [abs(self.clock() - pulse.at) for pulse in pulses if pulse is not None]
        return max(0.0, *ages) if ages and len(ages) == len(lives) else None


@router.get("/health")
async def health() -> dict[str, bool]:
    """Respond without any check, so that the response is fast under any load."""
    return {"ok": True}


@router.get("/ready", include_in_schema=False)
def ready(request: Request) -> Any:
    """Report whether answers can be stored and the worker is alive: status 200, else 503.

    The response has warnings about visitors' addresses only if the request is from this machine.
    """
    readiness: Readiness = request.app.state.readiness
    report = readiness.tell()
    if is_from_here(request.scope):
        report = report | {"warnings": shared_of(request).arrivals.warnings}
    return JSONResponse(report, 200 if report["ready"] else 503)
