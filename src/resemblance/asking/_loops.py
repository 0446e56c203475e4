"""Compute the information gain of questions about hypotheses, in compiled loops.

Under hypothesis k, option b has the similarity s[b, k] and is chosen with probability s[b, k] /
(sum of s over the options of the question). Because s log s is stored as ``entropy``, the entropy
of the answer to a question with similarities A and B needs a single logarithm: H = log(A + B) - (A
log A + B log B) / (A + B).

The compiler flags only allow sums to be reordered. Infinities and NaN stay correct.
"""

import math

import numpy as np
from numba import njit

from resemblance.choice._loops import LOGISTIC, RELATIVE, SOFTMAX

SUMS = {"reassoc", "contract", "arcp", "nsz"}

_ROOT_HALF = 0x3FE6A09E667F3BCD  # bits of the double sqrt(1/2)
_MANTISSA = 0x000FFFFFFFFFFFFF
_TWO_52 = 0x4330000000000000  # bits of the double 2 ** 52
_BLOCK = 256  # number of items per block, so that values fit in the L1 cache
_F = np.float32
_LEAST = _F(-87.0)  # smallest argument whose exp is a normal float32
_TO_BITS = _F(1.5 * 2.0**23)  # u + _TO_BITS has the nearest integer to u in its lowest bits
_PER_LOG2, _LOG2 = _F(1.0 / math.log(2.0)), _F(math.log(2.0))


@njit(cache=True, error_model="numpy", fastmath=False)
def fast_log(x):
    """Return log x of a positive normal number to 15 digits, in code that compiles to SIMD.

    x = 2^e m with m in [sqrt(1/2), sqrt 2), and log m = 2 atanh((m - 1) / (m + 1)) as a series.
    ``fastmath=False`` is needed because numba otherwise inherits the caller's flags, and reordered
    sums would make the subtraction of 2 ** 52 inexact.
    """
    bits = np.float64(x).view(np.int64) - np.int64(_ROOT_HALF)
    m = np.int64((bits & np.int64(_MANTISSA)) + np.int64(_ROOT_HALF)).view(np.float64)
    shifted = ((bits >> np.int64(52)) + np.int64(2048)) | np.int64(_TWO_52)
    e = np.int64(shifted).view(np.float64) - (4503599627370496.0 + 2048.0)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    tail = 2.0 / 11 + z * (2.0 / 13 + z * (2.0 / 15 + z * (2.0 / 17)))
    tail = 2.0 / 3 + z * (2.0 / 5 + z * (2.0 / 7 + z * (2.0 / 9 + z * tail)))
    return e * 0.6931471805599453 + s * (2.0 + z * tail)


@njit(cache=True, inline="always", error_model="numpy")
def binary_entropy(p):
    """Return -p log p - (1 - p) log(1 - p); 0 at p = 0 and p = 1."""
    return -(p * math.log(p) + (1.0 - p) * math.log1p(-p)) if 0.0 < p < 1.0 else 0.0


@njit(cache=True, error_model="numpy", fastmath=SUMS)
def pair_information(similarity, entropy, weight, pairs, out):
    """Set out[q] = H(mean p) - mean H(p), averaged over hypotheses, for pairs of options (m, 2).

    p is the probability of the first option. ``similarity`` s and ``entropy`` s log s are (options,
    hypotheses); ``weight`` (hypotheses,) sums to one.
    """
    for q in range(len(pairs)):
        a, b = similarity[pairs[q, 0]], similarity[pairs[q, 1]]
        a_log, b_log = entropy[pairs[q, 0]], entropy[pairs[q, 1]]
        mean = 0.0
        expected = 0.0
        for k in range(weight.size):
            total = a[k] + b[k]
            share = weight[k] / total
            mean += a[k] * share
            expected += weight[k] * fast_log(total) - (a_log[k] + b_log[k]) * share
        out[q] = binary_entropy(mean) - expected


@njit(cache=True, error_model="numpy", fastmath=SUMS)
def set_information(similarity, entropy, weight, options, out):
    """Set out[q] = H(mean p) - mean H(p), averaged over hypotheses, for options (m, N)."""
    n_options = options.shape[1]
    total = np.empty(weight.size)
    summed = np.empty(weight.size)
    for q in range(len(options)):
        total[:] = 0.0
        summed[:] = 0.0
        for j in range(n_options):
            total += similarity[options[q, j]]
            summed += entropy[options[q, j]]
        expected = 0.0
        for k in range(weight.size):
            expected += weight[k] * (fast_log(total[k]) - summed[k] / total[k])
        mixed = 0.0
        for j in range(n_options):
            s = similarity[options[q, j]]
            mean = 0.0
            for k in range(weight.size):
                mean += weight[k] * s[k] / total[k]
            mixed -= mean * math.log(mean) if mean > 0.0 else 0.0
        out[q] = mixed - expected


@njit(cache=True, error_model="numpy", fastmath=SUMS)
def lapsing_information(similarity, weight, options, lapse, out):
    """Set out[q] = H(mean P) - mean H(P), averaged over hypotheses, for options (m, N).

    P = (1 - lapse) p + lapse / N are probabilities with lapses, where lapse > 0.
    """
    n_options = options.shape[1]
    total = np.empty(weight.size)
    for q in range(len(options)):
        total[:] = 0.0
        for j in range(n_options):
            total += similarity[options[q, j]]
        expected = 0.0
        mixed = 0.0
        for j in range(n_options):
            s = similarity[options[q, j]]
            mean = 0.0
            for k in range(weight.size):
                p = (1.0 - lapse) * s[k] / total[k] + lapse / n_options
                mean += weight[k] * p
                expected -= weight[k] * p * fast_log(p)
            mixed -= mean * math.log(mean)
        out[q] = mixed - expected


@njit(cache=True, error_model="numpy", fastmath=SUMS)
def added_information(similarity, entropy, weight, hits, chosen, out):
    """Set out[c] = H(mean p) - mean H(p) for the page that adds option c to ``chosen``.

    Options are also the hypotheses. ``hits[c]`` (K,) is subtracted from the weight of hypothesis c:
    it is the probability that c is sought and recognised, so that no choice is made. ``similarity``
    and ``entropy`` are (K, K), and ``chosen`` is (J,).
    """
    total = np.zeros(weight.size)
    summed = np.zeros(weight.size)
    for j in chosen:
        total += similarity[j]
        summed += entropy[j]
    share = np.empty(weight.size)
    for c in range(len(similarity)):
        a, a_log = similarity[c], entropy[c]
        weight[c] -= hits[c]
        expected = 0.0
        mean = 0.0
        for k in range(weight.size):
            both = total[k] + a[k]
            share[k] = weight[k] / both
            expected += weight[k] * fast_log(both) - (summed[k] + a_log[k]) * share[k]
            mean += a[k] * share[k]
        mixed = -mean * math.log(mean) if mean > 0.0 else 0.0
        for j in chosen:
            s = similarity[j]
            mean = 0.0
            for k in range(weight.size):
                mean += s[k] * share[k]
            mixed -= mean * math.log(mean) if mean > 0.0 else 0.0
        weight[c] += hits[c]
        out[c] = mixed - expected


@njit(cache=True, inline="always", error_model="numpy")
def _exponential(u):
    """Return exp(max(u, -87)) for u <= 0 in float32, as 2^k times a series of exp(y)."""
    u = _LEAST if u < _LEAST else u
    shifted = u * _PER_LOG2 + _TO_BITS
    k = shifted - _TO_BITS
    y = u - k * _LOG2
    tail = _F(1 / 6) + y * (_F(1 / 24) + y * (_F(1 / 120) + y * _F(1 / 720)))
    series = _F(1) + y * (_F(1) + y * (_F(0.5) + y * tail))
    bits = np.int32((_F(shifted).view(np.int32) + np.int32(127)) << np.int32(23))
    return series * bits.view(np.float32)


@njit(cache=True, nogil=True, error_model="numpy")
def squared(columns, first, centre, out):
    """Set out[i] = squared distance of item first + i from ``centre``; ``columns`` is (d, n)."""
    out[:] = 0.0
    for k in range(len(columns)):
        x, c = columns[k, first : first + out.size], centre[k]
        for i in range(out.size):
            apart = x[i] - c
            out[i] += apart * apart


@njit(cache=True, nogil=True, error_model="numpy")
def _log_similarities(model, columns, first, option, out):
    """Set out[i] = log similarity of ``option`` (d,) to item first + i, up to a constant."""
    kind, p, _, _ = model
    if kind == LOGISTIC:
        out[:] = 0.0
        for k in range(len(columns)):
            x, c = columns[k, first : first + out.size], option[k]
            for i in range(out.size):
                out[i] += x[i] * c
        return
    squared(columns, first, option, out)
    if kind == SOFTMAX:
        for i in range(out.size):
            out[i] = -out[i]
        return
    power = 1.0 if kind == RELATIVE else 0.5 * (p + 1.0)
    for i in range(out.size):
        out[i] = -power * fast_log(p + out[i])


@njit(cache=True, nogil=True, error_model="numpy")
def log_chosen(model, columns, options, coldness, out):
    """Set out[i] = log probability of choosing options[0] if item i is sought.

    ``columns`` (d, n) are positions of items in float32, ``options`` (N, d) positions of options,
    and ``coldness`` is 1 / temperature. ``np.maximum`` of arrays compiles to SIMD, but a loop of
    maxima does not.
    """
    s = np.empty((len(options), _BLOCK), np.float32)
    for first in range(0, out.size, _BLOCK):
        log_p = out[first : first + _BLOCK]
        m = log_p.size
        top, total = np.full(m, -np.inf, np.float32), np.zeros(m, np.float32)
        for j in range(len(options)):
            _log_similarities(model, columns, first, options[j], s[j, :m])
            np.maximum(top, s[j, :m], top)
        for j in range(len(options)):
            less = s[j, :m]
            for i in range(m):
                less[i] = (less[i] - top[i]) * coldness
            for i in range(m):
                total[i] += _exponential(less[i])
        for i in range(m):
            log_p[i] = s[0, i] - fast_log(total[i])


@njit(cache=True, nogil=True, error_model="numpy")
def drawn(tau, size, start, out):
    """Sample items systematically with probability min(1, c tau); return the count and c.

    ``out`` receives the items where the cumulative sum of probabilities, starting from ``start`` in
    [0, 1), passes an integer. The total of the probabilities is ``size``; c is infinite if there
    are at most ``size`` items. tau (n,) is raised to at least 1e-12 / n.
    """
    least, scale, sure, before = 1e-12 / tau.size, float(size), 0, -1
    while before < sure < size < tau.size:
        before, sure, rest = sure, 0, 0.0
        for i in range(tau.size):
            above = tau[i] * scale >= 1.0
            sure += above
            rest += 0.0 if above else max(tau[i], least)
        scale = (size - sure) / rest if sure < size else scale
    scale, total, count = np.inf if tau.size <= size else scale, start, 0
    for i in range(tau.size):
        floor = math.floor(total)
        total += min(1.0, scale * max(tau[i], least))
        if total >= floor + 1.0 and count < out.size:
            out[count] = i
            count += 1
    return count, scale
