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

    over all answers, each held out once. The interval is meant to cover the mean difference, over
    new trials of the same kind, of templates that are fitted to as many trials as here. It is a
    bootstrap of answers (of whole groups where there are any), made wider by

    .. math:: \sqrt{1 + \frac{F}{F - 1}}

    with F folds, as the templates of different folds share most of their trials.

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
    C. Nadeau, Y. Bengio (2003), Inference for the generalization error, Machine Learning 52,
    239-281: the wider interval.

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
    folds: int | None = None,
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
    folds : int, optional
        In how many folds they were held out; None if one fit served all of them.
    level, margin, random_state
        As in :meth:`DecisionTemplates.strategy_comparison`.

    Returns
    -------
    StrategyComparison
    """
    if not margin >= 0:
        raise SettingError(f"margin is {margin!r}: give nats per answer, 0 or more")
    if folds is not None and folds < 2:
        raise SettingError(f"folds is {folds!r}: give 2 or more, or leave it out")
    one, other = np.asarray(exemplar, float), np.asarray(prototype, float)
    difference = float((one - other).mean())
    ends = np.array(
        bootstrap_interval(one - other, groups=groups, level=level, random_state=random_state)
    )
    wider = 1.0 if folds is None else np.sqrt(1.0 + folds / (folds - 1))
    low, high = map(float, difference + wider * (ends - difference))
    verdict: Literal["exemplar", "prototype", "undecided"] = "undecided"
    if low > 0:
        verdict = "exemplar"
    elif high < margin:
        verdict = "prototype"
    return StrategyComparison(
        verdict,
        difference,
        (low, high),
        level,
        margin,
        float(one.mean()),
        float(other.mean()),
        len(one),
    )
