"""Noise of a crowd: the temperature and the lapse rate of its answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit, xlog1py, xlogy

from resemblance.arrays import Floats
from resemblance.fitting import OrdinalEmbedding
from resemblance.judgments import Judgments
from resemblance.observers.space import Contrasts, answer_shares

CROWD_LAPSE = 0.05  # prior mean of a crowd's lapse rate
PSEUDO_ANSWERS = 20.0  # weight of the prior of a crowd's lapse rate, in answers


class Utilities(Protocol):
    """Object with the utility of each option of each row, given weights of dimensions."""

    def utilities(self, weights: Floats) -> Floats:
        """Return the utilities."""


@dataclass(frozen=True)
class CrowdNoise:
    """Temperature, lapse rate and log weights of a crowd, treated as one person."""

    temperature: float
    lapse: float
    log_weights: Floats = field(repr=False)

    @classmethod
    def of(cls, x: Floats) -> CrowdNoise:
        return cls(float(np.exp(x[0])), float(expit(x[1])), x[2:] - x[2:].mean())

    @classmethod
    def fit(cls, contrasts: Utilities, weights: Floats, n_dims: int) -> CrowdNoise:
        def objective(x: Floats) -> float:
            guess = cls.of(x)
            loss = -weights @ np.log(np.maximum(guess.shares(contrasts)[:, 0], 1e-300))
            apart = np.append(guess.log_weights, np.log(guess.temperature))
            lapses = xlogy(CROWD_LAPSE, guess.lapse) + xlog1py(1 - CROWD_LAPSE, -guess.lapse)
            return float(loss + (apart**2).sum() / 2 - PSEUDO_ANSWERS * lapses)

        start = [0.0, logit(CROWD_LAPSE), *np.zeros(n_dims)]
        bounds = [(-5.0, 5.0), (-7.0, 7.0), *[(-4.0, 4.0)] * n_dims]
        return cls.of(minimize(objective, start, method="L-BFGS-B", bounds=bounds).x)

    def shares(self, contrasts: Utilities) -> Floats:
        utilities = contrasts.utilities(np.exp(self.log_weights))
        return answer_shares(utilities, self.temperature, self.lapse)


@dataclass(frozen=True)
class _Fixed:
    """Utilities that do not depend on weights."""

    values: Floats

    def utilities(self, weights: Floats) -> Floats:
        return self.values


def of_crowd(model: OrdinalEmbedding, crowd: Judgments, judgments: Judgments) -> Floats:
    """Return the probability of each option under a model with the crowd's noise."""
    rows = Contrasts(model.embedding_, crowd, model.choice_)
    noise = CrowdNoise.fit(rows, crowd.weights, model.embedding_.shape[1])
    return noise.shares(Contrasts(model.embedding_, judgments, model.choice_))


def with_noise(utilities: Floats, weights: Floats) -> Floats:
    """Return the probability of each option with the temperature and lapses of all answers."""
    fixed = _Fixed(utilities)
    return CrowdNoise.fit(fixed, weights, 1).shares(fixed)
