"""Choose the number of dimensions by cross-validation and the one-standard-error rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t
from sklearn.base import clone

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.fitting.estimator import Embeds
from resemblance.fitting.folds import splitter_of
from resemblance.fitting.held_out import error_of, held_out
from resemblance.fitting.objective.threads import at_a_time
from resemblance.fitting.penalty import settled
from resemblance.judgments import OneKind
from resemblance.judgments.convert import JudgmentsLike, of_one_kind
from resemblance.notebook import Card, Shown
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import integers
from resemblance.scores import NoiseCeiling, noise_ceiling

LEVEL = 0.05  # significance level of the test against fewer dimensions
# Detecting or ruling out a dimension takes this many answers per item and dimension.
PER_DIMENSION = 40


@dataclass(frozen=True)
class DimensionCurve(Shown):
    """Held-out error against the number of dimensions.

    Attributes
    ----------
    dims : array (k,) of int
        The numbers of dimensions tried, ascending.
    errors : array (k, n_folds)
        The share of wrong predictions in each fold, with ties as one half; for confusions and
        ratings, minus the mean log-likelihood in nats.
    noise_ceiling : float or None
        The error of a perfect model, estimated from repeated questions. None if there are none.
    per_item : float
        The number of answers per item.
    """

    dims: NDArray[np.int64]
    errors: Floats
    noise_ceiling: float | None = None
    per_item: float = 0.0

    @classmethod
    def of(
        cls, dims: NDArray[np.int64], errors: Floats, answers: OneKind, ceiling: NoiseCeiling | None
    ) -> Self:
        least = None if ceiling is None else ceiling.told(float(errors.mean(axis=1).min()))
        return cls(dims, errors, least, len(answers) / answers.n_items)

    @property
    def error_mean(self) -> Floats:
        """The mean error over folds, (k,)."""
        return np.asarray(self.errors.mean(axis=1))

    @property
    def error_se(self) -> Floats:
        """The standard error of the mean, (k,): standard deviation over folds / sqrt(n_folds)."""
        return np.asarray(self.errors.std(axis=1, ddof=1) / np.sqrt(self.errors.shape[1]))

    @property
    def best(self) -> int:
        """The number of dimensions with the lowest mean error."""
        return int(self.dims[self.error_mean.argmin()])

    @property
    def chosen(self) -> int:
        """The smallest number of dimensions within one standard error of the lowest error."""
        least = int(self.error_mean.argmin())
        bound = self.error_mean[least] + self.error_se[least]
        return int(self.dims[np.flatnonzero(self.error_mean <= bound)[0]])

    @property
    def is_exact(self) -> bool:
        r"""Whether the answers show exactly ``chosen`` dimensions, not just at least ``least``.

        .. math:: k = d^*, \qquad m / n \ge 40 \, (k + 1)

        where k is ``chosen``, d* is ``best``, and m answers were given about n items. With fewer
        answers, another dimension could not be detected. A dimension that lowers the error very
        little may still be missed: see :meth:`gain`.
        """
        enough = self.per_item >= PER_DIMENSION * (self.chosen + 1)
        return enough and self.chosen == self.best

    @property
    def least(self) -> int:
        """The number of dimensions that the answers support, at most ``chosen``."""
        return self.chosen if self.is_exact else min(self.chosen, self.not_worse)

    def gain(self, fewer: int, more: int) -> tuple[float, tuple[float, float]]:
        r"""Return the fall of the error from ``fewer`` to ``more`` dimensions, with 95 % interval.

        .. math:: \bar g \pm t_{K-1} \sqrt{(1/K + 1/(K - 1)) \, s^2}

        Here g are the differences of the errors in K folds, and s^2 is their variance.

        >>> curve = DimensionCurve(np.array([1, 2]), np.array([[0.3, 0.32], [0.2, 0.24]]))
        >>> gain, (low, high) = curve.gain(1, 2)
        >>> round(gain, 2), round(low, 2), round(high, 2)
        (0.09, -0.13, 0.31)
        """
        at = np.searchsorted(self.dims, [fewer, more])
        n, differences = self.errors.shape[1], self.errors[at[0]] - self.errors[at[1]]
        spread = np.sqrt((1.0 / n + 1.0 / (n - 1)) * differences.var(ddof=1))
        half = float(student_t.ppf(1.0 - LEVEL / 2.0, n - 1) * spread)
        middle = float(differences.mean())
        return middle, (middle - half, middle + half)

    @property
    def p_values(self) -> Floats:
        r"""The p-value of each number of dimensions against the best one, (k,).

        .. math:: t = \frac{\bar e}{\sqrt{(1/K + 1/(K - 1)) \, s^2}}, \qquad p = P(T_{K-1} \ge t)

        Here e are the differences from the errors of the best number in K folds, and s^2 is their
        variance. This is the corrected resampled t-test (Nadeau & Bengio 2003, equation 8), because
        fits of different folds share most of their answers. The p-value of the best number is 1/2.
        """
        n = self.errors.shape[1]
        worse = self.errors - self.errors[int(self.error_mean.argmin())]
        spread = np.sqrt((1.0 / n + 1.0 / (n - 1)) * worse.var(axis=1, ddof=1))
        return np.asarray(student_t.sf(worse.mean(axis=1) / np.maximum(spread, 1e-300), n - 1))

    @property
    def not_worse(self) -> int:
        """The smallest number of dimensions not significantly worse than the best (p > .05)."""
        return int(self.dims[np.flatnonzero(self.p_values > LEVEL)[0]])

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per number of dimensions: error, standard_error, p_value."""
        return pd.DataFrame(
            {
                "dimensions": self.dims,
                "error": self.error_mean,
                "standard_error": self.error_se,
                "p_value": self.p_values,
            }
        )

    def _card(self) -> Card:
        facts = {
            "best": self.best,
            "chosen, within one standard error": self.chosen,
            "in truth": f"{'' if self.is_exact else 'at least '}{self.least}",
            "fewest that are not worse": self.not_worse,
            "noise ceiling": self.noise_ceiling,
        }
        return Card("Held-out error of each number of dimensions", facts, self.to_pandas())


@dataclass(frozen=True)
class AnotherDimension:
    dimensions: int  # number of dimensions with the highest upper limit of the gain
    gain: float  # fall of the held-out error from the fit's number of dimensions to this number
    interval: tuple[float, float]  # the 95 % interval by DimensionCurve.gain

    @classmethod
    def of(cls, curve: DimensionCurve, dims: int) -> Self | None:
        """Return the number of dimensions above ``dims`` with the highest limit of gain, or None.

        >>> curve = DimensionCurve(np.array([1, 2]), np.array([[0.3, 0.32], [0.2, 0.24]]))
        >>> AnotherDimension.of(curve, 1).dimensions, AnotherDimension.of(curve, 2)
        (2, None)
        """
        if dims not in curve.dims or dims == curve.dims[-1] or curve.errors.shape[1] < 2:
            return None
        tried = [cls(int(d), *curve.gain(dims, int(d))) for d in curve.dims[curve.dims > dims]]
        return max(tried, key=lambda candidate: candidate.interval[1])


def select_dimension(
    estimator: Embeds,
    judgments: JudgmentsLike,
    dims: Sequence[int],
    *,
    cv: Any = None,
    n_jobs: int | None = None,
    callback: Told | None = None,
) -> DimensionCurve:
    """Choose the number of dimensions by held-out error and the one-standard-error rule.

    The choice is the smallest number of dimensions whose mean error is at most the lowest mean
    error plus its standard error. If another number has a lower error, or the answers are too few
    to detect more dimensions, ``is_exact`` of the curve is False, and ``least`` is the number to
    report. :func:`resemblance.plot_dimensions` draws the curve.

    Parameters
    ----------
    estimator : Embeds
        The model to fit, whose ``n_components`` is replaced.
    judgments : judgments of one kind, or array
        The answers.
    dims : sequence of int
        The numbers of dimensions to try, each from 1 to the number of items - 1.
    cv : splitter, optional
        Default: ``GroupedKFold(10, random_state=0)``, which keeps questions and responses together.
    n_jobs : int, optional
        The number of threads, as in joblib. Fits run in parallel and share threads left over.
    callback : callable, optional
        Called with (fits done, total number of fits) after each fit.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(n_triplets=3000, n_items=60, random_state=0)
    >>> curve = rs.select_dimension(rs.STE(random_state=0), triplets, [1, 2, 3])
    >>> curve.errors.shape
    (3, 10)
    """
    answers = of_one_kind(judgments)
    possible = integers(1, answers.n_items - 1)
    if not np.size(dims) or np.ndim(dims) != 1 or not all(d in possible for d in dims):
        raise SettingError(
            f"dims is {dims}: give at least one whole number between 1 and "
            f"{answers.n_items - 1} (the number of items - 1)."
        )
    tried = np.unique(np.asarray(dims, dtype=np.int64))
    folds = list(splitter_of(10 if cv is None else cv).split(answers))
    models = [settled(clone(estimator).set_params(n_components=int(d)), answers) for d in tried]
    tasks = [(model, answers, fold, error_of) for model in models for fold in folds]
    errors = list(Steps(callback, len(tasks)).each(at_a_time(held_out, tasks, n_jobs)))
    ceiling = noise_ceiling(answers) if answers.scoring.of_answers else None
    return DimensionCurve.of(tried, np.reshape(errors, (len(tried), -1)), answers, ceiling)
