"""Test whether a second map explains answers that one map overrules."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, quiet
from resemblance.fitting import GroupedKFold, MultipleMaps, OrdinalEmbedding
from resemblance.fitting.folds import Units
from resemblance.fitting.individuals import shared_model
from resemblance.fitting.multiple_maps import evidence, refuse_models
from resemblance.fitting.objective.threads import in_turn
from resemblance.fitting.penalty import settled
from resemblance.judgments import (
    Choices,
    Judgments,
    OddOneOuts,
    OneKind,
    Triplets,
    as_judgments,
)
from resemblance.judgments.convert import JudgmentsLike
from resemblance.notebook import Card, Shown
from resemblance.observers import Observer
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.scores import mean_interval, weighted_mean

FOLDS = 5
FURTHER = 3  # Two maps must beat one map with up to this many further dimensions.
LEVEL = 0.9  # level of the interval, whose lower end is a one-sided test at 5 %
LEAST = 30  # minimum mean number of answers about an item
SHARE = 0.1  # share of items that get a second place in simulated answers
POWER = 0.5  # least share of these items to be noticed before "no" is said
MOST = 9.0  # largest number of further answers, as a multiple of the answers
NEIGHBOURS = 3
SIMULATED = Triplets, Choices, OddOneOuts  # kinds of answers that simulated people give


@dataclass(frozen=True)
class SecondMap(Shown):
    """A verdict on a second map, made by :func:`second_map`.

    Attributes
    ----------
    verdict : {"yes", "no", "unknown"}
        Whether some items have two places. "unknown" if the answers are too few to tell.
    model : MultipleMaps
        Two maps, fitted to all answers.
    log_losses : dict of str to float
        The held-out log loss of one map, in nats, with d and more dimensions, and of two maps.
    gain : float
        The log loss of the best single map minus the log loss of two maps.
    interval : tuple of float
        The 90 % interval of the gain.
    power : float or None
        If items with two places were not confirmed: the share of such items that would be noticed
        in simulated answers to the same questions.
    more : int or None
        If unknown: about how many more answers are needed.
    """

    verdict: str
    model: MultipleMaps
    log_losses: dict[str, float]
    gain: float
    interval: tuple[float, float]
    power: float | None = None
    more: int | None = None

    @property
    def table(self) -> pd.DataFrame:
        """The items that two maps divide, with weight and neighbours in each map, strongest first.

        Unless the verdict is "yes" they mean nothing: a missing dimension divides items too.
        """
        model, names = self.model, np.asarray(self.model.items_.names, dtype=object)
        items = model.several_[np.argsort(-model.gains_[model.several_], kind="stable")]
        columns: dict[str, Any] = {"item": names[items], "gain": model.gains_[items]}
        for m, X in enumerate(model.maps_):
            apart = ((X[items][:, None] - X) ** 2).sum(axis=2)
            apart[np.arange(len(items)), items] = np.inf
            near = np.argsort(apart, axis=1, kind="stable")[:, :NEIGHBOURS]
            columns[f"weight_{m + 1}"] = model.weights_[items, m]
            columns[f"neighbours_{m + 1}"] = [list(map(str, names[row])) for row in near]
        return pd.DataFrame(columns)

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON values, and if it is "yes" the items."""
        values = {name: value for name, value in vars(self).items() if name != "model"}
        if not np.isfinite(self.interval).all():
            values["interval"] = None
        return values | {"items": self.table.to_dict("records") if self.verdict == "yes" else []}

    def _card(self) -> Card:
        facts = {name: getattr(self, name) for name in ("verdict", "gain", "interval", "more")}
        return Card("Second map", facts, self.table)


def second_map(
    judgments: JudgmentsLike,
    estimator: OrdinalEmbedding | None = None,
    *,
    random_state: int | np.random.RandomState | None = 0,
    callback: Told | None = None,
) -> SecondMap:
    r"""Test whether a second map explains answers better than one map of any dimension.

    .. math:: g = \min_{k \le 3} \ell(\text{one map}, d + k) - \ell(\text{two maps}, d)

    where :math:`\ell` is the log loss on held-out answers, in five folds that keep questions and
    responses whole. Items have two places ("yes") if the lower end of the 90 % interval of g is
    above 0, where the interval is :func:`~resemblance.scores.mean_interval` over people, or over
    responses if fewer than two people are recorded. One map with more dimensions is the rival
    because a dimension too few also overrules answers.

    Otherwise a tenth of the items of one map get a second place, and simulated people answer the
    same questions. If at least half of these items would be noticed, the verdict is "no", else
    "unknown". The evidence about an item grows in proportion to the answers, and this gives the
    number of further answers.

    Parameters
    ----------
    judgments : Triplets, Choices, OddOneOuts, or array (m, 3)
        The answers.
    estimator : OrdinalEmbedding, optional
        The model of one map, as in :class:`~resemblance.fitting.MultipleMaps`.
    random_state : int, RandomState or None
        The seed of folds and simulated answers.
    callback : callable, optional
        Called with (fits done, number of fits).

    Raises
    ------
    JudgmentError
        With fewer than 30 answers about an item on average.
    SettingError
        If the estimator has another form or choice model than several maps can have.

    Examples
    --------
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> person = rs.SpaceObserver(2 * rng.normal(size=(12, 2)), random_state=0)
    >>> answers = person.answer([rng.choice(12, 3, replace=False) for _ in range(600)])
    >>> second_map(answers, rs.STE(2, penalty=1.0, random_state=0)).verdict
    'unknown'
    """
    answers = as_judgments(judgments)
    model, rng = shared_model(estimator), check_random_state(random_state)
    refuse_second_map(answers, model)
    d = model._n_components(answers.n_items)
    dims = range(d, min(d + FURTHER, answers.n_items - 1) + 1)
    singles = [clone(model).set_params(n_components=k) for k in dims]
    folds = list(GroupedKFold(FOLDS, random_state=rng.randint(2**31 - 1)).split(answers))
    steps = Steps(callback, len(singles) + len(folds) + 1)
    with quiet():
        singles = [settled(single, answers) for single in steps.each(singles)]
        models = [*singles, MultipleMaps(singles[0])]
        tasks = [(models, answers, *fold) for fold in folds]
        losses = np.hstack(list(steps.each(in_turn(_losses, tasks))))
        several = MultipleMaps(singles[0]).fit(answers)
        steps.take()
    tested = np.concatenate([test for _, test in folds])
    weights = answers.weights[tested]
    means = np.array([weighted_mean(row, weights) for row in losses])
    names = [f"one map in {k} dimensions" for k in dims] + ["two maps"]
    log_losses = dict(zip(names, means.tolist(), strict=True))
    gains = losses[means[:-1].argmin()] - losses[-1]
    gain, (low, high) = float(weighted_mean(gains, weights)), _interval(gains, answers[tested])
    if low > 0 and len(several.several_):
        return SecondMap("yes", several, log_losses, gain, (low, high))
    power, times = _power(several, answers, rng)
    if len(several.several_) and gain > 0:
        times = max(times, ((gain - low) / gain) ** 2)
    elif power >= POWER:
        return SecondMap("no", several, log_losses, gain, (low, high), power)
    more = int(np.ceil(len(answers) * min(max(times - 1.0, 0.5), MOST)))
    return SecondMap("unknown", several, log_losses, gain, (low, high), power, more)


def refuse_second_map(judgments: JudgmentsLike, model: OrdinalEmbedding) -> None:
    """Raise an error if answers are too few for a second map, or they or the model have none."""
    if isinstance(judgments, OneKind) and not isinstance(judgments, SIMULATED):
        raise JudgmentError(
            "a second map takes triplets, choices or odd ones out, not "
            f"{type(judgments).__name__.lower()}: leave it out",
            setting="second_map",
        )
    answers = as_judgments(judgments)
    refuse_models(model)
    counts = np.bincount(answers.index[answers.index >= 0], minlength=answers.n_items)
    if counts.mean() < LEAST:
        least = int(counts.argmin())
        more = int(np.ceil(len(answers) * (LEAST / max(counts.mean(), 1.0) - 1.0)))
        raise JudgmentError(
            f"a second map needs {LEAST} answers about an item, and there are "
            f"{counts.mean():.0f} on average ({counts[least]} about "
            f"{answers.items.names[least]!r}): collect about {more:,} more answers, or ask about "
            "fewer items"
        )


def _losses(
    models: list[OrdinalEmbedding | MultipleMaps],
    answers: Judgments,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> Floats:
    with quiet():
        fits = [clone(model).fit(answers[train]) for model in models]
    p = [fit.predict_proba(answers[test])[:, 0] for fit in fits]
    return np.asarray(-np.log(np.maximum(p, np.finfo(float).tiny)))


def _interval(gains: Floats, tested: Judgments) -> tuple[float, float]:
    asked, people = Units(tested).groups, tested.observer
    several = people is not None and len(np.unique(people)) > 1
    groups, crossed = (people, asked) if several else (asked, None)
    _, ends = mean_interval(gains, tested.weights, groups, LEVEL, share=False, crossed=crossed)
    return (-np.inf, np.inf) if ends is None else ends


class _InTwoPlaces(Observer):
    def __init__(self, model: MultipleMaps, random_state: Any) -> None:
        super().__init__(random_state)
        self.model = model

    def probabilities(self, questions: JudgmentsLike) -> Floats:
        return self.model.predict_proba(questions)


def _power(
    model: MultipleMaps, answers: Judgments, rng: np.random.RandomState
) -> tuple[float, float]:
    """Return the share of planted items that are noticed, and how many times the answers it takes.

    Planted items have a second place at another item farther than the median, with equal weights.
    """
    X = model.single_.embedding_
    planted = rng.choice(len(X), max(2, round(SHARE * len(X))), replace=False)
    maps = np.stack([X, X])
    for item in planted:
        apart = ((X - X[item]) ** 2).sum(axis=1)
        maps[1, item] = X[rng.choice(np.flatnonzero(apart >= np.median(apart)))]
    world = copy(model)
    world.maps_, world.weights_ = maps, np.full((len(X), 2), 0.5)
    simulated = _InTwoPlaces(world, rng).answer(answers)
    with quiet():
        share = evidence(model, simulated, planted)
    return float((share >= 1.0).mean()), 1.0 / max(float(np.median(share)), 1e-9)
