"""Smooth components of images, in which templates are estimated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import connected_components

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.geometry import some_eigenvectors
from resemblance.templates.pixels import Pixels

DENSE = 2000  # pixels of a region up to which all its components are found at once
NEGLIGIBLE = 0.03  # components with a smaller relative prior variance are left out


@dataclass(frozen=True)
class Components:
    """Patterns over pixels, smoothest first, and the images in terms of them."""

    patterns: Floats  # (d, r), orthonormal; d counts the varying pixels
    roughness: Floats  # (r,), sum of squared differences between neighbours
    images: NDArray[np.float32]  # (m, r), in units of ``unit``
    unit: float  # root mean square of the pixels' standard deviations

    @classmethod
    def of(
        cls, points: Pixels, shape: tuple[int, ...], regions: ArrayLike | None, rank: int | None
    ) -> Components:
        """Find at most ``rank`` smooth patterns of images, and their weights in each image."""
        laplacian = grid_laplacian(shape, points.varying, regions)
        roughness, patterns = _smoothest(laplacian, rank)
        unit = float(np.sqrt(points.variance[points.varying].mean()))
        images = np.empty((len(points), len(roughness)), dtype=np.float32)
        for rows, block in points.blocks():
            images[rows] = block @ patterns.astype(block.dtype) / unit
        return cls(patterns, roughness, images, unit)

    def scales(self, smoothness: float) -> Floats:
        r"""Return the prior standard deviation of each component, 0 where it is negligible.

        .. math:: s_j = (1 + smoothness \cdot roughness_j)^{-1/2}
        """
        variance = 1.0 / (1.0 + smoothness * self.roughness)
        return np.sqrt(np.where(variance >= NEGLIGIBLE, variance, 0.0))

    def shapes(self, smoothness: float) -> Floats:
        """Return the change of a template by one unit of each scaled component, (r, d)."""
        scales = self.scales(smoothness)
        return (self.patterns[:, scales > 0] * (scales[scales > 0] / self.unit)).T

    def scaled(self, smoothness: float, rows: NDArray[np.intp] | slice) -> NDArray[np.float32]:
        scales = self.scales(smoothness).astype(np.float32)
        return self.images[rows][:, scales > 0] * scales[scales > 0]


def grid_laplacian(
    shape: tuple[int, ...], varying: NDArray[np.bool_], regions: ArrayLike | None = None
) -> csr_array:
    """Return the matrix L for which t'Lt sums squared differences between neighbouring pixels.

    Pixels of different regions are no neighbours.
    """
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
    """Return the eigenvalues, smallest first, and eigenvectors, region by region."""
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
    rng = np.random.default_rng(0)  # the same patterns every time
    eigen = some_eigenvectors(laplacian.tocsc(), rank, rng, sigma=-1e-3, which="LM")
    return eigen[0], eigen[1]
