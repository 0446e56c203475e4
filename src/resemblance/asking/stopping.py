"""Estimate the error of a map, and how much more answers would lower the error."""

from dataclasses import dataclass, replace

import numpy as np

from resemblance.analysis.advice import expected_gain as expected_gain
from resemblance.arrays import Floats
from resemblance.asking.session import Session
from resemblance.asking.strategies import Belief, log_probabilities
from resemblance.catalog import HELD_OUT
from resemblance.errors import SettingError
from resemblance.fitting.laplace import MAX_PARAMETERS, Noise, PositionUncertainty
from resemblance.notebook import Shown
from resemblance.ranges import NOT_NEGATIVE, check
from resemblance.scores import NoiseCeiling, noise_ceiling, wilson_interval


@dataclass(frozen=True)
class StoppingAdvice(Shown):
    """Estimates of the error of a session's map, and of the fall of the error with more answers.

    A map with more dimensions may have an even lower error; see
    :func:`~resemblance.select_dimension`.

    Attributes
    ----------
    n_answers : int
        The number of answers so far, without skips.
    held_out_error : float
        Error of the last fit on held-out answers to random questions; NaN without such answers.
    error_interval : tuple of float
        The 95 % interval of the error (:func:`~resemblance.scores.wilson_interval`), or NaN.
    ceiling : NoiseCeiling or None
        The best possible error, estimated from repeated random questions; None without any.
        Questions that strategies repeat are not used, because they are harder than random ones.
    deviation : array (n_items,)
        The standard deviation of each item's position, in units of the map, if the choice model is
        right.
    n_more : int
        The number of further answers for ``gain``.
    gain, interval : float, tuple of float
        The expected fall of the error on random questions with ``n_more`` answers, and an interval
        that contained the real fall in 77 of 80 simulated studies (:func:`expected_gain`).
    excess : float
        The expected part of the error that answers can remove (:func:`excess_errors`).
    """

    n_answers: int
    held_out_error: float
    error_interval: tuple[float, float]
    ceiling: NoiseCeiling | None
    deviation: Floats
    n_more: int
    gain: float
    interval: tuple[float, float]
    excess: float


def stopping_advice(
    session: Session,
    n_more: int = 1000,
    random_state: int = 0,
) -> StoppingAdvice:
    """Estimate the error of a session's map, and the fall of the error with more answers.

    Parameters
    ----------
    session : Session
        A session with at least one fit.
    n_more : int
        The number of further answers to consider.
    random_state : int
        The seed for drawing questions and maps.

    Raises
    ------
    SettingError
        Before the first fit, for a model without probabilities, or for a negative ``n_more``.

    Examples
    --------
    >>> import resemblance as rs
    >>> person = rs.SpaceObserver([[0.0], [1.0], [2.0], [4.0], [7.0]], random_state=0)
    >>> session = rs.Session(5, start_per_head=4, random_state=0)
    >>> for _ in range(40):
    ...     question = session.ask()
    ...     session.tell(question, question.answered_by(person))
    >>> advice = stopping_advice(session, n_more=100)
    >>> advice.n_answers, bool(advice.gain > 0)
    (40, True)
    """
    check(n_more=(n_more, NOT_NEGATIVE))
    if not session.n_fits:
        raise SettingError("advice needs a fit: tell more answers, or refit().")
    held_out, random = session.judgments(HELD_OUT), session.judgments("random")
    error = 1.0 - session.model_.score(held_out) if len(held_out) else np.nan
    interval = wilson_interval(error, len(held_out)) if len(held_out) else (np.nan, np.nan)
    belief = session.belief()
    uncertainty = PositionUncertainty(
        belief.points, belief.choice, belief.told(belief.answered), noise=belief.noise
    )
    rng = np.random.default_rng(random_state)
    excess = float(excess_errors(belief, rng).mean())
    n_answers = len(belief.answered) // belief.asks.picks
    gain, interval_of_gain = expected_gain(excess, n_answers, n_more)
    return StoppingAdvice(
        n_answers=len(session.judgments("all")),
        held_out_error=float(error),
        error_interval=interval,
        ceiling=noise_ceiling(random) if len(random) else None,
        deviation=uncertainty.deviation,
        n_more=n_more,
        gain=gain,
        interval=interval_of_gain,
        excess=excess,
    )


def excess_errors(
    belief: Belief,
    rng: np.random.Generator,
    n_targets: int = 200,
    n_draws: int = 100,
    max_parameters: int = MAX_PARAMETERS,
) -> Floats:
    r"""Draw the excess error of the map over possible true spaces, (n_draws,).

    .. math:: E_s = \frac{1}{T} \sum_t \max_j p_{tj}(X_s) - p_{t, \hat\jmath_t}(X_s), \qquad
       \hat\jmath_t = \arg\max_j p_{tj}(\hat X)

    where :math:`\hat X` are the fitted positions, and X_s are possible true positions, drawn from
    the normal density around the fit (:class:`~resemblance.fitting.PositionUncertainty`). p_tj is
    the probability of option j of random question t of T.

    Parameters
    ----------
    belief : Belief
        The fit and its answers.
    rng : Generator
        The generator for questions and positions.
    n_targets, n_draws : int
        The numbers of questions and of draws of positions.
    max_parameters : int
        As in :class:`~resemblance.fitting.PositionUncertainty`.
    """
    rows = belief.asks.random(rng, n_targets, belief.n_items)
    root = PositionUncertainty(
        belief.points,
        belief.choice,
        belief.told(belief.answered),
        noise=belief.noise,
        prior=2.0 * belief.penalty or None,
        max_parameters=max_parameters,
    ).root()
    says = log_probabilities(belief, rows).argmax(axis=1)[:, None]
    excess = []
    for _ in range(n_draws):
        moved = (root @ rng.normal(size=belief.points.size)).reshape(belief.points.shape)
        possible = replace(belief, points=belief.points + moved, noise=Noise())
        p = np.exp(log_probabilities(possible, rows))
        excess.append((p.max(axis=1) - np.take_along_axis(p, says, axis=1)[:, 0]).mean())
    return np.array(excess)
