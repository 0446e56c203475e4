"""When to stop: how good the map is, how good it can get, and what more answers would bring."""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from resemblance.arrays import Floats
from resemblance.asking.belief import Belief
from resemblance.asking.session import Session
from resemblance.asking.strategies import log_probabilities
from resemblance.catalog import HELD_OUT
from resemblance.errors import SettingError
from resemblance.fitting.uncertainty import PositionUncertainty
from resemblance.scores import NoiseCeiling, noise_ceiling, wilson_interval


@dataclass(frozen=True)
class StoppingAdvice:
    """What a session knows about going on.

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
        The standard deviation of each item's position, in the unit of the map.
    n_more : int
        For how many more answers the gain is.
    gain, interval : float, tuple of float
        How much they are expected to lower the error on random questions, and the middle 95 % of
        what the Laplace approximation holds possible; :func:`expected_gains` says how far to
        trust it.

    Examples
    --------
    >>> StoppingAdvice(900, 0.2, (0.17, 0.23), None, np.zeros(3), 1000, 0.01, (0.0, 0.02)).gain
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


def stopping_advice(session: Session, n_more: int = 1000, random_state: int = 0) -> StoppingAdvice:
    """Say how good a session's map is, and what more answers would bring.

    Parameters
    ----------
    session : Session
        With a first fit.
    n_more : int
        The number of further answers that are weighed.
    random_state : int
        Draws the questions and maps of the gain.

    Returns
    -------
    StoppingAdvice

    Raises
    ------
    SettingError
        Before the first fit, or for a model without probabilities.

    Examples
    --------
    >>> import resemblance as rs
    >>> person = rs.SpaceObserver([[0.0], [1.0], [2.0], [4.0], [7.0]], random_state=0)
    >>> session = rs.Session(5, start_per_head=4, random_state=0)
    >>> for _ in range(40):
    ...     question = session.ask()
    ...     picked = person.pick([[question.head, *question.options]])[0]
    ...     session.tell(question, question.options[picked])
    >>> advice = stopping_advice(session, n_more=100)
    >>> advice.n_answers, bool(advice.gain > 0)
    (40, True)
    """
    if not session.n_fits:
        raise SettingError("advice needs a fit: tell more answers, or refit().")
    held_out, random = session.judgments(HELD_OUT), session.judgments("random")
    error = 1.0 - session.model_.score(held_out) if len(held_out) else np.nan
    interval = wilson_interval(error, len(held_out)) if len(held_out) else (np.nan, np.nan)
    belief = session.belief()
    uncertainty = _uncertainty(belief)
    gain, middle = expected_gain(belief, n_more, random_state)
    return StoppingAdvice(
        n_answers=len(session.judgments("all")),
        held_out_error=float(error),
        error_interval=interval,
        ceiling=noise_ceiling(random) if len(random) else None,
        deviation=uncertainty.deviation,
        n_more=n_more,
        gain=gain,
        interval=middle,
    )


def expected_gain(
    belief: Belief, n_more: int, random_state: int = 0
) -> tuple[float, tuple[float, float]]:
    """Return the mean of :func:`expected_gains`, and their middle 95 %."""
    gains = expected_gains(belief, n_more, np.random.default_rng(random_state))
    low, high = np.quantile(gains, [0.025, 0.975])
    return float(gains.mean()), (float(low), float(high))


def expected_gains(
    belief: Belief,
    n_more: int,
    rng: np.random.Generator,
    n_targets: int = 300,
    n_draws: int = 400,
) -> Floats:
    r"""Draw the fall of the error on random questions that more answers would bring.

    .. math:: Z \sim N(z, C), \qquad z' = z + (1 - r)(Z - z) + \sqrt{r (1 - r)} \, \epsilon, \qquad
       \epsilon \sim N(0, C), \qquad g = (1 - \lambda) (p_{\arg\max z'}(Z) - p_{\arg\max z}(Z))

    where z are the fitted log similarities of the options of some questions, C their covariance
    (:class:`~resemblance.fitting.PositionUncertainty`), Z what they may be in truth, and z' what a
    fit to m + k answers will say, r = m / (m + k). A map predicts the option of the largest one,
    and is right with the probability p(Z) that the option has in truth, unless the answer is a
    lapse (of rate lambda); the gain of a draw is the mean of g. Questions to come are taken to be
    as telling as those before, and the fit to be near the truth; one that is not, as in a local
    minimum, may gain more. In eight simulated worlds each (20 items, twice as many answers more)
    the mean gains foretold and found were 0.019 and 0.034 after 500 answers with two options,
    0.026 and 0.029 after 300 with four, 0.029 and 0.028 after 200 with eight.

    Parameters
    ----------
    belief : Belief
        The fit and its m answers.
    n_more : int
        k, the further answers.
    rng : Generator
        Draws questions and maps.
    n_targets, n_draws : int
        How many of each.

    Returns
    -------
    array (n_draws,)
    """
    n_options = belief.asks.n_options
    rows = belief.asks.random(rng, n_targets, belief.n_items)
    z = log_probabilities(belief, rows)[:, :, None]
    uncertainty = _uncertainty(belief)
    spread = uncertainty.log_similarity_rows(belief.asked(rows)) @ uncertainty.root()
    first, second = (
        (spread @ rng.normal(size=(spread.shape[1], n_draws))).reshape(n_targets, n_options, -1)
        for _ in range(2)
    )
    r = len(belief.answered) / (len(belief.answered) + n_more)
    later = z + (1.0 - r) * first + np.sqrt(r * (1.0 - r)) * second
    p = softmax(z + first, axis=1)
    then, now = (np.take_along_axis(p, says.argmax(axis=1)[:, None], axis=1) for says in (later, z))
    return np.asarray((1.0 - belief.noise.lapse) * (then - now).mean(axis=(0, 1)))


def _uncertainty(belief: Belief) -> PositionUncertainty:
    return PositionUncertainty(
        belief.points,
        belief.choice,
        [belief.asked(belief.answered)],
        noise=belief.noise,
    )
