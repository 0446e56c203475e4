"""Compile the losses of ratings between thresholds."""

import math

import numpy as np
from numba import njit

from resemblance.choice._loops import logistic_loss


@njit(cache=True, nogil=True, error_model="numpy")
def grade_all(similarity, step, who, weight, thresholds, slopes, gradient, curvature):
    """Sum w log(1 + exp(t_c - s)) + w log(1 + exp(s - t_{c+1})) over ratings, and fill slopes.

    A rating is ``step`` c of 0 to K, between the thresholds t_c and t_{c+1} of its person, in the
    row ``who`` of ``thresholds`` (G, K). The first step has no threshold below, the last none
    above. ``slopes`` are derivatives by the similarities s. ``gradient`` and ``curvature``, (G, K)
    and zero at first, are derivatives by the thresholds; each term depends on one threshold, so the
    curvature is diagonal.
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
    """Solve a symmetric positive tridiagonal system for each g, in place of ``right``.

    ``diagonal`` is (G, K), ``beside`` (G, K - 1), ``right`` (G, K, n). Return the sum of the log
    determinants of the systems.
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
