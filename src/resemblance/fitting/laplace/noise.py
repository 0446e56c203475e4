"""Temperature and lapses added to a choice model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from resemblance.arrays import Floats
from resemblance.ranges import BELOW_ONE, POSITIVE, check_settings, setting


@dataclass(frozen=True)
class Noise:
    r"""Temperature and lapses added to a choice model.

    .. math:: P_j = (1 - \lambda) \, p_j^{1/T} / \sum_k p_k^{1/T} + \lambda / N

    Attributes
    ----------
    temperature : float
        T, above 0; answers are less certain than the choice model says where it is above 1.
    lapse : float
        Lambda, the share of answers given by chance, from 0 to below 1.

    Raises
    ------
    SettingError
        If either is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> Noise(lapse=0.2).apply(np.array([[1.0, 0.0]])).round(3)
    array([[0.9, 0.1]])
    """

    temperature: float = setting(POSITIVE, default=1.0)
    lapse: float = setting(BELOW_ONE, default=0.0)

    def __post_init__(self) -> None:
        check_settings(self)

    def apply(self, probability: Floats) -> Floats:
        """Return P for rows of p that sum to one; missing options stay 0."""
        there = probability > 0
        sharp = np.where(there, probability, 1.0) ** (1.0 / self.temperature) * there
        n = np.maximum(there.sum(axis=1, keepdims=True), 2)
        chance = np.where(there | (n == 2), self.lapse / n, 0.0)
        return np.asarray((1.0 - self.lapse) * sharp / sharp.sum(axis=1, keepdims=True) + chance)

    def with_lapses(self, log_p: ArrayLike, n: ArrayLike) -> Floats:
        """Return log P of answers among n options from log p at this temperature.

        Exact where p underflows: without lapses log P is log p, however improbable.

        >>> np.exp(Noise(lapse=0.2).with_lapses(np.array([0.0, -2000.0]), 2)).round(3)
        array([0.9, 0.1])
        """
        if not self.lapse:
            return np.asarray(log_p)
        lapse = np.log(self.lapse / np.asarray(n))
        return np.asarray(np.logaddexp(np.log1p(-self.lapse) + log_p, lapse))
