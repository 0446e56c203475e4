"""People who do not look: those who answer by chance, and those who stay on one side."""

from __future__ import annotations

from typing import Any

import numpy as np

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.fitting import JudgmentsLike
from resemblance.judgments import as_judgments
from resemblance.observers.observer import Observer, option_counts


class InattentiveObserver(Observer):
    r"""Somebody who answers by chance.

    .. math:: P_k = 1 / N

    among N options. Source: the "seemingly random responses" of Tamuz et al. 2011, section 7.

    Parameters
    ----------
    random_state : int, RandomState or None
        Draws the answers.

    Examples
    --------
    >>> InattentiveObserver(random_state=0).probability([[0, 2, 1]])
    array([0.5])
    """

    def probabilities(self, questions: JudgmentsLike) -> Floats:
        """Return 1 / N for each of the N options of a row; see :meth:`Observer.probabilities`."""
        counts = option_counts(as_judgments(questions))
        listed = np.arange(counts.max(initial=2)) < counts[:, None]
        return np.asarray(listed / counts[:, None])


class PositionBiasObserver(Observer):
    r"""Somebody who chooses the option shown on one side, whatever it is.

    .. math:: P_{side} = share, \quad P_k = (1 - share) / (N - 1)

    for the other options. The first option that a row lists is side 0. A :class:`Crowd` shows the
    options of each row in an order of its own.

    Parameters
    ----------
    side : {0, 1}
        The first or the second option shown.
    share : float
        How often that side is chosen, from 0 to 1.
    random_state : int, RandomState or None
        Draws the answers.

    Raises
    ------
    SettingError
        If the side is neither 0 nor 1, or the share is not between 0 and 1.

    Examples
    --------
    >>> PositionBiasObserver(1).answer([[0, 2, 1], [3, 4, 5]]).index[:, 1]
    array([1, 5], dtype=int32)
    """

    def __init__(self, side: int = 0, share: float = 1.0, random_state: Any = None) -> None:
        super().__init__(random_state)
        if side not in (0, 1):
            raise SettingError(f"side is {side!r}: give 0, the first option shown, or 1.")
        self.side, self.share = side, checked_share("share", share)

    def probabilities(self, questions: JudgmentsLike) -> Floats:
        """Return the share to the side, and the rest evenly; see :meth:`Observer.probabilities`."""
        counts = option_counts(as_judgments(questions))[:, None]
        column = np.arange(counts.max(initial=2))
        p = np.where(column == self.side, self.share, (1.0 - self.share) / (counts - 1))
        return np.where(column < counts, p, 0.0)


def checked_share(name: str, value: float) -> float:
    """Refuse what is no share."""
    if not 0.0 <= value <= 1.0:
        raise SettingError(f"{name} is {value!r}: give a share between 0 and 1.")
    return value
