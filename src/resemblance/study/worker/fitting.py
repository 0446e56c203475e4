"""Run one fit of a study in the background."""

import logging
import time
from collections.abc import Callable, Set
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Generic, TypeVar

import numpy as np

from resemblance.asking import Session
from resemblance.asking.fit_job import FitJob, FitResult
from resemblance.asking.log import fit_line
from resemblance.errors import ResemblanceError, quiet
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.held_out import error_of
from resemblance.judgments import Judgments
from resemblance.observers.evidence import Answers
from resemblance.observers.observer import as_questions
from resemblance.store.studies import FIT_BEGUN
from resemblance.study.live import LiveStudy
from resemblance.study.sections import GROWTH_AFTER_KILLS, next_fit

JUDGED = 20_000  # Likelihoods are computed for only this many of the latest answers, to save time.
People = dict[str, dict[str, tuple[float, int]]]
DIGITS = 6  # significant digits of positions and losses in the store
WHO = "worker"
FAILED = "fit failed"  # name of an event in the audit trail
MOST = 3  # number of unfinished attempts after which there is a pause
REST_S = 86_400.0  # pause in seconds; it ends earlier if enough new answers come
log = logging.getLogger("resemblance.worker")
T = TypeVar("T")


@dataclass(frozen=True)
class Fitted:
    result: FitResult
    held_out: int  # number of held-out answers
    error: float | None  # share of held-out answers predicted wrongly
    # measures of people: by name of the measure and pseudonym, (value, number of answers)
    people: People
    seconds: float

    @property
    def answers(self) -> int:
        return self.result.n_answers

    def event(self, session: Session) -> dict[str, Any]:
        event = fit_event(
            session.n_fits, session.chosen.name, self.answers, session.left_out, self.seconds
        )
        return event | {
            "held_out_answers": self.held_out,
            "held_out_error": self.error,
            "held_out_log_loss": fmean(loss) if (loss := self.result.held_out_loss).size else None,
            "trust": 1.0 if session.guard is None else session.guard.trust,
            "click_weight": session.clicks.weight,
        }

    def map(self, session: Session) -> dict[str, Any]:
        line = fit_line(self.result, session.guard)
        del line["event"]
        line["positions"] = [[short(x) for x in row] for row in line["positions"]]
        line["held_out_loss"] = [short(x) for x in line["held_out_loss"]]
        return {**line, "left_out": sorted(session.left_out), **self.people}


def fit_event(
    number: int, model: str, answers: int, left_out: Set[str], seconds: float
) -> dict[str, Any]:
    return {
        "number": number,
        "model": model,
        "answers": answers,
        "held_out_answers": 0,
        "held_out_error": None,
        "held_out_log_loss": None,
        "trust": 1.0,
        "click_weight": 0.0,
        "left_out": sorted(left_out),
        "seconds": round(seconds, 3),
    }


def fit(job: FitJob, answers: Judgments) -> Fitted:
    start = time.perf_counter()
    result = job.run()
    error = error_of(result.model, job.held_out) if len(job.held_out) else None
    people = of_people(answers[-JUDGED:], result.model)
    seconds = time.perf_counter() - start
    return Fitted(result, len(job.held_out), error, people, seconds)


def of_people(answers: Judgments, model: OrdinalEmbedding) -> People:
    if not model.choice_.one_of_many or not len(answers):
        return {"likelihood": {}}
    with quiet():
        people = Answers(as_questions(answers, "person"))
        likelihoods = np.exp(-people.by_model(model, None).columns["log_loss"])
    of = answers.response_id  # Each answer consists of the same number of choices.
    choices = 1 if of is None else round(len(answers) / len(np.unique(of)))
    each = zip(people.names, likelihoods, people.n_answers // choices, strict=True)
    return {"likelihood": {str(code): (short(x), int(n)) for code, x, n in each}}


def short(x: float) -> float:
    return float(f"{x:.{DIGITS}g}")


@dataclass(frozen=True)
class Attempts:
    live: LiveStudy

    def begin(self, n: int) -> bool:
        """Return whether a fit to n answers may begin now; if so, record the beginning."""
        last, now = self._last(), self.live.clock()
        if last["tries"] >= MOST:
            few = n < next_fit(last["answers"], GROWTH_AFTER_KILLS)
            if few and abs(now - last["began"]) < REST_S:
                self._tell(
                    f"{last['tries']} fits to {last['answers']} answers did not finish, perhaps "
                    "for lack of memory: give the worker more memory; the next fit begins after "
                    "more answers, or after a day",
                    n,
                )
                return False
        self._write(FIT_BEGUN, tries=last["tries"] + 1, answers=n, began=now)
        return True

    def end(self) -> None:
        if (last := self._last())["tries"]:
            self._write(FIT_BEGUN, **last | {"tries": 0})

    def fail(self, error: BaseException, n: int) -> bool:
        """Record why the last attempt failed; return whether to try the fit again."""
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


class Background(Generic[T]):
    """A task in the background, at most one at a time; the loop collects its result."""

    def __init__(self) -> None:
        self._future: Future[T] | None = None

    @property
    def is_busy(self) -> bool:
        return self._future is not None

    def begin(self, threads: Executor, work: Callable[..., T], *arguments: object) -> None:
        self._future = threads.submit(work, *arguments)

    def ended(self) -> "Future[T] | None":
        if self._future is None or not self._future.done():
            return None
        future, self._future = self._future, None
        return future
