"""More templates, one at a time: one is split in two where that raises the likelihood most."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.templates.likelihood import Decisions, Matcher

PAYS = 0.5  # nats by which another template must lower the objective
STEPS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of a split, in lengths of the template (at least 1)


@dataclass(frozen=True)
class Fitted:
    """Fitted templates, the objective there, and whether the descent converged."""

    matcher: Matcher
    loss: float
    converged: bool


def fit_from(decisions: Decisions, start: Matcher, max_iter: int, tol: float) -> Fitted:
    """Descend from a start."""
    return Fitted(*decisions.fit(start, max_iter, tol))


def grow(
    decisions: Decisions, first: Fitted, most: int, max_iter: int, tol: float, forced: bool = False
) -> list[Fitted]:
    """Split templates one at a time, until there are enough or (unless forced) no split pays."""
    path = [first]
    while len(path[-1].matcher) < most:
        found = fit_from(decisions, split(decisions, path[-1].matcher), max_iter, tol)
        if found.loss > path[-1].loss - PAYS and not forced:
            break
        path.append(found)
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
    """Put two templates in the place of one, a step to either side; together they match as it."""
    weights = np.insert(at.weights, k, at.weights[k] + step, axis=0)
    weights[k + 1] -= step
    biases = np.insert(at.biases, k, at.biases[k])
    biases[k : k + 2] -= np.log(2.0)
    return replace(at, weights=weights, biases=biases, codes=np.insert(at.codes, k, at.codes[k]))
