"""A population of people: what each is like, with a prior that is learned from all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import betaln, expit, log_expit, logsumexp
from scipy.stats import multivariate_t

from resemblance.arrays import Floats

DRAWS, FREEDOM, WIDER = 300, 5.0, 1.3  # draws of each person, from a wider t distribution
LIMITS = ((-5.0, 5.0), (-7.0, 7.0), (-4.0, 4.0))  # log temperature, logit of the lapse, log weights
WIDE = np.array([1.0, 2.0, 1.0])  # what the draws are made for
# Of a population: mean and log sd of log temperatures, logit of the mean and log of the
# concentration of lapses (a beta distribution), log sd of log weights. The means of the first and
# the third are those of the crowd.
EXPECTED = np.array([0.0, np.log(0.4), 0.0, np.log(10.0), np.log(0.4)])
UNSURE = np.array([0.5, 0.6, 1.0, 1.0, 0.6])
SWEEPS, BURN, THIN = 500, 100, 4
LogLikelihood = Callable[[Floats], float]


def log_density(x: Floats, theta: Floats) -> Floats:
    """Return the log density of people (..., 2 + weights) in a population.

    Parameters
    ----------
    x : array (..., 2 + weights)
        Log temperature, logit of the lapse, free log weights.
    theta : array (5,)
        The population, as in EXPECTED.
    """
    mean, log_sd, middle, log_worth, log_sd_w = theta
    a, b = np.exp(log_worth) * np.array([expit(middle), expit(-middle)])
    lapse = a * log_expit(x[..., 1]) + b * log_expit(-x[..., 1]) - betaln(a, b)
    temperature = -(((x[..., 0] - mean) / np.exp(log_sd)) ** 2) / 2 - log_sd
    weights = -np.sum((x[..., 2:] / np.exp(log_sd_w)) ** 2, -1) / 2 - (x.shape[-1] - 2) * log_sd_w
    return np.asarray(temperature + lapse + weights)


@dataclass(frozen=True)
class Posterior:
    """What answers leave possible of each person.

    Attributes
    ----------
    x : array (people, draws, 2 + weights)
        Log temperature, logit of the lapse, free log weights.
    p : array (people, draws)
        The probability of each draw.
    """

    x: Floats
    p: Floats

    def mean(self, values: Floats) -> Floats:
        """Return the mean of a value of each draw (people, draws)."""
        return np.asarray((self.p * values).sum(axis=1))

    def interval(self, values: Floats, level: float = 0.95) -> Floats:
        """Return the shortest interval that holds a value with a probability (people, 2).

        The shortest, as a lapse near 0 lies in the tail of any interval with equal tails.
        """
        order = np.argsort(values, axis=1)
        ordered = np.take_along_axis(values, order, axis=1)
        below = np.take_along_axis(self.p, order, axis=1)
        middle = np.cumsum(below, axis=1) - below / 2
        left = np.linspace(0.0, 1 - level, 51)
        bounds = [
            np.interp([left, left + level], at, value)
            for at, value in zip(middle, ordered, strict=True)
        ]
        return np.array([two[:, np.argmin(two[1] - two[0])] for two in bounds])

    def reliability(self, values: Floats) -> float:
        """Return the share of the variance between people that the means explain."""
        mean = self.mean(values)
        unknown = self.mean((values - mean[:, None]) ** 2).mean()
        found = mean.var(ddof=1) if len(mean) > 1 else 0.0
        return float(found / (found + unknown)) if found > 0 else 0.0


def learn(
    likelihoods: Sequence[LogLikelihood], start: Floats, n_weights: int, spread: float | None
) -> Posterior:
    """Learn what people are like, and how much they differ.

    Parameters
    ----------
    likelihoods : sequence of callables
        Of each person: the log probability of the answers, of a point (2 + weights,).
    start : array (2,)
        Log temperature and logit of the lapse of all of them as one person.
    n_weights : int
        Free log weights.
    spread : float, optional
        The standard deviation of log temperatures and weights; without it, it is learned.
    """
    rng = np.random.default_rng(0)
    drawn = [_draw(one, start, n_weights, rng) for one in likelihoods]
    x, log_ratio = np.array([x for x, _ in drawn]), np.array([ratio for _, ratio in drawn])
    expected = EXPECTED + np.array([start[0], 0.0, start[1], 0.0, 0.0])
    free = np.arange(5)
    if spread is not None:
        expected[[1, 4]], free = np.log(spread), np.array([0, 2, 3])
    p = [
        _weights(log_ratio + log_density(x, at)) for at in _walk(x, log_ratio, expected, free, rng)
    ]
    return Posterior(x, np.mean(p, axis=0))


def _walk(
    x: Floats, log_ratio: Floats, expected: Floats, free: NDArray[np.intp], rng: np.random.Generator
) -> Iterator[Floats]:
    """Yield populations as probable as they are, by Metropolis' rule, one value at a time."""

    def log_posterior(theta: Floats) -> float:
        of_people = logsumexp(log_ratio + log_density(x, theta), axis=1).sum()
        return float(of_people - np.sum(((theta - expected) / UNSURE) ** 2) / 2)

    at, step = expected.copy(), 0.5 * UNSURE
    height = log_posterior(at)
    for sweep in range(SWEEPS):
        for k in free:
            new = at.copy()
            new[k] += step[k] * rng.normal()
            found = log_posterior(new)
            taken = np.log(rng.uniform()) < found - height
            if taken:
                at, height = new, found
            if sweep < BURN:  # towards four of ten steps taken
                step[k] *= np.exp(0.12 if taken else -0.08)
        if sweep >= BURN and sweep % THIN == 0:
            yield at


def _weights(log: Floats) -> Floats:
    return np.asarray(np.exp(log - logsumexp(log, axis=1, keepdims=True)))


def _draw(
    likelihood: LogLikelihood, middle: Floats, n_weights: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw points about the best one, with the log of likelihood over their own density."""
    start = np.append(middle, np.zeros(n_weights))
    sd = np.array([*WIDE[:2], *[WIDE[2]] * n_weights])
    limits = np.array([*LIMITS[:2], *[LIMITS[2]] * n_weights])

    def loss(x: Floats) -> float:
        return float(np.sum(((x - start) / sd) ** 2) / 2) - likelihood(x)

    best = minimize(loss, start, method="L-BFGS-B", bounds=limits).x
    about = multivariate_t(best, WIDER * _covariance(loss, best, sd), df=FREEDOM, seed=rng)
    x = np.clip(about.rvs(DRAWS).reshape(DRAWS, -1), *limits.T)
    return x, np.array([likelihood(point) for point in x]) - about.logpdf(x)


def _covariance(loss: LogLikelihood, at: Floats, sd: Floats) -> Floats:
    """Return the inverse of the Hessian, by differences; no variance above that of the prior."""
    k, step = len(at), 0.05 * sd
    e = np.diag(step)
    hessian = np.empty((k, k))
    for i in range(k):
        for j in range(i + 1):
            corners = (s * t * loss(at + s * e[i] + t * e[j]) for s in (1, -1) for t in (1, -1))
            hessian[i, j] = hessian[j, i] = sum(corners) / 4
    # in units of the prior, whose own part of the curvature is 1
    values, vectors = np.linalg.eigh(hessian / 0.05**2)
    scaled = (vectors / np.maximum(values, 1.0)) @ vectors.T
    return scaled * np.outer(sd, sd)
