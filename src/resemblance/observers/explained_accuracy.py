"""Measure the share of explainable accuracy that a model reaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import EmptyError, SettingError
from resemblance.fitting import GroupedKFold, JudgmentsLike, OrdinalEmbedding
from resemblance.fitting.answers import most_probable
from resemblance.judgments import Judgments, as_judgments
from resemblance.notebook import Shown
from resemblance.observers.model import ModelObserver
from resemblance.observers.observer import Observer
from resemblance.observers.space import answer_shares
from resemblance.progress import Steps, Told
from resemblance.ranges import LEVEL, Range, check, integers
from resemblance.scores import log_loss, noise_ceiling, weighted_mean
from resemblance.scores.intervals import bootstrap_means, percentile_interval

TINY = 1e-300
MOST_LAPSE, SURE = 0.98, 1e-6
# first simplex of (log temperature, log odds of a lapse)
SIMPLEX = np.array([[0.0, -3.0], [1.0, -3.0], [0.0, -1.5]])
RANGE = 6.0  # largest absolute value of log(temperature / spread of utilities)


@dataclass(frozen=True)
class Explained(Shown):
    r"""The share of answers that a model explains.

    .. math:: share = \frac{accuracy - chance}{ceiling - chance}

    Attributes
    ----------
    accuracy : float
        The share of answers that are the model's most probable answer; 1/t if t answers tie.
    chance : float
        The accuracy of guessing: the mean of 1 / (number of options).
    log_loss : float
        The mean of -log p(answer) in nats, with the noise fitted on the other folds.
    temperature, lapse : float
        The noise, fitted to all answers. The model's similarities (or log probabilities) are
        divided by the temperature; the lapse rate is the share of random answers.
    ceiling : float or None
        The accuracy of the best possible model. It is given, or estimated if enough questions were
        repeated.
    ceiling_interval : (float, float) or None
    share : float or None
    interval : (float, float) or None
        Interval of the share.
    n_answers : int
    """

    accuracy: float
    chance: float
    log_loss: float
    temperature: float
    lapse: float
    ceiling: float | None
    ceiling_interval: tuple[float, float] | None
    share: float | None
    interval: tuple[float, float] | None
    n_answers: int


def explained(
    model: Observer | OrdinalEmbedding,
    judgments: JudgmentsLike,
    ceiling: float | None = None,
    *,
    cv: int = 5,
    level: float = 0.95,
    n_resamples: int = 2000,
    random_state: Any = 0,
    callback: Told | None = None,
) -> Explained:
    """Measure the share of explainable accuracy that a model reaches.

    Accuracy does not depend on temperature, so it needs no fit. The log loss uses one temperature
    and one lapse rate, fitted on the other folds. The interval of the share is a bootstrap over
    people (responses or rows if people are unknown), which also varies an estimated ceiling within
    its interval.

    Parameters
    ----------
    model : Observer or OrdinalEmbedding
        A simulated person, such as a :class:`ModelObserver`, or a fitted embedding.
    judgments : Triplets, Quadruplets, Choices, OddOneOuts, or array (m, 3 or 4)
        People's answers; an embedding must have been fitted to other answers.
    ceiling : float, optional
        The accuracy of the best possible model. Default: the :func:`noise_ceiling` of these
        judgments, if at least 25 questions repeat and its uncertainty is at most 0.1.
    cv : int
        The number of folds, 2 or more.
    level : float
        The coverage of the interval.
    n_resamples : int
        The number of resamples of the answers.
    random_state : int, RandomState or None
        The seed of folds and resamples.
    callback : callable, optional
        Called with (steps done, steps in all).

    Raises
    ------
    SettingError
        If the model cannot answer questions, the ceiling is not above chance, or a setting is out
        of range.
    JudgmentError
        If there are no judgments, or they are about items that the model does not know.

    See Also
    --------
    model_recovery : Test whether answers can identify which of several models people follow.

    References
    ----------
    Hebart, Zheng, Pereira & Baker 2020, Nature Human Behaviour 4, 1173.

    Examples
    --------
    >>> import resemblance as rs
    >>> points = np.random.default_rng(0).normal(size=(12, 2))
    >>> person = rs.SpaceObserver(points, random_state=0)
    >>> questions = [[0, a, b] for a in range(1, 12) for b in range(1, a)] * 40
    >>> answers = person.answer(rs.Triplets(questions))
    >>> explanation = rs.explained(rs.ModelObserver(points, "euclidean"), answers)
    >>> explanation.accuracy > 0.6, 0.9 < explanation.share < 1.1
    (True, True)
    """
    answers = as_judgments(judgments)
    if not len(answers):
        raise EmptyError("there are no judgments to explain: give some.")
    above = Range(0, 1, above=True).besides(None)
    check(cv=(cv, integers(2)), level=(level, LEVEL), ceiling=(ceiling, above))
    rng, cv = check_random_state(random_state), min(cv, len(answers))
    steps = Steps(callback, cv + 4)
    utilities, weight = utilities_of(model, answers), answers.weights
    steps.take()
    right = hits_of(utilities)
    chance = weighted_mean(1.0 / answers.answers_possible(), weight)
    accuracy = weighted_mean(right, weight)
    losses = _loss_held_out(utilities, answers, cv, rng, steps)
    temperature, lapse = noise_of(utilities, weight)
    steps.take()
    top, top_interval = ceiling_of(answers, ceiling, level)
    steps.take()
    if top is not None and top <= chance:
        if ceiling is not None:
            raise SettingError(
                f"ceiling is {ceiling!r}, not above the accuracy of guessing, {chance:.3f}: give a "
                "higher one.",
                setting="ceiling",
            )
        top = None
    share, interval = None, None
    if top is not None:
        people = answers.response_id if answers.observer is None else answers.observer
        drawn = bootstrap_means(right, weight, people, n_resamples, rng)
        share = (accuracy - chance) / (top - chance)
        interval = share_interval(drawn - chance, top - chance, top_interval, level, rng)
    steps.take()
    return Explained(
        accuracy=float(accuracy),
        chance=float(chance),
        log_loss=losses,
        temperature=temperature,
        lapse=lapse,
        ceiling=top,
        ceiling_interval=top_interval,
        share=None if share is None else float(share),
        interval=interval,
        n_answers=len(answers),
    )


def utilities_of(model: Observer | OrdinalEmbedding, answers: Judgments) -> Floats:
    """Return the utilities of the options, (m, K), with the given answer first."""
    if isinstance(model, ModelObserver):
        return model.utilities(answers)
    if isinstance(model, Observer):
        p = model.probabilities(answers)
    elif hasattr(model, "predict_proba"):
        p = model.predict_proba(answers)
    else:
        raise SettingError(
            f"a {type(model).__name__} cannot answer questions: give an observer, such as "
            "ModelObserver(vectors), or a fitted embedding.",
            setting="model",
        )
    listed = np.arange(p.shape[1]) < answers.answers_possible()[:, None]
    return np.where(listed, np.log(np.maximum(p, TINY)), -np.inf)


def hits_of(utilities: Floats) -> Floats:
    """Return 1 for rows with the given answer as the most probable, 1/t if t answers tie, else 0.

    >>> hits_of(np.array([[2.0, 1.0], [1.0, 1.0], [0.0, 1.0]]))
    array([1. , 0.5, 0. ])
    """
    best, ties = most_probable(answer_shares(utilities, spread_of(utilities), 0.0))
    return np.asarray((best == 0) / ties)


def spread_of(utilities: Floats) -> float:
    there = np.isfinite(utilities)
    finite = np.where(there, utilities, 0.0)
    n = np.maximum(there.sum(axis=1, keepdims=True), 1)
    gaps = (finite - finite.sum(axis=1, keepdims=True) / n)[there]
    return float(max(gaps.std(), TINY)) if gaps.size else 1.0


def noise_of(utilities: Floats, weight: Floats) -> tuple[float, float]:
    """Fit temperature and lapse rate; the prior of the lapse rate is Beta(1.5, 20)."""
    unit = spread_of(utilities)

    def numbers(x: Floats) -> tuple[float, float]:
        lapse = min(max(float(expit(x[1])), SURE), MOST_LAPSE)
        return unit * float(np.exp(min(max(float(x[0]), -RANGE), RANGE))), lapse

    def objective(x: Floats) -> float:
        temperature, lapse = numbers(x)
        p = answer_shares(utilities, temperature, lapse)[:, 0]
        prior = 0.5 * np.log(lapse) + 19.0 * np.log1p(-lapse)
        return float(-weight @ np.log(np.maximum(p, TINY)) - prior)

    settings = {"xatol": 1e-3, "fatol": 1e-3, "initial_simplex": SIMPLEX}
    result = minimize(objective, SIMPLEX[0], method="Nelder-Mead", options=settings)
    return numbers(result.x)


def _loss_held_out(utilities: Floats, answers: Judgments, cv: int, rng: Any, steps: Steps) -> float:
    p, seed = np.empty(len(answers)), rng.randint(2**31 - 1)
    weight = answers.weights
    for train, test in steps.each(GroupedKFold(cv, random_state=seed).split(answers)):
        temperature, lapse = noise_of(utilities[train], weight[train])
        p[test] = answer_shares(utilities[test], temperature, lapse)[:, 0]
    return float(log_loss(p, weight))


def ceiling_of(
    answers: Judgments, given: float | None, level: float
) -> tuple[float | None, tuple[float, float] | None]:
    if given is not None:
        return given, None
    as_told, ceiling = noise_ceiling(answers), noise_ceiling(answers, level)
    if as_told is None or ceiling is None or not as_told.is_certain:
        return None, None
    return ceiling.accuracy, ceiling.interval


def share_interval(
    drawn: Floats, top: float, ends: tuple[float, float] | None, level: float, rng: Any
) -> tuple[float, float]:
    """Return the interval of resampled accuracies divided by the ceiling, with its uncertainty."""
    tops = np.full(len(drawn), top)
    if ends is not None:
        error = (ends[1] - ends[0]) / (2.0 * norm.ppf(0.5 + 0.5 * level))
        tops = np.maximum(tops + error * rng.standard_normal(len(drawn)), TINY)
    low, high = percentile_interval(drawn / tops, level)
    return float(low), float(high)
