"""Fit the map of a study that measures distances, and choose its questions."""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future
from itertools import islice
from random import Random
from typing import Any

import numpy as np

from resemblance import judgments
from resemblance.asking import next_pairs
from resemblance.asking.arranging import telling_sets
from resemblance.catalog import AUTO_MODEL, MEASURED_MODEL, RANDOM, STRATEGY, models_of
from resemblance.errors import quiet
from resemblance.store import Answer
from resemblance.study.kinds import Kind
from resemblance.study.live import LiveStudy
from resemblance.study.sections import GROWTH_OF_MEASURED, next_fit
from resemblance.study.worker.fitting import WHO, Attempts, Background, fit_event, short
from resemblance.study.worker.learner import keep_space
from resemblance.study.worker.report import saved

Json = dict[str, Any]
Sets = list[list[int]]

SPARE = 12  # questions that wait beyond those that are answered until the next fit
CANDIDATES, TARGETS = 4096, 256  # pairs that are weighed, and those whose distances are to be known
MOST_ITEMS = 500  # with more items, questions are random: choosing them would take minutes


def _pairs(model: Any, rated: Any, n: int, size: int, rng: np.random.Generator) -> Sets:
    every = np.column_stack(np.triu_indices(rated.n_items, 1))
    open_, aimed = (every[rng.permutation(len(every))[:most]] for most in (CANDIDATES, TARGETS))
    n = min(n, len(open_))
    return next_pairs(model, rated, n, candidates=open_, targets=aimed).tolist()


def _sets(model: Any, arranged: Any, n: int, size: int, rng: np.random.Generator) -> Sets:
    return list(islice(telling_sets(model, arranged, size, rng), n))


CHOOSERS: dict[str, Callable[..., Sets]] = {"Ratings": _pairs, "Arrangements": _sets}


class MeasuredMap:
    """Fits a space to ratings or arrangements when there are enough, and after a tenth more."""

    def __init__(self, live: LiveStudy, left_out: frozenset[str]) -> None:
        self.live, self.left_out = live, left_out
        self._answers: list[Answer] = []
        self._fit = Background[Json]()
        self.attempts = Attempts(live)
        scored = live.store.spaces.scored(live.record)[-1:]
        self._fitted = scored[0].answers if scored else 0
        self._number = len(live.store.events.audit(live.record, "fit"))

    @property
    def is_busy(self) -> bool:
        return self._fit.is_busy

    def take(self, answer: Answer) -> None:
        if answer.purpose == "main" and not answer.skipped:
            self._answers.append(answer)

    def exclude_observers(self, codes: frozenset[str]) -> None:
        if codes != self.left_out:
            self.left_out, self._fitted = codes, min(self._fitted, 1)

    def step(self, threads: Executor) -> bool:
        if (future := self._fit.ended()) is not None:
            self._end(future)
            return True
        return not self._fit.is_busy and self._begin(threads)

    def _begin(self, threads: Executor) -> bool:
        answers = [answer for answer in self._answers if answer.code not in self.left_out]
        names, asking = self.live.folder.names, self.live.settings.asking
        n, least = len(answers), self.live.settings.first_fit(len(names))
        if n < least or self._fitted <= n < next_fit(self._fitted, GROWTH_OF_MEASURED):
            return False
        self._fitted = n
        if not self.attempts.begin(n):
            return False
        name = MEASURED_MODEL if asking.model == AUTO_MODEL else asking.model
        model = models_of(name, asking.n_components)[name]
        adaptive = self.live.settings.adaptive and len(names) <= MOST_ITEMS
        wanted = next_fit(n, GROWTH_OF_MEASURED) - n + SPARE if adaptive else 0
        size = min(self.live.settings.study.options, len(names))
        args = self.live.kind, answers, list(names), name, model, wanted, size
        self._fit.begin(threads, fit, *args)
        return True

    def _end(self, future: "Future[Json]") -> None:
        store, record = self.live.store, self.live.record
        try:
            space = future.result()
        except Exception as error:
            again = self.attempts.fail(error, self._fitted)
            self._fitted = min(self._fitted, 1) if again else self._fitted
            return
        self._number += 1
        scores, answers = space["scores"], space["answers"]
        name, seconds = scores["model"]["name"], scores["seconds"]
        event = fit_event(self._number, name, answers, self.left_out, seconds)
        store.events.record(record, WHO, "fit", event)
        self._ask(space.pop("asked"))
        keep_space(self.live, space)
        self.attempts.end()

    def _ask(self, sets: Sets) -> None:
        if not sets:
            return
        live, rng = self.live, Random(f"{self.live.chance} {self._number}")
        material, at_random = live.folder.material, live.settings.asking.random_share
        names = material.names
        specs = []
        for items in sets:
            drawn = rng.random() < at_random
            about = rng.sample(names, len(items)) if drawn else [names[item] for item in items]
            strategy = RANDOM if drawn else STRATEGY
            specs.append(live.kind.of_items(about, material, rng) | {"strategy": strategy})
        live.store.pool.withdraw(live.record, self._number)
        live.store.pool.put(live.record, specs, self._number)


def fit(
    kind: Kind,
    answers: list[Answer],
    names: list[str],
    name: str,
    model: Any,
    wanted: int = 0,
    size: int = 2,
) -> Json:
    """Fit a model to the answers; return the space for the store, and sets to ask."""
    began = time.perf_counter()
    position = {item: number for number, item in enumerate(names)}
    measures = kind.measures([(answer.spec, answer.response or {}) for answer in answers], position)
    of = measures.get("response_id", range(len(answers)))  # the answer of each row
    who = [answers[number].code for number in of]
    # Only comparisons have a chosen penalty, as in `resemblance fit`
    model.set_params(penalty=None)
    with quiet():
        judged = getattr(judgments, kind.judgment)(**measures, items=names, observer=who)
        model.fit(judged)
    rng = np.random.default_rng(len(answers))
    asked = CHOOSERS[kind.judgment](model, judged, wanted, size, rng) if wanted else []
    times = Counter(item for answer in answers for item in kind.items_shown(answer.spec))
    scores = {
        "error": None,
        "held_out": 0,
        "model": {"name": name, "log_losses": {}, "told": len(answers)},
        "fitted": len(answers),
        "shown": [times[item] for item in names],
        "trust": 1.0,
        "seconds": short(time.perf_counter() - began),
    }
    return {
        "answers": len(answers),
        "model": saved(model),
        "positions": [[short(x) for x in row] for row in model.embedding_],
        "uncertainty": None,
        "scores": scores,
        "asked": asked,
    }
