"""Estimate the noise ceiling of RDMs from the similarity between people's RDMs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.errors import RDMError, SettingError
from resemblance.notebook import Card
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import LEVEL, check
from resemblance.rdms.rdms import RDMs
from resemblance.rdms.similarity import (
    FEWEST_PAIRS,
    RANKS,
    check_comparable,
    check_method,
    coded,
    is_product,
    pooled,
    prepared,
    similarities,
)
from resemblance.scores.intervals import student_interval

# With more than MANY items, the jackknife leaves out groups: one of PARTS at a time.
MANY, PARTS = 200, 20
AT_ONCE = 1 << 20  # number of dissimilarities that are prepared together
TIES = 9  # Values are rounded to this number of decimals, so that ties are exact.
FEWEST = {"people": 3, "items": 5}  # smallest numbers for a jackknife


class RDMCeiling(NamedTuple):
    """The noise ceiling of several people's RDMs: bounds on the similarity of the true model.

    Attributes
    ----------
    lower : float
        The mean similarity of each RDM to the mean of all other RDMs: a lower bound for the true
        model.
    upper : float
        The mean similarity of each RDM to the mean of all RDMs: an upper bound for any model.
    lower_interval, upper_interval : (float, float)
        Intervals of the bounds. NaN if there are fewer than three people (for a jackknife over
        people) or five items (over items), or if a person has fewer than three pairs left.
    """

    lower: float
    upper: float
    lower_interval: tuple[float, float] = (np.nan, np.nan)
    upper_interval: tuple[float, float] = (np.nan, np.nan)

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row for the lower and the upper bound: value, low and high."""
        values = [(self.lower, *self.lower_interval), (self.upper, *self.upper_interval)]
        return pd.DataFrame(values, ["lower", "upper"], ["value", "low", "high"])

    def _repr_html_(self) -> str:
        return Card("RDMCeiling", self._asdict()).html()


def rdm_noise_ceiling(
    rdms: RDMs,
    method: str = "spearman",
    *,
    over: Sequence[str] = ("items", "people"),
    level: float = 0.95,
    callback: Told | None = None,
) -> RDMCeiling:
    r"""Estimate the noise ceiling of several people's RDMs.

    .. math:: lower = \frac1G \sum_g s\Big(d^g, \sum_{h \neq g} \tilde d^h\Big), \qquad
       upper = \frac1G \sum_g s\Big(d^g, \sum_h \tilde d^h\Big)

    with s the similarity, :math:`d^g` the matrix of person g of G, and :math:`\tilde d` the matrix
    on the scale of s: divided by its length for the cosine, standardised for Pearson's correlation,
    ranks for other similarities. The upper bound is the largest mean similarity that any matrix can
    have (approximately for Kendall's tau-a, and for ranks with ties).

    Intervals are Student's t intervals. Their variances come from a jackknife, which leaves out a
    person g or an item i of n and gives bounds :math:`c_{-g}` and :math:`c_{-i}`:

    .. math:: \hat\sigma^2 = \frac{G - 1}{G} \sum_g (c_{-g} - \bar c_{-g})^2
       + \frac{n - 1}{n} \sum_i (c_{-i} - \bar c_{-i})^2

    The degrees of freedom are the smaller of the numbers of people and items, minus one. With more
    than 200 items, a twentieth of the items is left out at a time, and n is 20.

    If people lack pairs, matrices are first brought to one scale, with the pairs that they share.
    The mean of a pair is over the people who have it. A person and a mean are compared on the pairs
    that both have.

    Source: Nili et al. 2014, A toolbox for representational similarity analysis, PLoS Computational
    Biology 10.

    Parameters
    ----------
    rdms : RDMs
        One matrix per person, two or more.
    method : str
        A similarity as in :func:`compare_rdms`.
    over : sequence of str
        "people", "items" or both: the units to which intervals generalise.
    level : float
        The coverage of intervals, between 0 and 1. ``papers/calibration`` measures it.
    callback : callable, optional
        Called with (steps done, steps in all); a step leaves out a person or an item.

    Raises
    ------
    SettingError
        If the method is unknown, or another setting is out of range.
    RDMError
        If there is only one matrix, or a matrix is constant or has fewer than three pairs in common
        with the other matrices.

    Examples
    --------
    >>> people = RDMs([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 4.0]])
    >>> ceiling = rdm_noise_ceiling(people, over=["people"])
    >>> round(ceiling.lower, 3), round(ceiling.upper, 3)
    (0.744, 0.833)
    """
    check_method(method)
    if len(rdms) < 2:
        raise RDMError("one matrix has no noise ceiling: give one for each of several people")
    check(level=(level, LEVEL))
    if not over or set(over) - {"items", "people"}:
        raise SettingError(f"over is {over!r}: name items, people or both")
    check_comparable(rdms.dissimilarities, rdms.names, method)
    alone = apart(rdms.dissimilarities)
    if alone.any():
        raise RDMError(
            f"{rdms.names[int(alone.argmax())]!r} has fewer than {FEWEST_PAIRS} pairs in common "
            "with the others, and no noise ceiling: leave it out"
        )
    values = coded(rdms.dissimilarities, method)
    bounds = _bounds(values, method)
    parts = left_out(values, len(rdms.items), over)
    steps = Steps(callback, sum(map(len, parts)))
    each = [[_bounds(left(), method) for left in steps.each(part)] for part in parts]
    variance = sum((len(part) - 1) * np.var(part, axis=0) for part in each) if each else np.nan
    freedom = min(map(len, parts), default=2) - 1
    ends = np.clip(student_interval(bounds, variance**0.5, freedom, level), -1.0, 1.0)
    (a, b), (c, d) = np.transpose(ends).tolist()
    lower, upper = bounds.tolist()
    return RDMCeiling(lower, upper, (a, b), (c, d))


def apart(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask of people who share fewer than three pairs with other people."""
    present = ~np.isnan(values)
    return np.asarray((present & (present.sum(axis=0) > 1)).sum(axis=1) < FEWEST_PAIRS)


def left_out(
    values: NDArray[Any], n_items: int, over: Sequence[str]
) -> list[list[Callable[[], NDArray[Any]]]]:
    """Return functions that leave out each person, and each item (or group of items if many)."""
    if any({"people": len(values), "items": n_items}[unit] < FEWEST[unit] for unit in over):
        return []
    first, second = np.triu_indices(n_items, 1)

    def without(items: NDArray[np.intp]) -> NDArray[Any]:
        gone = np.zeros(n_items, dtype=bool)
        gone[items] = True
        return values[:, ~(gone[first] | gone[second])]

    n_parts = n_items if n_items <= MANY else PARTS
    groups = [np.arange(n_items)[k::n_parts] for k in range(n_parts)]
    parts: list[list[Callable[[], NDArray[Any]]]] = []
    if "people" in over:
        parts.append([partial(np.delete, values, g, axis=0) for g in range(len(values))])
    if "items" in over:
        parts.append([partial(without, group) for group in groups])
    return parts


def _bounds(values: NDArray[Any], method: str) -> Floats:
    tilde = pooled(values, method)
    present = ~np.isnan(tilde)
    tilde = np.where(present, tilde, 0.0)
    total, counts = tilde.sum(axis=0), present.sum(axis=0)
    if present.all() and is_product(method):
        return _bounds_by_products(values, tilde, total, method)
    bounds = [
        (_alike(x, _mean(total - t, counts - had), method), _alike(x, _mean(total, counts), method))
        for x, t, had in zip(values, tilde, present, strict=True)
    ]
    return np.asarray(np.mean(bounds, axis=0))


def _bounds_by_products(values: NDArray[Any], tilde: Floats, total: Floats, method: str) -> Floats:
    everybody, bounds = prepared(total[None], method), []
    size = max(1, AT_ONCE // len(total))
    for start in range(0, len(values), size):
        block = slice(start, start + size)
        rows = values[block], total - tilde[block]
        people, others = (prepared(np.ascontiguousarray(of), method) for of in rows)
        for x, y in zip(people[:, None], others[:, None], strict=True):
            bounds.append([(x @ target.T)[0, 0] for target in (y, everybody)])
    return np.asarray(np.mean(bounds, axis=0))


def _mean(sums: Floats, counts: NDArray[np.intp]) -> Floats:
    if counts.min() == counts.max() > 0:
        return sums
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _alike(x: NDArray[Any], y: Floats, method: str) -> float:
    if method in RANKS:  # Rounding restores ties that rounding errors would break.
        y = np.round(y, TIES)
    return float(similarities(x[None], y[None], method)[0, 0])
