"""Convert confusions for methods that have no likelihood of counts.

All start by pooling: what counts is the ratio of errors to trials of a pair, over all its rows.
Each gives up information, for which the Yada paper (section 4.5) blames the worse fits of the
baselines. Cut confusions into folds before converting them: one count serves in many judgments.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from sklearn.utils.random import sample_without_replacement

from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments.checks import of_kind
from resemblance.judgments.confusions import Confusions
from resemblance.judgments.pairs import PairRanks, SimilarPairs
from resemblance.judgments.quadruplets import Quadruplets
from resemblance.judgments.triplets import Triplets
from resemblance.ranges import SHARE, Range, check, integers

# Tables as likely as the observed one count with it, though rounding may set them apart.
AS_LIKELY = 1 + 1e-7
CELLS = 1 << 20

Integers = NDArray[np.int64]
RowNumbers = NDArray[np.intp]
MOST_COUPLES = 20_000_000  # 20 million couples take about a gigabyte


def fisher_exact(a: Integers, m: Integers, b: Integers, n: Integers) -> NDArray[np.float64]:
    r"""Return two-sided p-values of equal rates in a of m and b of n, for arrays.

    .. math:: p = \sum_{x : P(x) \le P(a)} P(x), \quad P(x) = \binom{m}{x} \binom{n}{a + b - x} /
       \binom{m + n}{a + b}

    scipy.stats.fisher_exact tests one table, much more slowly for many.
    """
    step = max(1, CELLS // (1 + int(m.max(initial=0))))
    chunks = [slice(first, first + step) for first in range(0, len(a), step)]
    parts = [_tails(a[chunk], m[chunk], b[chunk], n[chunk]) for chunk in chunks]
    return np.concatenate([np.empty(0), *parts])


def _tails(a: Integers, m: Integers, b: Integers, n: Integers) -> NDArray[np.float64]:
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


def pair_ranks_from_confusions(confusions: Confusions) -> PairRanks:
    r"""Rank pairs by their ratios: rank 1 is the most confused pair, which is the nearest.

    .. math:: r_{ij} = \tfrac{1}{2} + \tfrac{1}{2} \#\{p = q\} + \#\{p > q\},
        \quad q = a_{ij} / n_{ij}

    where p runs over the ratios of all pairs, the pair itself counted: ties share the mean of the
    ranks that they take up.

    Parameters
    ----------
    confusions : Confusions
        Pooled first, see :meth:`Confusions.pool`.

    Returns
    -------
    PairRanks
        One row per pair, as pooled.

    Notes
    -----
    The Yada paper, section 4.4.1, gives rank 1 to the pair with the smallest ratio. Read as ranks
    of dissimilarity, which is how nonmetric MDS reads ranks, that is upside down: pairs that nobody
    confuses would be placed nearest. Here, as in :class:`PairRanks`, rank 1 is the most similar.

    Examples
    --------
    >>> confusions = Confusions([[0, 1], [0, 2], [1, 2]], errors=[20, 3, 3], trials=50)
    >>> pair_ranks_from_confusions(confusions).ranks
    array([1. , 2.5, 2.5])
    """
    pooled = of_kind(confusions, Confusions, "this conversion").pool()
    _, tied, sizes = np.unique(-pooled.ratio, return_inverse=True, return_counts=True)
    ranks = np.cumsum(sizes) - (sizes - 1) / 2
    return PairRanks(pooled.index, ranks[tied], pooled.items)


def triplets_from_confusions(confusions: Confusions, level: float | None = None) -> Triplets:
    r"""Compare the ratios of pairs that share an item: the more confused pair is the nearer.

    .. math:: a_{ij} / n_{ij} > a_{ik} / n_{ik} \;\Rightarrow\; (i, j, k)

    Equal ratios give nothing. An item that was tested against q others gives up to q (q - 1) / 2
    triplets with it as the head.

    Parameters
    ----------
    confusions : Confusions
        Pooled first, see :meth:`Confusions.pool`.
    level : float, optional
        Keep only the triplets whose two ratios differ by Fisher's exact test, two-sided, with a
        p-value up to this level, such as 0.05.

    Returns
    -------
    Triplets
        Sorted by head. They carry no ids of responses: almost all of them depend on each other.

    Raises
    ------
    JudgmentError
        If no triplet is left.
    SettingError
        If the level is not above 0 and up to 1.

    References
    ----------
    The Yada paper, section 4.4.2, for the method of Schultz and Joachims.

    Examples
    --------
    >>> confusions = Confusions([[0, 1], [0, 2], [1, 2]], errors=[20, 3, 3], trials=50)
    >>> triplets_from_confusions(confusions, level=0.05).index
    array([[0, 1, 2],
           [1, 0, 2]], dtype=int32)
    """
    pooled = of_kind(confusions, Confusions, "this conversion").pool()
    head, early, late = _sharing(pooled.index)
    kept, near, far = _decided(pooled, early, late, level, "two pairs that share an item")
    # The other item of a pair is the sum of both less the head.
    others = pooled.index.sum(axis=1)
    index = np.stack([head[kept], others[near] - head[kept], others[far] - head[kept]], axis=1)
    return Triplets(index, pooled.items)


def quadruplets_from_confusions(
    confusions: Confusions,
    level: float | None = None,
    *,
    n_compared: int | None = None,
    random_state: int | None = None,
) -> Quadruplets:
    r"""Compare the ratios of any two pairs: the more confused pair is the more similar.

    .. math:: a_{ij} / n_{ij} > a_{kl} / n_{kl} \;\Rightarrow\; (i, j, k, l)

    Equal ratios give nothing; m pairs give up to m (m - 1) / 2 quadruplets.

    Parameters
    ----------
    confusions, level
        As in :func:`triplets_from_confusions`.
    n_compared : int, optional
        Compare only so many of the m (m - 1) / 2 couples of pairs, drawn at random. None is all of
        them, up to 20 million.
    random_state : int, optional
        Of the draw.

    Returns
    -------
    Quadruplets

    Raises
    ------
    JudgmentError
        If no quadruplet is left.
    SettingError
        If the level is not above 0 and up to 1, if ``n_compared`` is below 1 or above the number of
        couples, or if it is left out and they are more than 20 million.

    Examples
    --------
    >>> confusions = Confusions([[0, 1], [2, 3]], errors=[3, 20], trials=50)
    >>> quadruplets_from_confusions(confusions).index
    array([[2, 3, 0, 1]], dtype=int32)
    """
    pooled = of_kind(confusions, Confusions, "this conversion").pool()
    couples = _couples(len(pooled), n_compared, random_state)
    _, near, far = _decided(pooled, *couples, level, "two pairs")
    return Quadruplets(np.hstack([pooled.index[near], pooled.index[far]]), pooled.items)


def _couples(m: int, wanted: int | None, random_state: int | None) -> tuple[RowNumbers, RowNumbers]:
    most = m * (m - 1) // 2
    if wanted is None and most > MOST_COUPLES:
        raise SettingError(
            f"{m} pairs make {most} couples to compare: say how many to draw, as in "
            "n_compared=1_000_000."
        )
    if wanted is None or not most:
        return np.triu_indices(m, 1)
    if wanted not in integers(1, most):
        raise SettingError(f"n_compared is {wanted!r}, of {most} couples: give 1 to {most}.")
    t = np.sort(sample_without_replacement(most, wanted, random_state=random_state))
    later = np.floor((1.0 + np.sqrt(1.0 + 8.0 * t)) / 2.0).astype(np.intp)
    return t - later * (later - 1) // 2, later


def similar_from_confusions(confusions: Confusions, threshold: float) -> SimilarPairs:
    r"""Call pairs similar whose ratio is above a threshold, and all other listed pairs dissimilar.

    .. math:: \text{similar}_{ij} = [a_{ij} / n_{ij} > t]

    Parameters
    ----------
    confusions : Confusions
        Pooled first, see :meth:`Confusions.pool`.
    threshold : float
        From 0 to 1. Much depends on it, so there is no default: the Yada paper, section 4.4.3,
        picks it from 0.05, 0.1, ..., 0.5 by cross-validation.

    Returns
    -------
    SimilarPairs
        One row per pair, as pooled.

    Raises
    ------
    SettingError
        If the threshold is not from 0 to 1.

    Examples
    --------
    >>> confusions = Confusions([[0, 1], [0, 2], [1, 2]], errors=[20, 3, 5], trials=50)
    >>> similar_from_confusions(confusions, threshold=0.1).similar
    array([ True, False, False])
    """
    check(threshold=(threshold, SHARE))
    pooled = of_kind(confusions, Confusions, "this conversion").pool()
    return SimilarPairs(pooled.index, pooled.ratio > threshold, pooled.items)


def _sharing(pairs: NDArray[np.int32]) -> tuple[NDArray[np.int32], RowNumbers, RowNumbers]:
    head = pairs.ravel()
    order = np.argsort(head, kind="stable")
    head, row = head[order], order // 2
    # Each row is coupled with all later rows of its run of equal heads.
    after = np.searchsorted(head, head, side="right") - np.arange(len(head)) - 1
    early = np.repeat(np.arange(len(head)), after)
    late = early + 1 + np.arange(len(early)) - np.repeat(np.cumsum(after) - after, after)
    return head[early], row[early], row[late]


def _decided(
    pooled: Confusions, early: RowNumbers, late: RowNumbers, level: float | None, what: str
) -> tuple[RowNumbers, RowNumbers, RowNumbers]:
    check(level=(level, Range(0, 1, above=True).besides(None)))
    ratio = pooled.ratio
    kept = np.flatnonzero(ratio[early] != ratio[late])
    if level is not None:
        kept = kept[_p_values(pooled, early[kept], late[kept]) <= level]
    if not len(kept):
        significant = "" if level is None else f" at level {level}"
        raise JudgmentError(f"no {what} have different ratios{significant}: add pairs or trials")
    swap = ratio[early[kept]] < ratio[late[kept]]
    return kept, np.where(swap, late[kept], early[kept]), np.where(swap, early[kept], late[kept])


def _p_values(pooled: Confusions, early: RowNumbers, late: RowNumbers) -> NDArray[np.float64]:
    """Test each comparison of two rows; equal counts are tested once."""
    counts, kind = np.unique([pooled.errors, pooled.trials], axis=1, return_inverse=True)
    kind = kind.ravel()  # NumPy 2.0 returns shape (1, m)
    table, same = np.unique(kind[early] * counts.shape[1] + kind[late], return_inverse=True)
    first, second = (counts[:, half] for half in np.divmod(table, counts.shape[1]))
    return fisher_exact(*first, *second)[same]
