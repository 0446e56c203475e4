"""Choose the weight of a machine's answers by people's held-out answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.fitting.estimator import Embeds
from resemblance.fitting.folds import Units
from resemblance.fitting.penalty import MOST_STEPS, STEP, Search
from resemblance.judgments import Judgments
from resemblance.notebook import Shown
from resemblance.progress import Steps, Told

WEIGHTS = 1 / 64, 1 / 16, 1 / 4, 1.0  # candidates for the weight of a machine's answer, besides 0
FOLDS, FEW_FOLDS = 10, 5
MANY = 2000  # with this many answers, five folds are enough


@dataclass(frozen=True)
class WeighedMachine(Shown):
    """A machine's answers, and their weight relative to people's answers.

    Attributes
    ----------
    answers : Judgments
        The answers.
    weight : float
        The weight; 0 if the machine's answers do not clearly help to predict people's answers.
    penalty : float
        The best penalty at this weight.
    log_losses : mapping of float to array (n_folds,)
        The mean of -log p(answer) of people's held-out answers, for each weight tried.
    """

    answers: Judgments
    weight: float
    penalty: float
    log_losses: Mapping[float, Floats]

    @property
    def weighted(self) -> Judgments | None:
        """The answers with their weight; None if the weight is 0."""
        return weighted(self.answers, self.weight) if self.weight else None

    @property
    def best_tried(self) -> float:
        """The weight above 0 with the lowest log loss."""
        return min((w for w in self.log_losses if w), key=lambda w: self.log_losses[w].mean())

    @property
    def gain(self) -> float:
        """The reduction of the log loss by the best weight above 0, in nats."""
        return float((self.log_losses[0.0] - self.log_losses[self.best_tried]).mean())


def weighted(answers: Judgments, weight: float) -> Judgments:
    return answers.weighted(np.full(len(answers), weight))


def choose_weight(
    estimator: Embeds,
    people: Judgments,
    machine: Judgments,
    walks: bool = True,
    callback: Told | None = None,
) -> WeighedMachine:
    r"""Choose the weight of a machine's answers, and the penalty, by people's held-out answers.

    .. math:: \min_X \; \ell_{people}(X) + w \, \ell_{machine}(X) + \lambda \lVert X \rVert^2

    The weights w = 0, 1/64, 1/16, 1/4 and 1 are tried, each on a path of penalties lambda that
    begins near the best penalty of the previous weight; the first begins near the estimator's. A
    weight above 0 must lower the log loss by more than one standard error.

    Parameters
    ----------
    estimator : OrdinalEmbedding
        An estimator whose penalty is a number.
    people, machine : Judgments
        The answers of people, and those of a machine about the same items.
    walks : bool
        Whether to choose the penalty. Otherwise it is the estimator's.
    callback : callable, optional
        Called with (weights done, number of weights).

    Raises
    ------
    SettingError
        If people's answers cannot be held out, because all are of one response.
    """
    folds = Units(people, n_splits=FEW_FOLDS if len(people) >= MANY else FOLDS).folds()
    if not folds:
        raise SettingError(
            "one response cannot be held out to choose the weight of a machine's answers: collect "
            "more answers of people.",
            setting="machine",
        )
    steps = Steps(callback, 1 + len(WEIGHTS))
    alone, near = Search.of(estimator, people, folds), float(estimator.penalty)
    searches: dict[float, Search] = {}
    search = alone
    for weight in steps.each((0.0, *WEIGHTS)):
        if weight:
            search = search.beside(weighted(machine, weight))
        if walks:
            search.walk(near * STEP**MOST_STEPS, near)
        else:
            search.look(near)
        searches[weight], near = search, search.best
    best = min(searches, key=lambda weight: float(searches[weight].least.mean()))
    if not searches[best].is_clearly_likelier_than(alone):
        best = 0.0
    losses = {weight: tried.least for weight, tried in searches.items()}
    penalty = searches[best].refined() if walks else near
    return WeighedMachine(machine, best, penalty, losses)
