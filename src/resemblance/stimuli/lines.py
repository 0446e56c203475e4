"""Line segments."""

from typing import ClassVar

import numpy as np

from resemblance.arrays import Floats
from resemblance.stimuli.stimulus_set import StimulusSet, ink

STROKE = 4.0


class Lines(StimulusSet):
    r"""Horizontal black line segments of several lengths.

    .. math:: |x| \le length / 2, \quad |y| \le 2

    Parameters
    ----------
    features : array of shape (n, 1) or (n,), optional
        ``length`` in pixels of a picture of 512 x 512, from 10 to 500. The default is the paper's:
        17 lengths from 200 to 488 in steps of 18, all 136 pairs compared.

    Raises
    ------
    SettingError
        If a length is not finite or out of its range, or two are the same.

    Notes
    -----
    Source: the yada paper, section 4.1.2. The width of the stroke, 4 pixels, is ours.

    Examples
    --------
    >>> lines = Lines()
    >>> lines.names[:2], lines.pairs.shape
    (('length=200', 'length=218'), (136, 2))
    >>> float((1 - lines.draw(218)).sum()) / 4
    218.0
    """

    side: ClassVar = 512
    ranges: ClassVar = {"length": (10.0, 500.0)}

    def _default(self) -> Floats:
        return np.arange(200.0, 489.0, 18.0)[:, None]

    def _light(self, row: Floats, x: Floats, y: Floats, pixel: float) -> Floats:
        return 1.0 - ink(abs(x) - row[0] / 2, pixel) * ink(abs(y) - STROKE / 2, pixel)
