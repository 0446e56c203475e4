"""Images as rows of numbers, read a block at a time: they may be larger than memory."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.errors import ConstantFeatureWarning, JudgmentError

BLOCK = 2**18  # numbers of a block: few enough to stay in the processor's cache
NAMED = 5  # pixels that a message names before it says how many more


@dataclass(frozen=True)
class Pixels:
    """Rows of images, centred, without the pixels that are the same in all images.

    Attributes
    ----------
    images : array (m, d)
        Not copied.
    rows : array of int, or None
        Which images these are; None for all.
    varying : array (d,) of bool
        Pixels that are not the same in all images.
    mean, variance : array (d,)
        Of every pixel over all images.
    """

    images: NDArray[Any]
    rows: NDArray[np.intp] | None
    varying: NDArray[np.bool_]
    mean: Floats
    variance: Floats

    @classmethod
    def of(cls, images: NDArray[Any]) -> Self:
        """Look at all images once; warn of pixels that never vary."""
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
        """How many pixels vary."""
        return int(self.varying.sum())

    def take(self, rows: NDArray[Any]) -> Self:
        """Return some of these rows (a mask, or positions), without reading them."""
        own = np.flatnonzero(rows) if rows.dtype == bool else rows
        return replace(self, rows=own if self.rows is None else self.rows[own])

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Yield the rows block by block: where they are, and their varying pixels, centred.

        Images of single precision or of few bits stay in single precision.
        """
        kind = np.float32 if self.images.dtype.itemsize < 8 else np.float64
        every, mean = self.varying.all(), self.mean[self.varying].astype(kind)
        for rows in _blocks(len(self), len(self.mean)):
            block = self.images[rows if self.rows is None else self.rows[rows]]
            yield rows, np.subtract(block if every else block[:, self.varying], mean, dtype=kind)

    def matrix(self) -> Floats:
        """Return all rows at once, in double precision."""
        return np.concatenate([block for _, block in self.blocks()]).astype(np.float64, copy=False)

    def whole(self, values: Floats, elsewhere: float = 0.0) -> Floats:
        """Put values of the varying pixels where they belong among all pixels."""
        out = np.full((*values.shape[:-1], len(self.mean)), elsewhere)
        out[..., self.varying] = values
        return out


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    size = max(1, BLOCK // n_columns)
    return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))


def _tell_constant(constant: NDArray[np.bool_]) -> None:
    """Warn of pixels that are the same in all images; refuse images that are all the same."""
    if constant.all():
        raise JudgmentError("all images are the same: show images that differ")
    if constant.any():
        where = np.flatnonzero(constant)
        shown = ", ".join(map(str, where[:NAMED]))
        more = f" and {len(where) - NAMED} more" if len(where) > NAMED else ""
        warnings.warn(
            f"{len(where)} pixels are the same in all images ({shown}{more}): nothing can be "
            "learned of them, and their templates and masks are 0 there. Cut them off if that is "
            "not meant.",
            ConstantFeatureWarning,
            stacklevel=4,
        )
