"""Compiled loops for distances and gradients of forms, and for stochastic passes.

``reads`` is the distance that a choice model uses: squared, plain, or inner product. The bodies of
loops are inlined functions of the number of components, so that the compiler unrolls two and three
components, which is twice as fast. Indices are cast to unsigned integers, so that there is no test
for negative indices, which saves a third to a half of the time.

With more than three components, two buffers store the differences of a row, so that the compiler
can assume that gradient and positions do not overlap, which saves up to half of the time. Compiled
code rounds differently if arrays are close together in memory. Unused space around buffers prevents
this, so that fits with the same seed are equal.
"""

import math

import numpy as np
from numba import njit

from resemblance.choice._loops import FULL, RELATIVE, SOFTMAX, compare, relative, softmax_all

SQUARED, PLAIN, INNER = range(3)
TILE = 256  # number of rows whose distances and slopes fit into the L1 cache
UNROLLED = 3  # loops are compiled separately for up to this many components
FAST = {"reassoc", "contract", "nsz"}  # sums may be reordered; NaN and infinity stay correct
GUARD = 64  # number of unused entries at each end of a buffer


@njit(cache=True, inline="always", error_model="numpy")
def measure(X, i, j, reads, n):
    """Return the squared distance, distance or inner product of rows i and j of X."""
    total = 0.0
    if reads == INNER:
        for k in range(n):
            total += X[i, k] * X[j, k]
        return total
    for k in range(n):
        gap = X[i, k] - X[j, k]
        total += gap * gap
    return math.sqrt(total) if reads == PLAIN else total


@njit(cache=True, inline="always", error_model="numpy")
def pull(slope, distance, reads):
    """Return the factor of (x_a - x_b) in the gradient, given the slope along the distance."""
    if reads == SQUARED:
        return 2.0 * slope
    return slope / distance if distance > 0.0 else 0.0


@njit(cache=True, inline="always", error_model="numpy")
def _distances(X, a, b, reads, out, n):
    for r in range(a.size):
        out[r] = measure(X, np.uint32(a[r]), np.uint32(b[r]), reads, n)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _wide_distances(X, a, b, reads, out):
    _distances(X, a, b, reads, out, X.shape[1])


@njit(cache=True, nogil=True, error_model="numpy")
def coordinate_distances(X, a, b, reads, out):
    """Fill out[r] with the distance of rows a[r] and b[r] of X."""
    if X.shape[1] == 2:
        _distances(X, a, b, reads, out, 2)
    elif X.shape[1] == 3:
        _distances(X, a, b, reads, out, 3)
    else:
        _wide_distances(X, a, b, reads, out)


@njit(cache=True, inline="always", error_model="numpy")
def _gradient(X, a, b, reads, distances, slopes, out, n):
    for r in range(a.size):
        i, j = np.uint32(a[r]), np.uint32(b[r])
        if reads == INNER:
            for k in range(n):
                out[i, k] += slopes[r] * X[j, k]
            for k in range(n):
                out[j, k] += slopes[r] * X[i, k]
            continue
        factor = pull(slopes[r], distances[r], reads)
        for k in range(n):
            step = factor * (X[i, k] - X[j, k])
            out[i, k] += step
            out[j, k] -= step


@njit(cache=True, nogil=True, error_model="numpy")
def coordinate_gradient(X, a, b, reads, distances, slopes, out):
    """Add to ``out`` the gradient in X of the sum of slopes[r] * distance[r] over r."""
    if X.shape[1] == 2:
        _gradient(X, a, b, reads, distances, slopes, out, 2)
    elif X.shape[1] == 3:
        _gradient(X, a, b, reads, distances, slopes, out, 3)
    else:
        _gradient(X, a, b, reads, distances, slopes, out, X.shape[1])


@njit(cache=True, inline="always", error_model="numpy")
def _triplets(X, columns, weight, model, out, n, compare):
    head, near, far = columns
    positions, slopes, width = X.reshape(X.size), out.reshape(out.size), np.uint64(n)
    guarded = np.empty((4, n + GUARD))
    to_near, to_far = guarded[1], guarded[2]
    total = 0.0
    product = 1.0
    for r in range(head.size):
        i, j, k = np.uint32(head[r]), np.uint32(near[r]), np.uint32(far[r])
        i, j, k = i * width, j * width, k * width
        d_near = 0.0
        d_far = 0.0
        if n <= UNROLLED:
            for c in range(n):
                c = np.uint64(c)
                gap_near = positions[i + c] - positions[j + c]
                gap_far = positions[i + c] - positions[k + c]
                d_near += gap_near * gap_near
                d_far += gap_far * gap_far
        else:
            for c in range(n):
                gap_near = positions[i + np.uint64(c)] - positions[j + np.uint64(c)]
                gap_far = positions[i + np.uint64(c)] - positions[k + np.uint64(c)]
                to_near[c] = gap_near
                to_far[c] = gap_far
                d_near += gap_near * gap_near
                d_far += gap_far * gap_far
        base, factor, slope_near, slope_far = compare(model, d_near, d_far)
        if weight is None:
            total += base
            product *= factor
            if product > FULL:
                total += math.log(product)
                product = 1.0
        else:
            total += weight[r] * (base + math.log(factor))
            slope_near *= weight[r]
            slope_far *= weight[r]
        pull_near = 2.0 * slope_near
        pull_far = 2.0 * slope_far
        if n <= UNROLLED:
            for c in range(n):
                c = np.uint64(c)
                step_near = pull_near * (positions[i + c] - positions[j + c])
                step_far = pull_far * (positions[i + c] - positions[k + c])
                slopes[i + c] += step_near + step_far
                slopes[j + c] -= step_near
                slopes[k + c] -= step_far
        else:
            for c in range(n):
                slopes[i + np.uint64(c)] += pull_near * to_near[c] + pull_far * to_far[c]
            for c in range(n):
                slopes[j + np.uint64(c)] -= pull_near * to_near[c]
            for c in range(n):
                slopes[k + np.uint64(c)] -= pull_far * to_far[c]
    return total + math.log(product)


@njit(cache=True, inline="always", error_model="numpy")
def _tiles(X, columns, weight, out, n):
    head, near, far = columns
    d_near, d_far, s_near, s_far = np.empty(TILE), np.empty(TILE), np.empty(TILE), np.empty(TILE)
    guarded = np.empty((4, n + GUARD))
    to_near, to_far = guarded[1], guarded[2]
    total = 0.0
    for first in range(0, head.size, TILE):
        m = min(TILE, head.size - first)
        for r in range(m):
            i, j, k = np.uint32(head[first + r]), near[first + r], far[first + r]
            d_near[r] = measure(X, i, np.uint32(j), SQUARED, n)
            d_far[r] = measure(X, i, np.uint32(k), SQUARED, n)
        weights = d_near[:0] if weight is None else weight[first : first + m]
        total += softmax_all(d_near[:m], d_far[:m], weights, s_near[:m], s_far[:m])
        for r in range(m):
            i, j, k = np.uint32(head[first + r]), near[first + r], far[first + r]
            j, k = np.uint32(j), np.uint32(k)
            pull_near = 2.0 * s_near[r]
            pull_far = 2.0 * s_far[r]
            if n <= UNROLLED:
                for c in range(n):
                    step_near = pull_near * (X[i, c] - X[j, c])
                    step_far = pull_far * (X[i, c] - X[k, c])
                    out[i, c] += step_near + step_far
                    out[j, c] -= step_near
                    out[k, c] -= step_far
            else:
                for c in range(n):
                    to_near[c] = pull_near * (X[i, c] - X[j, c])
                    to_far[c] = pull_far * (X[i, c] - X[k, c])
                for c in range(n):
                    out[i, c] += to_near[c] + to_far[c]
                for c in range(n):
                    out[j, c] -= to_near[c]
                for c in range(n):
                    out[k, c] -= to_far[c]
    return total


@njit(cache=True, inline="always", error_model="numpy")
def _relative(model, near, far):
    return relative(model[1], near, far)


# There are loops for two, three, and any number of components. Each is compiled at its first call.
# The relative model (t-STE with alpha = 1) has loops without a branch on the model; the softmax has
# loops over tiles of rows. `_triplets` and `_tiles` repeat the code that adds slopes, because an
# inlined function would take 1.5 times as long.
@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _rows_2(X, columns, weight, model, out):
    return _triplets(X, columns, weight, model, out, 2, compare)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _rows_3(X, columns, weight, model, out):
    return _triplets(X, columns, weight, model, out, 3, compare)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _rows_n(X, columns, weight, model, out):
    return _triplets(X, columns, weight, model, out, X.shape[1], compare)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _relative_2(X, columns, weight, model, out):
    return _triplets(X, columns, weight, model, out, 2, _relative)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _relative_3(X, columns, weight, model, out):
    return _triplets(X, columns, weight, model, out, 3, _relative)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _relative_n(X, columns, weight, model, out):
    return _triplets(X, columns, weight, model, out, X.shape[1], _relative)


@njit(cache=True, nogil=True, error_model="numpy")
def _tiles_2(X, columns, weight, model, out):
    return _tiles(X, columns, weight, out, 2)


@njit(cache=True, nogil=True, error_model="numpy")
def _tiles_3(X, columns, weight, model, out):
    return _tiles(X, columns, weight, out, 3)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def _tiles_n(X, columns, weight, model, out):
    return _tiles(X, columns, weight, out, X.shape[1])


# Loops by number of components, and the loop for all other numbers.
LOOPS = {
    SOFTMAX: ({2: _tiles_2, 3: _tiles_3}, _tiles_n),
    RELATIVE: ({2: _relative_2, 3: _relative_3}, _relative_n),
}
OTHER_LOOPS = {2: _rows_2, 3: _rows_3}, _rows_n


def triplet_gradient(X, columns, weight, model, out):
    """Return the loss of triplets for squared distances; add the gradient in X to ``out``.

    ``columns`` are head, near and far. An empty ``weight`` means that all weights are 1.
    """
    loops, other = LOOPS.get(model[0], OTHER_LOOPS)
    weights = weight if weight.size else None  # None is compiled separately, without a branch
    return loops.get(X.shape[1], other)(X, columns, weights, model, out)


@njit(cache=True, inline="always", error_model="numpy")
def _adagrad(X, squares, i, slope, rate, n):
    for k in range(n):
        squares[i, k] += slope[k] * slope[k]
        X[i, k] -= rate * slope[k] / math.sqrt(squares[i, k])


@njit(cache=True, nogil=True, error_model="numpy")
def sweep(X, squares, pairs, weight, model, reads, rate):
    """Take an AdaGrad step in X for each comparison, one after the other.

    The rows of ``pairs`` are head, near, far, or a, b, c, d. ``squares`` has the shape of X and
    sums squared slopes; it must be positive at first.
    """
    n = X.shape[1]
    third, last = (0, 2) if pairs.shape[0] == 3 else (2, 3)
    slope = np.empty((4, n))
    for r in range(pairs.shape[1]):
        a, b, c, d = pairs[0, r], pairs[1, r], pairs[third, r], pairs[last, r]
        near, far = measure(X, a, b, reads, n), measure(X, c, d, reads, n)
        _, _, slope_n, slope_f = compare(model, near, far)
        if slope_n == 0.0 and slope_f == 0.0:
            continue
        if weight.size:
            slope_n *= weight[r]
            slope_f *= weight[r]
        if reads == INNER:
            for k in range(n):
                slope[0, k], slope[1, k] = slope_n * X[b, k], slope_n * X[a, k]
                slope[2, k], slope[3, k] = slope_f * X[d, k], slope_f * X[c, k]
        else:
            pull_n, pull_f = pull(slope_n, near, reads), pull(slope_f, far, reads)
            for k in range(n):
                slope[0, k] = pull_n * (X[a, k] - X[b, k])
                slope[2, k] = pull_f * (X[c, k] - X[d, k])
                slope[1, k], slope[3, k] = -slope[0, k], -slope[2, k]
        if a == c:
            for k in range(n):
                slope[0, k] += slope[2, k]
        else:
            _adagrad(X, squares, c, slope[2], rate, n)
        _adagrad(X, squares, a, slope[0], rate, n)
        _adagrad(X, squares, b, slope[1], rate, n)
        _adagrad(X, squares, d, slope[3], rate, n)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST)
def weighted_distances(state, n, a, b, reads, out):
    """Fill out[r] with the distance of items a[r] % n and b[r] for person a[r] // n.

    The weights of people are the rows of the state from row n on.
    """
    d = state.shape[1]
    for r in range(a.size):
        code = np.uint32(a[r])
        w, i, j = n + code // np.uint32(n), code % np.uint32(n), np.uint32(b[r])
        total = 0.0
        if reads == INNER:
            for k in range(d):
                total += state[w, k] * state[i, k] * state[j, k]
        else:
            for k in range(d):
                gap = state[i, k] - state[j, k]
                total += state[w, k] * gap * gap
        out[r] = math.sqrt(total) if reads == PLAIN else total


@njit(cache=True, nogil=True, error_model="numpy")
def weighted_gradient(state, n, a, b, reads, distances, slopes, out):
    d = state.shape[1]
    for r in range(a.size):
        code = np.uint32(a[r])
        w, i, j = n + code // np.uint32(n), code % np.uint32(n), np.uint32(b[r])
        if reads == INNER:
            for k in range(d):
                by_weight = slopes[r] * state[w, k]
                out[i, k] += by_weight * state[j, k]
                out[j, k] += by_weight * state[i, k]
                out[w, k] += slopes[r] * state[i, k] * state[j, k]
            continue
        factor = pull(slopes[r], distances[r], reads)
        for k in range(d):
            gap = state[i, k] - state[j, k]
            step = factor * state[w, k] * gap
            out[i, k] += step
            out[j, k] -= step
            out[w, k] += 0.5 * factor * gap * gap


@njit(cache=True, nogil=True, error_model="numpy")
def table_distances(table, a, b, reads, out):
    for r in range(a.size):
        out[r] = table[np.uint32(a[r]), np.uint32(b[r])]


@njit(cache=True, nogil=True, error_model="numpy")
def table_gradient(table, a, b, reads, distances, slopes, out):
    """Add slopes[r] to the entry of ``out`` for a[r] and b[r], above the diagonal."""
    for r in range(a.size):
        i, j = np.uint32(a[r]), np.uint32(b[r])
        out[min(i, j), max(i, j)] += slopes[r]


@njit(cache=True, nogil=True, error_model="numpy")
def gram_distances(K, a, b, reads, out):
    """Fill out[r] with the distance of items a[r] and b[r] in the Gram matrix K."""
    for r in range(a.size):
        i, j = np.uint32(a[r]), np.uint32(b[r])
        if reads == INNER:
            out[r] = K[i, j]
            continue
        d = max(K[i, i] + K[j, j] - 2.0 * K[i, j], 0.0)
        out[r] = math.sqrt(d) if reads == PLAIN else d


@njit(cache=True, nogil=True, error_model="numpy")
def gram_gradient(K, a, b, reads, distances, slopes, out):
    """Add to ``out`` the symmetric gradient in K of the sum of slopes[r] * distance[r] over r."""
    for r in range(a.size):
        i, j = np.uint32(a[r]), np.uint32(b[r])
        if reads == INNER:
            out[i, j] += 0.5 * slopes[r]
            out[j, i] += 0.5 * slopes[r]
            continue
        factor = 0.5 * pull(slopes[r], distances[r], reads)
        out[i, i] += factor
        out[j, j] += factor
        out[i, j] -= factor
        out[j, i] -= factor
