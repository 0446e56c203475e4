"""Compiled loops for the search direction of L-BFGS.

The compiler may reorder sums (reassoc) and fuse multiplications (contract), so that loops are
vectorised. NaN and infinity have their usual meaning.
"""

import numpy as np
from numba import njit

FLAGS = {"reassoc", "contract"}


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FLAGS)
def dot(x, y):
    total = 0.0
    for k in range(x.size):
        total += x[k] * y[k]
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FLAGS)
def two_loops(gradient, S, Y, r, newest, count, out):
    """Fill ``out`` with -H g, from the last ``count`` steps; return the slope along it.

    H approximates the inverse Hessian, and g is ``gradient``. Rows of S are steps, and rows of Y
    changes of the gradient, in a ring buffer whose last entry is ``newest``; r is 1 / (step .
    change) of each row.
    """
    memory, n = S.shape
    weights = r.copy()
    for k in range(n):
        out[k] = -gradient[k]
    for back in range(count):
        i = (newest - back) % memory
        weights[i] = r[i] * dot(S[i], out)
        for k in range(n):
            out[k] -= weights[i] * Y[i, k]
    if count > 0:
        scale = 1.0 / (r[newest] * dot(Y[newest], Y[newest]))
        for k in range(n):
            out[k] *= scale
    for back in range(count - 1, -1, -1):
        i = (newest - back) % memory
        step = weights[i] - r[i] * dot(Y[i], out)
        for k in range(n):
            out[k] += step * S[i, k]
    return dot(gradient, out)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FLAGS)
def free_dot(x, y, free):
    """Return the sum of x * y over the free entries."""
    total = 0.0
    for k in range(x.size):
        if free[k]:
            total += x[k] * y[k]
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FLAGS)
def free_two_loops(gradient, S, Y, free, newest, count, out):
    """Fill ``out`` with -H g for the free entries, 0 elsewhere; return the slope along it.

    See ``two_loops``; steps whose curvature over the free entries is negative are skipped.
    """
    memory, n = S.shape
    weights, curvature = np.zeros(memory), np.zeros(memory)
    for k in range(n):
        out[k] = -gradient[k] if free[k] else 0.0
    scale = 0.0
    for back in range(count):
        i = (newest - back) % memory
        curvature[i] = free_dot(S[i], Y[i], free)
        squared = free_dot(Y[i], Y[i], free)
        if not curvature[i] > 1e-12 * squared**0.5:
            curvature[i] = 0.0
            continue
        if scale == 0.0:
            scale = curvature[i] / squared
        weights[i] = dot(S[i], out) / curvature[i]
        for k in range(n):
            if free[k]:
                out[k] -= weights[i] * Y[i, k]
    if scale > 0.0:
        for k in range(n):
            out[k] *= scale
    for back in range(count - 1, -1, -1):
        i = (newest - back) % memory
        if curvature[i] == 0.0:
            continue
        step = weights[i] - dot(Y[i], out) / curvature[i]
        for k in range(n):
            if free[k]:
                out[k] += step * S[i, k]
    return dot(gradient, out)
