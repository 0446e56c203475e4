"""Smooth closed shapes that change with one number."""

from typing import ClassVar

import numpy as np

from resemblance.arrays import Floats
from resemblance.stimuli.stimulus_set import StimulusSet, ink

RADIUS = 66.0
WAVES = np.array([2, 3, 4, 5])
AT_ZERO = np.array([0.05j, 0.10, 0.04, 0.05])
PER_X = np.array([0.08, 0.06j, 0.045, 0.035j])


class Blobs(StimulusSet):
    r"""Filled black shapes whose contour changes smoothly with one number x.

    .. math:: r(\theta) = R \Bigl(1 + Re \sum_{k=2}^{5} (a_k + x b_k) e^{i k \theta}\Bigr)

    The lobes of each order k change together: each radius is linear in x, so no two shapes are the
    same.

    Parameters
    ----------
    features : array of shape (n, 1) or (n,), optional
        ``x``, from -3 to 3. The default is the paper's: 17 values from -2 to 2 in steps of 0.25,
        all 136 pairs compared.

    Raises
    ------
    SettingError
        If an x is not finite or out of its range, or two are the same.

    Notes
    -----
    Source of the values: the yada paper, section 4.1.2. It does not say how its shapes were drawn:
    the contour is ours. The picture has 256 x 256 pixels, and R is 66 pixels.

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
        # e^{i k theta} from powers of the direction; r'(theta) turns each term by i k
        turns = np.exp(1j * np.arctan2(y, x))[..., None] ** WAVES
        terms = turns * (AT_ZERO + row[0] * PER_X)
        radius = RADIUS * (1.0 + terms.real.sum(axis=-1))
        slope = RADIUS * (1j * WAVES * terms).real.sum(axis=-1)
        # distance to first order: rho - r(theta) over the length of its gradient on the contour
        return 1.0 - ink((np.hypot(x, y) - radius) / np.hypot(1.0, slope / radius), pixel)
