"""The calibration slope of predicted probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.stats import norm, t as student_t

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.scores.weighted import as_weights

STEEPEST = 10.0  # a slope beyond it cannot be told from infinity


def calibration_slope(
    probability: ArrayLike,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    groups: ArrayLike | None = None,
) -> tuple[float | None, tuple[float, float] | None]:
    r"""Return the power of probabilities under which answers are most likely.

    .. math:: \hat b = \arg\max_b \sum_r w_r \log \frac{p_{r0}^b}{\sum_k p_{rk}^b}

    1 where probabilities mean what they say, below 1 where they are too sure, above 1 where they
    are not sure enough. Of two answers it is the slope of the logistic regression of the answer on
    the log odds. Source: Cox 1958, Two further applications of a model for binary regression,
    Biometrika 45.

    Shapes: probability (m, K), weights (m,), groups (m,).

    >>> import numpy as np
    >>> p = np.array([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.1, 0.9]])
    >>> slope, _ = calibration_slope(p)
    >>> round(slope, 2)  # right in 3 of 4, and not in 9 of 10
    0.5
    """
    p = np.asarray(probability, dtype=float)
    if p.ndim != 2:
        raise SettingError(f"probability has shape {p.shape}; give one of (rows, answers)")
    w = as_weights(weights, len(p))
    with np.errstate(divide="ignore"):
        log_p = np.log(np.maximum(p, np.where(p[:, :1] > 0, 0.0, 1e-300)))

    def loss(b: float) -> float:
        return -float(w @ np.log(np.maximum(_powered(log_p, b)[:, 0], 1e-300)))

    best = minimize_scalar(loss, bounds=(0.0, STEEPEST), method="bounded", options={"xatol": 1e-6})
    slope = float(best.x)
    powered = _powered(log_p, slope)
    finite = np.where(powered > 0, log_p, 0.0)
    mean = (powered * finite).sum(axis=1, keepdims=True)
    information = float(w @ (powered * (finite - mean) ** 2).sum(axis=1))
    if slope > 0.99 * STEEPEST or information < 1e-9:
        return None, None
    half = float(norm.ppf(0.5 + 0.5 * level)) / information**0.5
    if groups is not None:
        scores = w * (finite[:, 0] - mean[:, 0])
        of_group = np.bincount(np.unique(groups, return_inverse=True)[1], scores)
        n = len(of_group)
        error = np.sqrt((of_group**2).sum() * n / max(n - 1, 1)) / information
        half = max(half, float(student_t.ppf(0.5 + 0.5 * level, max(n - 1, 1)) * error))
    return slope, (slope - half, slope + half)


def _powered(log_p: Floats, b: float) -> Floats:
    """Return p^b over its sum in each row."""
    scaled = np.where(np.isfinite(log_p), b * log_p, -np.inf)
    scaled -= scaled.max(axis=1, keepdims=True)
    powered = np.exp(scaled)
    return np.asarray(np.maximum(powered / powered.sum(axis=1, keepdims=True), 0.0))
