"""Erase participants' ids and browsers a set number of days after their last visit.

The answers stay, and so does the keyed digest of the id (:mod:`resemblance.study.sealed_ids`):
a second entry is recognised, and work is paid, as before.
"""

import logging
import time
from dataclasses import dataclass

from resemblance.store import Participant, StoreError
from resemblance.store.records import Json
from resemblance.study.live import LiveStudy
from resemblance.study.sealed_ids import AGAIN, DIGEST, stand_in

DAY_S = 86_400.0
EACH_S = 3600.0  # seconds between two checks of the worker
STEADY_S = 600.0  # seconds of steady running before the clock is believed
JUMP_S = 60.0
REVIEW_DAYS = {"prolific": 21, "mturk": 7}  # days that work may wait for approval on each service
log = logging.getLogger("resemblance.worker")


@dataclass
class Forgetting:
    """Erases ids of a study's people on schedule."""

    live: LiveStudy
    _next: float = 0.0  # next check, by the study's clock
    _begun: bool = False
    _again: bool = True  # whether to cut the log because people were forgotten earlier
    _ahead: float = float("inf")  # lead of the study's clock over the monotonic clock
    _since: float = 0.0  # start of steady running, by the monotonic clock

    def step(self) -> None:
        """Erase what is due, once an hour; failures are logged and retried.

        First the log of an earlier process is emptied. Ids wait until the clock has run for ten
        minutes without a jump, so that a clock set wrong for a moment erases nothing.
        """
        now, steady = self.live.clock(), self._is_steady()
        if 0.0 < self._next - now <= EACH_S:  # more than that: the clock was set back
            return
        self._next = now + (EACH_S if steady else STEADY_S)
        try:
            if not self._begun:
                self.live.store.people.erase_again(self.live.record)
            self._begun = True
            if steady and self.live.settings.privacy.forget_ids_after_days is not None:
                forget_ids(self.live, "server", again=self._again)
                self._again = False
        except StoreError as error:
            log.warning("%s: %s", self.live.folder.name, error)
            self._begun, self._again = False, True

    def _is_steady(self) -> bool:
        now = time.monotonic()
        ahead = self.live.clock() - now
        if abs(ahead - self._ahead) > JUMP_S:
            self._ahead, self._since = ahead, now
        return now - self._since >= STEADY_S


def forget_ids(live: LiveStudy, who: str, days: int | None = None, again: bool = True) -> int:
    """Erase ids, parameters and browsers of people who were away for so many days; count them.

    ``again`` also empties the log of earlier erasures. Raises LeftoverError if SQLite's log still
    holds something.
    """
    days = live.settings.privacy.forget_ids_after_days if days is None else days
    assert days is not None
    before = live.clock() - DAY_S * days

    def change(person: Participant) -> Json | None:
        if person.browser.get(AGAIN, 0.0) >= before or is_forgotten(person):
            return None
        return {"external_id": stand_in(live.folder.path, person), "browser": {}}

    store, record = live.store, live.record
    forgotten = store.retention.forget(record, before, change, who)
    if forgotten or (again and any(map(is_forgotten, store.people.all(record)))):
        store.retention.clean()
    return len(forgotten)


def is_forgotten(person: Participant) -> bool:
    """Return whether a person cannot be identified without the study's key."""
    return not person.browser and (person.external_id or DIGEST).startswith(DIGEST)
