"""Define CUDA kernels that compute losses and slopes of rows.

Slopes are added as 64-bit integers, in units of ``1 / scale``. Sums of integers do not depend on
the order of threads, so a fit with the same seed gives the same result.
"""

import math
from functools import cache
from typing import Any

import numpy as np
from numba import cuda, float64

from resemblance.choice._loops import choose, compare, confuse
from resemblance.forms._loops import INNER, PLAIN, pull

BLOCK = 128  # threads per block
MOST_BLOCKS = 2048
NARROW = 3  # up to this many components, one thread computes a row
LANES = 8  # number of threads per row with more components


def lanes_of(n_components: int) -> int:
    return 1 if n_components <= NARROW else LANES


def grid_of(n_rows: int, lanes: int) -> tuple[int, int]:
    return max(1, min(MOST_BLOCKS, -(-n_rows * lanes // BLOCK))), BLOCK


@cuda.jit
def clear(values):
    for k in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        values[k] = 0


@cuda.jit
def count(ends, counts):
    for r in range(cuda.grid(1), ends.shape[1], cuda.gridsize(1)):
        for c in range(ends.shape[0]):
            cuda.atomic.add(counts, ends[c, r], 1)


@cache
def rows_kernel(
    n: int,
    pairs: tuple[tuple[int, int], ...],
    options: tuple[tuple[int, ...], ...],
    reads: int,
    lanes: int,
) -> Any:
    """Compile the kernel for rows of one layout and positions with ``n`` components.

    Its arguments are the positions X (n_items, n); the item columns ``ends`` (C, m); the weights
    (m, 1), or (1, 1) if equal, or counts of confusions (m, 2); the parameters of the choice model;
    the scale; the longest step that cannot overflow; the slopes (n_items * n,), to which it adds;
    and the tally (2 * threads,), with each thread's sum of losses, then each thread's longest step.
    """
    n_pairs, n_options = len(pairs), len(options)
    at, members = np.array(pairs), np.array(options)
    n_columns = int(at.max()) + 1

    @cuda.jit
    def run(X, ends, weight, model, scale, reach, slopes, tally):
        place, member = cuda.const.array_like(at), cuda.const.array_like(members)
        shared = cuda.shared.array(BLOCK, float64)
        distances = cuda.local.array((n_pairs, 1), float64)
        slope = cuda.local.array((n_pairs, 1), float64)
        score = cuda.local.array(n_options, float64)
        of_pair = cuda.local.array(n_pairs, float64)
        factors = cuda.local.array(n_pairs, float64)
        steps = cuda.local.array(n_columns, float64)
        thread = cuda.threadIdx.x
        lane = thread % lanes
        first, step = cuda.grid(1) // lanes, cuda.gridsize(1) // lanes
        n_rows = ends.shape[1]
        total = 0.0
        longest = 0.0
        # All threads run the same number of iterations, because threads of a row are synchronised.
        for turn in range((n_rows + step - 1) // step):
            r = first + turn * step
            real = r < n_rows
            r = min(r, n_rows - 1)
            for p in range(n_pairs):
                i, j = ends[place[p, 0], r], ends[place[p, 1], r]
                part = 0.0
                for c in range(lane, n, lanes):
                    if reads == INNER:
                        part += X[i, c] * X[j, c]
                    else:
                        gap = X[i, c] - X[j, c]
                        part += gap * gap
                if lanes > 1:
                    shared[thread] = part
                    cuda.syncthreads()
                    part = 0.0
                    for other in range(thread - lane, thread - lane + lanes):
                        part += shared[other]
                    cuda.syncthreads()
                distances[p, 0] = math.sqrt(part) if reads == PLAIN else part
            if n_pairs == 1:
                error, slope_error, right, slope_right = confuse(model, distances[0, 0])
                loss = weight[r, 0] * error + weight[r, 1] * right
                slope[0, 0] = weight[r, 0] * slope_error + weight[r, 1] * slope_right
            else:
                w = weight[min(r, weight.shape[0] - 1), 0]
                if n_pairs == 2:
                    base, factor, near, far = compare(model, distances[0, 0], distances[1, 0])
                    slope[0, 0] = near
                    slope[1, 0] = far
                else:
                    base, factor = choose(
                        model, distances, slope, 0, member, score, of_pair, factors
                    )
                loss = w * (base + math.log(factor))
                for p in range(n_pairs):
                    slope[p, 0] *= w
            if not real:
                continue
            if lane == 0:
                total += loss
            for p in range(n_pairs):
                if reads != INNER:
                    slope[p, 0] = pull(slope[p, 0], distances[p, 0], reads)
            for c in range(lane, n, lanes):
                for k in range(n_columns):
                    steps[k] = 0.0
                for p in range(n_pairs):
                    x = X[ends[place[p, 0], r], c]
                    y = X[ends[place[p, 1], r], c]
                    if reads == INNER:
                        steps[place[p, 0]] += slope[p, 0] * y
                        steps[place[p, 1]] += slope[p, 0] * x
                    else:
                        steps[place[p, 0]] += slope[p, 0] * (x - y)
                        steps[place[p, 1]] -= slope[p, 0] * (x - y)
                for k in range(n_columns):
                    longest = max(longest, abs(steps[k]))
                    if abs(steps[k]) <= reach:
                        where = ends[k, r] * n + c
                        cuda.atomic.add(slopes, where, np.int64(round(steps[k] * scale)))
        tally[cuda.grid(1)] += total
        where = tally.size // 2 + cuda.grid(1)
        tally[where] = max(tally[where], longest)

    return run
