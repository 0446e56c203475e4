"""Calls of a webhook: each line of the audit trail that is told, in order, until it is taken."""

import logging
import time
from concurrent.futures import ThreadPoolExecutor

from resemblance.store.records import Event
from resemblance.study.live import LiveStudy
from resemblance.study.webhook import TOLD, body_of, secret_of, send
from resemblance.study.worker.background import Background

log = logging.getLogger("resemblance.worker")

CALLED = "webhook"  # what the audit trail calls the last line that was told
FIRST_S, LONGEST_S = 5.0, 600.0  # pauses after a call that was not taken: each twice the last


class Calls:
    """Tells a webhook what happens to a study, beside the loop that answers.

    What was told is in the audit trail, so that a worker that starts again goes on: a line may be
    told twice, and none is left out.

    Parameters
    ----------
    live : LiveStudy
        The study.
    """

    def __init__(self, live: LiveStudy) -> None:
        self.live, self.address = live, live.settings.webhook.address
        self._call = Background[str | None]()
        self._pause, self._at = FIRST_S, 0.0
        self._calling: Event | None = None
        if self.address is not None:
            self._threads = ThreadPoolExecutor(1, "webhook")
            self._secret = secret_of(live.folder.path, live.settings.webhook)
            last = live.store.events.last(live.record, CALLED)
            newest = live.store.events.trail(live.record, 1)
            self._upto = last.details["upto"] if last else newest[0].id if newest else 0

    def step(self) -> None:
        """Take a call that ended, and begin the next."""
        if self.address is None:
            return
        if (done := self._call.ended()) is not None:
            self._end(done.result())
        if not self._call.is_busy and time.monotonic() >= self._at:
            self._begin(self.address)

    def close(self) -> None:
        """Begin no further call."""
        if self.address is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def _begin(self, address: str) -> None:
        lines = self.live.store.events.since(self.live.record, self._upto, TOLD)
        if lines:
            self._calling = lines[0]
            body = body_of(self.live.folder.name, lines[0])
            self._call.begin(self._threads, send, address, self._secret, body)

    def _end(self, problem: str | None) -> None:
        assert self._calling is not None
        if problem is not None:
            log.warning("%s: the webhook was not taken (%s)", self.live.folder.name, problem)
            self._at = time.monotonic() + self._pause
            self._pause = min(2.0 * self._pause, LONGEST_S)
            return
        self._pause, self._upto = FIRST_S, self._calling.id
        details = {"upto": self._upto}
        self.live.store.events.record(self.live.record, "worker", CALLED, details)
