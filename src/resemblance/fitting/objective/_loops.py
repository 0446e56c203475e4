"""Compiled loops for the losses of ratings and tridiagonal systems."""

import math

import numpy as np
from numba import njit

from resemblance.choice._loops import logistic_loss


@njit(cache=True, nogil=True, error_model="numpy")
def grade_all(similarity, step, who, weight, thresholds, slopes, gradient, curvature):
    """Return the sum of w log(1 + exp(t_c - s)) + w log(1 + exp(s - t_{c+1})) over ratings.

    A rating with weight w and log similarity s is step c of 0 to K, between the thresholds t_c and
    t_{c+1} of its person, which are in row ``who`` of ``thresholds`` (G, K). Step 0 has no
    threshold below, step K none above. The function fills ``slopes`` with derivatives with respect
    to s, and adds those with respect to thresholds to ``gradient`` and ``curvature``, (G, K). Each
    term depends on one threshold, so the curvature is diagonal.
    """
    total = 0.0
    top = thresholds.shape[1]
    for r in range(similarity.size):
        u, c, w = who[r], step[r], weight[r]
        slopes[r] = 0.0
        if c > 0:
            base, factor, share = logistic_loss(thresholds[u, c - 1] - similarity[r])
            total += w * (base + math.log(factor))
            slopes[r] -= w * share
            gradient[u, c - 1] += w * share
            curvature[u, c - 1] += w * share * (1.0 - share)
        if c < top:
            base, factor, share = logistic_loss(similarity[r] - thresholds[u, c])
            total += w * (base + math.log(factor))
            slopes[r] += w * share
            gradient[u, c] -= w * share
            curvature[u, c] += w * share * (1.0 - share)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def solve_tridiagonal(diagonal, beside, right):
    """Solve G symmetric positive definite tridiagonal systems, and overwrite ``right``.

    ``diagonal`` is (G, K), the off-diagonal ``beside`` is (G, K - 1), and ``right`` is (G, K, n).
    Return the sum of the log determinants of the systems.
    """
    n_systems, size, n_right = right.shape
    pivot = np.empty(size)
    total = 0.0
    for g in range(n_systems):
        for k in range(size):
            pivot[k] = diagonal[g, k]
            if k > 0:
                share = beside[g, k - 1] / pivot[k - 1]
                pivot[k] -= share * beside[g, k - 1]
                for j in range(n_right):
                    right[g, k, j] -= share * right[g, k - 1, j]
            total += math.log(pivot[k])
        for k in range(size - 1, -1, -1):
            for j in range(n_right):
                if k + 1 < size:
                    right[g, k, j] -= beside[g, k] * right[g, k + 1, j]
                right[g, k, j] /= pivot[k]
    return total
