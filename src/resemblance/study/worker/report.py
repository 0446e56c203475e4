"""Report on a fit: its error, the noise ceiling, and the gain from more answers."""

import tempfile
import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import orthogonal_procrustes
from sklearn.base import BaseEstimator

from resemblance.analysis import analyse
from resemblance.analysis.record import prior_part
from resemblance.analysis.wording import prior_words
from resemblance.arrays import Floats
from resemblance.asking import Session
from resemblance.asking.fit_job import FitJob
from resemblance.asking.log import answered_judgments
from resemblance.asking.planning import study_cost
from resemblance.asking.stopping import excess_errors, expected_gain
from resemblance.catalog import START
from resemblance.errors import ResemblanceError, quiet
from resemblance.fitting import averaged_uncertainty
from resemblance.fitting.held_out import (
    RANDOM_QUESTIONS,
    error_of,
)
from resemblance.fitting.laplace import PositionUncertainty
from resemblance.saving import save
from resemblance.scores import wilson_interval
from resemblance.study.sections import REST
from resemblance.study.settings import Settings
from resemblance.study.worker.cycles import contradictions
from resemblance.study.worker.fitting import Fitted, short
from resemblance.study.worker.session import counting

Json = dict[str, Any]
Positions = list[list[float]]
MORE = (0.25, 1.0)  # Gains are predicted for these growth rates of the number of answers.
MOST_PARAMETERS = 1000  # With more parameters, the covariance is computed for each item separately.


@dataclass
class Costly:
    """The slow parts of reports, computed again after a pause ten times as long as this takes."""

    last: Json = field(default_factory=dict)  # the last report
    # positions in the last fit to the answers of each strategy
    positions: dict[str, Any] = field(default_factory=dict)
    # factor on each item's standard deviation, because the choice model may be wrong
    wider: Floats = field(default_factory=lambda: np.empty(0))
    at: float = 0.0  # time at which the next report may begin

    @property
    def has_rested(self) -> bool:
        return time.monotonic() >= self.at


class Report:
    def __init__(self, session: Session, fitted: Fitted, settings: Settings) -> None:
        self.session, self.fitted, self.settings = session, fitted, settings
        n_answers = fitted.result.n_answers
        self.belief, self.chosen = session.belief(), session.chosen
        self.job = session.fit_job(n_answers)
        # answers to questions that were chosen at random
        self.random = session.judgments("random", n_answers)
        answered = (a for a in islice(session.answers.values(), n_answers) if a.chosen is not None)
        places = np.fromiter(chain.from_iterable(a.question.row for a in answered), np.intp)
        self.times_shown = np.bincount(places, minlength=len(session.items)).tolist()
        self.answers = counting(session, n_answers)  # answers including held-out answers
        self.trust = 1.0 if session.guard is None else session.guard.trust

    def space(self, costly: Costly) -> Json:
        model = self.fitted.result.model
        if costly.has_rested:
            began = time.monotonic()
            costly.last, costly.wider = self._costly(costly), self._wider()
            costly.at = time.monotonic() + REST * (time.monotonic() - began)
        return {
            "answers": self.fitted.answers,
            "model": saved(model),
            "positions": [[short(x) for x in row] for row in model.embedding_],
            "uncertainty": self._uncertainty(costly.wider),
            "scores": self._scores() | costly.last,
        }

    def _scores(self) -> Json:
        picks = self.belief.asks.picks  # number of choices per answer
        return {
            **rate(self.fitted.error, self.fitted.held_out // picks),
            "model": self._chosen(),
            "fitted": len(self.job.judgments) // picks,
            "shown": self.times_shown,
            "trust": self.trust,
            "seconds": short(self.fitted.seconds),
        }

    def _chosen(self) -> Json:
        chosen = self.chosen
        losses = {name: short(loss) for name, loss in chosen.log_losses.items()}
        prior = prior_part(self.fitted.result.model)
        if prior is not None:
            prior |= {"words": prior_words(prior)}
        return {"name": chosen.name, "log_losses": losses, "told": chosen.told, "prior": prior}

    def _costly(self, costly: Costly) -> Json:
        return {
            "told_of": self.fitted.answers,  # number of answers when the slow parts were computed
            **self._judged(),
            "contradictions": contradictions(
                self.answers, len(self.session.items), self.session.asks
            ),
            "strategies": self._strategies(costly),
            "advice": self._advice(),
        }

    def _uncertainty(self, wider: Floats) -> list[float] | None:
        assumed = self._assumed
        if assumed is None:
            return None
        # Items that were added later have the factor 1.
        new = np.ones(max(len(assumed) - len(wider), 0))
        return [short(x) for x in assumed * np.append(wider, new)]

    @cached_property
    def _assumed(self) -> Floats | None:
        belief = self.belief
        try:
            return PositionUncertainty(
                belief.points,
                belief.choice,
                belief.told(belief.answered),
                noise=belief.noise,
                max_parameters=MOST_PARAMETERS,
            ).deviation
        except ResemblanceError:
            return None

    def _wider(self) -> Floats:
        """Return a factor on standard deviations, for the case that the choice model is wrong."""
        assumed, model = self._assumed, self.fitted.result.model
        if assumed is None:
            return np.empty(0)
        with quiet():
            averaged = averaged_uncertainty(model, self.job.judgments)
        deviation = averaged.deviation if averaged.explanations else assumed
        return deviation / np.maximum(assumed, np.finfo(float).tiny)

    def _judged(self) -> Json:
        answers = answered_judgments(self.answers, self.session.items, self.session.asks)
        if len(answers) < 2:
            return {}
        asking = self.settings.asking
        with quiet():
            informed = self.settings.features.file is not None
            judged = analyse(answers, asking.model, dims=asking.n_components, features=informed)
            analysis = replace(judged, door="desk").as_dict()
        return {
            "random": _error(analysis["held_out"]),
            "ceiling": _ceiling(analysis["noise_ceiling"]),
            "overruled": analysis["overruled"],
            "next": analysis["next"],
            "another_dimension": analysis["another_dimension"],
            "judged_in": analysis["fit"]["dimensions"],
            "judged_by": analysis["model"]["name"],
        }

    def _strategies(self, costly: Costly) -> Json:
        names = [name for name, share in self.session.shares.items() if share > 0]
        if len(names) < 2 or not len(self.job.held_out):
            return {}
        return {name: self._strategy(name, costly) for name in names}

    def _strategy(self, name: str, costly: Costly) -> Json:
        kept = [answer for answer in self.answers if answer.question.strategy in (START, name)]
        answers = answered_judgments(kept, self.session.items, self.session.asks)
        if not len(answers):
            return {"answers": 0}
        start = costly.positions.get(name)
        job = FitJob(
            self.job.model, answers, self.job.held_out, start, self.job.number, len(answers)
        )
        model = job.run().model
        costly.positions[name] = model.embedding_
        error = error_of(model, self.job.held_out)
        return {"answers": len(answers), **rate(error, len(self.job.held_out))}

    def _advice(self) -> list[Json] | None:
        try:
            rng = np.random.default_rng(0)
            excess = excess_errors(self.belief, rng, max_parameters=MOST_PARAMETERS).mean()
        except ResemblanceError:
            return None
        n = self._n_answers
        return [self._gain(float(excess), max(1, round(share * n))) for share in MORE]

    @property
    def _n_answers(self) -> int:
        return len(self.belief.answered) // self.belief.asks.picks

    def _gain(self, excess: float, more: int) -> Json:
        gain, (low, high) = expected_gain(excess, self._n_answers, more)
        gains = {"gain": short(gain), "low": short(low), "high": short(high)}
        return {"more": more} | gains | cost(more, self.settings)


def _error(held: Json) -> Json | None:
    if held["of"] != RANDOM_QUESTIONS or held["interval"] is None:
        return None
    return _estimate(held["error"], held["interval"]) | {"answers": held["answers"]}


def _ceiling(ceiling: Json) -> Json | None:
    if ceiling["error"] is None:
        return None
    questions = {"questions": ceiling["repeated_questions"]}
    return _estimate(ceiling["error"], ceiling["interval"]) | questions


def _estimate(error: float, interval: tuple[float, float]) -> Json:
    low, high = map(short, interval)
    return {"error": short(error), "low": low, "high": high}


def laid_upon(before: Positions, now: Positions) -> Positions:
    """Rotate and translate a map to match an earlier map, without scaling.

    If the earlier map has another number of dimensions, the map is returned unchanged.
    """
    B, X = np.array(before), np.array(now)
    if B.shape[1] != X.shape[1] or len(B) > len(X):
        return now
    middle = X[: len(B)].mean(axis=0)
    R, _ = orthogonal_procrustes(X[: len(B)] - middle, B - B.mean(axis=0))
    return [[short(x) for x in row] for row in B.mean(axis=0) + (X - middle) @ R]


def cost(answers: int, settings: Settings) -> Json:
    paid, tasks = settings.recruitment, settings.tasks
    hours = settings.exact_minutes / 60.0
    taken = study_cost(
        answers,
        seconds=3600.0 * hours / settings.total,
        pay=paid.pay / hours,
        gold=tasks.gold_share + tasks.repeat_share,
    )
    totals = {"hours": round(taken.hours, 2), "cost": round(taken.cost, 2)}
    return {"trials": taken.trials, **totals, "currency": paid.currency}


def rate(error: float | None, n: int) -> Json:
    """Return the error rate of n answers, with its 95 % interval (Wilson, 1927)."""
    if error is None or not n:
        return {"error": None, "held_out": n}
    return _estimate(error, wilson_interval(error, n)) | {"held_out": n}


def saved(model: BaseEstimator) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return save(model, Path(folder) / "model.npz").read_bytes()
