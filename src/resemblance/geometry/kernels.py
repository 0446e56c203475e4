"""Compute kernels: similarities between items from their features.

Large matrices that are on disk or in float32 are not copied, but read in blocks of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import additive_chi2_kernel, cosine_similarity
from sklearn.preprocessing import KernelCenterer

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.ranges import POSITIVE, check

ROWS = 2048  # number of rows per block
LARGE = 2**24  # float32 arrays with this many entries (64 MiB) are not copied


def is_tall(X: ArrayLike) -> bool:
    """Return whether an array is a memory map or a large float32 array."""
    if not isinstance(X, np.ndarray) or X.dtype.kind not in "fiu":
        return False
    return isinstance(X, np.memmap) or (X.dtype == np.float32 and X.size >= LARGE)


def in_blocks(X: NDArray[Any], rows: int = ROWS) -> Iterator[Floats]:
    for first in range(0, len(X), rows):
        yield np.asarray(X[first : first + rows], dtype=np.float64)


def finite_rows(X: NDArray[Any]) -> NDArray[np.bool_]:
    finite = np.ones(len(X), dtype=bool)
    for k, block in enumerate(in_blocks(X)):
        finite[k * ROWS : k * ROWS + len(block)] = np.isfinite(block).all(axis=1)
    return finite


def times(X: NDArray[Any], B: Floats) -> Floats:
    """Return X B, with float32 sums for a float32 X."""
    return np.asarray(X @ B.astype(_precision(X)), dtype=np.float64)


def transposed_times(X: NDArray[Any], Y: NDArray[Any]) -> Floats:
    """Return X'Y, with float32 sums within blocks of rows for a float32 X."""
    if X.dtype == np.float64:
        return np.asarray(X.T @ Y)
    out, kind = np.zeros((X.shape[1], Y.shape[1])), _precision(X)
    for first in range(0, len(X), ROWS):
        rows = slice(first, first + ROWS)
        out += X[rows].T.astype(kind, copy=False) @ Y[rows].astype(kind, copy=False)
    return out


def ridge(
    X: NDArray[Any], Y: Floats, penalty: float, scale: float = 1.0, least: float = 0.0
) -> Floats:
    """Return (s X'X + mu I)^-1 X'Y, from X'X or XX', whichever is smaller.

    s is ``scale``. mu is the penalty, or ``least`` times the mean of the diagonal of X'X if larger.
    """
    wide = X.shape[1] > len(X)
    G = np.asarray(X, float) @ np.asarray(X, float).T if wide else transposed_times(X, X)
    mu = max(penalty, least * max(float(np.trace(G)) / X.shape[1], 1e-12))
    G *= scale
    G[np.diag_indices_from(G)] += mu
    if wide:
        return transposed_times(X, solve(G, Y, assume_a="pos"))
    return np.asarray(solve(G, transposed_times(X, Y), assume_a="pos"))


def _precision(X: NDArray[Any]) -> type[np.floating[Any]]:
    return np.float32 if X.dtype == np.float32 else np.float64


def floats_or_nan(values: ArrayLike, name: str) -> Floats:
    try:
        if isinstance(values, np.ma.MaskedArray):
            return np.asarray(np.ma.filled(np.ma.asarray(values, float), np.nan))
        if np.iscomplexobj(values):
            raise TypeError("the imaginary parts would be lost")
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise SettingError(f"{name} is no table of numbers: give one row per item.") from None


Bandwidth = float | Literal["median"]

SOME = 1000  # maximum number of rows for the median distance
ROUNDING = 1e-8  # tolerance for asymmetry and negative eigenvalues, relative to the largest entry
Kernel: TypeAlias = str | Callable[[Floats, Floats], ArrayLike]


def rbf(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    width = _width(squared_distances, Y, bandwidth)
    return np.exp(-0.5 * squared_distances(X / width, Y / width))


def linear(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    return np.asarray(X @ Y.T)


def polynomial(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    if not degree == int(degree) >= 1:
        raise SettingError(f"degree is {degree!r}: it must be a whole number from 1.")
    return np.asarray((1.0 + X @ Y.T) ** int(degree))


def cosine(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    return np.asarray(cosine_similarity(X, Y))


def tfidf(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    """Return the cosine of counts, where column j has the weight 1 + log((1 + n) / (1 + n_j)).

    n is the number of rows, and n_j the number of rows with a count in column j.
    """
    _refuse_negative(X, Y, "tfidf")
    weighting = TfidfTransformer().fit(Y)
    return np.asarray((weighting.transform(X) @ weighting.transform(Y).T).toarray())


def chi_square(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
    _refuse_negative(X, Y, "chi2")
    width = _width(chi_square_distances, Y, bandwidth)
    return np.exp(-0.5 * chi_square_distances(X, Y) / width**2)


def histogram(X: Floats, Y: Floats, bandwidth: Bandwidth, degree: int) -> Floats:
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
    return np.asarray(cdist(X, Y, "sqeuclidean"))


def chi_square_distances(X: Floats, Y: Floats) -> Floats:
    # additive_chi2_kernel does not accept read-only arrays
    return -np.asarray(additive_chi2_kernel(np.array(X), np.array(Y)))


def _width(squared: Callable[[Floats, Floats], Floats], Y: Floats, bandwidth: Bandwidth) -> float:
    """Return the given bandwidth, or for "median" the median distance of distinct rows of Y."""
    if bandwidth != "median":
        check(bandwidth=(bandwidth, POSITIVE.besides("median")))
        return float(bandwidth)
    sample = Y[:: -(-len(Y) // SOME)]
    gaps = squared(sample, sample)[np.triu_indices(len(sample), 1)]
    apart = gaps[gaps > 0]
    if not len(apart):
        raise SettingError(
            "all items have the same features, so their distances have no median: give a "
            "bandwidth, or leave these features out."
        )
    return float(np.sqrt(np.median(apart)))


def _refuse_negative(X: Floats, Y: Floats, kernel: str) -> None:
    for name, features in (("X", X), ("Y", Y)):
        if features.min() < 0:
            row, column = np.unravel_index(features.argmin(), features.shape)
            raise SettingError(
                f"row {row}, column {column} of {name} is {features[row, column]:g}: the kernel "
                f"{kernel!r} takes counts or shares, from 0 upwards; take another kernel, such as "
                "'rbf'."
            )


def as_features(X: ArrayLike, name: str = "X") -> Floats:
    """Return an array as float features (n, d), after a check that it is finite."""
    return np.asarray(checked_features(X, name), dtype=np.float64)


def checked_features(X: ArrayLike, name: str = "X") -> NDArray[Any]:
    """Check features as in :func:`as_features`, without copying large float32 arrays."""
    features = np.asanyarray(X) if is_tall(X) else floats_or_nan(X, name)
    if features.ndim != 2 or features.size == 0:
        raise SettingError(
            f"{name} has shape {features.shape}: give one row per item and at least one column."
        )
    finite = finite_rows(features)
    if not finite.all():
        row = int(finite.argmin())
        column = int(np.isfinite(features[row]).argmin())
        raise SettingError(
            f"row {row}, column {column} of {name} is {features[row, column]}: features must be "
            "finite; fill in the value, or leave out the row or the column."
        )
    return features


def kernel_matrix(
    X: ArrayLike,
    Y: ArrayLike | None = None,
    kernel: Kernel = "rbf",
    bandwidth: Bandwidth = 1.0,
    degree: int = 2,
) -> Floats:
    """Return the kernel of each row of X with each row of Y, (n, m).

    ==============  ===============================================
    "rbf"           exp(-||x - y||^2 / (2 bandwidth^2))
    "linear"        x . y
    "polynomial"    (1 + x . y)^degree
    "cosine"        x . y / (||x|| ||y||)
    "tfidf"         the cosine of counts weighted by TF-IDF
    "chi2"          exp(-sum (x - y)^2 / (x + y) / (2 bandwidth^2))
    "histogram"     sum min(x, y)
    "precomputed"   X is the matrix itself
    a callable      callable(X, Y), an (n, m) matrix
    ==============  ===============================================

    The bandwidth is the standard deviation of the Gaussian, in units of the features.
    scikit-learn's gamma is 1 / (2 bandwidth^2). Statistics of features, which are the median
    distance and the document frequencies of words, are computed from Y, or from X without Y.

    Parameters
    ----------
    X : array (n, d)
        Features. With "precomputed", the kernel (n, n), or (n, m) with Y.
    Y : array (m, d), optional
        Other features, such as those of the items of a fit; default: X. With "precomputed", only
        the number of rows is used.
    kernel : str or callable
        A name from the table above, or a callable.
    bandwidth : float or "median"
        The bandwidth of "rbf" and "chi2", above 0. "median" is the median distance between items.
    degree : int
        The degree of "polynomial", 1 or more.

    Raises
    ------
    SettingError
        For an unknown kernel, a bandwidth or degree out of range, features that are not finite or
        differ in their number of columns, or a kernel matrix with the wrong shape. Without Y, also
        for a matrix that is not symmetric and positive semidefinite.

    Examples
    --------
    >>> kernel_matrix([[0.0], [1.0]], kernel="polynomial", degree=3)
    array([[1., 1.],
           [1., 8.]])
    """
    first = as_features(X)
    second = first if Y is None else as_features(Y, "Y")
    if callable(kernel) or kernel == "precomputed":
        return _given(first, second, kernel, square=Y is None)
    if kernel not in FUNCTIONS:
        raise SettingError(
            f"kernel is {kernel!r}: choose {', '.join(map(repr, FUNCTIONS))}, 'precomputed' or a "
            "callable."
        )
    if first.shape[1] != second.shape[1]:
        raise SettingError(
            f"X has {first.shape[1]} columns and Y {second.shape[1]}: give the same features."
        )
    return FUNCTIONS[kernel](first, second, bandwidth, degree)


def center_kernel(K: ArrayLike, known: ArrayLike | None = None) -> Floats:
    """Return the kernel of features that are shifted so that known items have mean 0.

    It is K_ij - mean_j K_ij - mean_i k_ij + mean k, where k is the kernel of the known items.

    Parameters
    ----------
    K : array (n, m)
        The kernel of n items with m known items.
    known : array (m, m), optional
        The kernel of the known items; default: K.

    Examples
    --------
    >>> center_kernel([[1.0, 0.0], [0.0, 1.0]])
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    whole = as_features(K if known is None else known, "the kernel")
    return np.asarray(KernelCenterer().fit(whole).transform(as_features(K, "the kernel")))


def normalize_kernel(
    K: ArrayLike, own: ArrayLike | None = None, known: ArrayLike | None = None
) -> Floats:
    """Return the kernel of features scaled to length 1: K_ij / sqrt(own_i known_j).

    Parameters
    ----------
    K : array (n, m)
        The kernel of n items with m known items.
    own, known : array (n,) and (m,), optional
        The kernel of each row item and known item with itself, above 0; default: the diagonal of K.

    Examples
    --------
    >>> normalize_kernel([[4.0, 1.0], [1.0, 1.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    matrix = as_features(K, "the kernel")
    rows, columns = (np.diag(matrix) if d is None else np.asarray(d, float) for d in (own, known))
    for lengths in (rows, columns):
        if not (lengths > 0).all():
            raise SettingError(
                f"the kernel of item {int(np.argmin(lengths))} with itself is {lengths.min():g}, "
                "so that it cannot be scaled to 1: give the item features, or leave it out."
            )
    return np.asarray(matrix / np.sqrt(rows[:, None] * columns))


def _given(X: Floats, Y: Floats, kernel: Kernel, *, square: bool) -> Floats:
    K = as_features(kernel(X, Y), "the kernel") if callable(kernel) else X
    if K.shape != (len(X), len(Y)):
        raise SettingError(
            f"the kernel has shape {K.shape}; it must be {(len(X), len(Y))}: a row for each item "
            "of X and a column for each item of Y, or of X where there is no Y."
        )
    if square:
        _check_psd(K)
    return K


def _check_psd(K: Floats) -> None:
    slack = ROUNDING * np.abs(K).max()
    row, column = np.unravel_index(np.abs(K - K.T).argmax(), K.shape)
    if abs(K[row, column] - K[column, row]) > slack:
        raise SettingError(
            f"the kernel is not symmetric: entry ({row}, {column}) is {K[row, column]:g} and "
            f"({column}, {row}) is {K[column, row]:g}. Give (K + K') / 2 if they should agree."
        )
    least = float(np.linalg.eigvalsh(K)[0])
    if least < -slack * len(K):
        raise SettingError(
            f"the kernel is not positive semidefinite: its least eigenvalue is {least:.3g}. "
            f"Shift it, K + {-least:.3g} I, which leaves the order of distances as it is, or "
            "project it with geometry.project_psd."
        )


class Mixture(Protocol):
    """A fitted mixture of Gaussians with diagonal covariances, such as scikit-learn's."""

    weights_: Floats
    means_: Floats
    covariances_: Floats


def probability_product(
    first: Sequence[Mixture], second: Sequence[Mixture] | None = None, normalize: bool = True
) -> Floats:
    r"""Return the probability product kernel of Gaussian mixtures, (n, m).

    .. math:: k(p, q) = \int p(x) q(x) dx
       = \sum_{ab} w_a v_b \, N(\mu_a; \nu_b, \Sigma_a + \Sigma_b)

    The kernel is the overlap of two mixtures p and q with weights w and v, means mu and nu, and
    diagonal covariances Sigma. It is divided by :math:`\sqrt{k(p, p) k(q, q)}`, because it would be
    almost 0 in many dimensions. The result can be used as a ``"precomputed"`` kernel.

    Parameters
    ----------
    first : sequence of n mixtures
        Fitted ``sklearn.mixture.GaussianMixture(covariance_type="diag")``, one for each item.
    second : sequence of m mixtures, optional
        The mixtures of the known items; default: ``first``.
    normalize : bool
        Whether to divide, so that the kernel of each item with itself is 1.

    Raises
    ------
    SettingError
        If covariances are not diagonal.

    References
    ----------
    Jebara, Kondor & Howard 2004, Probability product kernels, with the exponent 1; McFee &
    Lanckriet 2011, section 5.2.1.

    Examples
    --------
    >>> from sklearn.mixture import GaussianMixture
    >>> sounds = [np.random.default_rng(s).normal(s, 1, (200, 3)) for s in range(3)]
    >>> songs = [GaussianMixture(2, covariance_type="diag", random_state=0).fit(x) for x in sounds]
    >>> K = probability_product(songs)
    >>> K.shape, bool(K[0, 0] > K[0, 1] > K[0, 2])
    ((3, 3), True)
    """
    others = first if second is None else second
    logs = np.array([[_log_overlap(p, q) for q in others] for p in first])
    if normalize:
        own, other = (np.array([_log_overlap(p, p) for p in group]) for group in (first, others))
        logs -= 0.5 * (own[:, None] + other)
    return np.exp(logs)


def _log_overlap(p: Mixture, q: Mixture) -> float:
    for mixture in (p, q):
        if np.shape(mixture.covariances_) != np.shape(mixture.means_):
            raise SettingError(
                f"a mixture has covariances of shape {np.shape(mixture.covariances_)} and means of "
                f'shape {np.shape(mixture.means_)}: fit it with covariance_type="diag".'
            )
    variance = p.covariances_[:, None] + q.covariances_
    gap = p.means_[:, None] - q.means_
    logs = -0.5 * (gap**2 / variance + np.log(2.0 * np.pi * variance)).sum(axis=2)
    return float(logsumexp(logs, b=np.outer(p.weights_, q.weights_)))
