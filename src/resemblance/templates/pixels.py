"""Images as rows of pixels, read in blocks, and their smooth components."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import connected_components

from resemblance.arrays import Floats
from resemblance.errors import ConstantFeatureWarning, JudgmentError, SettingError
from resemblance.geometry import some_eigenvectors
from resemblance.judgments import Classifications
from resemblance.judgments.checks import first_few
from resemblance.judgments.classifications import as_images

BLOCK = 2**18  # number of values in a block, so that a block fits in the processor's cache
ImagesLike: TypeAlias = Classifications | ArrayLike


@dataclass(frozen=True)
class Pixels:
    """Images as centred rows of pixels; pixels that never vary are left out."""

    images: NDArray[Any]  # the images, not copied
    rows: NDArray[np.intp] | None  # indices of the images, or None for all
    varying: NDArray[np.bool_]  # mask of pixels that vary, (d,)
    mean: Floats
    variance: Floats

    @classmethod
    def of(cls, images: NDArray[Any]) -> Self:
        first = np.asarray(images[0], dtype=np.float64)
        total, squares = np.zeros((2, len(first)))
        for rows in _blocks(len(images), len(first)):
            block = images[rows] - first
            total += block.sum(axis=0)
            squares += np.einsum("ij,ij->j", block, block)
        shift = total / len(images)
        variance = np.maximum(squares / len(images) - shift**2, 0.0)
        varying = squares > 0
        _tell_constant(~varying)
        return cls(images, None, varying, first + shift, variance)

    def __len__(self) -> int:
        return len(self.images) if self.rows is None else len(self.rows)

    @property
    def n_pixels(self) -> int:
        return int(self.varying.sum())

    def take(self, rows: NDArray[Any]) -> Self:
        own = np.flatnonzero(rows) if rows.dtype == bool else rows
        return replace(self, rows=own if self.rows is None else self.rows[own])

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Yield slices of rows, each with its block of centred rows of varying pixels."""
        kind = np.float32 if self.images.dtype.itemsize < 8 else np.float64
        every, mean = self.varying.all(), self.mean[self.varying].astype(kind)
        for rows in _blocks(len(self), len(self.mean)):
            block = self.images[rows if self.rows is None else self.rows[rows]]
            yield rows, np.subtract(block if every else block[:, self.varying], mean, dtype=kind)

    def matrix(self) -> Floats:
        return np.concatenate([block for _, block in self.blocks()]).astype(np.float64, copy=False)

    def whole(self, values: Floats, elsewhere: float = 0.0) -> Floats:
        out = np.full((*values.shape[:-1], len(self.mean)), elsewhere)
        out[..., self.varying] = values
        return out


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    size = max(1, BLOCK // n_columns)
    return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))


def _tell_constant(constant: NDArray[np.bool_]) -> None:
    if constant.all():
        raise JudgmentError("all images are the same: show images that differ")
    if constant.any():
        where = np.flatnonzero(constant)
        warnings.warn(
            f"{len(where)} pixels are the same in all images ({first_few(where)}), so their "
            "templates and masks are 0. Crop them if that is not meant.",
            ConstantFeatureWarning,
            stacklevel=4,
        )


def as_trials(X: ImagesLike, y: ArrayLike | None = None) -> Classifications:
    if isinstance(X, Classifications):
        return X
    if y is None:
        raise JudgmentError("there are images without answers: give Classifications, or fit(X, y)")
    return Classifications(X, y)


def trials_to_fit(X: ImagesLike, y: ArrayLike | None = None) -> Classifications:
    trials = as_trials(X, y)
    if len(answers := np.unique(trials.labels)) < 2:
        raise JudgmentError(
            f"the answers of these {len(trials)} trials are all in {answers.tolist()}: add trials "
            "with another answer"
        )
    return trials


def images_like(X: ImagesLike, shape: tuple[int, ...]) -> NDArray[Any]:
    images = as_images(X.stimuli if isinstance(X, Classifications) else X)
    given = X.image_shape if isinstance(X, Classifications) else images.shape[1:]
    flat = images.reshape(len(images), -1)
    if flat.shape[1] != np.prod(shape) or (given != shape and min(len(given), len(shape)) > 1):
        raise JudgmentError(
            f"these images have shape {given}, those of the fit {shape}: give images of the same "
            "size"
        )
    return flat


def score_of(model: Any, X: ImagesLike, y: ArrayLike | None) -> float:
    """Return the share of correct predictions; refuse answers that the fit did not have."""
    trials = as_trials(X, y)
    predicted = model.predict(trials)
    codes_among(model.classes_, trials)
    return float(np.mean(predicted == trials.labels))


def codes_among(classes: NDArray[Any], trials: Classifications) -> NDArray[np.intp]:
    place = {name: code for code, name in enumerate(classes.tolist())}
    given = trials.classes[np.unique(trials.codes)].tolist()
    strange = [name for name in given if name not in place]
    if strange:
        raise JudgmentError(
            f"the answer {strange[0]!r} is not in the fit, which has "
            f"{', '.join(map(str, place))}: leave its trials out, or fit with them"
        )
    return np.array([place.get(name, -1) for name in trials.classes.tolist()])[trials.codes]


def region_means(maps: Floats, regions: ArrayLike) -> Floats:
    """Average maps (K, d) over regions, (K, n_regions); negative region numbers are ignored."""
    region = np.asarray(regions).ravel()
    if region.dtype.kind not in "iu" or len(region) != maps.shape[1] or region.max() < 0:
        raise SettingError(
            f"regions are {region.dtype} of {len(region)} pixels: give the number of a region, "
            f"from 0, for each of {maps.shape[1]} pixels"
        )
    members = (region == np.arange(region.max() + 1)[:, None]).astype(float)
    sizes = members.sum(axis=1)
    if not sizes.all():
        raise SettingError(f"region {int(sizes.argmin())} has no pixel: number them without gaps")
    return maps @ (members / sizes[:, None]).T


DENSE = 2000  # For regions of up to this many pixels, all components are computed at once.
# Components with a smaller prior variance, relative to the largest, are left out.
NEGLIGIBLE = 0.03


@dataclass(frozen=True)
class Components:
    """Patterns over pixels, from smooth to rough, and the weights of images on the patterns."""

    patterns: Floats  # orthonormal, (d, r) for d varying pixels
    roughness: Floats  # sum of squared differences between neighbouring pixels, (r,)
    images: NDArray[np.float32]  # weights of the images, (m, r), in units of ``unit``
    unit: float  # root mean square of the pixels' standard deviations

    @classmethod
    def of(
        cls, points: Pixels, shape: tuple[int, ...], regions: ArrayLike | None, rank: int | None
    ) -> Components:
        laplacian = grid_laplacian(shape, points.varying, regions)
        roughness, patterns = _smoothest(laplacian, rank)
        unit = float(np.sqrt(points.variance[points.varying].mean()))
        images = np.empty((len(points), len(roughness)), dtype=np.float32)
        for rows, block in points.blocks():
            images[rows] = block @ patterns.astype(block.dtype) / unit
        return cls(patterns, roughness, images, unit)

    def scales(self, smoothness: float) -> Floats:
        r"""Return the prior standard deviation of each component, (r,); 0 if negligible.

        .. math:: s_j = (1 + smoothness \cdot roughness_j)^{-1/2}
        """
        variance = 1.0 / (1.0 + smoothness * self.roughness)
        return np.sqrt(np.where(variance >= NEGLIGIBLE, variance, 0.0))

    def shapes(self, smoothness: float) -> Floats:
        """Return the template that one unit of each scaled component adds, (r, d)."""
        scales = self.scales(smoothness)
        return (self.patterns[:, scales > 0] * (scales[scales > 0] / self.unit)).T

    def scaled(self, smoothness: float, rows: NDArray[np.intp] | slice) -> NDArray[np.float32]:
        scales = self.scales(smoothness).astype(np.float32)
        return self.images[rows][:, scales > 0] * scales[scales > 0]


def grid_laplacian(
    shape: tuple[int, ...], varying: NDArray[np.bool_], regions: ArrayLike | None = None
) -> csr_array:
    """Return L such that t'Lt is the sum of squared differences of neighbours within regions."""
    number = np.full(len(varying), -1)
    number[varying] = np.arange(varying.sum())
    number = number.reshape(shape)
    region = np.zeros(shape, dtype=int) if regions is None else np.asarray(regions)
    if region.shape not in (shape, (number.size,)):
        raise SettingError(
            f"regions have shape {region.shape}, an image {shape}: give the region of every pixel"
        )
    region = region.reshape(shape)
    ends = [np.empty((2, 0), dtype=int)]
    for axis in range(len(shape)):
        a, b = (np.delete(number, edge, axis) for edge in (-1, 0))
        same = np.delete(region, -1, axis) == np.delete(region, 0, axis)
        kept = (a >= 0) & (b >= 0) & same
        ends.append(np.stack([a[kept], b[kept]]))
    i, j = np.concatenate(ends, axis=1)
    n = int(varying.sum())
    links = coo_array((np.ones(2 * len(i)), (np.r_[i, j], np.r_[j, i])), shape=(n, n)).tocsr()
    return csr_array(diags_array(links.sum(axis=1)) - links)


def _smoothest(laplacian: csr_array, rank: int | None) -> tuple[Floats, Floats]:
    n = laplacian.shape[0]
    rank = n if rank is None else min(rank, n)
    _, part_of = connected_components(laplacian, directed=False)
    values, vectors = [], []
    for part in range(part_of.max() + 1):
        mine = np.flatnonzero(part_of == part)
        lowest, shapes = _eigen(laplacian[mine][:, mine], min(rank, len(mine)))
        whole = np.zeros((n, len(lowest)))
        whole[mine] = shapes
        values.append(lowest)
        vectors.append(whole)
    roughness, patterns = np.concatenate(values), np.concatenate(vectors, axis=1)
    order = np.argsort(roughness, kind="stable")[:rank]
    return np.maximum(roughness[order], 0.0), np.ascontiguousarray(patterns[:, order])


def _eigen(laplacian: csr_array, rank: int) -> tuple[Floats, Floats]:
    n = laplacian.shape[0]
    if n <= DENSE or rank > n // 2:
        values, vectors = np.linalg.eigh(laplacian.toarray())
        return values[:rank], vectors[:, :rank]
    rng = np.random.default_rng(0)  # The seed makes patterns reproducible.
    eigen = some_eigenvectors(laplacian.tocsc(), rank, rng, sigma=-1e-3, which="LM")
    return eigen[0], eigen[1]
