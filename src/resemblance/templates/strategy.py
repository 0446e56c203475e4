"""Exemplar or prototype: which strategy predicts answers better."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import SettingError
from resemblance.scores import bootstrap_interval

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StrategyComparison:
    r"""Whether several templates per class, or one, make held-out answers likelier.

    .. math:: \Delta = \frac1m \sum_i \log p_i^{exemplar} - \log p_i^{prototype}

    over all answers, each held out once. The interval is a bootstrap of answers (of whole groups
    where there are any): it is meant to cover the mean difference, over new trials of the same
    kind, of the templates that were fitted to the folds. It does not say how other trials would
    have changed those templates.

    The verdict is "exemplar" if the interval lies above 0; else "prototype" if it lies below the
    margin, so that exemplars cannot gain more; else "undecided": more trials are needed.

    Attributes
    ----------
    verdict : {"exemplar", "prototype", "undecided"}
    difference : float
        Delta, in nats per answer.
    interval : (float, float)
    level, margin : float
    exemplar, prototype : float
        The mean log-likelihood of a held-out answer under each.
    n_trials : int

    References
    ----------
    P. Bayle, A. Bayle, L. Janson, L. Mackey (2020), Cross-validation confidence intervals for test
    error: why answers of all folds may be resampled as if they came from one test.

    Examples
    --------
    >>> one = np.log(np.tile([0.9, 0.8], 100))
    >>> compare_strategies(one, one - 0.1).verdict
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

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.verdict}: exemplars make a held-out answer likelier by {self.difference:.3f} "
            f"nats ({self.level:.0%} interval {low:.3f} to {high:.3f}, {self.n_trials:,} trials)"
        )


def compare_strategies(
    exemplar: ArrayLike,
    prototype: ArrayLike,
    groups: ArrayLike | None = None,
    level: float = 0.95,
    margin: float = 0.02,
    random_state: Any = 0,
) -> StrategyComparison:
    """Compare two strategies by the log-likelihoods of the same held-out answers.

    Parameters
    ----------
    exemplar, prototype : array (m,)
        Nats.
    groups : array (m,), optional
        Answers that are resampled together.
    level, margin, random_state
        As in :meth:`DecisionTemplates.strategy_comparison`.

    Returns
    -------
    StrategyComparison
    """
    if not margin >= 0:
        raise SettingError(f"margin is {margin!r}: give nats per answer, 0 or more")
    one, other = np.asarray(exemplar, float), np.asarray(prototype, float)
    low, high = bootstrap_interval(
        one - other, groups=groups, level=level, random_state=random_state
    )
    verdict: Literal["exemplar", "prototype", "undecided"] = "undecided"
    if low > 0:
        verdict = "exemplar"
    elif high < margin:
        verdict = "prototype"
    return StrategyComparison(
        verdict,
        float((one - other).mean()),
        (low, high),
        level,
        margin,
        float(one.mean()),
        float(other.mean()),
        len(one),
    )
