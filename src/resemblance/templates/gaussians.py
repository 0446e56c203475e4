"""Gaussian clusters: k-means in which each centre has its own covariance."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from sklearn.covariance import ledoit_wolf

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.ranges import check, one_of
from resemblance.templates.pixels import Pixels

Covariance: TypeAlias = Literal["diagonal", "shrunk", "full", "equal"]
FLOOR = 1e-3  # smallest variance of a Gaussian, relative to the variance of the pixels
FEWEST = 5  # smallest number of points of a Gaussian
SEEN = 5_000  # largest number of points for k-means
MOVING = 1e-3  # The clusters have converged if a smaller share of points changes clusters.


@dataclass(frozen=True)
class Gaussians:
    """Gaussian densities: centres (K, d), covariances (K, d, d) or variances (K, d)."""

    centres: Floats
    covariances: Floats
    _ready: list[tuple[Floats, ...]] = field(default_factory=list, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.centres)

    def log_densities(self, x: Floats) -> Floats:
        if self.covariances.ndim == 2:
            return self._diagonal(x)
        if not self._ready:
            self._ready.extend((cholesky(w, lower=True),) for w in self.covariances)
        columns = []
        for centre, (lower,) in zip(self.centres, self._ready, strict=True):
            z = solve_triangular(lower, (x - centre).T, lower=True, check_finite=False)
            columns.append(-0.5 * (z**2).sum(axis=0) - np.log(np.diag(lower)).sum())
        return np.column_stack(columns)

    def _diagonal(self, x: Floats) -> Floats:
        """Return densities; squares are expanded, so that matrix products can be used."""
        precisions = 1.0 / self.covariances
        pulls = self.centres * precisions
        constant = np.sum(self.centres * pulls - np.log(precisions), axis=1)
        linear, square = pulls.T.astype(x.dtype), precisions.T.astype(x.dtype)
        return x @ linear - 0.5 * ((x * x) @ square + constant.astype(x.dtype))


@dataclass(frozen=True)
class Clusters:
    """Gaussians, and the points assigned to each Gaussian."""

    gaussians: Gaussians
    assigned: NDArray[np.intp]
    log_likelihood: float
    n_iter: int
    settled: bool

    def __len__(self) -> int:
        return len(self.gaussians)


def needed_points(covariance: Covariance, n_pixels: int) -> int:
    return n_pixels + 1 if covariance == "full" else FEWEST


def assign(points: Pixels, gaussians: Gaussians) -> tuple[NDArray[np.intp], float]:
    """Assign points to the Gaussian of highest density; also return the sum of log densities."""
    assigned, total = np.empty(len(points), dtype=np.intp), 0.0
    for rows, block in points.blocks():
        densities = gaussians.log_densities(block)
        assigned[rows] = densities.argmax(axis=1)
        total += float(densities.max(axis=1).sum(dtype=np.float64))
    return assigned, total


def estimate(points: Pixels, assigned: NDArray[np.intp], covariance: Covariance) -> Gaussians:
    """Estimate the Gaussian of each cluster; "equal" covariances give ordinary k-means."""
    variance = points.variance[points.varying]
    if covariance in ("diagonal", "equal"):
        centres, variances = spreads(points, assigned)
        if covariance == "equal":
            return Gaussians(centres, np.full_like(variances, variance.mean()))
        return Gaussians(centres, np.maximum(variances, FLOOR * variance))
    means, covariances = [], []
    for k in range(assigned.max() + 1):
        x = points.take(assigned == k).matrix()
        means.append(x.mean(axis=0))
        shape = ledoit_wolf(x)[0] if covariance == "shrunk" else np.cov(x.T, bias=True)
        covariances.append(np.atleast_2d(shape) + np.diag(FLOOR * variance))
    return Gaussians(np.array(means), np.array(covariances))


def spreads(
    points: Pixels, assigned: NDArray[np.intp], n: int | None = None
) -> tuple[Floats, Floats]:
    n = int(assigned.max()) + 1 if n is None else n
    sums, squares = np.zeros((2, n, points.n_pixels))
    for rows, block in points.blocks():
        own = (assigned[rows] == np.arange(n)[:, None]).astype(block.dtype)
        sums += own @ block
        squares += own @ (block * block)
    counts = np.maximum(np.bincount(assigned, minlength=n), 1)[:, None]
    means = sums / counts
    return means, squares / counts - means**2


def settle(points: Pixels, gaussians: Gaussians, covariance: Covariance, max_iter: int) -> Clusters:
    fewest = needed_points(covariance, points.n_pixels)
    gaussians, assigned, total = _share_out(points, gaussians, fewest)
    settled, n_iter = False, 0
    while not settled and n_iter < max_iter:
        before, n_iter = assigned, n_iter + 1
        gaussians = estimate(points, assigned, covariance)
        gaussians, assigned, total = _share_out(points, gaussians, fewest)
        settled = bool(np.mean(before != assigned) <= MOVING)
    return Clusters(gaussians, assigned, total, n_iter, settled)


def _share_out(
    points: Pixels, gaussians: Gaussians, fewest: int
) -> tuple[Gaussians, NDArray[np.intp], float]:
    assigned, total = assign(points, gaussians)
    counts = np.bincount(assigned, minlength=len(gaussians))
    if len(gaussians) == 1 or counts.min() >= fewest:
        return gaussians, assigned, total
    kept = np.arange(len(gaussians)) != counts.argmin()
    rest = Gaussians(gaussians.centres[kept], gaussians.covariances[kept])
    return _share_out(points, rest, fewest)


def two_clusters(
    points: Pixels,
    covariance: Covariance,
    n_init: int,
    max_iter: int,
    random: np.random.RandomState,
) -> Clusters:
    sample = points
    if len(points) > SEEN:
        sample = points.take(np.sort(random.choice(len(points), SEEN, replace=False)))
    tried = [settle(sample, _seeded(sample, random), "equal", max_iter) for _ in range(n_init)]
    best = max(tried, key=lambda clusters: clusters.log_likelihood)
    return settle(points, estimate(sample, best.assigned, covariance), covariance, max_iter)


def _seeded(points: Pixels, random: np.random.RandomState) -> Gaussians:
    """Choose two points as centres (k-means++): distant points are more probable."""
    first = points.take(np.array([random.randint(len(points))])).matrix()
    away = np.concatenate([((block - first) ** 2).sum(axis=1) for _, block in points.blocks()])
    second = points.take(np.array([random.choice(len(points), p=away / away.sum())])).matrix()
    return Gaussians(
        np.concatenate([first, second]),
        np.full((2, points.n_pixels), points.variance[points.varying].mean()),
    )


def check_enough(n_points: int, n_pixels: int, covariance: Covariance) -> None:
    check(covariance=(covariance, one_of("diagonal", "shrunk", "full")))
    needed = 2 * needed_points(covariance, n_pixels)
    if n_points < needed:
        remedy = (
            'choose covariance="shrunk", or "diagonal"'
            if covariance == "full" and n_points >= 2 * FEWEST
            else "run more trials"
        )
        raise SettingError(
            f"{n_points} trials are too few for two {covariance} covariances of {n_pixels} pixels, "
            f"which need {needed}: {remedy}"
        )
