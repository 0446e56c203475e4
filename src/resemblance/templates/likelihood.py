"""The likelihood of decisions by relative match, and its maximisation."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from resemblance.arrays import Floats
from resemblance.solvers import lbfgs

LAPSE = 0.02  # centre of the prior of lapses, which is normal in log odds
BIAS_PENALTY = 1e-3


@dataclass(frozen=True)
class Matcher:
    """Templates in scaled components: weights (K, r), biases (K,), log odds of a lapse."""

    weights: Floats
    biases: Floats
    lapse_odds: float
    codes: NDArray[np.intp]  # the class of each template

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def null(cls, n_classes: int, n_components: int) -> "Matcher":
        zero = np.zeros((n_classes, n_components))
        return cls(zero, np.zeros(n_classes), float(logit(LAPSE)), np.arange(n_classes))

    @property
    def n_classes(self) -> int:
        return int(self.codes.max()) + 1

    @property
    def theta(self) -> Floats:
        return np.concatenate([self.weights.ravel(), self.biases, [self.lapse_odds]])

    def at(self, theta: Floats) -> "Matcher":
        k = len(self)
        weights = theta[: -k - 1].reshape(k, -1)
        return Matcher(weights, theta[-k - 1 : -1], float(theta[-1]), self.codes)

    def matches(self, images: NDArray[Any]) -> Floats:
        """Return the match of every template with every image, (K, m), in the images' precision."""
        return self.weights.astype(images.dtype) @ images.T + self.biases[:, None]

    def relative(self, images: NDArray[Any]) -> Floats:
        """Return the relative match, (K, m): exp(match) over their sum."""
        matches = self.matches(images)
        matches -= matches.max(axis=0)
        np.exp(matches, out=matches)
        matches /= matches.sum(axis=0)
        return matches

    def probabilities(self, images: NDArray[Any]) -> Floats:
        lapse, n = expit(self.lapse_odds), self.n_classes
        return (1.0 - lapse) * np.eye(n)[:, self.codes] @ self.relative(images) + lapse / n

    def log_likelihoods(self, images: NDArray[Any], answers: NDArray[np.intp]) -> Floats:
        return np.log(self.probabilities(images)[answers, np.arange(len(answers))])


@dataclass(frozen=True)
class Decisions:
    r"""Answers to images in scaled components, and the objective of the templates behind them.

    .. math:: -\sum_i \log p_i + \frac{penalty}{2} \sum_k |w_k|^2 + \dots

    and weak priors that keep biases near 0 and lapses few.
    """

    images: NDArray[Any]
    answers: NDArray[np.intp]
    penalty: float

    def slopes(self, at: Matcher) -> tuple[Floats, Floats, Floats]:
        """Return the log probability of each answer, and its slopes by matches and by the lapse."""
        relative = at.relative(self.images)
        own = at.codes[:, None] == self.answers
        right = (relative * own).sum(axis=0)
        lapse, n = expit(at.lapse_odds), at.n_classes
        p = (1.0 - lapse) * right + lapse / n
        by_match = relative * (own - right) * ((1.0 - lapse) / p)
        return np.log(p), by_match, (1.0 / n - right) / p * lapse * (1.0 - lapse)

    def value(self, at: Matcher) -> float:
        return self._prior(at)[0] - float(at.log_likelihoods(self.images, self.answers).sum())

    def objective(self, theta: Floats, like: Matcher) -> tuple[float, Floats]:
        at = like.at(theta)
        log_p, by_match, by_lapse = self.slopes(at)
        prior, gradient = self._prior(at)
        k = len(at)
        gradient[: -k - 1] -= (by_match.astype(self.images.dtype) @ self.images).ravel()
        gradient[-k - 1 : -1] -= by_match.sum(axis=1)
        gradient[-1] -= by_lapse.sum()
        return prior - float(log_p.sum()), gradient

    def _prior(self, at: Matcher) -> tuple[float, Floats]:
        """Return minus the log prior, but for a constant, and its gradient."""
        weights = self.penalty * at.weights
        pulls = BIAS_PENALTY * at.biases
        odds = at.lapse_odds - logit(LAPSE)
        value = np.vdot(weights, at.weights) + pulls @ at.biases + odds**2
        return 0.5 * float(value), np.concatenate([weights.ravel(), pulls, [odds]])

    def fit(self, start: Matcher, max_iter: int, tol: float) -> tuple[Matcher, float, bool]:
        """Descend from a start; return the end, its objective, and whether it converged."""
        solution = lbfgs(lambda theta: self.objective(theta, start), start.theta, max_iter, tol)
        return start.at(solution.x), solution.loss, solution.converged
