"""Record attempts at fits before they begin, so that a fatal fit is not repeated for ever."""

import logging
from dataclasses import dataclass
from typing import Any

from resemblance.errors import ResemblanceError
from resemblance.store.studies import FIT_BEGUN
from resemblance.study.live import LiveStudy
from resemblance.study.refits import GROWTH_AFTER_KILLS, next_fit

WHO = "worker"
FAILED = "fit failed"  # an event of the audit trail
MOST = 3  # attempts that came to no end, after which the next one waits
REST_S = 86_400.0  # pause after failures, unless more answers come before
log = logging.getLogger("resemblance.worker")


@dataclass(frozen=True)
class Attempts:
    """Attempts at the fits of one study."""

    live: LiveStudy

    def begin(self, n: int) -> bool:
        """Return whether a fit to n answers may begin now, and record that it begins."""
        last, now = self._last(), self.live.clock()
        if last["tries"] >= MOST:
            few = n < next_fit(last["answers"], GROWTH_AFTER_KILLS)
            if few and abs(now - last["began"]) < REST_S:
                self._tell(
                    f"{last['tries']} fits to {last['answers']} answers did not finish, possibly "
                    "for lack of memory: give the worker more; the next fit waits for more "
                    "answers, or for a day",
                    n,
                )
                return False
        self._write(FIT_BEGUN, tries=last["tries"] + 1, answers=n, began=now)
        return True

    def end(self) -> None:
        if (last := self._last())["tries"]:
            self._write(FIT_BEGUN, **last | {"tries": 0})

    def fail(self, error: BaseException, n: int) -> bool:
        """Record why the last attempt failed; return whether another may succeed."""
        if isinstance(error, ResemblanceError):
            self._write(FAILED, answers=n, reason=str(error))
            self.end()
            return False
        self._tell(str(error) or type(error).__name__, n, error)
        return True

    def _tell(self, reason: str, n: int, error: BaseException | None = None) -> None:
        self._write(FAILED, answers=n, reason=reason)
        log.error("%s: %s", self.live.folder.name, reason, exc_info=error)

    def _last(self) -> dict[str, Any]:
        event = self.live.store.events.last(self.live.record, FIT_BEGUN)
        return event.details if event else {"tries": 0}

    def _write(self, what: str, **details: Any) -> None:
        self.live.store.events.record(self.live.record, WHO, what, details)
