"""Compiled loops that rank dissimilarities in several bootstrap samples at once."""

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy", fastmath=False)
def rank(codes, pair_weights, ranks, squares):
    """Fill ``ranks`` (n_codes, n_samples) with twice the mean rank of each code, centred.

    ``codes`` (n_pairs) are unsigned integers in the order of the values of pairs. ``pair_weights``
    (n_pairs, n_samples) is the number of copies of each pair in each sample. ``squares``
    (n_samples) receives the sums of squared ranks.
    """
    ranks[:] = 0
    n = squares.size
    for pair in range(np.uintp(codes.size)):
        code = np.uintp(codes[pair])
        for s in range(n):
            ranks[code, s] += pair_weights[pair, s]
    before, sums = np.zeros(n, dtype=np.int32), np.zeros(n)
    for code in range(len(ranks)):
        for s in range(n):
            before[s] -= ranks[code, s]
    for code in range(len(ranks)):
        for s in range(n):
            count = ranks[code, s]
            middle = np.int32(before[s] + count)
            before[s] = middle + count
            ranks[code, s] = middle
            sums[s] += float(count) * float(middle) * float(middle)
    squares[:] = sums


@njit(cache=True, error_model="numpy", fastmath=False)
def add_products(codes, ranks, other_codes, other_ranks, pair_weights, products):
    """Add the inner products of two rows of ranks to ``products`` (n_samples)."""
    n = products.size
    sums = np.zeros(n)
    for pair in range(np.uintp(codes.size)):
        first, second = np.uintp(codes[pair]), np.uintp(other_codes[pair])
        for s in range(n):
            weight = float(pair_weights[pair, s])
            sums[s] += weight * float(ranks[first, s]) * float(other_ranks[second, s])
    products += sums
