"""Which answers a fit may take: fewer, where those before it came to no end."""

import logging
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import ResemblanceError
from resemblance.study.live import LiveStudy
from resemblance.study.refits import GROWTH_AFTER_KILLS, next_fit

WHO = "worker"
ALIKE = 2  # attempts at all answers; each further one takes half of those before
MOST = 6  # attempts at once; each further one waits for more answers
REST_S = 86_400.0  # before one at all answers again
log = logging.getLogger("resemblance.worker")


@dataclass(frozen=True)
class Attempts:
    """The attempts at one kind of fit, each written down before it begins.

    So a worker that is killed while it fits is not started into the same fit for ever.

    Attributes
    ----------
    live : LiveStudy
        The study.
    begun, failed : str
        What the audit trail calls an attempt, and one that came to nothing.
    """

    live: LiveStudy
    begun: str
    failed: str

    def begin(self, n: int) -> NDArray[np.intp]:
        """Return which of so many answers a fit may take; none where it is put off."""
        last, now = self._last(), self.live.clock()
        tries, since = last["tries"], last["fewer_since"]
        rests = since is not None and abs(now - since) < REST_S
        since, taken = (since, min(n, last["taken"])) if rests else (None, n)
        if tries >= ALIKE:
            since = since or now
            later = tries >= MOST and n < next_fit(last["of"], GROWTH_AFTER_KILLS)
            taken = 0 if later else max(1, last["taken"] // 2)
            reason = f"{tries} fits came to no end, as where memory is short; the next one "
            reason += f"takes {taken} of {n} answers" if taken else "waits for more"
            self._write(self.failed, answers=n, reason=reason)
            log.error("%s: %s", self.live.folder.name, reason)
        if taken:
            self._write(self.begun, tries=tries + 1, taken=taken, of=n, fewer_since=since)
        return np.arange(taken) * n // max(taken, 1)

    def end(self) -> None:
        """Say that the last one came to an end, or was given up in order."""
        if (last := self._last())["tries"]:
            self._write(self.begun, **last | {"tries": 0})

    def fail(self, error: BaseException, n: int) -> bool:
        """Say why the last one came to nothing; return whether another may fare better."""
        self._write(self.failed, answers=n, reason=str(error) or type(error).__name__)
        if isinstance(error, ResemblanceError):
            self.end()
            return False
        log.error("%s: %s", self.live.folder.name, self.failed, exc_info=error)
        return True

    def _last(self) -> dict[str, Any]:
        event = self.live.store.events.last(self.live.record, self.begun)
        return event.details if event else {"tries": 0, "fewer_since": None}

    def _write(self, what: str, **details: Any) -> None:
        self.live.store.events.record(self.live.record, WHO, what, details)
