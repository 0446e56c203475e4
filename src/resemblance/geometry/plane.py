"""The plane that preserves the distances of points best."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist, squareform

from resemblance.arrays import Floats
from resemblance.geometry.gram import principal_axes

STEPS = 100
LEAST_STEP = 1e-6  # relative movement of the points in the last step


def plane_of(points: ArrayLike) -> Floats:
    r"""Return positions in a plane whose distances are nearest to those of points.

    .. math:: \min_Y \sum_{i < j} (\lVert y_i - y_j \rVert - \lVert x_i - x_j \rVert)^2

    SMACOF from the two principal axes; one or two dimensions are only centred. Borg, Groenen
    (2005), Modern Multidimensional Scaling, chapter 8.

    >>> plane_of([[0.0], [2.0]])
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    X = np.asarray(points, dtype=float)
    X = X - X.mean(axis=0)
    if X.shape[1] <= 2:
        return np.pad(X, ((0, 0), (0, 2 - X.shape[1])))
    wanted, Y = squareform(pdist(X)), principal_axes(X)[:, :2]
    for _ in range(STEPS):
        apart = squareform(pdist(Y))
        ratio = np.divide(wanted, apart, out=np.zeros_like(apart), where=apart > 0)
        B = np.diag(ratio.sum(axis=1)) - ratio
        moved = B @ Y / len(X)
        still = np.abs(moved - Y).max() <= LEAST_STEP * np.abs(Y).max()
        Y = moved
        if still:
            break
    return np.asarray(Y)
