"""How probable a model held what people answered."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from resemblance.errors import SettingError
from resemblance.scores.weighted import weighted_mean


def log_loss(probability: ArrayLike, weights: ArrayLike | None = None, eps: float = 0.0) -> float:
    r"""Mean negative log probability of the answers given, in nats.

    .. math:: -\frac{\sum_r w_r \ln \max(p_r, \epsilon)}{\sum_r w_r}

    Parameters
    ----------
    probability : array_like of shape (m,)
        Probability that the model gave, before seeing it, to the answer of each row.
    weights : array_like of shape (m,), optional
        How many times each row counts; once by default, and a row of weight zero not at all.
    eps : float, default 0
        Probabilities below it count as it. With the default nothing is clipped: one answer held
        impossible makes the loss infinite.

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
    >>> log_loss([1.0, 0.0])
    inf
    >>> round(log_loss([1.0, 0.0], eps=0.01), 3)
    2.303
    """
    if not 0 <= eps < 1:
        raise SettingError(f"eps is {eps}; give a number from 0 up to, not including, 1")
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
