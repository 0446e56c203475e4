"""Three two-class sets of points in the plane, as images of two pixels.

The sets are those of the paper on image templates, section 4, whose numbers are lost: how many
points there are, and where, is ours.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

Points = tuple[NDArray[np.float64], NDArray[np.int64]]


def bands(n: int = 600, random_state: Any = None) -> Points:
    """Draw class 1 in a vertical band, and class 2 in a vertical and a horizontal one.

    Parameters
    ----------
    n : int
        The number of points; each band holds a third of them.
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
    """Draw two circles side by side, one per class, without points at their centres.

    Parameters
    ----------
    n : int
        The number of points; each circle holds half of them.
    random_state : int, RandomState or None

    Returns
    -------
    points : array (n, 2)
    classes : array (n,)
        1 or 2.

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
    """Draw a narrow Gaussian (class 1) that a wide one (class 2) overlaps and surrounds.

    Parameters
    ----------
    n : int
        The number of points; each class holds half of them.
    random_state : int, RandomState or None

    Returns
    -------
    points : array (n, 2)
    classes : array (n,)
        1 or 2.

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
