"""Gabor patches."""

from itertools import product
from typing import ClassVar

import numpy as np

from resemblance.arrays import Floats
from resemblance.stimuli.stimulus_set import StimulusSet


class Gabors(StimulusSet):
    r"""Gabor patches: a grating under a Gaussian window, on grey.

    .. math::
        \tfrac12 + \tfrac{contrast}{2} \, e^{-(x^2 + y^2) / 2 \sigma^2}
        \cos(2 \pi \, frequency \, u / side), \quad u = y \cos a - x \sin a

    Parameters
    ----------
    features : array of shape (n, 3), optional
        ``angle`` of the stripes in degrees counter-clockwise from the horizontal, from 0 to 180
        (which looks like 0); ``frequency`` in cycles across the picture, from 2 to 32;
        ``contrast`` from 0 to 1. The default is every combination of 0, 45, 90, 135 degrees, 4, 8,
        16 cycles and contrasts 0.25, 0.5, 1: 36 stimuli.

    Raises
    ------
    SettingError
        If a feature is not finite or out of its range, or two rows are the same.

    Notes
    -----
    The picture has 256 x 256 pixels and sigma is a seventh of its side: at its edge the window is
    below half a grey level of 8 bits. The light is proportional to the numbers: correct for the
    gamma of the screen before you measure thresholds.

    Examples
    --------
    >>> gabors = Gabors()
    >>> gabors
    Gabors(36 stimuli by angle, frequency, contrast)
    >>> round(float(gabors.draw([45, 8, 1], size=129).max()), 3)
    1.0
    """

    side: ClassVar = 256
    ranges: ClassVar = {"angle": (0.0, 180.0), "frequency": (2.0, 32.0), "contrast": (0.0, 1.0)}

    def _default(self) -> Floats:
        return np.array(list(product((0, 45, 90, 135), (4, 8, 16), (0.25, 0.5, 1.0))), dtype=float)

    def _light(self, row: Floats, x: Floats, y: Floats, pixel: float) -> Floats:
        angle, frequency, contrast = np.deg2rad(row[0]), row[1], row[2]
        window = np.exp(-(x**2 + y**2) / (2 * (self.side / 7) ** 2))
        across = y * np.cos(angle) - x * np.sin(angle)
        grating = np.cos(2 * np.pi * frequency * across / self.side)
        return np.asarray((1.0 + contrast * window * grating) / 2)
