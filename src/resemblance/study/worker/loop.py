"""The worker's loop over studies; counts for the desk; a warm-up."""

import ctypes
import logging
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from resemblance.errors import ResemblanceError, quiet
from resemblance.store import Answer, Lease, Store, StoreError, Study, Tally
from resemblance.store.people import ERASED
from resemblance.study.live import LiveStudy
from resemblance.study.privacy import Forgetting
from resemblance.study.quality import Quality, Rules
from resemblance.study.settings import Settings
from resemblance.study.thumbnails import Thumbnails

if TYPE_CHECKING:
    from resemblance.study.worker.learner import Learner
    from resemblance.study.worker.measured import MeasuredMap

HOUR_S = 3600.0
MOST = 240  # largest number of bins of Activity
FINEST_S = 60.0  # width of the narrowest bin, in seconds
# The warm-up study has SPARE more items than a question shows.
SPARE = 6
ANSWERS = 60
PEOPLE = 2
log = logging.getLogger("resemblance.worker")
PAUSE_S = 0.2  # seconds of pause after a step without new answers
# seconds of pause after other steps, so that other writers to PostgreSQL can proceed
BREATH_S = 0.05
WATCH_S = 1.0  # seconds between checks of exclusions, erasures and the lease
TELL_S = 2.0  # seconds between updates of the desk's counts
BEAT_S = 10.0  # seconds between heartbeats while counts stay the same
WAIT_S = 5.0  # seconds of pause before the lease is tried again, or after an error of the database
ABANDON_S = 900.0  # seconds after which an unanswered question is abandoned
NICE = 5  # Priority of the process: it gets a third of the processor time of a busy web process.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Activity:
    """Counts over time in at most 240 bins. Bins are widened or, after ``keep_s``, deleted."""

    def __init__(self, keep_s: float | None = None) -> None:
        self.width, self.keep_s = FINEST_S, keep_s
        self._bins: dict[int, Counter[str]] = {}

    def add(self, at: float, **counts: int) -> None:
        place = int(at // self.width)
        if place in self._bins:
            self._bins[place].update(counts)
            return
        self._bins[place] = Counter(counts)
        first, last = min(self._bins), max(self._bins)
        if self.keep_s is not None:
            oldest = last - int(self.keep_s // self.width)
            self._bins = {place: n for place, n in self._bins.items() if place > oldest}
        elif last - first >= MOST:
            self._widen(-(-(last - first + 1) // MOST))

    def plain(self) -> dict[str, object]:
        bins = [[place, dict(counts)] for place, counts in sorted(self._bins.items())]
        return {"width": self.width, "bins": bins}

    def _widen(self, factor: int) -> None:
        old, self._bins = self._bins, {}
        self.width *= factor
        for place, counts in old.items():
            self._bins.setdefault(place // factor, Counter()).update(counts)


class TalliedQuality(Quality):
    def __init__(self, store: Store, study: Study, settings: Settings) -> None:
        super().__init__(store, study, settings)
        self.whole, self.recent = Activity(), Activity(HOUR_S)
        self.purposes: Counter[str] = Counter()
        self._people: dict[str, int] = {}  # ids of people in the database, by pseudonym
        self._latest: dict[str, float] = {}  # time of the last answer, by pseudonym
        self._stored = {tally.participant: tally for tally in store.tallies.all(study)}
        self._touched: set[str] = set()  # pseudonyms of people whose counts changed
        # number of answers that fits can use, by id of the person
        self._main: Counter[int] = Counter()
        # number of answers of simulated people, by pseudonym
        self._simulated: Counter[str] = Counter()

    def add(self, answer: Answer) -> None:
        super().add(answer)
        practice = answer.purpose == "practice"
        self.purposes["skipped" if answer.skipped and not practice else answer.purpose] += 1
        if practice:
            return
        self._main[answer.participant] += answer.purpose == "main" and not answer.skipped
        counts = {"answers": 1}
        if answer.simulated:
            self._simulated[answer.code] += 1
        elif answer.code not in self._people:
            counts["people"] = 1
        for activity in (self.whole, self.recent):
            activity.add(answer.received, **counts)
        self._people[answer.code] = answer.participant
        self._latest[answer.code] = answer.received
        self._touched.add(answer.code)

    def recall(self, report: Mapping[str, Any]) -> None:
        super().recall(report)
        self._touched |= self._people.keys()

    def tell(self, more: dict[str, Any]) -> None:
        new = [
            tally
            for tally in map(self._tally, self._touched)
            if self._stored.get(tally.participant) != tally
        ]
        counts = {
            "answers": sum(self.purposes.values()) - self.purposes["practice"],
            "purposes": dict(self.purposes),
            "people": len(self._people) - len(self._simulated),
            "simulated": len(self._simulated),
            "simulated_answers": self._simulated.total(),
            "left_out": sum(self._main[person] for person in self.uncounted()),
            "whole": self.whole.plain(),
            "recent": self.recent.plain(),
        }
        self.store.tallies.tell(self.study, counts | more, new)
        self._stored |= {tally.participant: tally for tally in new}
        self._touched.clear()

    @property
    def has_news(self) -> bool:
        return bool(self._touched)

    def _tally(self, code: str) -> Tally:
        row = self.row(code)
        figures = {**row, "latest": self._latest[code]}
        return Tally(self._people[code], row["answers"], bool(row["flags"]), figures)


def warm_up(studies: Iterable[Settings]) -> None:
    """Compile the code that each study needs, by running a small simulated study."""
    for settings in studies:
        try:
            with quiet():
                _go_through(settings)
        except Exception:  # The real study reports the problem.
            log.exception("%s: could not warm up", settings.study.name)


def _go_through(settings: Settings) -> None:
    import numpy as np

    from resemblance.asking import Session
    from resemblance.judgments import Items
    from resemblance.observers import ModelObserver
    from resemblance.study.worker.fitting import fit
    from resemblance.study.worker.report import Costly, Report
    from resemblance.study.worker.session import session_settings

    n_items = settings.study.options + SPARE
    models = {name: ModelObserver(np.eye(n_items)) for name in settings.asking.models}
    made = session_settings(settings, n_items, models)
    features = np.eye(n_items)[:, :2] if settings.features.file else None
    session = Session(
        Items(n_items, features=features), **made | {"start_per_head": 1, "held_out": 0.2}
    )
    for turn in range(ANSWERS):
        question = session.ask()
        picked = question.options[turn % 2 :][: session.asks.picks]
        session.tell(question.number, picked, f"P{turn % PEOPLE}")
    fitted = fit(session.fit_job(), session.judgments("all"))
    session.adopt(fitted.result)
    Report(session, fitted, settings).space(Costly())
    session.ask()


class StudyWork:
    def __init__(self, live: LiveStudy) -> None:
        self.live = live
        self._lease: Lease | None = None
        self._learner: Learner | MeasuredMap | None = None
        self._erased = 0
        self._at = 0.0  # earliest time of the next step
        # times of the last checks of exclusions and of old questions
        self._watched = self._abandoned = 0.0
        self._told_at = 0.0  # time when the counts of the desk were last updated
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
        except Exception:  # An error must not stop the work on other studies.
            log.exception("%s: restarting the work", self.live.folder.name)
            self._learner = None  # The learner's fit counts as an attempt that did not finish.
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
        learns = self.live.settings.maps or self.live.kind.has_templates
        self._learner = self._new_learner() if learns else None
        if self._thumbnails.folder is not self.live.folder:
            self._thumbnails = Thumbnails(self.live.folder)
        self._thumbnails.start()
        log.info("%s: at work", self.live.folder.name)
        return True

    def _new_learner(self) -> "Learner | MeasuredMap | None":
        from resemblance.study.worker.learner import Asker, Learner
        from resemblance.study.worker.measured import MeasuredMap

        live = self.live
        if live.kind.has_templates:
            from resemblance.study.worker.templates import StudyTemplates

            return StudyTemplates(live, self._excluded())
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
        store, record = self.live.store, self.live.record
        self._watched = time.monotonic()
        assert self._lease is not None
        if not self._lease.held() or len(store.events.audit(record, ERASED)) != self._erased:
            self.close()
            return False
        self.live.reread()
        other = self.live.settings != self._settings
        # Settings have changed, or items were added.
        if other or self.live.folder is not self._folder:
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
    """Work on studies until ``stop`` is set.

    The process may be killed at any moment. Without a worker, pages get questions from the pool,
    then random questions. The next worker resumes from the store.
    """
    _be_modest()
    works = [StudyWork(live) for live in lives]
    with ThreadPoolExecutor(1, "fit") as threads:
        threads.submit(warm_up, [live.settings for live in lives if live.settings.fits])
        while not stop.is_set():
            done = [work.step(threads) for work in works]
            stop.wait(BREATH_S if any(done) else PAUSE_S)
        for work in works:  # Leases are released before waiting for the thread of a long fit.
            work.close()


def _be_modest() -> None:
    for name in THREADS:
        os.environ.setdefault(name, "1")
    sys.modules.setdefault("pyarrow", None)  # type: ignore[arg-type]  # saves 40 MB in pandas
    with suppress(OSError, AttributeError):
        os.nice(NICE)
    # In glibc: use one heap, and return freed memory at once.
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        for parameter, value in ((-8, 1), (-1, 1 << 20), (-3, 1 << 20)):
            libc.mallopt(parameter, value)
