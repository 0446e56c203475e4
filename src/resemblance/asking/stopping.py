"""When to stop: how good the map is, how good it can get, and what more answers would bring."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from resemblance.analysis.forecast import expected_gain as expected_gain
from resemblance.arrays import Floats, Ints
from resemblance.asking.belief import Belief
from resemblance.asking.possible import possible_maps
from resemblance.asking.session import Session
from resemblance.asking.strategies import log_probabilities, picked_choices
from resemblance.catalog import HELD_OUT
from resemblance.errors import SettingError
from resemblance.fitting.laplace.noise import Noise
from resemblance.fitting.laplace.uncertainty import MAX_PARAMETERS, PositionUncertainty
from resemblance.notebook import Shown
from resemblance.progress import Told
from resemblance.ranges import NOT_NEGATIVE, check
from resemblance.scores import NoiseCeiling, noise_ceiling, wilson_interval

FEWEST, MOST = 5000, 20_000  # random questions by whose information an answer to any is weighed
TIMES = 10.0  # as many answers at most are said to be needed at random
FEWER, FURTHER = 0.45, 2.5  # ends of their interval, of what is told


@dataclass(frozen=True)
class StoppingAdvice(Shown):
    """What a session knows about going on, with maps in its number of dimensions.

    In more dimensions the error may be lower than any number of answers makes it in these:
    :func:`~resemblance.select_dimension` says whether it is.

    Attributes
    ----------
    n_answers : int
        Answers so far, without skips.
    held_out_error : float
        Error of the last fit on held-out answers, to random questions; NaN where there are none.
    error_interval : tuple of float
        Its interval of 95 %, :func:`~resemblance.scores.wilson_interval`; NaN likewise.
    ceiling : NoiseCeiling or None
        The best error possible, where random questions were repeated: those that strategies repeat
        are the hard ones, of which no map predicts much.
    deviation : array (n_items,)
        The standard deviation of each item's position, in the unit of the map, the choice model
        being right.
    n_more : int
        For how many more answers the gain is.
    gain, interval : float, tuple of float
        How much they are expected to lower the error on random questions, and the interval that
        held 77 of the gains of 80 simulated studies, :func:`expected_gain`.
    excess : float
        The expected part of the error that more answers can remove, :func:`excess_errors`.

    Examples
    --------
    >>> advice = StoppingAdvice(
    ...     900, 0.2, (0.17, 0.23), None, np.zeros(3), 1000, 0.01, (0.0, 0.02), 0.015
    ... )
    >>> advice.gain
    0.01
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
    callback: Told | None = None,
) -> StoppingAdvice:
    """Say how good a session's map is, and what more answers would bring.

    Parameters
    ----------
    session : Session
        With a first fit.
    n_more : int
        The number of further answers that are weighed.
    random_state : int
        Draws the questions and maps of the gain.
    callback : callable, optional
        Called with (steps done, steps in all) after each map that is drawn.

    Returns
    -------
    StoppingAdvice

    Raises
    ------
    SettingError
        Before the first fit, for a model without probabilities, or for fewer than no answers.

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
    uncertainty = _uncertainty(belief)
    rng = np.random.default_rng(random_state)
    excess = float(excess_errors(belief, rng, callback=callback).mean())
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
    callback: Told | None = None,
) -> Floats:
    r"""Draw how much more often the map errs on random questions than the truth would.

    .. math:: E_s = \frac{1}{T} \sum_t \max_j p_{tj}(X_s) - p_{t, \hat\jmath_t}(X_s), \qquad
       \hat\jmath_t = \arg\max_j p_{tj}(\hat X)

    where the X_s are maps that the answers leave possible (:func:`possible_maps`), each of which
    may be the truth, and the other one is the fit.

    Parameters
    ----------
    belief : Belief
        The fit and its answers.
    rng : Generator
        Draws questions and maps.
    n_targets, n_draws : int
        How many of each.
    callback : callable, optional
        Called with (steps done, steps in all) after each map that is drawn.

    Returns
    -------
    array (n_draws,)
    """
    rows = belief.asks.random(rng, n_targets, belief.n_items)
    return _excess(belief, possible_maps(belief, rng, n_draws, callback), rows)


def answers_at_random(
    belief: Belief,
    rng: np.random.Generator,
    n_targets: int = 400,
    n_draws: int = 100,
    max_parameters: int = MAX_PARAMETERS,
) -> tuple[float, tuple[float, float]]:
    r"""Say how many answers to random questions would make a map as good as this one.

    .. math:: E(\Sigma_n) = E(\Sigma), \qquad
       \Sigma_n = \Big( K + \frac{n}{N} \sum_{r = 1}^N J_r' J_r \Big)^{-1}

    where E is the mean of :func:`excess_errors` with maps drawn from the normal density around the
    fit, Sigma its covariance by the answers that there are
    (:class:`~resemblance.fitting.PositionUncertainty`), and Sigma_n by n answers to random
    questions, N of which are drawn; K is the precision before any answer. The interval, .45 and 2.5
    times as many, held 97 % of 64 simulated studies (``papers/calibration/saved.py``). Where items
    have features, it held half, and nothing is told.

    Parameters
    ----------
    belief : Belief
        The fit and its answers.
    rng : Generator
        Draws questions and maps.
    n_targets, n_draws : int
        How many questions the error is of, and how many maps are drawn.
    max_parameters : int
        As of :class:`~resemblance.fitting.PositionUncertainty`.

    Returns
    -------
    float, tuple of float
        The number of answers, ten times those there are at most, and its interval; its upper end
        is inf where that is reached.

    Raises
    ------
    SettingError
        For a choice model without probabilities, or items with features.

    Examples
    --------
    >>> points = np.random.default_rng(0).normal(size=(8, 2))
    >>> answered = Belief(points).asks.random(np.random.default_rng(1), 200, 8)
    >>> needed, (low, high) = answers_at_random(
    ...     Belief(points, answered=answered), np.random.default_rng(2)
    ... )
    >>> bool(150 < needed < 270)
    True
    """
    if belief.alike is not None or (belief.items and belief.items.features is not None):
        raise SettingError(
            "what random questions would need is not known well where items have features: leave "
            "the features out, or compare errors of sessions with random questions."
        )
    picks, n_items = belief.asks.picks, belief.n_items
    n_answers = len(belief.answered) // picks
    n_drawn = int(np.clip(n_answers, FEWEST, MOST))
    rows = belief.asks.random(rng, n_targets, n_items)
    moves = rng.normal(size=(n_draws, belief.points.size))
    asked = _answered(belief, belief.asks.random(rng, n_drawn, n_items), rng)

    def excess(answers: Ints, times: float) -> float:
        comparisons = belief.told(answers)
        uncertainty = PositionUncertainty(
            belief.points,
            belief.choice,
            comparisons,
            noise=belief.noise,
            weights=[np.full(len(part.index), times) for part in comparisons],
            prior=2.0 * belief.penalty or None,
            max_parameters=max_parameters,
        )
        root = uncertainty.root()
        maps = (belief.points + (root @ z).reshape(belief.points.shape) for z in moves)
        return float(_excess(belief, maps, rows).mean())

    here, each = excess(belief.answered, 1.0), n_answers / n_drawn

    def apart(log_times: float) -> float:
        return excess(asked, each * float(np.exp(log_times))) - here

    fewest, most = np.log([1.0 / TIMES, TIMES])
    is_most = apart(most) > 0.0
    if is_most or apart(fewest) < 0.0:
        times = TIMES if is_most else 1.0 / TIMES
    else:
        times = float(np.exp(brentq(apart, fewest, most, xtol=0.01)))
    needed = times * n_answers
    return needed, (FEWER * needed, np.inf if is_most else FURTHER * needed)


def _answered(belief: Belief, rows: Ints, rng: np.random.Generator) -> Ints:
    """Let somebody who sees the fit answer questions: choices of one."""
    drawn = log_probabilities(belief, rows)
    return picked_choices(belief, rows, drawn + rng.gumbel(size=drawn.shape))


def _excess(belief: Belief, maps: Iterable[Floats], rows: Ints) -> Floats:
    """Return how much more often the fit errs on questions than each of some maps, were it true."""
    says = log_probabilities(belief, rows).argmax(axis=1)[:, None]
    excess = []
    for X in maps:
        p = np.exp(log_probabilities(replace(belief, points=X, noise=Noise()), rows))
        excess.append((p.max(axis=1) - np.take_along_axis(p, says, axis=1)[:, 0]).mean())
    return np.array(excess)


def _uncertainty(belief: Belief) -> PositionUncertainty:
    return PositionUncertainty(
        belief.points,
        belief.choice,
        belief.told(belief.answered),
        noise=belief.noise,
    )
