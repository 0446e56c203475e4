"""Matrices with one row per item, possibly on disk or in single precision.

They are kept as they are, and read a block of rows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve

from resemblance.arrays import Floats
from resemblance.errors import SettingError

ROWS = 2048  # rows of a block
LARGE = 2**24  # numbers (64 MiB in single precision) from which an array in memory is kept


def is_tall(X: ArrayLike) -> bool:
    """Say whether an array is kept as it is: a memory map, or a large one in single precision.

    >>> is_tall(np.ones((3, 2), np.float32)), is_tall(np.ones((2**23, 2), np.float32))
    (False, True)
    """
    if not isinstance(X, np.ndarray) or X.dtype.kind not in "fiu":
        return False
    return isinstance(X, np.memmap) or (X.dtype == np.float32 and X.size >= LARGE)


def in_blocks(X: NDArray[Any], rows: int = ROWS) -> Iterator[Floats]:
    """Yield the rows in double precision, a block at a time.

    >>> [len(block) for block in in_blocks(np.ones((5, 2)), rows=2)]
    [2, 2, 1]
    """
    for first in range(0, len(X), rows):
        yield np.asarray(X[first : first + rows], dtype=np.float64)


def finite_rows(X: NDArray[Any]) -> NDArray[np.bool_]:
    """Say of each row whether all its numbers are finite.

    >>> finite_rows(np.array([[0.0, 1.0], [np.nan, 1.0]]))
    array([ True, False])
    """
    finite = np.ones(len(X), dtype=bool)
    for k, block in enumerate(in_blocks(X)):
        finite[k * ROWS : k * ROWS + len(block)] = np.isfinite(block).all(axis=1)
    return finite


def times(X: NDArray[Any], B: Floats) -> Floats:
    """Return X B; of X in single precision, up to its own rounding.

    >>> times(np.array([[1, 2]], np.float32), np.eye(2))
    array([[1., 2.]])
    """
    return np.asarray(X @ B.astype(_precision(X)), dtype=np.float64)


def transposed_times(X: NDArray[Any], Y: NDArray[Any]) -> Floats:
    """Return X'Y; of X in single precision, up to its own rounding in each block of rows.

    >>> X = np.array([[1, 2]], np.float32)
    >>> transposed_times(X, X)
    array([[1., 2.],
           [2., 4.]])
    """
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
    """Return (s X'X + mu I)^-1 X'Y, by XX' where that is the smaller one.

    mu is the penalty, or ``least`` of the mean of the diagonal of X'X where that is more.

    >>> ridge(np.array([[2.0, 0.0, 0.0]]), np.array([[3.0]]), 2.0).ravel()
    array([1., 0., 0.])
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
    """Return the precision in which products with an array are taken."""
    return np.float32 if X.dtype == np.float32 else np.float64


def floats_or_nan(values: ArrayLike, name: str) -> Floats:
    """Return numbers as floats, NaN where they are masked."""
    try:
        if isinstance(values, np.ma.MaskedArray):
            return np.asarray(np.ma.filled(np.ma.asarray(values, float), np.nan))
        if np.iscomplexobj(values):
            raise TypeError("the imaginary parts would be lost")
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise SettingError(f"{name} is no table of numbers: give one row per item.") from None
