"""Log likelihood of held-out answers, by strength of the prior and number of templates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.progress import Steps
from resemblance.templates.likelihood import Decisions, Matcher
from resemblance.templates.smoothness import Components

PAYS = 0.5  # nats by which another template must lower the objective
STEPS = (0.25, 0.5, 1.0, 2.0, 4.0)  # distances of a split, in lengths of the template (at least 1)
LOWER = 3.0  # factor between consecutive penalties
PATIENCE = 2  # steps without gain before stopping: strong penalties hide further templates
COARSE = 3e-5  # the tolerance of fits that are only scored


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
    """Split templates one at a time, until there are enough or (unless forced) no split helps."""
    path = [first]
    while len(path[-1].matcher) < most:
        fitted = fit_from(decisions, split(decisions, path[-1].matcher), max_iter, tol)
        if fitted.loss > path[-1].loss - PAYS and not forced:
            break
        path.append(fitted)
    return path


def split(decisions: Decisions, at: Matcher) -> Matcher:
    r"""Split the template whose split raises the likelihood fastest, along the best direction.

    For t_k +- s u the log-likelihood rises by s^2/2 u'Hu, H = sum_i (d log p_i / d match_ik) x_i
    x_i': the best direction is its leading eigenvector. H is the answer-triggered covariance of the
    images, of what the templates so far leave unexplained.
    """
    slopes = decisions.slopes(at)[1]
    leading = [_leading(decisions.images, slope) for slope in slopes]
    k = int(np.argmax([value for value, _ in leading]))
    direction = leading[k][1]
    size = max(1.0, float(np.linalg.norm(at.weights[k])))
    starts = [_apart(at, k, step * size * direction) for step in STEPS]
    return min(starts, key=decisions.value)


def _leading(images: NDArray[Any], slope: Floats) -> tuple[float, Floats]:
    """Return the largest eigenvalue of sum_i slope_i x_i x_i', and its eigenvector."""
    pull = images.T * slope.astype(images.dtype)
    values, vectors = np.linalg.eigh((pull @ images).astype(np.float64))
    return float(values[-1]), vectors[:, -1]


def _apart(at: Matcher, k: int, step: Floats) -> Matcher:
    """Replace one template by two, a step to either side, with the same joint match."""
    weights = np.insert(at.weights, k, at.weights[k] + step, axis=0)
    weights[k + 1] -= step
    biases = np.insert(at.biases, k, at.biases[k])
    biases[k : k + 2] -= np.log(2.0)
    return replace(at, weights=weights, biases=biases, codes=np.insert(at.codes, k, at.codes[k]))


@dataclass(frozen=True)
class Problem:
    """Answers to images in components, under any prior."""

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
    """Log-likelihood of every answer under templates fitted without it."""

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
        """Score every number of templates; the last useful number stands for larger ones."""
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
    """Walk a grid from its middle to the best neighbour, until none is better.

    >>> climb((range(9), range(9)), lambda x, y: -((x - 7) ** 2) - (y - 1) ** 2)
    (7, 1)
    """
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
    """Return the first column within two standard errors of the best one, answer by answer."""
    best = log_likelihood[:, [log_likelihood.mean(axis=0).argmax()]] - log_likelihood
    error = best.std(axis=0, ddof=1) / np.sqrt(len(best))
    return int(np.argmax(best.mean(axis=0) <= 2.0 * error))
