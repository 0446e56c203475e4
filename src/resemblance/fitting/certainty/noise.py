"""Estimate temperature and lapses of answers around a fitted space."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, logit

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel, Gaussian
from resemblance.errors import SettingError
from resemblance.fitting.answers import answer_probabilities
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.laplace.noise import Noise
from resemblance.fitting.objective.objective import Objective, batches
from resemblance.forms import Coordinates
from resemblance.geometry.procrustes import as_points
from resemblance.judgments import Confusions, Judgments, of_kind


def estimate_noise(model: OrdinalEmbedding, judgments: Judgments) -> Noise:
    r"""Estimate temperature and lapse from answers that a fitted model has not seen.

    Maximum a posteriori: log T ~ N(0, 1), and the lapse has the density of Beta(1.5, 20) (a few in
    a hundred, unless answers say otherwise). Answers that the model was fitted to make it look more
    certain than it is, so give others.

    Parameters
    ----------
    model : OrdinalEmbedding
        A fitted model with a likelihood.
    judgments : Judgments
        Held-out answers.

    Returns
    -------
    Noise

    Examples
    --------
    >>> import resemblance as rs
    >>> space = [[0.0], [1.0], [3.0], [6.0]]
    >>> observer = rs.SpaceObserver(space, lapse=0.3, random_state=0)
    >>> answers = observer.answer([[0, 1, 3], [3, 2, 0], [1, 0, 3]] * 300)
    >>> model = rs.STE(1).set_positions(space)
    >>> round(estimate_noise(model, answers).lapse, 1)
    0.3
    """
    p = answer_probabilities(model.embedding_, judgments, model.choice_)
    weight = judgments.weights

    def objective(x: Floats) -> float:
        noise = _noise(x)
        loss = -weight @ np.log(np.maximum(noise.apply(p)[:, 0], 1e-300))
        return float(loss + 0.5 * x[0] ** 2 - np.log(noise.lapse**0.5 * (1.0 - noise.lapse) ** 19))

    result = minimize(objective, [0.0, logit(0.05)], method="Nelder-Mead", options={"xatol": 1e-3})
    return _noise(result.x)


def _noise(x: Floats) -> Noise:
    return Noise(float(np.exp(np.clip(x[0], -4, 4))), float(np.clip(expit(x[1]), 1e-6, 0.98)))


def calibrate_scale(
    points: ArrayLike, confusions: Confusions, choice: ChoiceModel | None = None
) -> float:
    r"""Find the most likely scale of positions for confusions.

    .. math:: \hat\tau = \arg\max_\tau \sum_{ij} a_{ij} \log \psi(\tau d_{ij})
       + b_{ij} \log(1 - \psi(\tau d_{ij}))

    For nonmetric scaling and metric learners, whose distances have no unit.

    Parameters
    ----------
    points : array (n_items, d)
        Positions.
    confusions : Confusions
        Counts of errors.
    choice : ChoiceModel, optional
        Psi; default :class:`~resemblance.choice.Gaussian`.

    Returns
    -------
    float
        tau, from 1e-6 to 1e6 over the mean distance of the pairs.

    Raises
    ------
    SettingError
        If all pairs are at distance 0, nobody erred, or there are fewer points than items.

    References
    ----------
    Xu, Zhu & Rogers 2012 (Yada), section 4.4.1.

    Examples
    --------
    >>> import resemblance as rs
    >>> space = np.array([[0.0], [0.4], [1.0], [1.9]])
    >>> person = rs.SpaceObserver(space, Gaussian(), random_state=0)
    >>> counts = person.confuse(np.column_stack(np.triu_indices(4, 1)), trials=5000)
    >>> round(calibrate_scale(10 * space, counts), 2)
    0.1
    """
    of_kind(confusions, Confusions, "calibrate_scale")
    X = np.ascontiguousarray(as_points(points, "points"))
    if len(X) < confusions.n_items:
        raise SettingError(
            f"points have shape {X.shape}: give a position to each of the {confusions.n_items} "
            "items."
        )
    a, b = confusions.index.T
    mean = float(np.linalg.norm(X[a] - X[b], axis=1).mean())
    if not mean > 0:
        raise SettingError(
            "all pairs are at distance 0, so the scale cannot be estimated: check the points."
        )
    if not confusions.errors.any():
        raise SettingError("there are no errors, so the scale is unbounded: ask more.")
    likelihood = Objective(
        batches(confusions), Gaussian() if choice is None else choice, Coordinates()
    )

    def loss(log_scale: float) -> float:
        return likelihood(np.exp(log_scale) / mean * X)[0]

    grid = np.arange(-14.0, 14.5, 0.5)
    at = int(np.argmin([loss(log_scale) for log_scale in grid]))
    low, high = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
    result = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-8})
    return float(np.exp(result.x) / mean)
