"""A population of people: what each is like, with a prior that is learned from all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import betaln, expit, log_expit, logit

from resemblance.arrays import Floats
from resemblance.progress import Steps, Told

# Of a person: log temperature, logit of the lapse, log weights. How far from what is expected they
# are looked for before their population is known, and no farther than where.
FAR, LIMITS = np.array([3.0, 1.0, 0.5]), np.array([(-5.0, 5.0), (-7.0, 7.0), (-4.0, 4.0)])
# Of a population: mean and log sd of log temperatures, logit of the mean and log of the
# concentration of lapses (a beta distribution), log sd of log weights, and after them the means of
# log weights.
EXPECTED = np.array([0.0, np.log(0.4), np.log(0.1 / 0.9), np.log(5.0), np.log(0.4)])
UNSURE = np.array([2.0, 0.6, 1.0, 1.0, 0.6])
MEAN_UNSURE = 1.0  # of log weights
SWEEPS, BURN, THIN = 4_000, 1_500, 8
CLIMB, STEP = 150, 1e-6  # steps of the search for a start; of its slopes by differences
TAKEN, MEMORY, RENEWED = 0.25, 300, 50  # of steps of people: the share, the past, how often
BOLD, LEAP = 8, 4  # one in so many is so much longer, from lapses to unclear answers and back
LogLikelihood = Callable[[Floats], Floats]  # of people (P, 2 + weights): of each, (P,)


def apart(x: Floats, theta: Floats) -> Floats:
    """Return what the density of people (P, 2 + weights) in a population is made of, (4, P).

    The squares of log temperatures and of log weights are those about the means.
    """
    away, of_weights, lapse = x[:, 0] - theta[0], x[:, 2:] - theta[5:], log_expit(x[:, 1])
    squares = np.einsum("pk,pk->p", of_weights, of_weights)
    return np.array([away * away, lapse, lapse - x[:, 1], squares])


def log_density(of: Any, theta: Floats, n: int) -> Any:
    """Return the log density of n people in a population, from the sums of what it is made of.

    It is linear in these: the differences of them, with n of 0, are those of the densities.

    Parameters
    ----------
    of : sequence of 4 floats or arrays
        As :func:`apart` gives it.
    theta : array (5 + weights,)
        The population, as in EXPECTED.
    """
    _, log_sd, middle, log_worth, log_sd_w = theta[:5].tolist()
    a, b = exp(log_worth) / (1 + exp(-middle)), exp(log_worth) / (1 + exp(middle))
    spread = of[0] * exp(-2 * log_sd) + of[3] * exp(-2 * log_sd_w)
    sized = float(betaln(a, b)) + log_sd + (len(theta) - 5) * log_sd_w
    return a * of[1] + b * of[2] - spread / 2 - n * sized


@dataclass(frozen=True)
class Posterior:
    """What answers leave possible of each person.

    Attributes
    ----------
    x : array (draws, people, 2 + weights)
        Log temperature, logit of the lapse, free log weights.
    theta : array (draws, 5 + weights)
        The population, as in EXPECTED.
    """

    x: Floats
    theta: Floats

    def people(self) -> Floats:
        """Return the mean of each person (people, 2 + weights), of lapses and not their logits."""
        x = self.x.mean(axis=0)
        x[:, 1] = logit(expit(self.x[..., 1]).mean(axis=0))
        return np.asarray(x)


def interval(values: Floats, level: float = 0.95) -> Floats:
    """Return the shortest interval that holds so much of the draws (draws, people): (people, 2).

    The shortest, as a lapse near 0 lies in the tail of any interval with equal tails.
    """
    left = np.linspace(0.0, 1 - level, 51)
    low, high = np.quantile(values, left, axis=0), np.quantile(values, left + level, axis=0)
    shortest = np.argmin(high - low, axis=0)[None]
    return np.vstack([np.take_along_axis(end, shortest, axis=0) for end in (low, high)]).T


def reliability(values: Floats) -> float:
    """Return the share of the variance between people that the means of draws explain."""
    unknown = values.var(axis=0).mean()
    explained = values.mean(axis=0).var(ddof=1) if values.shape[1] > 1 else 0.0
    return float(explained / (explained + unknown)) if explained > 0 else 0.0


def learn(
    likelihood: LogLikelihood,
    n_people: int,
    n_weights: int,
    starts: Sequence[float] = (0.0,),
    spread: float | None = None,
    callback: Told | None = None,
) -> Posterior:
    """Learn what people are like, and how much they differ.

    By a walk over people and population together, as probable as they are (Metropolis' rule; the
    means of a population are drawn as they are). The steps of each person take the shape of the
    way so far (Haario, Saksman, Tamminen 2001, Bernoulli 7), until the first draw that counts.

    Parameters
    ----------
    likelihood : callable
        The log probability of the answers of each person, (P,), at points (P, 2 + weights).
    n_people, n_weights : int
        P, and how many log weights are free.
    starts : sequence of float
        Log temperatures from which probable people are looked for, to walk on from.
    spread : float, optional
        The standard deviation of log temperatures and weights; without it, it is learned.
    callback : callable, optional
        Called with (sweeps done, sweeps in all).
    """
    start = _start(likelihood, starts, n_people, 2 + n_weights)
    walk = _Walk(likelihood, start, spread)
    x, theta = [], []
    for sweep in Steps(callback, SWEEPS).each(range(SWEEPS)):
        walk.people(sweep)
        walk.population(sweep)
        if sweep >= BURN and (sweep - BURN) % THIN == 0:
            x.append(walk.x.copy())
            theta.append(walk.theta.copy())
    return Posterior(np.array(x), np.array(theta))


class _Walk:
    """Where people and their population are, and the steps that take them further."""

    def __init__(self, likelihood: LogLikelihood, start: Floats, spread: float | None) -> None:
        self.likelihood, self.rng, n = likelihood, np.random.default_rng(0), start.shape[1]
        self.x, self.logs = start, likelihood(start)
        self.expected, self.free = np.append(EXPECTED, np.zeros(n - 2)), [1, 2, 3, 4]
        if spread is not None:
            self.expected[[1, 4]], self.free = np.log(spread), [2, 3]
        self.theta = self.expected.copy()
        self.theta[0] = np.median(start[:, 0])
        self.of = apart(start, self.theta)
        self.shape = np.tile(np.diag(_each(FAR / 10, n)), (len(start), 1, 1))
        self.mean, self.covariance = start.copy(), self.shape @ self.shape
        self.length = np.full(len(start), np.log(1.2 / np.sqrt(n)))
        self.steps = 0.5 * UNSURE

    def people(self, sweep: int) -> None:
        """Let each person take a step, or not."""
        z = self.rng.normal(size=self.x.shape)
        length = np.exp(self.length + 0.5 * self.rng.normal(size=len(z)))
        length *= 1 if sweep % BOLD else LEAP
        new = self.x + length[:, None] * np.einsum("pij,pj->pi", self.shape, z)
        logs = self.likelihood(new)
        gain = logs - self.logs + log_density(apart(new, self.theta) - self.of, self.theta, 0)
        taken = np.log(self.rng.uniform(size=len(z))) < gain
        self.x[taken], self.logs[taken] = new[taken], logs[taken]
        if sweep < BURN:
            self._adapt(taken, sweep)

    def _adapt(self, taken: NDArray[np.bool_], sweep: int) -> None:
        """Give the steps of each person the length and the shape that suit."""
        if sweep % BOLD:
            self.length += np.where(taken, 1 - TAKEN, -TAKEN) * 2 / np.sqrt(1 + sweep)
        new = 1 / min(sweep + 2, MEMORY)
        away = self.x - self.mean
        self.mean += new * away
        self.covariance += new * away[:, :, None] * away[:, None, :]
        self.covariance *= 1 - new
        if sweep > 2 * RENEWED and sweep % RENEWED == 0:
            loose = self.covariance + 1e-8 * np.eye(self.x.shape[1])
            self.shape = np.asarray(np.linalg.cholesky(loose), float)

    def population(self, sweep: int) -> None:
        """Let each number of the population take a step, or not."""
        self.theta[0] = self._mean(self.x[:, 0], self.expected[0], UNSURE[0], self.theta[1])
        self.theta[5:] = self._mean(self.x[:, 2:], 0.0, MEAN_UNSURE, self.theta[4])
        self.of = apart(self.x, self.theta)
        of_all, n = self.of.sum(axis=1).tolist(), len(self.x)
        height = log_density(of_all, self.theta, n) - self._surprise(self.theta)
        for k in self.free:
            new = self.theta.copy()
            new[k] += self.steps[k] * self.rng.normal()
            proposed = log_density(of_all, new, n) - self._surprise(new)
            taken = self.rng.uniform() < exp(min(proposed - height, 0.0))
            if taken:
                self.theta, height = new, proposed
            if sweep < BURN:  # towards four of ten steps taken
                self.steps[k] *= exp(0.12 if taken else -0.08)

    def _surprise(self, theta: Floats) -> float:
        """Return -log of the prior density of a population whose means are given."""
        away = ((theta[1:5] - self.expected[1:5]) / UNSURE[1:]).tolist()
        return sum(z * z for z in away) / 2

    def _mean(self, x: Floats, expected: float, unsure: float, log_sd: float) -> Floats:
        """Draw the mean of a population from its people."""
        worth = np.exp(-2 * log_sd)
        precision = len(x) * worth + unsure**-2
        at = (worth * x.sum(axis=0) + expected * unsure**-2) / precision
        return np.asarray(at + self.rng.normal(size=np.shape(at)) * precision**-0.5)


def _start(likelihood: LogLikelihood, starts: Sequence[float], n_people: int, n: int) -> Floats:
    """Return a probable point of each person (P, n), of those found from some log temperatures."""
    expected = np.zeros(n)
    expected[:2] = EXPECTED[[0, 2]]

    def loss(x: Floats) -> Floats:
        away = (x - expected) / _each(FAR, n)
        return np.asarray(np.sum(away**2, axis=1) / 2 - likelihood(x))

    def with_slopes(flat: Floats) -> tuple[float, Floats]:
        x = flat.reshape(-1, n)
        at = loss(x)
        slopes = [(loss(x + STEP * e) - at) / STEP for e in np.eye(n)]
        return float(at.sum()), np.column_stack(slopes).ravel()

    def climbed(log_temperature: float) -> Floats:
        start = np.tile([log_temperature, *expected[1:]], n_people)
        bounds = np.tile(_each(LIMITS, n), (n_people, 1))
        most = {"maxiter": CLIMB}
        best = minimize(
            with_slopes, start, jac=True, method="L-BFGS-B", bounds=bounds, options=most
        )
        return np.asarray(best.x.reshape(-1, n))

    all_found = np.array([climbed(start) for start in starts])
    best = np.array([loss(x) for x in all_found]).argmin(axis=0)
    return np.asarray(all_found[best, np.arange(n_people)])


def _each(values: Floats, n: int) -> Floats:
    """Return what holds of the temperature, the lapse and each of the weights."""
    return np.asarray([*values[:2], *[values[2]] * (n - 2)])
