"""Check columns of numbers and labels; errors name the first bad row and a remedy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from resemblance.errors import (
    NAMED as NAMED,
    JudgmentError,
    ResemblanceError,
    first_few as first_few,
)

Kind = TypeVar("Kind")


class RowError(JudgmentError):
    """A judgment error with its row, so that a reader can name the line of the file."""

    def __init__(self, row: int, problem: str, setting: str | None = None) -> None:
        super().__init__(row, problem, setting=setting)
        self.row = row
        self.problem = problem

    def __str__(self) -> str:
        return f"row {self.row}: {self.problem}"


def of_kind(
    given: object,
    kinds: type[Kind] | tuple[type[Kind], ...],
    what: str,
    remedy: str = "",
    error: type[ResemblanceError] = JudgmentError,
) -> Kind:
    if not isinstance(given, kinds):
        names = [kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
        raise error(
            f"{what} takes {' or '.join(names)}, not {type(given).__name__}: "
            + (remedy or "give these")
        )
    return given


def are_missing(values: Any) -> NDArray[np.bool_]:
    """Mark values that are None, NaN or pandas' NA.

    >>> are_missing(["ann", None, float("nan"), 0]).tolist()
    [False, True, True, False]
    """
    cells = np.asarray(values, dtype=object).ravel()
    said = [type(x) is str or (repr(x) not in ("None", "<NA>") and x == x) for x in cells]
    return ~np.array(said, bool)


def refuse(bad: Any, problem: Callable[[int], str], setting: str | None = None) -> None:
    if bad.any():
        row = int(bad.argmax())
        raise RowError(row, problem(row), setting)


def whole_numbers(
    values: ArrayLike,
    what: str,
    *,
    least: int = 0,
    dtype: DTypeLike = np.int32,
    remedy: str = "turn names into positions with items.positions(names)",
) -> NDArray[Any]:
    """Copy whole numbers, given as integers or integral floats, into a C-contiguous array.

    Columns are checked one at a time, which avoids a second copy of a large array.
    """
    array = as_array(values, what)
    if len(array) == 0:
        raise JudgmentError(f"there are no {what}: give one row at least")
    if array.dtype.kind not in "iuf":
        raise JudgmentError(f"{what} must be whole numbers, not {array.dtype}: {remedy}")
    most = np.iinfo(np.dtype(dtype)).max
    for column in array.reshape(len(array), -1).T:
        bad = _not_whole(column, least, most)
        if bad is not None:
            refuse(bad, partial(_whole_problem, column, what, least))
    return np.array(array, dtype=dtype, order="C")


def as_array(values: ArrayLike, what: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise JudgmentError(
            f"the rows of {what} differ in length: give as many in each, -1 where an option is none"
        ) from None
    if not array.ndim:
        raise JudgmentError(f"{what} are {values!r}: give one a row")
    if np.ma.is_masked(values):
        raise JudgmentError(f"some {what} are masked: fill them in, or leave their rows out")
    return array


def floats_of(values: ArrayLike, what: str) -> NDArray[np.float64]:
    array = as_array(values, what)
    try:
        return np.array(array.astype(object) if array.dtype.kind == "c" else array, dtype=float)
    except (TypeError, ValueError):
        raise JudgmentError(f"{what} are {array.dtype}, no numbers: correct them") from None


def _not_whole(column: NDArray[Any], least: int, most: int) -> NDArray[np.bool_] | None:
    if column.dtype.kind == "f":
        return (column != np.floor(column)) | (column < least) | (column > most)
    if column.min() < least or column.max() > most:
        return (column < least) | (column > most)
    return None


def _whole_problem(column: NDArray[Any], what: str, least: int, row: int) -> str:
    bound = f" from {least} upwards" if least > np.iinfo(np.int64).min else ""
    remedy = "correct it, or count all from 1" if least == 1 else "correct it"
    return f"{what} must be whole numbers{bound}, not {column[row]}: {remedy}"


def real_numbers(values: ArrayLike, what: str, *, least: float = -np.inf) -> NDArray[np.float64]:
    """Copy finite numbers, none below ``least``, into a new one-dimensional float array."""
    array = floats_of(values, what)
    if array.ndim != 1:
        raise JudgmentError(f"{what} must be one number per row, not an array of {array.shape}")
    bound = "" if least == -np.inf else f" from {least:g} upwards"
    refuse(
        ~np.isfinite(array) | (array < least),
        lambda r: (
            f"{what} must be a finite number{bound}, not {array[r]}: correct or remove the row"
        ),
    )
    return array
