"""Confidence intervals of shares, means and resampled statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import stdev

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm, t as student_t
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.ranges import LEVEL, POSITIVE, SHARE, check, integers
from resemblance.scores.weighted import as_weights

_EXACT = 4  # largest number of items of a row for which all of their subsets are counted
_ROUNDING = 1e-12  # largest rounding error of a mean or standard error, relative to the means
_BLOCK = 2**22  # number of counts that are generated at a time: 32 MiB


def percentile_interval(drawn: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the central interval of draws (n_draws, ...) that has the share ``level``."""
    check(level=(level, LEVEL))
    tails = [0.5 - 0.5 * level, 0.5 + 0.5 * level]
    low, high = np.quantile(np.asarray(drawn, float), tails, axis=0)
    return low, high


def student_interval(
    estimate: ArrayLike, error: ArrayLike, freedom: float, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return estimate -+ t error, where t is a quantile of Student's distribution."""
    check(level=(level, LEVEL))
    half = student_t.ppf(0.5 + 0.5 * level, freedom) * np.asarray(error)
    return np.asarray(estimate - half), np.asarray(estimate + half)


def estimates(
    values: Floats, errors: Floats, freedom: float, level: float = 0.95
) -> dict[str, Floats]:
    """Return the columns of a table of estimates: values, standard errors and interval ends."""
    low, high = student_interval(values, errors, freedom, level)
    return {"value": values, "standard_error": errors, "low": low, "high": high}


def pairwise(n: int) -> tuple[np.ndarray, np.ndarray, Floats]:
    """Return the first and second of all pairs of n estimates, and their contrasts (n_pairs, n).

    >>> pairwise(2)
    (array([0]), array([1]), array([[ 1., -1.]]))
    """
    first, second = np.triu_indices(n, 1)
    return first, second, np.eye(n)[first] - np.eye(n)[second]


def wilson_interval(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    r"""Return the interval of a share p of n independent answers.

    .. math:: \frac{p + z^2 / 2n \pm z \sqrt{p (1 - p) / n + z^2 / 4n^2}}{1 + z^2 / n}

    where z is the normal quantile for ``level``. The interval is within 0 and 1, and wider than 0
    even if the share is 0 or 1. Source: Wilson 1927, Probable inference, the law of succession, and
    statistical inference, JASA 22.
    """
    check(share=(share, SHARE), n=(n, POSITIVE), level=(level, LEVEL))
    z = norm.ppf(0.5 + 0.5 * level)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    # Rounding errors must not move an end of the interval beyond the share itself.
    return float(np.clip(middle - half, 0.0, share)), float(np.clip(middle + half, share, 1.0))


def mean_interval(
    losses: ArrayLike,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    level: float = 0.95,
    *,
    fold_means: Sequence[float] = (),
    share: bool = True,
    crossed: ArrayLike | None = None,
) -> tuple[float | None, tuple[float, float] | None]:
    r"""Return the standard error and the interval of a weighted mean, such as a held-out error.

    .. math:: s^2 = \max\Big(\frac{G - 1}{G}
       \sum_g (\bar\ell_{-g} - \bar\ell)^2,
       \frac{\sum_f (e_f - \bar e)^2}{F (F - 1)}\Big)

    The first term is a jackknife over G groups: the mean without group g is compared with the mean.
    The second term is the variance of the errors e_f of F folds. The degrees of freedom of
    Student's t are

    .. math:: \min\Big(F, \big(\sum_g w_g\big)^2 \Big/ \sum_g w_g^2\Big) - 1

    (at least one), where w_g is the weight of group g. They are few if few groups have most of the
    weight. If losses are 0 or 1, the interval is :func:`wilson_interval`, with the number of
    answers that would have the standard error s, at most the actual number. Otherwise the interval
    is the mean -+ t s.

    Shapes: losses (m,), weights (m,), groups (m,), crossed (m,).

    >>> error, (low, high) = mean_interval([0, 0, 0, 1] * 25)
    >>> round(error, 3), round(low, 2), round(high, 2)
    (0.044, 0.17, 0.34)
    """
    sums = _group_sums(losses, weights, groups)
    n_groups, total = len(sums), sums.imag.sum()
    if n_groups < 2:
        return None, None
    mean = sums.real.sum() / total
    variance, freedom = _jackknifed(sums)
    if crossed is not None and len(others := _group_sums(losses, weights, crossed)) > 1:
        of_others, freedom_of_others = _jackknifed(others)
        ids = [np.arange(np.size(losses)) if groups is None else groups, crossed]
        first, second = (np.unique(np.asarray(of), return_inverse=True)[1] for of in ids)
        both = first * (second.max() + 1) + second
        of_both = _jackknifed(_group_sums(losses, weights, both))[0]
        variance = max(variance, of_others, variance + of_others - of_both)
        freedom = min(freedom, freedom_of_others)
    spread = stdev(fold_means) / len(fold_means) ** 0.5 if len(fold_means) > 1 else 0.0
    error = max(float(np.sqrt(variance)), spread)
    freedom = min(freedom, len(fold_means) - 1) if len(fold_means) > 1 else freedom
    t = student_t.ppf(0.5 + 0.5 * level, freedom)
    if not share:
        low, high = student_interval(mean, error, freedom, level)
        return error, (float(low), float(high))
    rows = as_weights(weights, np.size(losses))
    most = total**2 / (rows**2).sum()  # effective number of rows
    n = min(mean * (1 - mean) / error**2, most) if error else float(n_groups)
    scale = (norm.ppf(0.5 + 0.5 * level) / t) ** 2
    return error, wilson_interval(float(np.clip(mean, 0, 1)), n * scale, level)


def _jackknifed(sums: np.ndarray) -> tuple[float, float]:
    n, total = len(sums), sums.imag.sum()
    mean = sums.real.sum() / total
    # change of the mean if a group is left out
    moved = (sums.real - mean * sums.imag) / (total - sums.imag)
    freedom = total**2 / (sums.imag**2).sum() - 1
    return float((n - 1) / n * (moved**2).sum()), max(float(freedom), 1.0)


@dataclass(frozen=True)
class CrossedErrors:
    r"""Standard errors of weighted means over rows that share people or items.

    .. math:: \hat\sigma^2 = \max(V_G + V_n - V_{Gn}, V_G, V_n), \qquad
       V_n = \frac{n (n - 1)}{(n - K)^2} \sum_{S \ne \emptyset}
       (-1)^{|S| + 1} \Big(\sum_{r \supseteq S} e_r\Big)^2

    where e_r is the deviation of row r from the mean, times its share of all weight, and S is a set
    of items. By inclusion and exclusion, the sum over S is the sum of e_r e_s over all pairs of
    rows r, s with a common item. The factor is that of a jackknife over n items, with K items per
    row. V_G is the sum over pairs of rows of one person, times G / (G - 1) for G people. V_Gn is
    the sum over pairs of rows with the same person and a common item, times both factors. If rows
    have more than four items, a pair of rows is counted once for each common item.

    Source: Aronow, Samii & Assenova 2015, Cluster-robust variance estimation for dyadic data,
    Political Analysis 23; Cameron, Gelbach & Miller 2011, Robust inference with multiway
    clustering, Journal of Business & Economic Statistics 29.

    Attributes
    ----------
    means : array (c,)
    covariances : array (3, c, c)
        The covariances V_G, V_n and V_Gn of the means.
    freedom : float
        The degrees of freedom: the smaller of the effective numbers of people and of rows without a
        common item (n / K), minus 1, or 1; 0 if there are too few for an interval.
    """

    means: Floats
    covariances: Floats
    freedom: float

    @classmethod
    def of(
        cls, values: Floats, weights: Floats, people: ArrayLike | None, index: np.ndarray
    ) -> CrossedErrors:
        """Compute errors of values (m, c) with weights (m,), people (m,) and items (m, K)."""
        weights = as_weights(weights, len(values))
        share = weights / weights.sum()
        means = share @ values
        apart = share[:, None] * (values - means)
        labels = np.arange(len(values)) if people is None else np.asarray(people)
        person = np.unique(labels, return_inverse=True)[1]
        rows, columns = np.nonzero(index >= 0)
        shares = np.bincount(person, share), np.bincount(index[rows, columns], share[rows])
        rng = np.random.default_rng(0)
        codes = [rng.integers(2**63, size=len(each), dtype=np.uint64) for each in shares]
        covariances = np.zeros((3, len(means), len(means)))
        covariances[0] = _summed_squares(apart, person)
        for sign, row, subset in _subsets(index):
            code = codes[1][subset].sum(axis=1)
            covariances[1] += sign * _summed_squares(apart[row], code)
            covariances[2] += sign * _summed_squares(apart[row], code + codes[0][person[row]])
        n_people, n_items, width = *map(np.count_nonzero, shares), index.shape[1]
        if n_people < 2 or n_items <= width:
            return cls(means, covariances, 0.0)
        up = n_people / (n_people - 1), n_items * (n_items - 1) / (n_items - width) ** 2
        covariances *= np.reshape([*up, up[0] * up[1]], (3, 1, 1))
        of_people, of_items = (each.sum() ** 2 / (each**2).sum() for each in shares)
        return cls(means, covariances, max(float(min(of_people, of_items / width)) - 1, 1.0))

    def estimates(self, contrasts: Floats, level: float = 0.95) -> dict[str, Floats]:
        """Return the columns (k,) of a table of k contrasts (k, c) of the means.

        Intervals are NaN if there are too few people or items, or a contrast other than 0 has no
        spread, as when all values are 1.
        """
        values = contrasts @ self.means
        people, items, both = np.einsum("kc,vcd,kd->vk", contrasts, self.covariances, contrasts)
        variance = np.maximum(people + items - both, np.maximum(people, items))
        errors = np.sqrt(np.maximum(variance, 0.0))
        columns = estimates(values, errors, max(self.freedom, 1.0), level)
        rounding = _ROUNDING * np.abs(self.means).max()
        unclear = (self.freedom <= 0) | ((errors <= rounding) & (np.abs(values) > rounding))
        return columns | {end: np.where(unclear, np.nan, columns[end]) for end in ("low", "high")}


def _subsets(index: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield the sign, the rows and the items of all subsets of columns without missing items."""
    width = index.shape[1]
    signs = {size: (-1) ** (size + 1) for size in range(1, width + 1)}
    for size, sign in (signs if width <= _EXACT else {1: 1, width: 1 - width}).items():
        columns = list(combinations(range(width), size))
        subset = np.concatenate([index[:, chosen] for chosen in columns])
        full = (subset >= 0).all(axis=1)
        yield sign, np.tile(np.arange(len(index)), len(columns))[full], subset[full]


def _summed_squares(apart: Floats, code: np.ndarray) -> Floats:
    group = np.unique(code, return_inverse=True)[1]
    sums = np.array([np.bincount(group, column) for column in apart.T])
    return np.asarray(sums @ sums.T)


def bootstrap_interval(
    losses: ArrayLike,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[float, float]:
    r"""Return the percentile bootstrap interval of a weighted mean, resampling whole groups.

    .. math:: \theta^* = \frac{\sum_g k_g \sum_{r \in g} w_r \ell_r}
                              {\sum_g k_g \sum_{r \in g} w_r}, \qquad
              k \sim \mathrm{Multinomial}(G; 1/G, \dots, 1/G)

    k_g is the number of times that group g of G is resampled. The interval is from the (1 -
    level)/2 to the (1 + level)/2 quantile of theta*. Source: Efron and Tibshirani (1993), An
    introduction to the bootstrap, chapters 8 and 13.

    Parameters
    ----------
    losses : array_like of shape (m,)
        The loss of each row.
    weights : array_like of shape (m,), optional
        The weight of each row; default 1.
    groups : array_like of shape (m,), optional
        Labels of rows; rows with the same label, such as the rows of a response or observer, are
        resampled together. By default every row is a group.
    level : float, default 0.95
        Coverage of the interval, between 0 and 1.
    n_resamples : int, default 2000
        The number of resampled means.
    random_state : int, RandomState or None, default None
        Seed of the resampling.

    Returns
    -------
    low, high : float
        The ends of the interval.

    Raises
    ------
    SettingError
        If level or n_resamples is out of range, the losses are not a finite (m,) array, or the
        number of group labels is not m.
    JudgmentError
        If there are no rows or the weights are not valid.

    Notes
    -----
    Groups with equal sums are resampled together, so that time depends only on the number of
    distinct sums: a million rows with losses 0 and 1 take as long as a hundred rows.

    Examples
    --------
    >>> low, high = bootstrap_interval([0, 1] * 50, random_state=0)
    >>> 0.38 < low < 0.44 < 0.56 < high < 0.62
    True
    """
    means = bootstrap_means(losses, weights, groups, n_resamples, random_state)
    low, high = percentile_interval(means, level)
    return float(low), float(high)


def bootstrap_means(
    losses: ArrayLike,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 2000,
    random_state: int | np.random.RandomState | None = None,
) -> np.ndarray:
    check(n_resamples=(n_resamples, integers(1)))
    sums = _group_sums(losses, weights, groups)
    return _resampled_means(sums, n_resamples, check_random_state(random_state))


def _group_sums(
    losses: ArrayLike, weights: ArrayLike | None, groups: ArrayLike | None
) -> np.ndarray:
    """Return sums of weighted losses (real part) and weights (imaginary part) by group."""
    losses = np.asarray(losses, dtype=np.float64)
    if losses.ndim != 1 or not np.isfinite(losses).all():
        raise SettingError("losses must be a finite (m,) array; clip an infinite log loss by eps")
    weights = as_weights(weights, len(losses))
    if groups is None:
        sums = weights * losses + 1j * weights
    else:
        group = np.unique(np.asarray(groups), return_inverse=True)[1]
        if group.shape != losses.shape:
            raise SettingError(
                f"groups has {group.size} labels for {losses.size} rows; give one each"
            )
        sums = np.bincount(group, weights * losses) + 1j * np.bincount(group, weights)
    return sums[sums.imag > 0]


def _resampled_means(sums: np.ndarray, n_resamples: int, rng: np.random.RandomState) -> np.ndarray:
    distinct, count = np.unique(sums, return_counts=True)
    size = max(1, _BLOCK // len(distinct))
    means = []
    for start in range(0, n_resamples, size):
        n_draws = min(size, n_resamples - start)
        drawn = rng.multinomial(len(sums), count / len(sums), size=n_draws) @ distinct
        means.append(drawn.real / drawn.imag)
    return np.concatenate(means)
