"""Compile losses and slopes of the choice models.

A ``model`` is a tuple (kind, p, q, r) of a kind and its parameters. Each kind has a scalar
function, which ``compare`` calls, so that one compiled loop works for all models. The branch on the
kind costs almost nothing, because the kind does not change in a loop.

A scalar function returns (base, factor, slope_near, slope_far), where the loss is base +
log(factor). Sums of losses multiply factors and take a logarithm only when the product gets large,
which halves the time of likelihoods.
"""

import math

import numpy as np
from numba import njit

HINGE, RELATIVE, LOGISTIC, SOFTMAX, STUDENT, MARGIN, DECAY, PROBIT = range(8)

# For arrangements: NOISE, the standard deviation of the noise as a share of the distance; NOISE_DF,
# the degrees of freedom.
NOISE, NOISE_DF = 0.15, 20.0
FULL = 1e100  # upper limit of the product of factors: above it, the logarithm is taken
_LEAST = -708.0  # smallest argument whose exp is a normal double
_TO_BITS = 1.5 * 2.0**52  # after adding this, the lowest bits of a double are the nearest integer
_ROOT_HALF, _HALF_LOG_2PI = math.sqrt(0.5), 0.5 * math.log(2.0 * math.pi)
_PER_LOG2 = 1.0 / math.log(2.0)
# log(2) is the sum of these two numbers, the first of which has few digits.
_LOG2_HIGH, _LOG2_LOW = 0xB17217F7 / 2.0**32, 1.9082149292705877e-10


@njit(cache=True, inline="always", error_model="numpy")
def logistic_loss(u):
    """Return base, factor and slope of log(1 + exp(u)) = base + log(factor), without overflow."""
    e = math.exp(-abs(u))
    share = 1.0 / (1.0 + e)
    return max(u, 0.0), 1.0 + e, (share if u > 0.0 else e * share)


@njit(cache=True, inline="always", error_model="numpy")
def hinge(margin, width, near, far):
    """max(0, margin + near - far), with a parabola of the given width instead of the corner."""
    u = margin + near - far
    if u <= 0.0:
        return 0.0, 1.0, 0.0, 0.0
    if u < width:
        return 0.5 * u * u / width, 1.0, u / width, -u / width
    return u - 0.5 * width, 1.0, 1.0, -1.0


@njit(cache=True, inline="always", error_model="numpy")
def relative(mu, near, far):
    """-log p with p = (mu + far) / (2 mu + near + far)."""
    total = 2.0 * mu + near + far
    per_total, per_rest = 1.0 / total, 1.0 / (mu + far)
    return 0.0, total * per_rest, per_total, per_total - per_rest


@njit(cache=True, inline="always", error_model="numpy")
def student(alpha, near, far):
    """-log p with p proportional to (1 + d / alpha) ** (-(alpha + 1) / 2)."""
    power = 0.5 * (alpha + 1.0)
    n = alpha + near
    f = alpha + far
    base, factor, w = logistic_loss(power * math.log(n / f))
    return base, factor, w * power / n, -w * power / f


@njit(cache=True, inline="always", error_model="numpy")
def squared_hinge(margin, near, far):
    """max(0, margin + near - far) ** 2."""
    u = max(margin + near - far, 0.0)
    return u * u, 1.0, 2.0 * u, -2.0 * u


@njit(cache=True, inline="always", error_model="numpy")
def probit(near, far):
    """-log Phi(far - near), with Mills' ratio as a continued fraction for very negative values.

    phi(u) / Phi(-u) = u + 1 / (u + 2 / (u + 3 / (u + ...)))
    """
    u = near - far
    if u < 6.0:
        tail = 0.5 * math.erfc(u * _ROOT_HALF)
        slope = math.exp(-0.5 * u * u - _HALF_LOG_2PI) / tail
        return 0.0, 1.0 / tail, slope, -slope
    slope = u
    for k in range(20, 0, -1):
        slope = u + k / slope
    return 0.5 * u * u + _HALF_LOG_2PI, slope, slope, -slope


@njit(cache=True, inline="always", error_model="numpy")
def compare(model, near, far):
    """Return base and factor of a comparison's loss, and its slopes for near and for far."""
    kind, p, q, _ = model
    if kind == SOFTMAX:
        base, factor, w = logistic_loss(near - far)
        return base, factor, w, -w
    if kind == STUDENT:
        return student(p, near, far)
    if kind == RELATIVE:
        return relative(p, near, far)
    if kind == HINGE:
        return hinge(p, q, near, far)
    if kind == MARGIN:
        return squared_hinge(p, near, far)
    if kind == PROBIT:
        return probit(near, far)
    base, factor, w = logistic_loss(far - near)
    return base, factor, -w, w


@njit(cache=True, error_model="numpy")
def compared(model, near, far):
    """Return the result of ``compare``. It is compiled only once, but slower in a loop."""
    return compare(model, near, far)


@njit(cache=True, inline="always", error_model="numpy")
def log_similarity(model, d):
    """Return log s(d) and its slope, for models with p_k = s_k / sum of s."""
    kind, p, _, _ = model
    if kind == SOFTMAX:
        return -d, -1.0
    if kind == LOGISTIC:
        return d, 1.0
    power = 1.0 if kind == RELATIVE else 0.5 * (p + 1.0)
    return -power * math.log(p + d), -power / (p + d)


@njit(cache=True, inline="always", error_model="numpy")
def rounded(d, width):
    """Return sqrt(d^2 + width^2) - width and its slope. Width 0 gives d."""
    if width == 0.0:
        return d, 1.0
    root = math.sqrt(d * d + width * width)
    return root - width, d / root


@njit(cache=True, inline="always", error_model="numpy")
def log_share(model, d):
    """Return log s(d) / s(0) and its slope, for models with a similarity."""
    kind, _, _, width = model
    if kind == DECAY:
        d, bend = rounded(d, width)
        return -d, -bend
    top, _ = log_similarity(model, 0.0)
    log_s, slope = log_similarity(model, d)
    return log_s - top, slope


@njit(cache=True, inline="always", error_model="numpy")
def confuse(model, d):
    """Return loss and slope of an error, then loss and slope of a right answer, at distance d.

    In models of comparisons, the other distance is 0, that of an item to itself.
    """
    kind, ceiling, lapse, width = model
    if kind != DECAY:
        base, factor, slope_error, _ = compared(model, d, 0.0)
        right, share, _, slope_right = compared(model, 0.0, d)
        return base + math.log(factor), slope_error, right + math.log(share), slope_right
    d, bend = rounded(d, width)
    seen = (1.0 - lapse) * ceiling * math.exp(-d)
    p = seen + 0.5 * lapse
    right, slope_right = -math.log1p(-p), -bend * seen / (1.0 - p)
    if lapse == 0.0:
        return d - math.log(ceiling), bend, right, slope_right
    return -math.log(p), bend * seen / p, right, slope_right


@njit(cache=True, nogil=True, error_model="numpy")
def confuse_all(model, distances, counts, slopes):
    """Return the loss of errors counts[r, 0] and right answers counts[r, 1]; fill slopes."""
    total = 0.0
    for r in range(distances.size):
        error, slope_error, right, slope_right = confuse(model, distances[r])
        total += counts[r, 0] * error + counts[r, 1] * right
        slopes[r] = counts[r, 0] * slope_error + counts[r, 1] * slope_right
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def arrange_all(distances, measured, slopes):
    """Return the sum of the losses of m arrangements, and fill their slopes.

    ``distances`` and ``slopes`` are (P, m), with a row for each pair; ``measured`` (m, 1 + P) has
    the weight of a trial and the screen distances of its pairs. The loss of a trial with k items is
    (a + n) / 2 log(1 + q), where n = 2 k - 4 and q = n / (a s^2) P / (P - 1) (1 - cos^2). cos is
    the cosine between distances and screen distances, s is NOISE and a is NOISE_DF.
    """
    n_pairs, m = distances.shape
    k = 0.5 * (1.0 + math.sqrt(1.0 + 8.0 * n_pairs))
    df = 2.0 * k - 4.0
    factor = df / (NOISE_DF * NOISE * NOISE) * n_pairs / (n_pairs - 1.0)
    total = 0.0
    for r in range(m):
        own = both = screen = 0.0
        for p in range(n_pairs):
            on_screen = measured[r, 1 + p]
            own += distances[p, r] * distances[p, r]
            both += distances[p, r] * on_screen
            screen += on_screen * on_screen
        scale = both / own if own > 0.0 else 0.0
        left = factor * max(1.0 - scale * both / screen, 0.0)
        weight = 0.5 * measured[r, 0] * (NOISE_DF + df)
        total += weight * math.log1p(left)
        pull = -2.0 * weight / (1.0 + left) * factor * scale / screen
        for p in range(n_pairs):
            slopes[p, r] = pull * (measured[r, 1 + p] - scale * distances[p, r])
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def log_shares(model, distances, out, slopes):
    """Fill ``out`` with log s(d) / s(0) at each distance, and ``slopes`` with its slope."""
    for r in range(distances.size):
        out[r], slopes[r] = log_share(model, distances[r])


@njit(cache=True, nogil=True, error_model="numpy")
def error_probabilities(model, distances, out, slopes):
    for r in range(distances.size):
        loss, slope, _, _ = confuse(model, distances[r])
        out[r] = math.exp(-loss)
        slopes[r] = -slope * out[r]


@njit(cache=True, inline="always", error_model="numpy")
def _exponential(y):
    """Return exp(y) for |y| up to log(2) / 2, by its series up to y^13."""
    z = y * y
    v = z * z
    low = (1.0 + y) + z * (1.0 / 2.0 + y / 6.0)
    middle = (1.0 / 24.0 + y / 120.0) + z * (1.0 / 720.0 + y / 5040.0)
    high = (1.0 / 40320.0 + y / 362880.0) + z * (1.0 / 3628800.0 + y / 39916800.0)
    return low + v * (middle + v * (high + v * (1.0 / 479001600.0 + y / 6227020800.0)))


@njit(cache=True, nogil=True, error_model="numpy", fastmath=False)
def softmax_all(near, far, weight, slope_near, slope_far):
    """Compute ``compare_all`` for the softmax, in code that compiles to SIMD.

    ``fastmath=False`` is needed because a compiled function inherits the flags of its first caller,
    and a reordered sum would break the rounding by ``_TO_BITS``.

    exp(-|near - far|) = 2^k exp(y), and 2^k is written as bits, so that loops have no calls,
    branches or sums. The arrays of slopes first store 2^k and exp(y).
    """
    bits = slope_far.view(np.int64)
    for r in range(near.size):
        u = -abs(near[r] - far[r])
        u = _LEAST if u < _LEAST else u
        slope_far[r] = u * _PER_LOG2 + _TO_BITS
        k = slope_far[r] - _TO_BITS
        slope_near[r] = _exponential((u - k * _LOG2_HIGH) - k * _LOG2_LOW)
    for r in range(near.size):
        bits[r] = (bits[r] + 1023) << 52
    for r in range(near.size):
        slope_near[r] *= slope_far[r]
    total = 0.0
    product = 1.0
    for r in range(near.size):
        base = max(near[r] - far[r], 0.0)
        if weight.size:
            total += weight[r] * (base + math.log(1.0 + slope_near[r]))
            continue
        total += base
        product *= 1.0 + slope_near[r]
        if product > FULL:
            total += math.log(product)
            product = 1.0
    for r in range(near.size):
        share = 1.0 / (1.0 + slope_near[r])
        slope_near[r] = share if near[r] > far[r] else slope_near[r] * share
    for r in range(weight.size):
        slope_near[r] *= weight[r]
    for r in range(near.size):
        slope_far[r] = -slope_near[r]
    return total + math.log(product)


def compare_all(model, near, far, weight, slope_near, slope_far):
    """Return the weighted sum of the losses of comparisons, and fill their slopes.

    An empty ``weight`` means that all weights are 1. The softmax has its own loop.
    """
    if model[0] == SOFTMAX:
        return softmax_all(near, far, weight, slope_near, slope_far)
    return _compare_rows(model, near, far, weight, slope_near, slope_far)


@njit(cache=True, nogil=True, error_model="numpy")
def _compare_rows(model, near, far, weight, slope_near, slope_far):
    total = 0.0
    product = 1.0
    if weight.size == 0:
        for r in range(near.size):
            base, factor, slope_near[r], slope_far[r] = compare(model, near[r], far[r])
            total += base
            product *= factor
            if product > FULL:
                total += math.log(product)
                product = 1.0
        return total + math.log(product)
    for r in range(near.size):
        base, factor, slope_n, slope_f = compare(model, near[r], far[r])
        total += weight[r] * (base + math.log(factor))
        slope_near[r] = weight[r] * slope_n
        slope_far[r] = weight[r] * slope_f
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def losses(model, near, far, out):
    for r in range(near.size):
        base, factor, _, _ = compared(model, near[r], far[r])
        out[r] = base + math.log(factor)


@njit(cache=True, inline="always", error_model="numpy")
def choose(model, distances, slopes, r, members, score, of_pair, factor):
    """Return base and factor of the loss of row r, a choice among N options; fill slopes.

    The last three arguments are work space, for options (N,) and pairs (P,).
    """
    n_options, n_members = members.shape
    share = 1.0 / n_members
    for p in range(distances.shape[0]):
        of_pair[p], slopes[p, r] = log_similarity(model, distances[p, r])
        factor[p] = 0.0
    top = -math.inf
    for k in range(n_options):
        score[k] = 0.0
        for j in range(n_members):
            score[k] += share * of_pair[members[k, j]]
        top = max(top, score[k])
    chosen = score[0]
    mass = 0.0
    for k in range(n_options):
        score[k] = math.exp(score[k] - top) if score[k] < top else 1.0
        mass += score[k]
    for k in range(n_options):
        pull = share * (score[k] / mass - (1.0 if k == 0 else 0.0))
        for j in range(n_members):
            factor[members[k, j]] += pull
    for p in range(distances.shape[0]):
        slopes[p, r] *= factor[p]
    return top - chosen, mass


@njit(cache=True, nogil=True, error_model="numpy")
def choose_all(model, distances, members, weight, slopes):
    """Return the sum of the losses of choices among N options, and fill their slopes.

    ``distances`` and ``slopes`` are (P, m), with a row for each pair. ``members`` (N, L) lists the
    pairs of each option; option 0 was chosen. log s_k is the mean log similarity of the pairs of
    option k, and the loss is log(sum_k s_k) - log s_0.
    """
    n_pairs, m = distances.shape
    score = np.empty(len(members))
    of_pair, factor = np.empty(n_pairs), np.empty(n_pairs)
    total = 0.0
    product = 1.0
    for r in range(m):
        base, mass = choose(model, distances, slopes, r, members, score, of_pair, factor)
        if weight.size:
            total += weight[r] * (base + math.log(mass))
            for p in range(n_pairs):
                slopes[p, r] *= weight[r]
            continue
        total += base
        product *= mass
        if product > FULL:
            total += math.log(product)
            product = 1.0
    return total + math.log(product)
