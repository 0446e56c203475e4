"""Clarity, lapses and side preference of people who share one space."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Self

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.fitting.people.weight_descent import weighed_probabilities
from resemblance.judgments import Judgments

CLARITIES = 2.0 ** np.arange(-3.0, 2.01, 0.5)  # factors of squared distances
SPREAD = 1.0  # expected standard deviation of log clarities
LAPSES = 0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9
MEAN_LAPSE = 0.1  # expected share


@dataclass(frozen=True)
class ResponseNoise:
    r"""Noise of each person's answers.

    .. math:: P_r = (1 - \lambda_g) \, p_r(\beta_g d) + \lambda_g \, q_g(r)

    with the clarity beta of person g, which multiplies squared distances (and inner products), the
    lapse rate lambda, and the probability q of an answer in a lapse: even among the options, or 1
    for those on one side of the screen.
    """

    clarity: Floats  # (G,), beta
    lapses: Floats  # (m,), lambda of each answer's person
    guesses: Floats  # (m,), probability of each answer in a lapse

    @classmethod
    def of(
        cls, points: Floats, choice: ChoiceModel, answers: Judgments, who: NDArray[np.intp]
    ) -> Self:
        """Find the most probable noise on a grid, for people numbered from 0."""
        n_people = int(who.max()) + 1
        best, clarity = np.full(n_people, -np.inf), np.ones(n_people)
        lapses, guesses = np.zeros(len(answers)), np.zeros(len(answers))
        for beta in CLARITIES:
            weights = np.full((n_people, points.shape[1]), beta)
            p = weighed_probabilities(points, weights, choice, answers, who)[:, 0]
            for lapse, guess in product(LAPSES, _guesses(answers)):
                with np.errstate(divide="ignore"):
                    logs = np.log((1.0 - lapse) * p + lapse * guess) * answers.weights
                prior = -0.5 * (np.log(beta) / SPREAD) ** 2 - lapse / MEAN_LAPSE
                total = np.bincount(who, logs, n_people) + prior
                better = total > best
                best[better], clarity[better] = total[better], beta
                lapses[better[who]] = lapse
                guesses = np.where(better[who], guess, guesses)
        return cls(clarity, lapses, guesses)

    def attended(
        self,
        points: Floats,
        weights: Floats,
        choice: ChoiceModel,
        answers: Judgments,
        who: NDArray[np.intp],
    ) -> Floats:
        """Return the probability that each answer was no lapse, (m,), in people's own spaces."""
        p = weighed_probabilities(points, weights, choice, answers, who)[:, 0]
        attended = (1.0 - self.lapses) * p
        either = attended + self.lapses * self.guesses
        return np.divide(attended, either, out=np.ones_like(p), where=either > 0)


def _guesses(answers: Judgments) -> list[Floats]:
    options = answers.answers_possible()
    even = 1.0 / options
    side = np.asarray(answers.extra.get("side", []))
    if not (side.size and np.issubdtype(side.dtype, np.number)):
        return [even]
    is_known = (side >= 0) & (side < options)
    sides = np.unique(side[is_known])
    return [even, *(np.where(is_known, side == number, even) for number in sides)]
