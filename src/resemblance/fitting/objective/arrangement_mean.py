"""Compute the weighted mean of the distances in arrangements."""

import warnings

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.errors import NotConvergedWarning
from resemblance.judgments import Arrangements

Ints = NDArray[np.int64]
MOST_ROUNDS = 10_000
SETTLED = 1e-7  # iteration ends when the scales change by less than this share


def mean_distances(arrangements: Arrangements) -> tuple[Floats, Floats]:
    r"""Return mean screen distances of pairs and the total weight of each pair.

    .. math:: D_{ij} = \frac{\sum_t w_{tij} \, s_t \delta_{tij}}{\sum_t w_{tij}}, \qquad w_{tij} =
       \delta_{tij}^2, \qquad s_t^2 = \frac{\sum_{ij \in t} D_{ij}^2}{\sum_{ij \in t}
       \delta_{tij}^2}

    where delta_tij is the distance of items i and j on the screen in trial t, and s_t is the scale
    of the trial. The two steps alternate until the scales converge. Weights grow with the distance,
    because the error of placing an item does not depend on it, so long distances are relatively
    more precise. D (n_items, n_items) has root mean square 1, NaN for pairs never shown together
    and 0 on the diagonal. Total weights are (n_items, n_items). Source: Kriegeskorte & Mur 2012,
    Inverse MDS, Frontiers in Psychology 3, 245.
    """
    n, trial, pair, screen, weight = arrangements.n_items, *_rows(arrangements)
    evidence: Floats = np.bincount(pair, weight, n * n).astype(float)
    trial = np.unique(trial, return_inverse=True)[1]
    squared, seen = np.bincount(trial, screen**2), np.bincount(pair, minlength=n * n) > 0
    scale = np.ones(len(squared))
    for _ in range(MOST_ROUNDS):
        D: Floats = np.bincount(pair, weight * scale[trial] * screen, n * n).astype(float)
        D = np.divide(D, evidence, out=np.zeros(n * n), where=evidence > 0)
        D /= np.sqrt(np.mean(D[seen] ** 2))
        before, scale = scale, np.sqrt(np.bincount(trial, D[pair] ** 2) / squared)
        if np.abs(scale - before).max() <= SETTLED * scale.max():
            break
    else:
        warnings.warn(
            NotConvergedWarning(
                "the scales of the trials did not converge: they share too few pairs of items"
            ),
            stacklevel=2,
        )
    D[~seen] = np.nan
    table = D.reshape(n, n)
    np.fill_diagonal(table, 0.0)
    evidence = evidence.reshape(n, n)
    table = np.where(np.tri(n, dtype=bool), table.T, table)
    return table, evidence + evidence.T


def _rows(arrangements: Arrangements) -> tuple[Ints, Ints, Floats, Floats]:
    n, parts = arrangements.n_items, []
    for row in map(int, np.flatnonzero(arrangements.weights)):
        index = arrangements.index[row]
        there, screen = index[index >= 0].astype(np.int64), arrangements.distances(row)
        a, b = np.triu_indices(len(there), 1)
        low, high = np.minimum(there[a], there[b]), np.maximum(there[a], there[b])
        weight = arrangements.weights[row] * screen**2
        parts.append((np.full(len(a), row), low * n + high, screen, weight))
    trial, pair, screen, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    return trial, pair, screen, weight
