"""Maximise the likelihood of answers, each decided by the best match; score held-out answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from resemblance.arrays import Floats
from resemblance.geometry import eigenvectors_between
from resemblance.progress import Steps
from resemblance.solvers import lbfgs
from resemblance.templates.pixels import Components

LAPSE = 0.02  # centre of the prior of the lapse rate; the prior is normal in log odds
BIAS_PENALTY = 1e-3


@dataclass(frozen=True)
class Matcher:
    """Templates in scaled components: weights (K, r), biases (K,), and log odds of a lapse."""

    weights: Floats
    biases: Floats
    lapse_odds: float
    codes: NDArray[np.intp]  # class of each template

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
        """Return the match of each template with each image, (K, m), in the images' precision."""
        return self.weights.astype(images.dtype) @ images.T + self.biases[:, None]

    def relative(self, images: NDArray[Any]) -> Floats:
        """Return the softmax, over templates, of their matches with each image, (K, m)."""
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
    r"""Answers to images in scaled components, and the objective of a fit.

    .. math:: -\sum_i \log p_i + \frac{penalty}{2} \sum_k |w_k|^2 + \dots

    where p_i is the probability of answer i and w_k the weights of template k. The dots are weak
    priors of biases, near 0, and of the lapse rate.
    """

    images: NDArray[Any]
    answers: NDArray[np.intp]
    penalty: float

    def slopes(self, at: Matcher) -> tuple[Floats, Floats, Floats]:
        """Return the log probability of each answer; its slopes for matches and for the lapse."""
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
        weights = self.penalty * at.weights
        pulls = BIAS_PENALTY * at.biases
        odds = at.lapse_odds - logit(LAPSE)
        value = np.vdot(weights, at.weights) + pulls @ at.biases + odds**2
        return 0.5 * float(value), np.concatenate([weights.ravel(), pulls, [odds]])

    def fit(self, start: Matcher, max_iter: int, tol: float) -> tuple[Matcher, float, bool]:
        solution = lbfgs(lambda theta: self.objective(theta, start), start.theta, max_iter, tol)
        return start.at(solution.x), solution.loss, solution.converged


PAYS = 0.5  # smallest decrease of the objective, in nats, for which a template is added
# distances to try for a split, relative to max(length of the template, 1)
STEPS = (0.25, 0.5, 1.0, 2.0, 4.0)
LOWER = 3.0  # factor between consecutive penalties
PATIENCE = 2  # number of steps without gain that end a search
COARSE = 3e-5  # tolerance of fits that only give scores


@dataclass(frozen=True)
class Fitted:
    matcher: Matcher
    loss: float
    converged: bool


def fit_from(decisions: Decisions, start: Matcher, max_iter: int, tol: float) -> Fitted:
    return Fitted(*decisions.fit(start, max_iter, tol))


def grow(
    decisions: Decisions, first: Fitted, most: int, max_iter: int, tol: float, forced: bool = False
) -> list[Fitted]:
    """Split templates one by one, up to ``most``; stop if no split helps, unless forced."""
    path = [first]
    while len(path[-1].matcher) < most:
        fitted = fit_from(decisions, split(decisions, path[-1].matcher), max_iter, tol)
        if fitted.loss > path[-1].loss - PAYS and not forced:
            break
        path.append(fitted)
    return path


def split(decisions: Decisions, at: Matcher) -> Matcher:
    """Split one template, so that the likelihood rises fastest.

    A split into t_k + s u and t_k - s u raises the log-likelihood by s^2/2 u'Hu, with H = sum_i (d
    log p_i / d match_ik) x_i x_i'. The best direction u is the leading eigenvector of H; the
    template with the largest eigenvalue is split.
    """
    slopes = decisions.slopes(at)[1]
    leading = [_leading(decisions.images, slope) for slope in slopes]
    k = int(np.argmax([value for value, _ in leading]))
    direction = leading[k][1]
    size = max(1.0, float(np.linalg.norm(at.weights[k])))
    starts = [_apart(at, k, step * size * direction) for step in STEPS]
    return min(starts, key=decisions.value)


def _leading(images: NDArray[Any], slope: Floats) -> tuple[float, Floats]:
    n, d = images.shape
    if n < d:  # The direction is a combination of the images.
        Q, R = np.linalg.qr(images.T.astype(np.float64))
        value, direction = _leading(R.T, slope)
        return value, Q @ direction
    pull = images.T * slope.astype(images.dtype)
    values, vectors = eigenvectors_between((pull @ images).astype(np.float64), d - 1, d - 1)
    return float(values[0]), vectors[:, 0]


def _apart(at: Matcher, k: int, step: Floats) -> Matcher:
    """Replace template k by two, a step to either side; biases keep the match unchanged."""
    weights = np.insert(at.weights, k, at.weights[k] + step, axis=0)
    weights[k + 1] -= step
    biases = np.insert(at.biases, k, at.biases[k])
    biases[k : k + 2] -= np.log(2.0)
    return replace(at, weights=weights, biases=biases, codes=np.insert(at.codes, k, at.codes[k]))


@dataclass(frozen=True)
class Problem:
    """Answers to images in components, for any setting of the prior."""

    components: Components
    answers: NDArray[np.intp]
    n_classes: int
    max_iter: int

    def decisions(self, smoothness: float, penalty: float, rows: NDArray[np.intp]) -> Decisions:
        images = self.components.scaled(smoothness, rows)
        return Decisions(images, self.answers[rows], penalty)

    def path(
        self, decisions: Decisions, most: int, tol: float, forced: bool = False
    ) -> list[Fitted]:
        start = Matcher.null(self.n_classes, decisions.images.shape[1])
        first = fit_from(decisions, start, self.max_iter, tol)
        return grow(decisions, first, most, self.max_iter, tol, forced)


@dataclass
class HeldOut:
    """Log-likelihoods of answers under templates that were fitted to other folds."""

    problem: Problem
    folds: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]
    most: int
    steps: Steps = field(default_factory=Steps)

    def choose(
        self, smoothness: Sequence[float], penalties: Sequence[float]
    ) -> tuple[float, Floats, Floats]:
        smooth, penalty = climb(
            (smoothness, penalties),
            lambda s, p: float(self.path_scores(s, p, self.problem.n_classes).mean()),
        )
        best = self.path_scores(smooth, penalty, self.most)
        chosen, patience = np.full(best.shape[1], penalty), PATIENCE * (len(penalties) > 1)
        while patience:
            penalty /= LOWER
            scores = self.path_scores(smooth, penalty, self.most)
            gained = scores.mean(axis=0).max() > best.mean(axis=0).max()
            patience = PATIENCE if gained else patience - 1
            better = scores.mean(axis=0) > best.mean(axis=0)
            best[:, better], chosen[better] = scores[:, better], penalty
        return smooth, best, chosen

    def path_scores(self, smoothness: float, penalty: float, most: int) -> Floats:
        """Score each number of templates; after the last useful number, scores repeat."""
        numbers = range(self.problem.n_classes, most + 1)
        out = np.empty((len(self.problem.answers), len(numbers)))
        self.steps.expect(len(self.folds))
        for train, test in self.steps.each(self.folds):
            path = self.problem.path(
                self.problem.decisions(smoothness, penalty, train), most, COARSE
            )
            held = self.problem.decisions(smoothness, penalty, test)
            for column in range(len(numbers)):
                fitted = path[min(column, len(path) - 1)].matcher
                out[test, column] = fitted.log_likelihoods(held.images, held.answers)
        return out


def climb(axes: tuple[Sequence[float], ...], score: Callable[..., float]) -> tuple[float, ...]:
    """Search a grid: start in its middle, and go to the best neighbour while it is better."""
    seen: dict[tuple[int, ...], float] = {}

    def at(place: tuple[int, ...]) -> float:
        if place not in seen:
            seen[place] = score(*(axis[i] for axis, i in zip(axes, place, strict=True)))
        return seen[place]

    here = tuple(len(axis) // 2 for axis in axes)
    while True:
        steps = np.concatenate([np.eye(len(axes), dtype=int), -np.eye(len(axes), dtype=int)])
        near = [tuple(map(int, here + step)) for step in steps]
        near = [p for p in near if all(0 <= i < len(a) for i, a in zip(p, axes, strict=True))]
        best = max([here, *near], key=at)
        if best == here:
            return tuple(axis[i] for axis, i in zip(axes, here, strict=True))
        here = best


def fewest(log_likelihood: Floats) -> int:
    """Return the first column whose mean is within two paired standard errors of the best mean."""
    best = log_likelihood[:, [log_likelihood.mean(axis=0).argmax()]] - log_likelihood
    error = best.std(axis=0, ddof=1) / np.sqrt(len(best))
    return int(np.argmax(best.mean(axis=0) <= 2.0 * error))
