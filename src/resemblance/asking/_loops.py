"""Compiled information gain of questions about hypotheses.

A hypothesis k gives every option b a similarity s[b, k]; among some options, b is chosen with
probability s[b, k] / sum of s. With x log x kept beside every similarity, the entropy of one
answer needs one logarithm: H = log(A + B) - (A log A + B log B) / (A + B).

Sums may be reordered (the flags say so), nothing else: no flag hides infinities or NaN.
"""

import math

import numpy as np
from numba import njit

from resemblance.choice._loops import LOGISTIC, RELATIVE, SOFTMAX

SUMS = {"reassoc", "contract", "arcp", "nsz"}

_ROOT_HALF = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)
_MANTISSA = 0x000FFFFFFFFFFFFF
_TWO_52 = 0x4330000000000000  # the bits of 2 ** 52
_BLOCK = 256  # items weighed together, whose numbers stay in the nearest cache
_F = np.float32
_LEAST = _F(-87.0)  # smaller exponents give no normal number in single precision
_TO_BITS = _F(1.5 * 2.0**23)  # added to a number, it leaves the nearest integer in the lowest bits
_PER_LOG2, _LOG2 = _F(1.0 / math.log(2.0)), _F(math.log(2.0))


@njit(cache=True, error_model="numpy", fastmath=False)
def fast_log(x):
    """Return log x of a positive normal number to 15 digits, by steps that compile to vectors.

    ``fastmath=False`` is stated, else the flags of whoever calls it first are inherited: the leave
    to reorder sums must not reach the subtraction of 2 ** 52, which is exact only as it stands.

    x = 2^e m with m in [sqrt(1/2), sqrt 2), and log m = 2 atanh((m - 1) / (m + 1)) as a series.
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
    """-p log p - (1 - p) log(1 - p), 0 at both ends."""
    return -(p * math.log(p) + (1.0 - p) * math.log1p(-p)) if 0.0 < p < 1.0 else 0.0


@njit(cache=True, error_model="numpy", fastmath=SUMS)
def pair_information(similarity, entropy, weight, pairs, out):
    """out[q] = H(mean p) - mean H(p) over hypotheses, for the two options of each row of pairs.

    similarity and entropy (s log s) are (options, hypotheses), weight (hypotheses,) sums to one.
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
    """out[q] = H(mean p) - mean H(p), for the N options of each row."""
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
    """out[q] = H(mean P) - mean H(P), for the N options of each row, where some answers are lapses.

    P = (1 - lapse) p + lapse / N, and the lapse is above 0.
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
    """out[c] = H(mean p) - mean H(p) for the options chosen and option c, for every c.

    Option c is also hypothesis c, of which the share hits[c] is left out with it: it would not
    be answered by a choice. similarity and entropy are (K, K), chosen (J,) holds options.
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
    """Return exp(max(u, -87)) of u up to 0, in single precision: 2^k times a series of exp(y)."""
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
    """out[i] = squared distance of item first + i from a point; columns (d, n) has positions."""
    out[:] = 0.0
    for k in range(len(columns)):
        x, c = columns[k, first : first + out.size], centre[k]
        for i in range(out.size):
            apart = x[i] - c
            out[i] += apart * apart


@njit(cache=True, nogil=True, error_model="numpy")
def _log_similarities(model, columns, first, option, out):
    """out[i] = log s of an option at item first + i, up to what all options have in common."""
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
    """out[i] = log p that the first of the options (N, d) is chosen by somebody who seeks i.

    In single precision, as columns (d, n) are; coldness is 1 over the temperature. The maximum of
    two arrays compiles to vectors, which a loop of maxima does not.
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
    """Fill the items at which the sum of min(1, c tau) passes an integer; give their number, and c.

    With c, all terms sum to ``size``; c is infinite if there are no more items than that. The sum
    begins at ``start``, from 0 to below 1. No item counts less than 1e-12 / n.
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
