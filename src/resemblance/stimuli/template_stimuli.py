"""Stimuli for templates: a bright square in noise, and points as images of two pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import SettingError

PLACES = ("top left", "top right", "bottom left", "bottom right")


class FourSquares:
    r"""The four-square task: people say whether a bright square is in the upper or lower half.

    .. math:: x = contrast \cdot s_k + \varepsilon, \quad \varepsilon_j \sim N(0, noise^2)

    where x is the image, and s_k is 1 in square k and 0 elsewhere. All four squares contain noise;
    the gaps between them do not.

    Parameters
    ----------
    side : int
        Pixels along one side of a square.
    noise : float
        The standard deviation of a noisy pixel, above 0.
    gap : int
        Width in pixels of the gap between squares, which is constant 0.

    Attributes
    ----------
    signals : array (4, height, width)
        The four squares without noise, at contrast 1: top left, top right, bottom left and right.
    labels : array (4,) of str
        The right answer to each signal: "top" or "bottom".
    regions : array (height, width) of int
        The square of each pixel, 0 to 3; -1 between squares.

    Raises
    ------
    SettingError
        If a setting is out of its range.

    References
    ----------
    The paper on image templates, section 5. Its settings are unknown; 8 x 8 pixels are our choice.

    Examples
    --------
    >>> task = FourSquares()
    >>> images = task.draw([0, 3], contrast=0.5, random_state=0)
    >>> images.shape, task.labels[[0, 3]].tolist()
    ((2, 16, 16), ['top', 'bottom'])
    """

    def __init__(self, side: int = 8, noise: float = 1.0, gap: int = 0) -> None:
        if side < 1 or gap < 0 or not noise > 0:
            raise SettingError(
                f"side is {side!r}, noise {noise!r} and gap {gap!r}: give a side of 1 pixel or "
                "more, noise above 0, and a gap of 0 or more"
            )
        self.side, self.noise, self.gap = side, noise, gap
        self.regions = np.full((2 * side + gap, 2 * side + gap), -1)
        for place in range(4):
            self.regions[self._square(place)] = place
        self.signals = (self.regions == np.arange(4)[:, None, None]).astype(float)
        self.labels = np.array([name.split()[0] for name in PLACES])

    def _square(self, place: int) -> tuple[slice, slice]:
        starts = (first * (self.side + self.gap) for first in divmod(place, 2))
        row, column = (slice(start, start + self.side) for start in starts)
        return row, column

    @property
    def image_shape(self) -> tuple[int, int]:
        """Height and width of an image."""
        return self.regions.shape

    def draw(self, places: ArrayLike, contrast: ArrayLike, random_state: Any = None) -> Floats:
        """Draw noisy images.

        Parameters
        ----------
        places : array (m,) of int, or int
            The number of the bright square, 0 to 3.
        contrast : float, or array (m,)
            The brightness of the square, in the units of the noise.
        random_state : int, RandomState or None

        Returns
        -------
        array (m, height, width)
        """
        place = np.atleast_1d(places)
        bright = np.broadcast_to(np.asarray(contrast, float), place.shape)[:, None, None]
        noise = check_random_state(random_state).normal(
            0.0, self.noise, (len(place), *self.image_shape)
        )
        return bright * self.signals[place] + noise * (self.regions >= 0)

    def __repr__(self) -> str:
        return f"FourSquares(side={self.side}, noise={self.noise:g}, gap={self.gap})"


Points = tuple[NDArray[np.float64], NDArray[np.int64]]


def bands(n: int = 600, random_state: Any = None) -> Points:
    """Return points of two classes: 1 in a vertical band, 2 in a vertical and a horizontal band.

    The paper on image templates, section 4, uses such points. Its settings are unknown; the number
    of points and the sizes of the bands are our choice.

    Parameters
    ----------
    n : int
        The number of points.
    random_state : int, RandomState or None

    Returns
    -------
    points : array (n, 2)
    classes : array (n,)
        1 or 2.

    Examples
    --------
    >>> points, classes = bands(9, random_state=0)
    >>> classes
    array([1, 1, 1, 2, 2, 2, 2, 2, 2])
    """
    random = check_random_state(random_state)
    which = np.arange(n) * 3 // n
    centres = np.array([[-1.0, 1.0], [1.0, 1.0], [0.0, -1.6]])
    spans = np.array([[0.25, 1.5], [0.25, 1.5], [1.5, 0.25]])
    points = centres[which] + spans[which] * random.uniform(-1.0, 1.0, (n, 2))
    return points, np.where(which == 0, 1, 2)


def circles(n: int = 400, random_state: Any = None) -> Points:
    """Return points in two rings side by side, one ring per class.

    Parameters, results and errors are as in :func:`bands`.

    Examples
    --------
    >>> points, classes = circles(100, random_state=0)
    >>> bool(np.linalg.norm(points - [-1.5, 0.0], axis=1).min() > 0.8)
    True
    """
    random = check_random_state(random_state)
    which = np.arange(n) * 2 // n
    angle = random.uniform(0.0, 2.0 * np.pi, n)
    radius = random.uniform(0.9, 1.1, n)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * radius[:, None]
    return ring + np.array([[-1.5, 0.0], [1.5, 0.0]])[which], which + 1


def overlapping_gaussians(n: int = 600, random_state: Any = None) -> Points:
    """Return points of a narrow Gaussian (class 1) inside a wide Gaussian (class 2).

    Parameters and results are as in :func:`bands`.

    Examples
    --------
    >>> points, classes = overlapping_gaussians(1000, random_state=0)
    >>> bool(points[classes == 1].std() < points[classes == 2].std())
    True
    """
    random = check_random_state(random_state)
    which = np.arange(n) * 2 // n
    means = np.array([[0.0, 0.0], [1.5, 0.0]])
    widths = np.array([0.5, 2.0])
    return means[which] + widths[which][:, None] * random.normal(size=(n, 2)), which + 1
