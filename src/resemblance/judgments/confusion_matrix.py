"""Count errors and trials of each pair from square confusion matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.checks import RowError, whole_numbers

Counts = NDArray[np.int64]


def identification_counts(matrix: ArrayLike) -> tuple[Counts, Counts]:
    """Return errors N_ij + N_ji and trials N_ii + N_ij + N_ji + N_jj of every pair."""
    counts = _square(matrix, "identifications")
    right = counts.diagonal()
    wrong = counts + counts.T
    return wrong, wrong + right[:, None] + right


def both_halves(
    errors: ArrayLike, trials: ArrayLike, mirrored: bool | None
) -> tuple[Counts, Counts]:
    """Return 2AFC errors and trials of every pair, from the upper half or both halves."""
    wrong, asked = _square(errors, "errors"), _square(trials, "trials")
    if wrong.shape != asked.shape:
        raise JudgmentError(
            f"errors have {len(wrong)} rows and trials {len(asked)}: give matrices of one size"
        )
    _refuse_cells(wrong > asked, "there are more errors than trials: correct one of the two")
    _refuse_cells(
        np.diag(asked.diagonal() > 0),
        "an item has trials with itself, which cannot be confused: set the diagonal to 0",
    )
    differ = (wrong != wrong.T) | (asked != asked.T)
    if mirrored is None and not differ.any():
        raise JudgmentError(
            "both halves of the matrices are equal: say mirrored=True if one repeats the other, "
            "mirrored=False if their trials are to be added"
        )
    if not mirrored:
        return wrong + wrong.T, asked + asked.T
    _refuse_cells(differ, "the other half differs: correct it, or say mirrored=False to add both")
    return wrong, asked


def _square(values: ArrayLike, what: str) -> Counts:
    matrix = np.asarray(values)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise JudgmentError(
            f"{what} must be a square matrix with a row and a column per item, not of shape "
            f"{matrix.shape}"
        )
    columns = [
        whole_numbers(column, f"{what} in column {j}", remedy="give counts")
        for j, column in enumerate(matrix.T)
    ]
    return np.array(columns, dtype=np.int64).T


def _refuse_cells(bad: NDArray[np.bool_], problem: str) -> None:
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise RowError(int(row), f"column {column}: {problem}")
