"""Confidence intervals of a difference scale, by the parametric bootstrap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting import JudgmentsLike
from resemblance.fitting.objective.checks import check_same_items
from resemblance.judgments import as_judgments
from resemblance.judgments.checks import of_kind
from resemblance.notebook import Shown
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import LEVEL, check, checks_bools, integers, one_of
from resemblance.scaling.mlds import (
    MLDS,
    MOST_LAPSES,
    PRIOR,
    Scaled,
    Trials,
    fit_scale,
    on_items,
    probabilities,
    slopes,
)

RandomState = int | np.random.RandomState | None

FEWEST_DRAWS = 20
# number of lapse rates to try; smallest posterior of a rate that is used, relative to the highest
SHARES, LOW = 33, 1e-3


@dataclass(frozen=True)
class ScaleIntervals(Shown):
    """Uncertainty of each value of a difference scale; returned by :func:`scale_intervals`.

    Attributes
    ----------
    scale : array (n_items,)
        The scale: in units of the noise, or from 0 to 1.
    deviation : array (n_items,)
        The bootstrap standard error of each value.
    low, high : array (n_items,)
        The interval of each value; for fixed values low, scale and high are equal.
    level : float
        The coverage of each interval.
    normalised : bool
        Whether the scale is from 0 to 1.
    n_unbounded : int
        The number of simulated data sets whose likelihood had no finite maximum. The interval of a
        value that is infinite in too many data sets has no upper end.
    """

    scale: Floats
    deviation: Floats
    low: Floats
    high: Floats
    level: float = 0.95
    normalised: bool = False
    n_unbounded: int = 0

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with the columns item (from 0), scale, deviation, low and high."""
        columns = {name: getattr(self, name) for name in ("scale", "deviation", "low", "high")}
        return pd.DataFrame({"item": np.arange(len(self.scale)), **columns})


@checks_bools
def scale_intervals(
    model: MLDS,
    judgments: JudgmentsLike,
    *,
    normalised: bool = False,
    method: Literal["bca", "percentile"] = "bca",
    n_draws: int = 1000,
    level: float = 0.95,
    random_state: RandomState = None,
    callback: Told | None = None,
) -> ScaleIntervals:
    r"""Estimate the uncertainty of each value of a difference scale, by the parametric bootstrap.

    Answers to the same trials are simulated with the fitted probabilities, and the scale is fitted
    to each of these data sets (draws):

    .. math:: k^b_g \sim \mathrm{Binomial}(n_g, P(z_g \tilde\psi; \bar\lambda)), \qquad
       (\hat\psi^b, \hat\lambda^b) = \operatorname{argmax} L(\psi, \lambda; k^b), \qquad
       [\,\hat\psi^b_{(\alpha_1)}, \hat\psi^b_{(\alpha_2)}]

    Here k_g is the number of answers for the upper interval in n_g repeats of trial g. If the lapse
    rate was estimated, answers are simulated with its posterior mean, and with the most likely
    scale for this rate. The most likely rate is often 0 if there are few answers, and draws would
    have no lapses. Intervals are percentiles of the draws, by default corrected for bias and for
    acceleration along the least favourable direction (BCa). The interval of sigma is one over the
    interval of the highest value in units of the noise. Coverage: ``papers/calibration/mlds.py``.

    Source: Knoblauch & Maloney 2008, section 4.3 (the bootstrap); Efron 1987 (BCa).

    Parameters
    ----------
    model : MLDS
        The fitted model.
    judgments : Triplets or Quadruplets
        The judgments that the model was fitted to; weights must be whole numbers.
    normalised : bool
        Whether to return intervals of the scale from 0 to 1. Draws that do not rise cannot be
        normalised; half of them count as the smallest value and half as the largest.
    method : {"bca", "percentile"}
        The type of percentiles.
    n_draws : int
        The number of draws, 20 or more.
    level : float
        The coverage of intervals, between 0 and 1.
    random_state : int, RandomState or None
        Seed of the simulated answers.
    callback : callable, optional
        Called with (draws done, draws in all) after each draw.

    Raises
    ------
    SettingError
        For a setting out of range.
    JudgmentError
        If the judgments are about other items or have fractional weights; if their likelihood has
        no finite maximum (``converged_`` is false), because no judgment contradicts the others; or
        if, with ``normalised``, the scale or too many draws do not rise from the lowest level to
        the highest.

    Examples
    --------
    >>> import resemblance as rs
    >>> base = [[1, 0, 2], [1, 0, 2], [1, 2, 0], [2, 1, 3], [2, 1, 3], [2, 3, 1]]
    >>> triads = rs.Triplets([*base, [1, 0, 3], [1, 0, 3], [1, 3, 0], [2, 0, 3], [2, 3, 0]] * 20)
    >>> sure = scale_intervals(rs.MLDS().fit(triads), triads, n_draws=100, random_state=0)
    >>> sure.low < sure.scale
    array([False,  True,  True,  True])
    """
    trials = trials_of(model, judgments)
    if not getattr(model, "converged_", True):
        raise JudgmentError(
            "some differences of the scale are unbounded, as no answer contradicts the "
            "others, and have no interval: ask more trials with similar intervals"
        )
    check(level=(level, LEVEL))
    check(method=(method, one_of("bca", "percentile")))
    source = likely(trials, model)
    estimates = list(refits(trials, model, n_draws, random_state, callback, source))
    drawn = np.array([estimate.values for estimate in estimates])
    bounded = np.array([estimate.converged for estimate in estimates])
    endless = ~bounded[:, None] & (drawn > drawn[bounded].max(axis=0, initial=0.0))
    psi = source.values
    gradients = np.eye(len(psi))
    scale = model.normalised() if normalised else model.scale_
    if normalised:
        rises = drawn[:, -1] > 0
        _refuse_falling(rises, level)
        gradients[:, -1] -= psi / psi[-1]
        gradients /= psi[-1]
        psi, drawn = psi / psi[-1], _from_0_to_1(drawn, rises)
    lean = [_acceleration(trials, model, g) if method == "bca" else None for g in gradients]
    tails = np.array([0.5 - level / 2, 0.5 + level / 2])
    bounds = [_bounds(x, draw, a, tails) for x, draw, a in zip(psi, drawn.T, lean, strict=True)]
    columns = np.array([drawn.std(axis=0, ddof=1), *np.transpose(bounds)])
    if not normalised:
        columns[::2, endless.mean(axis=0) > tails[0]] = np.inf
    deviation, low, high = (on_items(column, model.order_) for column in columns)
    return ScaleIntervals(
        scale,
        deviation,
        low,
        high,
        level=level,
        normalised=normalised,
        n_unbounded=int((~bounded).sum()),
    )


def trials_of(model: MLDS, judgments: JudgmentsLike) -> Trials:
    check_is_fitted(of_kind(model, MLDS, "the model", "fit one", SettingError), "scale_")
    answers = as_judgments(judgments)
    check_same_items(answers, model.items_)
    return Trials(answers, model.order_, model.nested)


def likely(trials: Trials, model: MLDS) -> Scaled:
    """Return the posterior mean of the lapse rate, and the most likely scale for this rate."""
    estimate, Z, counts = model.estimate, trials.design, trials.answer_weights
    if model.given_lapse is not None or not hasattr(model, "log_likelihood_"):
        return estimate  # The lapse rate is given, or the scale was not fitted.

    def given(share: float) -> Scaled:
        return fit_scale(Z, counts, share, Scaled(estimate.values, share))

    low, high = 0.0, min(2.0 * estimate.lapse + 0.4, MOST_LAPSES)
    for _ in range(2):
        shares, step = np.linspace(low, high, SHARES, retstep=True)
        height = PRIOR * np.log1p(-shares) + [given(share).log_likelihood for share in shares]
        weights = np.exp(height - height.max())
        weights[[0, -1]] *= 0.5  # weights of the trapezoidal rule
        near = shares[weights > LOW]
        low, high = max(near[0] - step, 0.0), min(near[-1] + step, MOST_LAPSES)
    return given(float(np.average(shares, weights=weights)))


def refits(
    trials: Trials,
    model: MLDS,
    n_draws: int,
    random_state: RandomState,
    callback: Told | None,
    source: Scaled,
) -> Iterator[Scaled]:
    check(n_draws=(n_draws, integers(FEWEST_DRAWS)))
    p = probabilities(trials.design @ source.values, source.lapse)[0][trials.distinct]
    seeds = check_random_state(random_state).randint(2**31 - 1, size=n_draws)
    for seed in Steps(callback, n_draws).each(seeds):
        upper = np.random.default_rng(seed).random(len(p)) < p
        yield fit_scale(trials.design, trials.counts(upper), model.given_lapse, source)


def _refuse_falling(rises: NDArray[np.bool_], level: float) -> None:
    if rises.mean() <= level:
        raise JudgmentError(
            f"in {(~rises).sum()} of {len(rises)} draws the scale does not rise from the lowest "
            f"level to the highest, so intervals of {level:.0%} have no ends from 0 to 1: ask for "
            "more answers, or take intervals with normalised=False"
        )


def _from_0_to_1(drawn: Floats, rises: NDArray[np.bool_]) -> Floats:
    """Divide draws by their highest value; draws that fall become smallest or largest."""
    scaled = drawn / np.where(rises, drawn[:, -1], 1.0)[:, None]
    falling = np.flatnonzero(~rises)
    scaled[falling[::2]] = scaled[rises].max(axis=0)
    scaled[falling[1::2]] = scaled[rises].min(axis=0)
    return np.asarray(scaled)


def _acceleration(trials: Trials, model: MLDS, gradient: Floats) -> float:
    """Return Efron's acceleration for a function of the scale, given its gradient.

    It is a sixth of the skewness of the score sum_g n_g s_g (y - p) / (p q), where y is an answer,
    0 or 1, with probabilities q and p, and s the slope of p along the least favourable direction,
    delta = I^-1 gradient.
    """
    n = np.bincount(trials.distinct, minlength=len(trials.design)).astype(float)
    estimate = model.estimate
    J, (p, q) = slopes(trials.design, estimate.values, estimate.lapse)
    estimated = model.given_lapse is None and estimate.lapse > 0
    J, gradient = (J, np.append(gradient, 0.0)) if estimated else (J[:, :-1], gradient)
    delta = np.linalg.lstsq((J.T * (n / (p * q))) @ J, gradient, rcond=1e-14)[0]
    slope, score = J @ delta, J @ delta / (p * q)
    spread, third = n @ (slope * score), n @ (slope * score**2 * (q - p))
    return float(third / (6.0 * spread**1.5)) if spread > 0 else 0.0


def _bounds(
    estimate: float, drawn: Floats, acceleration: float | None, tails: Floats
) -> NDArray[np.float64]:
    if acceleration is not None:
        least = 0.5 / len(drawn)
        below = np.mean(drawn < estimate) + 0.5 * np.mean(drawn == estimate)
        bias = ndtri(np.clip(below, least, 1.0 - least))
        shifted = bias + ndtri(tails)
        tails = ndtr(bias + shifted / np.maximum(1.0 - acceleration * shifted, 1e-3))
    return np.quantile(drawn, tails)
