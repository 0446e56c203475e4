"""Positions with given squared distances, up to a constant."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from resemblance.geometry import positions_from_gram


def constant_shift(squared: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Place n items in n - 1 dimensions so that one constant is added to all squared distances.

    .. math:: K = -\tfrac12 H \Delta H - \lambda_{min} H, \quad H = I - 11'/n

    Roth, Laub, Kawanabe and Buhmann (2003).
    """
    n = len(squared)
    squared = squared * (1.0 - np.eye(n))
    rows = squared.mean(axis=0)
    gram = -0.5 * (squared - rows - rows[:, None] + rows.mean())
    least = eigh(gram, eigvals_only=True, subset_by_index=(0, 0))[0]
    return positions_from_gram(gram - least * np.eye(n), n - 1)
