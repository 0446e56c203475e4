"""Whether a difference scale fits: tests by the parametric bootstrap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError
from resemblance.fitting import JudgmentsLike
from resemblance.notebook import Shown
from resemblance.optional import pd
from resemblance.progress import Told
from resemblance.ranges import LEVEL, check
from resemblance.scaling.bootstrap import RandomState, refits, trials_of
from resemblance.scaling.mlds import MLDS
from resemblance.scaling.trials import Scaled, Trials, probabilities, six_point_uses
from resemblance.scores.intervals import percentile_interval

MOST_RANKS = 1000  # of sorted residuals that an envelope is kept at


@dataclass(frozen=True)
class ScaleDiagnostics(Shown):
    """Whether residuals are those of the model; :func:`scale_diagnostics` makes it.

    Attributes
    ----------
    residuals : array (R,)
        Deviance residuals in rising order, of all trials or of 1,000 ranks among them.
    share : array (R,)
        The share of the trials up to each: the distribution function.
    low, high : array (R,)
        The bootstrap envelope of each residual.
    p_residuals : float
        The share of draws whose sorted residuals lie farther from the mean of all draws than those
        observed, in standard errors at the farthest rank.
    deviance : float
        That of the fit: the sum of the squared residuals.
    n_runs : int
        Runs of residuals of one sign, trials in the order of their fitted probabilities.
    drawn_runs : array (n_draws,) of int
        The runs of each draw.
    p_runs : float
        The share of draws with no more runs than observed: small where neighbours err alike.
    level : float
        What share of draws the envelope holds, at each rank.

    Examples
    --------
    >>> at = np.zeros(1)
    >>> ScaleDiagnostics(at, at, at, at, 0.5, 1.0, 3, np.array([3, 4]), 0.6, 0.95).n_runs
    3
    """

    residuals: Floats
    share: Floats
    low: Floats
    high: Floats
    p_residuals: float
    deviance: float
    n_runs: int
    drawn_runs: NDArray[np.int64]
    p_runs: float
    level: float

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each residual: residual, share, low and high.

        Returns
        -------
        DataFrame
        """
        columns = {name: getattr(self, name) for name in ("share", "low", "high")}
        return pd.DataFrame({"residual": self.residuals, **columns})


def scale_diagnostics(
    model: MLDS,
    judgments: JudgmentsLike,
    *,
    n_draws: int = 1000,
    level: float = 0.95,
    random_state: RandomState = None,
    callback: Told | None = None,
) -> ScaleDiagnostics:
    r"""Test the fit of a difference scale by its deviance residuals: distribution and runs.

    .. math:: e_r = \pm \sqrt{-2 \log p_r},

    positive where the upper interval of trial r was judged the larger one, with p the fitted
    probability of the answer given. Answers drawn from the fitted probabilities, each draw fitted
    again, say how the residuals in rising order and the number of runs are distributed where the
    model is true; a p-value is (1 + draws as extreme) / (1 + draws).

    Source: Wood 2006, section 3.6 and exercise 2 of chapter 2; Knoblauch & Maloney 2008, section
    4.4, who look at the envelope alone and count the changes of sign, one less than the runs.

    Parameters
    ----------
    model : MLDS
        Fitted.
    judgments : Triplets or Quadruplets
        What it was fitted to; weights are whole numbers.
    n_draws : int
        The number of draws, 20 or more.
    level : float
        Of the envelope, between 0 and 1.
    random_state : int, RandomState or None
        Draws the answers.
    callback : callable, optional
        Called with (draws done, draws in all) after each draw.

    Returns
    -------
    ScaleDiagnostics

    Raises
    ------
    SettingError
        For a setting out of range.
    JudgmentError
        If the judgments are about other items, or have weights that are no whole numbers.

    Examples
    --------
    >>> import resemblance as rs
    >>> base = [[1, 0, 2], [1, 0, 2], [1, 2, 0], [2, 1, 3], [2, 1, 3], [2, 3, 1]]
    >>> triads = rs.Triplets([*base, [1, 0, 3], [1, 0, 3], [1, 3, 0], [2, 0, 3], [2, 3, 0]] * 20)
    >>> tested = scale_diagnostics(rs.MLDS().fit(triads), triads, n_draws=99, random_state=0)
    >>> tested.residuals.shape
    (220,)
    """
    trials = trials_of(model, judgments)
    check(level=(level, LEVEL))
    ranks = np.unique(np.linspace(0, len(trials.distinct) - 1, MOST_RANKS).astype(np.intp))
    residuals, n_runs = _residuals(trials, model.estimate, trials.answers)
    drawn = [
        _residuals(trials, scaled, upper)
        for upper, scaled in refits(trials, model, n_draws, random_state, callback)
    ]
    runs = np.array([n for _, n in drawn])
    curves = np.array([np.sort(residuals)[ranks] for residuals, _ in drawn])
    seen = np.sort(residuals)[ranks]
    low, high = percentile_interval(curves, level)
    return ScaleDiagnostics(
        residuals=seen,
        share=(ranks + 0.5) / len(residuals),
        low=low,
        high=high,
        p_residuals=_farthest(seen, curves),
        deviance=float(residuals @ residuals),
        n_runs=n_runs,
        drawn_runs=runs,
        p_runs=p_value(runs <= n_runs),
        level=level,
    )


@dataclass(frozen=True)
class SixPointTest(Shown):
    """Whether intervals add up as on a scale; :func:`six_point_test` makes it.

    Attributes
    ----------
    n_conditions : int
        The six-point conditions among the distinct trials.
    log_likelihood : float
        That of the answers to the trials of the conditions.
    drawn : array (n_draws,)
        The same of each draw.
    p_value : float
        The share of draws whose answers are no likelier.

    Examples
    --------
    >>> SixPointTest(1, -2.0, np.array([-1.5, -2.5]), 2 / 3).n_conditions
    1
    """

    n_conditions: int
    log_likelihood: float
    drawn: Floats
    p_value: float


def six_point_test(
    model: MLDS,
    judgments: JudgmentsLike,
    *,
    n_draws: int = 1000,
    random_state: RandomState = None,
    callback: Told | None = None,
) -> SixPointTest:
    r"""Test the six-point condition of difference scales on quadruples.

    .. math:: (a, b) \succ (a', b'), \; (b, c) \succ (b', c') \Rightarrow (a, c) \succ (a', c')

    for a < b < c and a' < b' < c'. The statistic is the log-likelihood of the answers to all three
    trials of each condition, summed over the conditions whose trials were all asked; where trials
    were asked several times, over all their answers. Answers drawn from the fitted
    probabilities, each draw fitted again, say how it is distributed where the model is true; the
    p-value is (1 + draws no likelier) / (1 + draws).

    Source: Maloney & Yang 2003; Knoblauch & Maloney 2008, section 2.6.

    Parameters
    ----------
    model : MLDS
        Fitted.
    judgments : Quadruplets
        What it was fitted to; weights are whole numbers. Triads have no six-point conditions.
    n_draws : int
        The number of draws, 20 or more.
    random_state : int, RandomState or None
        Draws the answers.
    callback : callable, optional
        Called with (draws done, draws in all) after each draw.

    Returns
    -------
    SixPointTest

    Raises
    ------
    SettingError
        If there are too few draws.
    JudgmentError
        If no three trials form a condition; if the judgments are about other items, or have weights
        that are no whole numbers.

    Examples
    --------
    >>> import resemblance as rs
    >>> from itertools import combinations
    >>> asked = rs.Quadruplets(list(combinations(range(6), 4)) * 10)
    >>> observer = rs.MLDS().set_scale([0.0, 0.5, 1.0, 1.5, 2.5, 4.0])
    >>> larger = np.random.default_rng(0).random(150) < observer.predict_proba(asked)[:, 0]
    >>> quads = asked.answered(larger)
    >>> tested = six_point_test(rs.MLDS().fit(quads), quads, n_draws=99, random_state=0)
    >>> tested.n_conditions, len(tested.drawn)
    (1, 99)
    """
    trials = trials_of(model, judgments)
    uses = six_point_uses(trials.quads)
    if not uses.any():
        raise JudgmentError(
            "no three trials form a six-point condition, (a, b; a', b'), (b, c; b', c') and "
            "(a, c; a', c') with a < b < c and a' < b' < c': it needs quadruples, of six stimuli "
            "or more; scale_diagnostics tests triads too"
        )
    seen = _six_points(trials, model.estimate, trials.answers, uses)
    drawn = np.array(
        [
            _six_points(trials, scaled, upper, uses)
            for upper, scaled in refits(trials, model, n_draws, random_state, callback)
        ]
    )
    return SixPointTest(int(uses.sum()) // 3, seen, drawn, p_value(drawn <= seen))


def p_value(as_extreme: NDArray[np.bool_]) -> float:
    """Return the share of draws that are as extreme as what was seen, which counts as one."""
    return float((1 + as_extreme.sum()) / (1 + len(as_extreme)))


def _six_points(
    trials: Trials, of: Scaled, upper: NDArray[np.bool_], uses: NDArray[np.int64]
) -> float:
    """Return the log-likelihood of the answers, each as often as conditions use its trial."""
    logs = np.log(probabilities(trials.design @ of.values, of.lapse))
    return float((trials.counts(upper) * uses * logs).sum())


def _residuals(trials: Trials, of: Scaled, upper: NDArray[np.bool_]) -> tuple[Floats, int]:
    """Return the deviance residuals of all trials, and the runs of their signs."""
    eta = (trials.design @ of.values)[trials.distinct]
    sign = np.where(upper, 1.0, -1.0)
    rising = upper[np.argsort(eta, kind="stable")]
    p = probabilities(sign * eta, of.lapse)[0]
    n_runs = 1 + int((rising[1:] != rising[:-1]).sum())
    return sign * np.sqrt(np.maximum(-2.0 * np.log(p), 0.0)), n_runs


def _farthest(seen: Floats, curves: Floats) -> float:
    """Test curves by their largest distance from the mean, in standard errors of each rank."""
    every = np.vstack([seen, curves])
    spread = np.maximum(every.std(axis=0), 1e-12)
    far = np.abs((every - every.mean(axis=0)) / spread).max(axis=1)
    return p_value(far[1:] >= far[0])
