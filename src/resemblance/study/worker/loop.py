"""The worker's loop over all studies whose lease it holds."""

import ctypes
import logging
import os
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from resemblance.errors import ResemblanceError
from resemblance.store import Lease, StoreError
from resemblance.store.people import ERASED
from resemblance.study.live import LiveStudy
from resemblance.study.quality import Rules
from resemblance.study.retention import Forgetting
from resemblance.study.settings import Settings
from resemblance.study.thumbnails import Thumbnails
from resemblance.study.worker.tally import TalliedQuality

if TYPE_CHECKING:
    from resemblance.study.worker.learner import Learner
    from resemblance.study.worker.measured import MeasuredMap

log = logging.getLogger("resemblance.worker")

PAUSE_S = 0.2  # pause after a look at the log without news
BREATH_S = 0.05  # pause after news, since PostgreSQL blocks writers during a look
WATCH_S = 1.0  # seconds between looks at exclusions, erasures and the lease
TELL_S = 2.0  # seconds between updates of the desk's counts
BEAT_S = 10.0  # seconds between signs of life without new counts
WAIT_S = 5.0  # pause before another try for a lease, or after the database failed
ABANDON_S = 900.0  # seconds until an unanswered question is given up
NICE = 5  # a third of the processor time of a page, where both want it
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class StudyWork:
    """The work on one study while its lease is held."""

    def __init__(self, live: LiveStudy) -> None:
        self.live = live
        self._lease: Lease | None = None
        self._learner: Learner | MeasuredMap | None = None
        self._erased = 0
        self._at = 0.0  # time of the next step
        # times of the last looks at exclusions and old questions
        self._watched = self._abandoned = 0.0
        self._told_at = 0.0  # time of the last update of the desk
        self._thumbnails = Thumbnails(live.folder)
        self._forgetting = Forgetting(live)

    def step(self, threads: Executor) -> bool:
        if time.monotonic() < self._at:
            return False
        try:
            if self._lease is None and not self._begin():
                self._at = time.monotonic() + WAIT_S
                return False
            return self._work(threads)
        except StoreError as error:
            log.warning("%s: %s", self.live.folder.name, error)
        except Exception:  # the work on other studies goes on
            log.exception("%s: restarting the work", self.live.folder.name)
            self._learner = None  # its fit counts as one that came to no end
        self.close()
        self._at = time.monotonic() + WAIT_S
        return False

    def close(self) -> None:
        with suppress(StoreError):
            if self._learner is not None and self._learner.is_busy:
                self._learner.attempts.end()
        with suppress(StoreError):
            if self._lease is not None:
                self._lease.release()
        self._lease = self._learner = None

    def _begin(self) -> bool:
        """Take the lease and read the study; False if another worker has it."""
        self._lease = self.live.store.lease(self.live.record)
        if self._lease is None:
            return False
        store, record = self.live.store, self.live.record
        self._erased = len(store.events.audit(record, ERASED))
        self.live.reread()
        self._settings, self._folder = self.live.settings, self.live.folder
        self.quality = TalliedQuality(store, record, self.live.settings)
        self.quality.recall_last(self.live)
        self.rules = Rules(self.quality)
        self._learner = self._new_learner() if self.live.settings.maps else None
        if self._thumbnails.folder is not self.live.folder:
            self._thumbnails = Thumbnails(self.live.folder)
        self._thumbnails.start()
        log.info("%s: at work", self.live.folder.name)
        return True

    def _new_learner(self) -> "Learner | MeasuredMap | None":
        """Resume the study's session; without one, pages ask at random."""
        from resemblance.study.worker.asker import Asker
        from resemblance.study.worker.learner import Learner
        from resemblance.study.worker.measured import MeasuredMap

        live = self.live
        if not live.settings.fits:
            return MeasuredMap(live, self._excluded())
        kind = Asker if live.settings.adaptive else Learner
        try:
            return kind(live, self.quality, self._excluded(), self.quality.read())
        except StoreError:
            raise
        except ResemblanceError as error:
            log.error("%s: no fits, and random questions: %s", live.record.name, error)
            live.store.events.record(live.record, "worker", "failed", {"reason": str(error)})
            return None

    def _work(self, threads: Executor) -> bool:
        if time.monotonic() - self._watched > WATCH_S and not self._watch():
            return False
        done = False
        for answer in self.quality.read():
            done = True
            if self._learner is not None:
                self._learner.take(answer)
        if self._learner is not None:
            done |= self._learner.step(threads)
        if done:
            self.rules.act()
        self._tell()
        return done

    def _tell(self) -> None:
        now = time.monotonic()
        if now - self._told_at > (TELL_S if self.quality.has_news else BEAT_S):
            self._told_at = now
            self.quality.tell({"not_drawn": self._thumbnails.failed})

    def _watch(self) -> bool:
        """Check lease, exclusions, erasures, settings, old questions; False to start again."""
        store, record = self.live.store, self.live.record
        self._watched = time.monotonic()
        assert self._lease is not None
        if not self._lease.held() or len(store.events.audit(record, ERASED)) != self._erased:
            self.close()
            return False
        self.live.reread()
        other = self.live.settings != self._settings  # rules, or strategies
        if other or self.live.folder is not self._folder:  # other settings, or added items
            self.close()
            return False
        self._forgetting.step()
        if self._watched - self._abandoned > ABANDON_S / 30:
            self._abandoned = self._watched
            store.questions.abandon(record, ABANDON_S)
        if self._learner is not None:
            self._learner.exclude_observers(self._excluded())
        return True

    def _excluded(self) -> frozenset[str]:
        uncounted = self.quality.uncounted()
        if not uncounted:
            return frozenset()
        people = self.live.store.people.all(self.live.record)
        return frozenset(person.code for person in people if person.id in uncounted)


def run(lives: Sequence[LiveStudy], stop: threading.Event) -> None:
    """Work on studies until told to stop.

    It may end at any moment: pages continue with the pool, then with random questions, and the
    next worker resumes from the store.
    """
    _be_modest()
    works = [StudyWork(live) for live in lives]
    with ThreadPoolExecutor(1, "fit") as threads:
        threads.submit(_warm_up, [live.settings for live in lives if live.settings.fits])
        while not stop.is_set():
            done = [work.step(threads) for work in works]
            stop.wait(BREATH_S if any(done) else PAUSE_S)
        for work in works:  # closes works first, so that long fits are given up before threads end
            work.close()


def _warm_up(studies: list[Settings]) -> None:
    from resemblance.study.worker.warm_up import warm_up

    warm_up(studies)


def _be_modest() -> None:
    """Lower the process's priority and threads, before science is loaded."""
    for name in THREADS:
        os.environ.setdefault(name, "1")
    sys.modules.setdefault("pyarrow", None)  # type: ignore[arg-type]  # pandas would load it: 40 MB
    with suppress(OSError, AttributeError):
        os.nice(NICE)
    with suppress(OSError, AttributeError):  # glibc: one heap, given back as soon as it is free
        libc = ctypes.CDLL("libc.so.6")
        for parameter, value in ((-8, 1), (-1, 1 << 20), (-3, 1 << 20)):
            libc.mallopt(parameter, value)
