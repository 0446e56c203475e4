"""Derivatives of the log odds of answers by the positions of the items."""

import numpy as np
from scipy.special import softmax

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.fitting.laplace.noise import Noise
from resemblance.judgments import Comparison

TINY = np.finfo(float).tiny  # the probability of what never happens, which tells nothing


def answer_slopes(
    points: Floats, choice: ChoiceModel, noise: Noise, questions: Comparison
) -> tuple[Floats, Floats]:
    """Return p (m, K) without lapses, and the slopes of the log similarities.

    The slopes are (m, K, items of a row, d), before division by the temperature.
    """
    layout, at = questions.layout, points[questions.index]
    first, second = np.array(layout.pairs).T
    a, b = at[:, first], at[:, second]  # (m, P, d)
    if choice.reads == "inner":
        distance, by_first, by_second = np.einsum("mpd,mpd->mp", a, b), b, a
    else:
        gap = a - b
        distance, by_first, by_second = (gap**2).sum(axis=2), 2.0 * gap, -2.0 * gap
    f = choice.log_similarity_slope(distance)[:, :, None]
    share = 1.0 / layout.members.shape[1]
    slopes = np.zeros((len(at), len(layout.options), *at.shape[1:]))
    for option, pairs in enumerate(layout.options):
        for pair in pairs:
            slopes[:, option, first[pair]] += share * f[:, pair] * by_first[:, pair]
            slopes[:, option, second[pair]] += share * f[:, pair] * by_second[:, pair]
    similarity = layout.of_options(choice.log_similarity(distance).T).T
    return softmax(similarity / noise.temperature, axis=1), slopes


def information_slopes(
    points: Floats, choice: ChoiceModel, noise: Noise, questions: Comparison
) -> Floats:
    r"""Return J of each question, (m, N - 1, items of a row, d): J'J is what its answer tells.

    .. math:: J_k = R_k - \frac{v_k}{1 + v_1} R_1, \quad k = 2, ..., N, \qquad
       R_k = \frac{(1 - \lambda) p_k}{v_k T} (s_k - \textstyle\sum_j p_j s_j)

    with s_k the slope of the log similarity of option k, p its probability without lapses and
    :math:`v_k^2` with them. J'J = R'R, as v'R = 0 and J is R reflected so that v is the first axis.
    """
    p, slopes = answer_slopes(points, choice, noise, questions)
    v = np.sqrt(np.maximum((1.0 - noise.lapse) * p + noise.lapse / p.shape[1], TINY))
    mean = np.einsum("mj,mjtd->mtd", p, slopes)
    root = (1.0 - noise.lapse) / noise.temperature * p / v
    R = root[:, :, None, None] * (slopes - mean[:, None])
    turned = (v[:, 1:] / (1.0 + v[:, :1]))[:, :, None, None]
    return np.asarray(R[:, 1:] - turned * R[:, :1])


def likelihood_slopes(
    points: Floats, choice: ChoiceModel, noise: Noise, questions: Comparison
) -> Floats:
    """Return the slope of the log probability of each first option, (m, items of a row, d)."""
    p, slopes = answer_slopes(points, choice, noise, questions)
    P = np.maximum((1.0 - noise.lapse) * p[:, 0] + noise.lapse / p.shape[1], TINY)
    sure = (1.0 - noise.lapse) * p[:, 0] / P
    apart = slopes[:, 0] - np.einsum("mj,mjtd->mtd", p, slopes)
    return np.asarray(sure[:, None, None] * apart / noise.temperature)
