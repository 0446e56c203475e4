"""Fit the map of a study that measures distances or confusions, and choose its questions."""

import math
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import partial
from itertools import islice
from random import Random
from typing import Any, ClassVar

import numpy as np

from resemblance import judgments
from resemblance.analysis import Analysis, analyse
from resemblance.asking import next_pairs
from resemblance.asking.arranging import telling_sets
from resemblance.catalog import AUTO_MODEL, RANDOM, STRATEGY, models_of
from resemblance.errors import quiet
from resemblance.fitting.held_out import scored_rows
from resemblance.scores import wilson_interval
from resemblance.store import Answer
from resemblance.study.kinds import Kind
from resemblance.study.live import LiveStudy
from resemblance.study.sections import GROWTH_OF_MEASURED, next_fit
from resemblance.study.worker.design import (
    GridDesign,
    add_missing,
    add_stimuli,
    direct_questions,
)
from resemblance.study.worker.fitting import WHO, Attempts, Background, fit_event, short
from resemblance.study.worker.learner import keep_space
from resemblance.study.worker.report import saved

Json = dict[str, Any]
Sets = list[list[int]]

SPARE = 12  # number of spare questions in the pool, in addition to the questions until the next fit
# CANDIDATES: number of pairs to choose from. TARGETS: number of pairs whose distances the answers
# should determine.
CANDIDATES, TARGETS = 4096, 256
MOST_ITEMS = 500  # With more items, choosing would take minutes, so questions are random.


BINS = 20  # number of groups of pairs, with similar distances and equally many trials in each
CURVE = 60  # number of points on the psychometric curve


def _pairs(
    model: Any,
    judged: Any,
    n: int,
    size: int,
    rng: np.random.Generator,
    share: float,
    targets: np.ndarray | None = None,
) -> Sets:
    every = np.column_stack(np.triu_indices(judged.n_items, 1))
    open_, aimed = (every[rng.permutation(len(every))[:most]] for most in (CANDIDATES, TARGETS))
    aimed = aimed if targets is None else np.sort(targets, axis=1)
    times = math.ceil(n / max(1, int(share * len(open_))))
    chosen = next_pairs(model, judged, math.ceil(n / times), times, candidates=open_, targets=aimed)
    return (chosen.tolist() * times)[:n]


def _sets(model: Any, arranged: Any, n: int, size: int, rng: np.random.Generator) -> Sets:
    return list(islice(telling_sets(model, arranged, size, rng), n))


CHOOSERS: dict[str, Callable[..., Sets]] = {
    "Ratings": partial(_pairs, share=1.0),
    "Confusions": partial(_pairs, share=0.25),
    "Arrangements": _sets,
}


class MeasuredMap:
    """Fits a map as soon as there are enough answers, and again after each 10 % more."""

    growth: ClassVar[float] = GROWTH_OF_MEASURED

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
        n, least = len(answers), self.live.settings.first_fit(len(self.live.first.names))
        if n < least or self._fitted <= n < next_fit(self._fitted, self.growth):
            return False
        self._fitted = n
        if not self.attempts.begin(n):
            return False
        self._fit.begin(threads, self._task(answers))
        return True

    def _task(self, answers: list[Answer]) -> Callable[[], Json]:
        add_missing(self.live)
        design = GridDesign.of(self.live)
        names, asking = self.live.folder.names, self.live.settings.asking
        name = self.live.kind.model if asking.model == AUTO_MODEL else asking.model
        items = judgments.Items(names, self.live.folder.known_features(names))
        adaptive = self.live.settings.adaptive and len(names) <= MOST_ITEMS
        n = len(answers)
        wanted = next_fit(n, self.growth) - n + SPARE if adaptive else 0
        size = min(self.live.settings.study.options, len(names))
        args = self.live.kind, answers, items, name, asking.n_components, wanted, size
        return partial(fit, *args, design)

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
        if held := scores.get("held_out_trials"):
            event |= {"held_out_answers": held["trials"], "held_out_log_loss": -held["value"]}
        store.events.record(record, WHO, "fit", event)
        self._keep(space)
        self.attempts.end()

    def _keep(self, space: Json) -> None:
        asked, features = space.pop("asked"), space.pop("designed")
        keep_space(self.live, space)
        if features is not None:
            add_stimuli(self.live, features)
            asked = direct_questions(self.live)
        self._ask(asked)

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
    items: judgments.Items,
    name: str,
    n_components: int,
    wanted: int = 0,
    size: int = 2,
    design: GridDesign | None = None,
) -> Json:
    """Fit a model; return the space for the store, with sets of items for the next questions."""
    began = time.perf_counter()
    names = items.names
    position = {item: number for number, item in enumerate(names)}
    measures = kind.measures([(answer.spec, answer.response or {}) for answer in answers], position)
    if "trials" not in measures:  # Rows with "trials" sum the answers of several people.
        # number of the answer that each row comes from
        of = measures.get("response_id", range(len(answers)))
        measures["observer"] = [answers[number].code for number in of]
    more: Json = {}
    with quiet():
        judged = getattr(judgments, kind.judgment)(**measures, items=items)
        if kind.validated:
            analysis = replace(analyse(judged, name, dims=n_components), door="desk")
            model, more = analysis.model, _tested(analysis)
        else:  # A penalty is chosen for comparisons only, like in `resemblance fit`.
            model = models_of(name, n_components)[name].set_params(penalty=None).fit(judged)
        spacing, designed = design.next(model, judged) if design else (None, None)
    rng = np.random.default_rng(len(answers))
    aimed = {"targets": design.pairs(names)} if design and design.names else {}
    asked = CHOOSERS[kind.judgment](model, judged, wanted, size, rng, **aimed) if wanted else []
    times = Counter(item for answer in answers for item in kind.items_shown(answer.spec))
    scores = {
        "error": None,
        "held_out": 0,
        "model": {"name": name, "log_losses": {}, "told": len(answers)},
        "fitted": len(answers),
        "shown": [times[item] for item in names],
        "trust": 1.0,
        "seconds": short(time.perf_counter() - began),
        **more,
    }
    if design:
        scores["design"] = spacing
    return {
        "answers": len(answers),
        "model": saved(model),
        "positions": [[short(x) for x in row] for row in model.embedding_],
        "uncertainty": None,
        "scores": scores,
        "asked": asked,
        "designed": designed,
    }


def _tested(analysis: Analysis) -> Json:
    """Return the log-likelihood of held-out answers, the advice, and the psychometric curve."""
    report, counts = analysis.as_dict(), analysis.judgments
    held, psi = report["held_out"], psi_beside_counts(analysis.model, counts)
    if held is None or held["log_likelihood"] is None:
        return {"psi": psi}
    scored = counts[scored_rows(counts)[0]]
    trials = {
        "value": short(held["log_likelihood"]),
        "interval": held["interval"] and [short(end) for end in held["interval"]],
        "guessing": short(held["guessing"]["log_likelihood"]),
        "trials": int(scored.trial_weights.sum()),
        "of": held["of"],
    }
    return {"psi": psi, "held_out_trials": trials, "next": report["next"]}


def psi_beside_counts(model: Any, counts: Any) -> Json:
    """Return the fitted psychometric function, and the shares of errors in bins of distance.

    All bins have about equally many trials. Each bin has its mean distance, its share of errors
    with the 95 % interval (Wilson, 1927), and its number of trials.
    """
    a, b = model.embedding_[counts.index.T]
    far = np.linalg.norm(a - b, axis=1)
    order = np.argsort(far, kind="stable")
    upto = np.cumsum(counts.trials[order]) - counts.trials[order] / 2
    bins = (BINS * upto / counts.trials.sum()).astype(int)
    points = []
    for place in np.unique(bins):
        rows = order[bins == place]
        trials = int(counts.trials[rows].sum())
        share = counts.errors[rows].sum() / trials
        middle = np.average(far[rows], weights=counts.trials[rows])
        ends = wilson_interval(share, trials)
        points.append([*map(short, (middle, share, *ends)), trials])
    at = np.linspace(0.0, 1.03 * far.max(), CURVE)
    p = model.choice_.error_probability(at if model.choice_.reads == "plain" else at**2)
    curve = [[short(x), short(y)] for x, y in zip(at, p, strict=True)]
    return {"points": points, "curve": curve}
