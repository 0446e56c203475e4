"""Lines, blobs, Gabor patches and screws, drawn from their features."""

from functools import cache
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.stimuli.stimulus_set import StimulusSet, ink

LINE_STROKE = 4.0
RADIUS = 66.0
WAVES = np.array([2, 3, 4, 5])
AT_ZERO = np.array([0.05j, 0.10, 0.04, 0.05])
PER_X = np.array([0.08, 0.06j, 0.045, 0.035j])
SCREW_STROKE = 2.0


class Lines(StimulusSet):
    r"""Horizontal black lines of several lengths.

    .. math:: |x| \le length / 2, \quad |y| \le 2

    Source: the yada paper, section 4.1.2. Pixels (x, y) with this condition are black. The width of
    the line, 4 pixels, is our choice.

    Parameters
    ----------
    features : array of shape (n, 1) or (n,), optional
        ``length`` in pixels of a picture of 512 x 512, from 10 to 500. The default is from the
        paper: 17 lengths from 200 to 488 in steps of 18, and all 136 pairs.

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
        return 1.0 - ink(abs(x) - row[0] / 2, pixel) * ink(abs(y) - LINE_STROKE / 2, pixel)


class Blobs(StimulusSet):
    r"""Filled black shapes whose contour changes smoothly with a number x.

    .. math:: r(\theta) = R \Bigl(1 + Re \sum_{k=2}^{5} (a_k + x b_k) e^{i k \theta}\Bigr)

    r is the radius at angle theta, and the coefficients a_k and b_k are fixed. Each radius is
    linear in x, so no two shapes are the same.

    Source of the values: the yada paper, section 4.1.2. The paper does not describe how shapes were
    drawn; the contour is our choice. The picture has 256 x 256 pixels, and R is 66 pixels.

    Parameters
    ----------
    features : array of shape (n, 1) or (n,), optional
        ``x``, from -3 to 3. The default is from the paper: 17 values from -2 to 2 in steps of 0.25,
        and all 136 pairs.

    Examples
    --------
    >>> blobs = Blobs()
    >>> blobs.names[0], blobs.names[-1], blobs.pairs.shape
    ('x=-2', 'x=2', (136, 2))
    >>> blobs.draw(0.3).shape
    (256, 256)
    """

    side: ClassVar = 256
    ranges: ClassVar = {"x": (-3.0, 3.0)}

    def _default(self) -> Floats:
        return np.arange(-2.0, 2.1, 0.25)[:, None]

    def _light(self, row: Floats, x: Floats, y: Floats, pixel: float) -> Floats:
        # e^{i k theta} is a power of e^{i theta}; in the slope r'(theta) each term is multiplied by
        # i k.
        turns = np.exp(1j * np.arctan2(y, x))[..., None] ** WAVES
        terms = turns * (AT_ZERO + row[0] * PER_X)
        radius = RADIUS * (1.0 + terms.real.sum(axis=-1))
        slope = RADIUS * (1j * WAVES * terms).real.sum(axis=-1)
        # distance to the contour to first order: (rho - r(theta)) / length of the gradient
        return 1.0 - ink((np.hypot(x, y) - radius) / np.hypot(1.0, slope / radius), pixel)


class Gabors(StimulusSet):
    r"""Gabor patches: a grating under a Gaussian window, on grey.

    .. math::
        \tfrac12 + \tfrac{contrast}{2} \, e^{-(x^2 + y^2) / 2 \sigma^2}
        \cos(2 \pi \, frequency \, u / side), \quad u = y \cos a - x \sin a

    is the light at (x, y), with the angle a. The picture has 256 x 256 pixels, and sigma is a
    seventh of its side, so that the window at the edge is below half a grey level (of 8 bits).
    Pixel values are linear luminance: correct for the gamma of the screen before measuring
    thresholds.

    Parameters
    ----------
    features : array of shape (n, 3), optional
        ``angle`` of the stripes in degrees counter-clockwise from the horizontal, from 0 to 180
        (which looks the same as 0); ``frequency`` in cycles across the picture, from 2 to 32;
        ``contrast`` from 0 to 1. The default is every combination of 0, 45, 90, 135 degrees, 4, 8,
        16 cycles and contrasts 0.25, 0.5, 1: 36 stimuli.

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


class Screws(StimulusSet):
    r"""Circles with a line through the centre, with a diameter and an angle.

    The line goes from rim to rim at ``angle`` degrees, counter-clockwise from the horizontal; 180
    looks the same as 0.

    Source: the yada paper, section 4.1.2. Each of 15 anchors (d, a), with d in {50, 75, 100} and a
    in {0, 20, 35, 55, 75}, is compared with 9 other stimuli (d', a') with d' >= d, a' >= a and d' -
    d + a' - a <= 15. The paper does not state the step of d' and a'; a step of 5 gives 9 other
    stimuli, 147 stimuli and 135 pairs. The width of the line, 2 pixels, is our choice.

    Parameters
    ----------
    features : array of shape (n, 2), optional
        ``diameter`` in pixels of a picture of 160 x 160, from 10 to 150, and ``angle`` in degrees,
        from 0 to 180. The default is the paper's 147 stimuli, in ascending order.

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
        """Indices of the stimuli to compare, (m, 2): by default the paper's, else all pairs."""
        features, pairs = _published()
        return pairs.copy() if np.array_equal(self.features, features) else super().pairs

    def _default(self) -> Floats:
        return _published()[0]

    def _light(self, row: Floats, x: Floats, y: Floats, pixel: float) -> Floats:
        from_rim = np.hypot(x, y) - row[0] / 2
        angle = np.deg2rad(row[1])
        from_line = abs(y * np.cos(angle) - x * np.sin(angle))
        rim, line = (ink(abs(d) - SCREW_STROKE / 2, pixel) for d in (from_rim, from_line))
        return 1.0 - np.maximum(rim, line * ink(from_rim, pixel))


@cache
def _published() -> tuple[Floats, NDArray[np.intp]]:
    anchors = np.array([(d, a) for d in (50.0, 75.0, 100.0) for a in (0.0, 20.0, 35.0, 55.0, 75.0)])
    steps = np.array([(d, a) for d in range(0, 16, 5) for a in range(0, 16 - d, 5)])
    rows = anchors[:, None] + steps  # The first step is 0, so the first row is the anchor itself.
    features, position = np.unique(rows.reshape(-1, 2), axis=0, return_inverse=True)
    position = position.reshape(len(anchors), len(steps))
    anchor = np.repeat(position[:, 0], len(steps) - 1)
    return features, np.column_stack([anchor, position[:, 1:].ravel()])
