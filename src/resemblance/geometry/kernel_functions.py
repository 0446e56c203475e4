"""The kernels that have a name: functions of features X and of the known features Y.

What a kernel learns of features (a median distance, how many documents use a word), it learns
of Y, the known ones; so a new row gets the same kernel whatever comes with it.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import additive_chi2_kernel, cosine_similarity

from resemblance.arrays import Floats
from resemblance.errors import SettingError

Bandwidth = float | Literal["median"]

SOME = 1000  # rows that say what the median distance is


def rbf(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    """Return exp(-||x - y||^2 / (2 bandwidth^2))."""
    width = _width(squared_distances, Y, bandwidth)
    return np.exp(-0.5 * squared_distances(X / width, Y / width))


def linear(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    """Return x . y."""
    return np.asarray(X @ Y.T)


def polynomial(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    """Return (1 + x . y)^degree."""
    refuse_unless(degree == int(degree) >= 1, "degree", degree, "a whole number from 1")
    return np.asarray((1.0 + X @ Y.T) ** int(degree))


def cosine(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    """Return x . y / (||x|| ||y||), and 0 where either has no length."""
    return np.asarray(cosine_similarity(X, Y))


def tfidf(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    """Return the cosine of counts weighted by 1 + log((1 + n) / (1 + n_j)), n_j users of j."""
    _refuse_negative(X, Y, "tfidf")
    weighting = TfidfTransformer().fit(Y)
    return np.asarray((weighting.transform(X) @ weighting.transform(Y).T).toarray())


def chi_square(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    """Return exp(-sum (x - y)^2 / (x + y) / (2 bandwidth^2)), for histograms."""
    _refuse_negative(X, Y, "chi2")
    width = _width(chi_square_distances, Y, bandwidth)
    return np.exp(-0.5 * chi_square_distances(X, Y) / width**2)


def histogram(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    """Return sum min(x, y): what two histograms have in common."""
    _refuse_negative(X, Y, "histogram")
    sums = X.sum(axis=1)[:, None] + Y.sum(axis=1)
    return 0.5 * (sums - cdist(X, Y, "cityblock"))


FUNCTIONS: dict[str, Callable[[Floats, Floats, Bandwidth, int], Floats]] = {
    "rbf": rbf,
    "linear": linear,
    "polynomial": polynomial,
    "cosine": cosine,
    "tfidf": tfidf,
    "chi2": chi_square,
    "histogram": histogram,
}


def squared_distances(X: Floats, Y: Floats) -> Floats:
    """Return ||x - y||^2."""
    return np.asarray(cdist(X, Y, "sqeuclidean"))


def chi_square_distances(X: Floats, Y: Floats) -> Floats:
    """Return sum (x - y)^2 / (x + y)."""
    return -np.asarray(additive_chi2_kernel(np.array(X), np.array(Y)))  # it takes no read-only ones


def refuse_unless(fine: bool, name: str, value: Any, wanted: str) -> None:
    """Raise for a setting out of range."""
    if not fine:
        raise SettingError(f"{name} is {value!r}: it must be {wanted}.")


def _width(squared: Callable[[Floats, Floats], Floats], Y: Floats, bandwidth: Bandwidth) -> float:
    """Return the bandwidth: a number, or the median distance of different rows of Y."""
    if bandwidth != "median":
        fine = not isinstance(bandwidth, str) and np.isfinite(bandwidth) and bandwidth > 0
        refuse_unless(fine, "bandwidth", bandwidth, "above 0, or 'median'")
        return float(bandwidth)
    some = Y[:: -(-len(Y) // SOME)]
    gaps = squared(some, some)[np.triu_indices(len(some), 1)]
    apart = gaps[gaps > 0]
    if not len(apart):
        raise SettingError(
            "all items have the same features, so their distances have no median: give a "
            "bandwidth, or leave these features out."
        )
    return float(np.sqrt(np.median(apart)))


def _refuse_negative(X: Floats, Y: Floats, kernel: str) -> None:
    """Refuse what is neither a count nor a share."""
    for name, features in (("X", X), ("Y", Y)):
        if features.min() < 0:
            row, column = np.unravel_index(features.argmin(), features.shape)
            raise SettingError(
                f"row {row}, column {column} of {name} is {features[row, column]:g}: the kernel "
                f"{kernel!r} takes counts or shares, from 0 upwards; take another kernel, such as "
                "'rbf'."
            )
