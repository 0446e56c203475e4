"""Weighted means, log loss, and the calibration slope of probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.stats import norm, t as student_t

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments import as_judgments
from resemblance.judgments.checks import real_numbers
from resemblance.ranges import BELOW_ONE, check


def as_weights(weights: ArrayLike | None, n_rows: int) -> np.ndarray:
    """Return checked weights, one per row: finite, 0 or more, not all 0; None means all 1."""
    if n_rows == 0:
        raise JudgmentError("there are no rows to score; give at least one judgment")
    array = np.ones(n_rows) if weights is None else real_numbers(weights, "weights", least=0)
    if len(array) != n_rows:
        raise JudgmentError(f"there are {len(array)} weights for {n_rows} rows; give one per row")
    if not array.any():
        raise JudgmentError("every weight is zero; give at least one row a positive weight")
    return array


def weighted_mean(values: ArrayLike, weights: ArrayLike | None = None) -> float:
    r"""Return the weighted mean; rows with weight 0 are ignored, even if not finite.

    .. math:: \sum_r w_r v_r / \sum_r w_r
    """
    values = np.asarray(values, dtype=np.float64)
    weights = as_weights(weights, len(values))
    counted = weights > 0
    return float(np.average(values[counted], weights=weights[counted]))


def log_loss(probability: ArrayLike, weights: ArrayLike | None = None, eps: float = 0.0) -> float:
    r"""Return the mean negative log probability of the given answers, in nats.

    .. math:: -\frac{\sum_r w_r \ln \max(p_r, \epsilon)}{\sum_r w_r}

    Parameters
    ----------
    probability : array_like of shape (m,)
        The model's predicted probability of the given answer in each row.
    weights : array_like of shape (m,), optional
        The weight of each row; default 1. Rows of weight zero are ignored.
    eps : float, default 0
        Probabilities below eps count as eps. With the default of 0, a single answer with
        probability 0 makes the loss infinite.

    Returns
    -------
    float
        The loss, 0 or more; guessing between two answers scores ln 2 = 0.693.

    Raises
    ------
    SettingError
        If a probability is NaN or outside [0, 1], the array is not (m,), or eps is outside [0, 1).
    JudgmentError
        If there are no rows or the weights are not valid.

    Examples
    --------
    >>> round(log_loss([0.5, 0.5]), 3)
    0.693
    >>> round(log_loss([1.0, 0.0], eps=0.01), 3)
    2.303
    """
    check(eps=(eps, BELOW_ONE))
    given = np.asarray(probability, dtype=np.float64)
    if given.ndim != 1:
        raise SettingError(
            f"probability has shape {given.shape}; give (m,): that of the answer given in each row"
        )
    valid = (given >= 0) & (given <= 1 + 1e-12)
    if not valid.all():
        row = int(np.argmin(valid))
        raise SettingError(f"probability of row {row} is {given[row]}; give a number in [0, 1]")
    with np.errstate(divide="ignore"):
        return weighted_mean(-np.log(np.clip(given, eps, 1.0)), weights)


def neg_log_loss(estimator: Any, X: Any, y: ArrayLike | None = None) -> float:
    """Return minus the log loss of a fitted model, for ``scoring=`` of scikit-learn's functions.

    scikit-learn's own scorer of that name needs responses y.

    >>> import resemblance as rs
    >>> from sklearn.model_selection import cross_val_score
    >>> line = [[0, 1, 2], [0, 1, 3], [1, 0, 3], [2, 3, 0], [3, 2, 0], [3, 2, 1]] * 5
    >>> model = rs.STE(1, penalty=0.1, random_state=0)
    >>> (cross_val_score(model, line, cv=3, scoring=rs.scores.neg_log_loss) > -0.693).all()
    np.True_
    """
    return -float(estimator.log_loss(X if y is None else as_judgments(X, y)))


STEEPEST = 10.0  # Larger slopes are indistinguishable from infinity.


def calibration_slope(
    probability: ArrayLike,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    groups: ArrayLike | None = None,
) -> tuple[float | None, tuple[float, float] | None]:
    r"""Return the calibration slope of probabilities (m, K), and its interval.

    .. math:: \hat b = \arg\max_b \sum_r w_r \log \frac{p_{r0}^b}{\sum_k p_{rk}^b}

    The slope is the power b at which answers are most likely. It is 1 if probabilities are
    calibrated, below 1 if they are too extreme, and above 1 if they are not extreme enough. Column
    0 is the given answer; w_r is the weight of row r. Source: Cox 1958, Two further applications of
    a model for binary regression, Biometrika 45.

    >>> p = np.array([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.1, 0.9]])
    >>> slope, _ = calibration_slope(p)
    >>> round(slope, 2)  # right in 3 of 4, where 9 of 10 were predicted
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
    scaled = np.where(np.isfinite(log_p), b * log_p, -np.inf)
    scaled -= scaled.max(axis=1, keepdims=True)
    powered = np.exp(scaled)
    return np.asarray(np.maximum(powered / powered.sum(axis=1, keepdims=True), 0.0))
