"""A population of people: what each is like, with a prior that is learned from all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import betaln, expit, log_expit
from scipy.stats import multivariate_t

from resemblance.arrays import Floats
from resemblance.progress import Told

DRAWS, FREEDOM, WIDER = 300, 5.0, 1.3  # draws of each person, from wider t distributions
LIMITS = ((-5.0, 5.0), (-7.0, 7.0), (-4.0, 4.0))  # log temperature, logit of the lapse, log weights
# What the draws are made for, half of them each: people who differ much, and people who hardly do.
WIDE, NARROW = np.array([1.0, 2.0, 1.0]), np.array([0.15, 0.7, 0.15])
# Of a population: mean and log sd of log temperatures, logit of the mean and log of the
# concentration of lapses (a beta distribution), log sd of log weights. The means of the first and
# the third are those of the crowd.
EXPECTED = np.array([0.0, np.log(0.4), 0.0, np.log(10.0), np.log(0.4)])
UNSURE = np.array([0.5, 0.6, 1.0, 1.0, 0.6])
SWEEPS, BURN, THIN = 500, 100, 4
TERMS = (0, 0, 1, 1, 2)  # the part of the density that each of these changes
STEP = 1e-8  # of the slopes by differences
LogLikelihood = Callable[[Floats], Floats]  # of points (P, 2 + weights): (P,)


def log_density(x: Floats, theta: Floats) -> Floats:
    """Return the log density of people (..., 2 + weights) in a population.

    Parameters
    ----------
    x : array (..., 2 + weights)
        Log temperature, logit of the lapse, free log weights.
    theta : array (5,)
        The population, as in EXPECTED.
    """
    temperature, lapse, weights = (Density(x).term(number, theta) for number in range(3))
    return np.asarray(temperature + lapse + weights)


class Density:
    """The log density of people in a population, a sum of three terms, each made when it changes.

    Parameters
    ----------
    x : array (..., 2 + weights)
        Log temperature, logit of the lapse, free log weights.
    """

    def __init__(self, x: Floats) -> None:
        self.temperature = np.ascontiguousarray(x[..., 0])
        self.lapse, self.care = log_expit(x[..., 1]), log_expit(-x[..., 1])
        self.squares, self.n_weights = np.sum(x[..., 2:] ** 2, -1), x.shape[-1] - 2

    def term(self, number: int, theta: Floats) -> Floats:
        """Return the term of temperatures, of lapses or of weights."""
        mean, log_sd, middle, log_worth, log_sd_w = theta
        if number == 0:
            return -(((self.temperature - mean) * np.exp(-log_sd)) ** 2) / 2 - log_sd
        if number == 1:
            a, b = np.exp(log_worth) * np.array([expit(middle), expit(-middle)])
            return np.asarray(a * self.lapse + b * self.care - betaln(a, b))
        return self.squares * (-np.exp(-2 * log_sd_w) / 2) - self.n_weights * log_sd_w


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
        explained = mean.var(ddof=1) if len(mean) > 1 else 0.0
        return float(explained / (explained + unknown)) if explained > 0 else 0.0


def learn(
    likelihoods: Sequence[LogLikelihood],
    start: Floats,
    n_weights: int,
    spread: float | None,
    callback: Told | None = None,
) -> Posterior:
    """Learn what people are like, and how much they differ.

    Parameters
    ----------
    likelihoods : sequence of callables
        Of each person: the log probability of the answers, of points (P, 2 + weights).
    start : array (2,)
        Log temperature and logit of the lapse of all of them as one person.
    n_weights : int
        Free log weights.
    spread : float, optional
        The standard deviation of log temperatures and weights; without it, it is learned.
    callback : callable, optional
        Called with (steps done, steps in all).
    """
    rng, n_steps = np.random.default_rng(0), len(likelihoods) + SWEEPS
    tell = callback or (lambda done, n: None)
    drawn = []
    for likelihood in likelihoods:
        drawn.append(_draw(likelihood, start, n_weights, rng))
        tell(len(drawn), n_steps)
    x, log_ratio = np.array([x for x, _ in drawn]), np.array([ratio for _, ratio in drawn])
    expected = EXPECTED + np.array([start[0], 0.0, start[1], 0.0, 0.0])
    free = np.arange(5)
    if spread is not None:
        expected[[1, 4]], free = np.log(spread), np.array([0, 2, 3])
    p, n_kept = np.zeros_like(log_ratio), 0
    for sweep, kept in enumerate(_walk(x, log_ratio, expected, free, rng), 1):
        tell(len(drawn) + sweep, n_steps)
        if kept is not None:
            p, n_kept = p + kept, n_kept + 1
    return Posterior(x, p / n_kept)


def _walk(
    x: Floats, log_ratio: Floats, expected: Floats, free: NDArray[np.intp], rng: np.random.Generator
) -> Iterator[Floats | None]:
    """Walk over populations as probable as they are, by Metropolis' rule, one value at a time.

    After each sweep, yields the probability of each draw (people, draws) in the population, or
    None where it is not to be counted.
    """
    at, step, density = expected.copy(), 0.5 * UNSURE, Density(x)
    terms = [density.term(number, at) for number in range(3)]
    height, masses, totals = _height(log_ratio, terms, at, expected)
    for sweep in range(SWEEPS):
        for k in free:
            new, tried = at.copy(), terms.copy()
            new[k] += step[k] * rng.normal()
            tried[TERMS[k]] = density.term(TERMS[k], new)
            proposed = _height(log_ratio, tried, new, expected)
            taken = np.log(rng.uniform()) < proposed[0] - height
            if taken:
                at, terms, (height, masses, totals) = new, tried, proposed
            if sweep < BURN:  # towards four of ten steps taken
                step[k] *= np.exp(0.12 if taken else -0.08)
        counts = sweep >= BURN and sweep % THIN == 0
        yield masses / totals if counts else None


def _height(
    log_ratio: Floats, terms: Sequence[Floats], theta: Floats, expected: Floats
) -> tuple[float, Floats, Floats]:
    """Return the log posterior of a population, and of each person the draws' masses and sum."""
    log = terms[0] + terms[1]
    log += terms[2]
    log += log_ratio
    most = log.max(axis=1, keepdims=True)
    log -= most
    masses = np.exp(log, out=log)
    totals = masses.sum(axis=1, keepdims=True)
    of_people = float((np.log(totals) + most).sum())
    return of_people - float(np.sum(((theta - expected) / UNSURE) ** 2) / 2), masses, totals


def _draw(
    likelihood: LogLikelihood, middle: Floats, n_weights: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw points about the best ones, with the log of likelihood over their own density.

    As many for people who differ much as for people who hardly do: a population in which all are
    alike is weighed by draws near its middle, of which the first have too few.
    """
    start = np.append(middle, np.zeros(n_weights))
    limits = np.array([*LIMITS[:2], *[LIMITS[2]] * n_weights])
    about = [
        _about(likelihood, start, np.array([*sd[:2], *[sd[2]] * n_weights]), limits, rng)
        for sd in (WIDE, NARROW)
    ]
    x = np.vstack([one.rvs(DRAWS // 2).reshape(DRAWS // 2, -1) for one in about])
    x = np.clip(x, *limits.T)
    log_density = np.logaddexp(*(one.logpdf(x) for one in about)) - np.log(2.0)
    return x, likelihood(x) - log_density


def _about(
    likelihood: LogLikelihood, start: Floats, sd: Floats, limits: Floats, rng: np.random.Generator
) -> Any:
    """Return a t distribution about the most probable point under a normal prior."""

    def loss(x: Floats) -> Floats:
        return np.asarray(np.sum(((x - start) / sd) ** 2, axis=1) / 2 - likelihood(x))

    def with_slopes(x: Floats) -> tuple[float, Floats]:
        losses = loss(x + STEP * np.eye(len(x) + 1, len(x), -1))
        return float(losses[0]), (losses[1:] - losses[0]) / STEP

    best = minimize(with_slopes, start, jac=True, method="L-BFGS-B", bounds=limits).x
    return multivariate_t(best, WIDER * _covariance(loss, best, sd), df=FREEDOM, seed=rng)


def _covariance(loss: LogLikelihood, at: Floats, sd: Floats) -> Floats:
    """Return the inverse of the Hessian, by differences; no variance above that of the prior."""
    step = 0.05 * sd
    e = np.diag(step)
    signs = [(s, t) for s in (1, -1) for t in (1, -1)]
    corners = np.array([[at + s * a + t * b for a in e for b in e] for s, t in signs])
    losses = loss(corners.reshape(-1, len(at))).reshape(4, len(at), len(at))
    hessian = np.tensordot([s * t for s, t in signs], losses, 1) / 4
    # in units of the prior, whose own part of the curvature is 1
    values, vectors = np.linalg.eigh(hessian / 0.05**2)
    scaled = (vectors / np.maximum(values, 1.0)) @ vectors.T
    return np.asarray(scaled * np.outer(sd, sd))
