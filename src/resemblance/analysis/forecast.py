"""Forecast how much further answers lower the error on random questions."""

from __future__ import annotations

import numpy as np

from resemblance.errors import SettingError
from resemblance.fitting import OrdinalEmbedding, PositionUncertainty
from resemblance.fitting.answers import answer_probabilities
from resemblance.fitting.laplace import MAX_PARAMETERS
from resemblance.judgments import Judgments, OneKind, Triplets

POWER = 1.5  # the excess falls with this power of the share of answers
REMOVED = 0.85  # share of the forecast fall that came in past studies
LESS, MORE = 0.9, 2.4  # distances of the ends of the interval, in units of its spread
N_QUESTIONS, N_DRAWS = 400, 60  # random questions and maps behind an expected excess


def expected_gain(excess: float, n_answers: int, n_more: int) -> tuple[float, tuple[float, float]]:
    r"""Forecast how much further answers lower the error on random questions.

    .. math:: g = 0.85 \, E (1 - r^{3/2}), \qquad r = \frac{m}{m + k}, \qquad
       \big[ g - 0.9 \, E (1 - r)^{1/4}, \; g + 2.4 \, E (1 - r)^{1/4} \big]

    The part of the error that more answers can remove falls a little faster than the number of
    answers grows: the power was found in 83 simulated studies, the factor in 82 adaptive ones,
    half of them of items in no normal cloud; the ends of the interval held 37 of the 40 by which
    they were set, and 40 of 40 others (``papers/calibration/forecasts.py``). What came of an
    earlier forecast of the same study tells nothing of the next one's error: in these studies they
    were not correlated, and so no forecast is corrected by those before.

    Parameters
    ----------
    excess : float
        E: how much more often the map errs on random questions than the truth would.
    n_answers : int
        m, the answers that the map was fitted to.
    n_more : int
        k, the further answers.

    Returns
    -------
    float, tuple of float
        The gain, and its interval.

    Examples
    --------
    >>> gain, (low, high) = expected_gain(0.04, 1000, 1000)
    >>> round(gain, 3), round(low, 3), round(high, 3)
    (0.022, -0.008, 0.103)
    """
    left = n_answers / (n_answers + n_more)
    gain, spread = REMOVED * excess * (1.0 - left**POWER), excess * (1.0 - left) ** 0.25
    return gain, (gain - LESS * spread, gain + MORE * spread)


def expected_excess(model: OrdinalEmbedding, judgments: OneKind) -> float | None:
    r"""Estimate how much more often a map errs on random questions than the truth would.

    .. math:: E = \frac{1}{S T} \sum_{s, t} \max_j p_{tj}(X_s) - p_{t, \hat\jmath_t}(X_s), \qquad
       \hat\jmath_t = \arg\max_j p_{tj}(\hat X)

    with maps X_s drawn from the Laplace approximation around the fit, and random triplets t. None
    for maps whose uncertainty is unknown.
    """
    points, choice = model.embedding_, model.choice_
    if not isinstance(judgments, Judgments) or not choice.one_of_many:
        return None
    mentioned = np.unique(judgments.index[judgments.index >= 0])
    if len(mentioned) < 3 or points.size > MAX_PARAMETERS:
        return None
    try:
        root = PositionUncertainty.of_fit(model, judgments).root()
    except SettingError:
        return None
    rng = np.random.default_rng(0)
    order = np.argsort(rng.random((N_QUESTIONS, len(mentioned))), axis=1)[:, :3]
    questions = Triplets(mentioned[order], judgments.items)
    says = model.predict_proba(questions).argmax(axis=1)[:, None]
    lost = []
    for _ in range(N_DRAWS):
        moved = (root @ rng.normal(size=points.size)).reshape(points.shape)
        p = answer_probabilities(points + moved, questions, choice)
        lost.append((p.max(axis=1) - np.take_along_axis(p, says, axis=1)[:, 0]).mean())
    return float(np.mean(lost))
