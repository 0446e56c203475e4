"""Circles with a line in them, like the heads of screws."""

from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.stimuli.stimulus_set import StimulusSet, ink

STROKE = 2.0


class Screws(StimulusSet):
    r"""Circles with a line through the centre, by diameter and angle.

    The line runs from rim to rim at ``angle`` degrees, counter-clockwise from the horizontal; 180
    looks like 0.

    Parameters
    ----------
    features : array of shape (n, 2), optional
        ``diameter`` in pixels of a picture of 160 x 160, from 10 to 150, and ``angle`` in degrees,
        from 0 to 180. The default is the paper's 147 stimuli, in ascending order.

    Raises
    ------
    SettingError
        If a feature is not finite or out of its range, or two rows are the same.

    Notes
    -----
    Source: the yada paper, section 4.1.2. Each of 15 anchors (d, a), with d in {50, 75, 100} and a
    in {0, 20, 35, 55, 75}, is compared with the 9 others (d', a') that have d' >= d, a' >= a and
    d' - d + a' - a <= 15. The paper leaves out the step: 5 is the one that gives 9 others, 147
    stimuli and 135 pairs. The width of the stroke, 2 pixels, is ours.

    Examples
    --------
    >>> screws = Screws()
    >>> screws, screws.pairs.shape
    (Screws(147 stimuli by diameter, angle), (135, 2))
    >>> screws.features[screws.pairs[0]]
    array([[50.,  0.],
           [50.,  5.]])
    """

    side: ClassVar = 160
    ranges: ClassVar = {"diameter": (10.0, 150.0), "angle": (0.0, 180.0)}

    @property
    def pairs(self) -> NDArray[np.intp]:
        """Positions of the stimuli to compare, (m, 2): the paper's of its set, all of another."""
        features, pairs = _published()
        return pairs.copy() if np.array_equal(self.features, features) else super().pairs

    def _default(self) -> Floats:
        return _published()[0]

    def _light(self, row: Floats, x: Floats, y: Floats, pixel: float) -> Floats:
        from_rim = np.hypot(x, y) - row[0] / 2
        angle = np.deg2rad(row[1])
        from_line = abs(y * np.cos(angle) - x * np.sin(angle))
        rim, line = (ink(abs(d) - STROKE / 2, pixel) for d in (from_rim, from_line))
        return 1.0 - np.maximum(rim, line * ink(from_rim, pixel))


@cache
def _published() -> tuple[Floats, NDArray[np.intp]]:
    """Return the stimuli of the paper, and its pairs (anchor, other)."""
    anchors = np.array([(d, a) for d in (50.0, 75.0, 100.0) for a in (0.0, 20.0, 35.0, 55.0, 75.0)])
    steps = np.array([(d, a) for d in range(0, 16, 5) for a in range(0, 16 - d, 5)])
    rows = anchors[:, None] + steps  # the first step is none: the anchor itself
    features, position = np.unique(rows.reshape(-1, 2), axis=0, return_inverse=True)
    position = position.reshape(len(anchors), len(steps))
    anchor = np.repeat(position[:, 0], len(steps) - 1)
    return features, np.column_stack([anchor, position[:, 1:].ravel()])
