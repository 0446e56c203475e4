"""Compiled loops of the embeddings: loadings that change one at a time as answers allow."""

import math

import numpy as np
from numba import njit


@njit(cache=True, inline="always", error_model="numpy")
def log_chance(values, lapse):
    """Return the log probability of the first option, by inner products and lapses."""
    top = values[0]
    for value in values:
        top = max(top, value)
    total, n_options = 0.0, 0
    for value in values:
        total += math.exp(value - top)
        n_options += value > -math.inf
    return math.log((1.0 - lapse) * math.exp(values[0] - top) / total + lapse / n_options)


@njit(cache=True, nogil=True, error_model="numpy")
def sweep(X, pairs, starts, rows, terms, slab, lapse, draws):
    """Offer every loading of X a step, and a way to 0 or back; return which steps were taken.

    Rows ``rows[starts[i]:starts[i + 1]]`` are about item i. ``terms`` has the inner products of
    each row's pairs, its log probability and its weight, and follows X. ``slab`` is, for each
    dimension, the log odds of not being 0, and the mean and variance of what is not; ``draws`` the
    step of each loading, where it would come back to, and the logs of two uniform numbers.
    """
    n_items, n_dimensions = X.shape
    n_options = pairs.shape[1]
    taken = np.zeros(X.shape, np.bool_)
    most = 0
    for i in range(n_items):
        most = max(most, starts[i + 1] - starts[i])
    offered = np.empty((most, n_options + 1))
    for i in range(n_items):
        first, n_rows = starts[i], starts[i + 1] - starts[i]
        for k in range(n_dimensions):
            for jump in range(2):
                x = X[i, k]
                if jump:
                    y = draws[i, k, 1] if x == 0.0 else 0.0
                    gain = slab[0, k] if x == 0.0 else -slab[0, k]
                elif x == 0.0:
                    continue
                else:
                    y = abs(x + draws[i, k, 0])
                    gain = ((x - slab[1, k]) ** 2 - (y - slab[1, k]) ** 2) / (2.0 * slab[2, k])
                for t in range(n_rows):
                    r = rows[first + t]
                    for p in range(n_options):
                        a, b = pairs[r, p]
                        value = terms[r, p]
                        if a == i:
                            value += (y - x) * X[b, k]
                        elif b == i:
                            value += (y - x) * X[a, k]
                        offered[t, p] = value
                    offered[t, n_options] = log_chance(offered[t, :n_options], lapse)
                    gain += terms[r, n_options + 1] * (offered[t, n_options] - terms[r, n_options])
                if draws[i, k, 2 + jump] < gain:
                    X[i, k] = y
                    taken[i, k] |= jump == 0
                    for t in range(n_rows):
                        terms[rows[first + t], : n_options + 1] = offered[t]
    return taken
