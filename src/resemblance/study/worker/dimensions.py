"""Sparse dimensions, fitted beside the map: they choose no questions, and delay none."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from resemblance.arrays import Floats
from resemblance.asking import Session
from resemblance.asking.answer_table import answered_judgments
from resemblance.embeddings import SPoSE, reproducibility
from resemblance.errors import quiet
from resemblance.judgments import Judgments
from resemblance.scores import match_dimensions
from resemblance.store.studies import DIMENSIONS, DIMENSIONS_BEGUN
from resemblance.study.dimensions import FAILED, next_fit
from resemblance.study.live import LiveStudy
from resemblance.study.worker.attempts import WHO, Attempts
from resemblance.study.worker.background import Background
from resemblance.study.worker.fitting import short
from resemblance.study.worker.session import counting

Json = dict[str, Any]
N_SEEDS, N_SPLITS = 2, 5  # fits from other starts; divisions into halves, two fits each
_fitting = threading.Lock()  # one study at a time


class Stopped(Exception):
    """The worker ends: a fit is given up."""


class DimensionFits:
    """Fits the dimensions of one study when there are enough answers, and again when many more.

    Parameters
    ----------
    live : LiveStudy
        The study.
    session : Session
        What was told; only the loop that reads answers may change it.
    """

    def __init__(self, live: LiveStudy, session: Session) -> None:
        self.live, self.session = live, session
        needed = live.settings.dimensions.answers_per_item * len(live.first.names)
        self._next = self._look = next_fit(live.store, live.record, needed)
        self._left_out = frozenset(session.left_out)
        self._ended = threading.Event()
        self._threads = ThreadPoolExecutor(1, "dimensions")
        self._fit = Background[Json]()
        self._attempts = Attempts(live, DIMENSIONS_BEGUN, FAILED)
        self._answers = 0

    @property
    def is_busy(self) -> bool:
        """Whether a fit is under way."""
        return self._fit.is_busy

    def step(self) -> bool:
        """Begin or keep a fit; say whether anything was done."""
        if (future := self._fit.ended()) is not None:
            self._end(future)
            return True
        return not self._fit.is_busy and self._begin()

    def close(self) -> None:
        """Give up what is under way, at its next iteration; the next worker begins it anew."""
        self._ended.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self.is_busy:
            self._attempts.end()

    def _begin(self) -> bool:
        """Begin a fit, where enough answers count."""
        session = self.session
        if len(session.answers) < self._look and session.left_out == self._left_out:
            return False
        answers = counting(session)
        self._left_out = frozenset(session.left_out)
        self._look = len(session.answers) + max(1, self._next - len(answers))
        if len(answers) < self._next:
            return False
        self._answers, seed = len(answers), self.live.settings.study.seed
        answers = [answers[row] for row in self._attempts.begin(len(answers))]
        if not answers:
            self._next = self._look = next_fit(self.live.store, self.live.record, 0)
            return False
        judgments = answered_judgments(answers, session.items, session.asks)
        self._fit.begin(self._threads, found_in, judgments, seed, self._ended)
        return True

    def _end(self, future: "Future[Json]") -> None:
        """Keep what a fit found, with what its dimensions were before; or why it failed."""
        if (error := future.exception()) is None:
            keep(self.live, self._answers, future.result())
            self._attempts.end()
        else:  # whatever it was, the map goes on
            self._attempts.fail(error, self._answers)
        self._next = self._look = next_fit(self.live.store, self.live.record, 0)


def keep(live: LiveStudy, answers: int, result: Json) -> None:
    """Write down what a fit to so many answers found, and what its dimensions were before."""
    fits = live.store.events.audit(live.record, DIMENSIONS)
    past = [event.details["found"] for event in fits]
    matches = {str(fit["number"]): matched(fit["loadings"], result["loadings"]) for fit in past}
    details = result | {"number": len(past) + 1, "matches": matches, "answers": answers}
    live.store.events.record(live.record, WHO, DIMENSIONS, {"found": details})


def found_in(judgments: Judgments, seed: int, ended: threading.Event) -> Json:
    """Fit dimensions to answers, and see how well they are found again.

    Raises
    ------
    Stopped
        If the worker ends.
    """

    def go_on(*_: object) -> None:
        if ended.is_set():
            raise Stopped

    with _fitting, quiet():
        go_on()
        began = time.perf_counter()
        model = SPoSE(random_state=seed, callback=go_on).fit(judgments)
        again = reproducibility(
            model, judgments, n_seeds=N_SEEDS, n_splits=N_SPLITS, random_state=seed, callback=go_on
        )
    return {
        "loadings": [[short(x) for x in row] for row in model.embedding_],
        "shares": _plain(model.shares_),
        "seeds": _plain(again.seeds),
        "halves": _plain(again.halves),
        "found_again": again.found_again.tolist(),
        "starts": again.n_seeds,
        "splits": again.n_splits,
        "seconds": short(time.perf_counter() - began),
    }


def matched(before: list[list[float]], now: list[list[float]]) -> list[tuple[int, float]]:
    """Return which dimension of one fit each of an earlier fit is, from 1, and how like they are.

    Items that were added since are left out.

    Examples
    --------
    >>> matched([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]], [[0.0, 1.0], [3.0, 0.0], [6.0, 0.0]])
    [(2, 1.0), (1, 1.0)]
    """
    columns, r = match_dimensions(np.array(before), np.array(now)[: len(before)])
    return [(int(column) + 1, short(x)) for column, x in zip(columns, r, strict=True)]


def _plain(values: Floats) -> list[float]:
    return [short(x) for x in values]
