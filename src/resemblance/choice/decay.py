"""Choice models of two-alternative forced choice: errors get rarer as distance grows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from resemblance.choice import _loops
from resemblance.choice.models import ChoiceModel, Floats, Reads
from resemblance.errors import SettingError
from resemblance.ranges import BELOW_ONE, LEVEL, NOT_NEGATIVE, setting

PEAK_WIDTHS = tuple(2.0 * 0.5**k for k in range(5))  # distances; psi falls to a third in 1


@dataclass(frozen=True)
class Decay(ChoiceModel):
    """Base of :class:`Exponential` and :class:`Gaussian`, in which errors fall from a ceiling to
    0.
    """

    kind: ClassVar[int] = _loops.DECAY
    one_of_many: ClassVar[bool] = False
    compares: ClassVar[bool] = False
    ceiling: float = setting(LEVEL, default=0.5)
    lapse: float = setting(BELOW_ONE, default=0.0)

    def loss(self, near: ArrayLike, far: ArrayLike) -> Floats:
        """Refuse: there is one distance, not two to compare."""
        raise SettingError(
            f"{type(self).__name__} reads confusions and cannot compare distances: fit "
            "Confusions, or use STE, TSTE, CKL or another model of comparisons."
        )

    def slopes(self, near: ArrayLike, far: ArrayLike) -> tuple[Floats, Floats]:
        """Refuse, as ``loss``."""
        return self.loss(near, far), np.empty(0)


@dataclass(frozen=True)
class Gaussian(Decay):
    r"""P(error) = (1 - lapse) c exp(-d^2) + lapse / 2, with d the distance.

    Source: Xu, Zhu & Rogers 2012 (Yada), equation 6, where c = 1/2 and lapse = 0.

    Examples
    --------
    >>> Gaussian().error_probability([0.0, 1.0]).round(3)  # of squared distances
    array([0.5  , 0.184])
    """

    reads: ClassVar[Reads] = "squared"


@dataclass(frozen=True)
class Exponential(Decay):
    r"""P(error) = (1 - lapse) c exp(-d) + lapse / 2, with d the distance.

    ``width`` > 0 rounds the peak at distance 0: d is taken as sqrt(d^2 + width^2) - width. Source:
    Xu, Zhu & Rogers 2012 (Yada), equation 5, where c = 1/2, lapse = 0 and width = 0. It reads the
    plain distance, since its slope in the squared one has no bound at 0.

    Examples
    --------
    >>> Exponential(lapse=0.1).error_probability([0.0, 1.0]).round(3)
    array([0.5  , 0.216])
    """

    reads: ClassVar[Reads] = "plain"
    width: float = setting(NOT_NEGATIVE, default=0.0)

    def smoothings(self) -> Iterator[ChoiceModel]:
        """Yield ever less rounded versions of the peak, then the model itself.

        Two items of one dimension that meet stick together at the peak; while it is round, they
        pass. Source: Pliner 1996, the smoothing technique of unidimensional scaling.
        """
        for width in PEAK_WIDTHS:
            if width > self.width:
                yield replace(self, width=width)
        yield self
