"""Fisher's exact test for many tables at once."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

# Tables as likely as the observed one count with it, though rounding may set them apart.
AS_LIKELY = 1 + 1e-7
CELLS = 1 << 20

Integers = NDArray[np.int64]


def fisher_exact(a: Integers, m: Integers, b: Integers, n: Integers) -> NDArray[np.float64]:
    r"""Return the two-sided p-value that a of m and b of n have the same rate, for arrays of them.

    .. math:: p = \sum_{x : P(x) \le P(a)} P(x), \quad
        P(x) = \binom{m}{x} \binom{n}{a + b - x} / \binom{m + n}{a + b}

    scipy.stats.fisher_exact is this for one table, and many times slower for many.
    """
    step = max(1, CELLS // (1 + int(m.max(initial=0))))
    chunks = [slice(first, first + step) for first in range(0, len(a), step)]
    parts = [_p_values(a[chunk], m[chunk], b[chunk], n[chunk]) for chunk in chunks]
    return np.concatenate([np.empty(0), *parts])


def _p_values(a: Integers, m: Integers, b: Integers, n: Integers) -> NDArray[np.float64]:
    total = a + b
    least = np.maximum(0, total - n)
    size = np.minimum(total, m) - least + 1
    # All x of all tables, one table after the other.
    start = np.cumsum(size) - size
    table = np.repeat(np.arange(len(a)), size)
    x = np.arange(len(table)) + (least - start)[table]
    ways = _log_binomial(m[table], x) + _log_binomial(n[table], total[table] - x)
    likelihood = np.exp(ways - _log_binomial(m + n, total)[table])
    observed = likelihood[start + a - least]
    counted = likelihood <= observed[table] * AS_LIKELY
    return np.minimum(np.add.reduceat(likelihood * counted, start), 1)


def _log_binomial(n: Integers, k: Integers) -> NDArray[np.float64]:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
