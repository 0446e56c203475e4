"""Compare the exemplar and the prototype strategy by their predictions of answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from resemblance.arrays import Floats
from resemblance.notebook import Shown
from resemblance.ranges import NOT_NEGATIVE, check, integers
from resemblance.scores import bootstrap_interval

LEAST = 1.1  # smallest forecast of trials for a verdict, relative to the number of trials so far
QUANTILES = norm.ppf((np.arange(199) + 0.5) / 199)
# smallest share of the gain of one template per class that must remain on held-out answers
KNOWN = 0.75


@dataclass(frozen=True)
class StrategyComparison(Shown):
    r"""Comparison of several templates per class with one template, on held-out answers.

    .. math:: \Delta = \frac1m \sum_i \log p_i^{exemplar} - \log p_i^{prototype}

    over all m answers, each held out once. The interval is for the mean difference on new trials of
    the same kind, if templates are fitted to as many trials as here. It comes from a bootstrap of
    answers (of whole responses if response ids are known), and is widened by the factor

    .. math:: \sqrt{1 + \frac{F}{F - 1}}

    with F folds, because the fits of different folds share most of their trials.

    The verdict is "exemplar" if the interval is above 0, "prototype" if it is below the margin, and
    otherwise "undecided": more trials are needed. Because exemplars cannot be found with too few
    trials, "prototype" also requires a good estimate of one template per class: ``kept`` must be at
    least three quarters. Source of the factor: C. Nadeau, Y. Bengio (2003), Inference for the
    generalization error, Machine Learning 52, 239-281.

    Attributes
    ----------
    verdict : {"exemplar", "prototype", "undecided"}
    difference : float
        Delta, in nats per answer.
    interval : (float, float)
    level, margin : float
    exemplar, prototype : float
        The mean log-likelihood of a held-out answer under each strategy.
    n_trials : int
    kept : float
        With one template per class: the gain over guessing on held-out answers, as a share of the
        gain on fitted answers, minus the standard error.

    Examples
    --------
    >>> likely = np.log(np.tile([0.9, 0.8], 100))
    >>> compare_strategies(likely, likely - 0.1).verdict
    'exemplar'
    """

    verdict: Literal["exemplar", "prototype", "undecided"]
    difference: float
    interval: tuple[float, float]
    level: float
    margin: float
    exemplar: float
    prototype: float
    n_trials: int
    kept: float = 1.0

    @property
    def n_needed(self) -> int | None:
        r"""Forecast of the number of trials for a verdict; None if decided or impossible.

        With n trials, the half width h of the interval is proportional to :math:`n^{-1/2}`, and
        ``1 - kept`` is proportional to :math:`n^{-1}`. So a difference d is decided after

        .. math:: n \left(\frac{h}{d}\right)^2 \text{ trials if } d > 0, \quad
            n \max\left(\left(\frac{h}{margin - d}\right)^2, \frac{1 - kept}{1 - 0.75}\right)
            \text{ if } d < margin,

        or the smaller number if both conditions are true. The forecast is the median over all
        differences in the interval. In four of five simulations the verdict came after a third to
        three times the forecast; with fewer than 200 trials it mostly came later than forecast.
        """
        if self.verdict != "undecided":
            return None
        half = (self.interval[1] - self.interval[0]) / 2
        differences = self.difference + half / norm.isf((1 - self.level) / 2) * QUANTILES
        with np.errstate(divide="ignore", invalid="ignore"):
            exemplar = np.where(differences > 0, (half / differences) ** 2, np.inf)
            short = self.margin - differences
            narrow = np.maximum((half / short) ** 2, (1 - self.kept) / (1 - KNOWN))
        factors = np.minimum(exemplar, np.where(short > 0, narrow, np.inf))
        factor = float(np.median(factors))
        return int(np.ceil(self.n_trials * max(factor, LEAST))) if np.isfinite(factor) else None

    def __str__(self) -> str:
        low, high = self.interval
        said = (
            f"{self.verdict}: exemplars change the log probability of a held-out answer by "
            f"{self.difference:.3f} nats ({self.level:.0%} interval {low:.3f} to "
            f"{high:.3f}, {self.n_trials:,} trials)"
        )
        if self.n_needed is None:
            return said
        if high < self.margin:
            said += (
                f"; but one template per class certainly keeps only {self.kept:.0%} of its gain on "
                "held-out answers, so exemplars may be hidden"
            )
        return f"{said}: run about {two_digits(self.n_needed - self.n_trials):,} more trials"


def two_digits(n: int) -> int:
    """Round up to two significant digits.

    >>> two_digits(1234), two_digits(7)
    (1300, 7)
    """
    unit = 10 ** max(0, len(str(n)) - 2)
    return -(-n // unit) * unit


def compare_strategies(
    exemplar: ArrayLike,
    prototype: ArrayLike,
    groups: ArrayLike | None = None,
    folds: int | None = None,
    level: float = 0.95,
    margin: float = 0.02,
    random_state: Any = 0,
    *,
    kept: float = 1.0,
) -> StrategyComparison:
    """Compare two strategies by the log-likelihoods of the same held-out answers.

    Parameters
    ----------
    exemplar, prototype : array (m,)
        The log-likelihood of each answer, in nats.
    groups : array (m,), optional
        The group of each answer; a group is resampled as a whole.
    folds : int, optional
        The number of folds in which answers were held out; None if one fit predicted all answers.
    level, margin, kept, random_state
        See :meth:`DecisionTemplates.strategy_comparison` and :class:`StrategyComparison`.
    """
    check(margin=(margin, NOT_NEGATIVE))
    check(folds=(folds, integers(2).besides(None)))
    first, second = np.asarray(exemplar, float), np.asarray(prototype, float)
    difference = float((first - second).mean())
    ends = np.array(
        bootstrap_interval(first - second, groups=groups, level=level, random_state=random_state)
    )
    wider = 1.0 if folds is None else np.sqrt(1.0 + folds / (folds - 1))
    low, high = map(float, difference + wider * (ends - difference))
    verdict: Literal["exemplar", "prototype", "undecided"] = "undecided"
    if low > 0:
        verdict = "exemplar"
    elif high < margin and kept >= KNOWN:
        verdict = "prototype"
    return StrategyComparison(
        verdict,
        difference,
        (low, high),
        level,
        margin,
        float(first.mean()),
        float(second.mean()),
        len(first),
        kept,
    )


def kept_share(fitted: Floats, held_out: Floats, codes: NDArray[np.intp]) -> float:
    """Return (gain on held-out answers - its standard error) / gain on fitted answers.

    Gains in log-likelihood are relative to guessing.
    """
    shares = np.bincount(codes) / len(codes)
    guessing = np.log(shares[codes]).mean()
    gain, kept = fitted.mean() - guessing, held_out.mean() - guessing
    kept -= (held_out - np.log(shares[codes])).std() / np.sqrt(len(codes))
    return float(np.clip(kept / gain, 0.0, 1.0)) if gain > 0 else 0.0
