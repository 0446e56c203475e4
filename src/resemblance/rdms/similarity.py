"""How alike two dissimilarity matrices are, by the pairs of their upper triangles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, rankdata

from resemblance.arrays import Floats
from resemblance.catalog import RDM_SIMILARITIES
from resemblance.errors import RDMError
from resemblance.ranges import check, one_of
from resemblance.rdms.rdms import RDMs

ROUNDING = 1e-12  # of its length: what is left of a constant row without its mean
RANKS = "spearman", "rho-a", "kendall tau-a"


def check_method(method: str) -> None:
    """Refuse a method that is not known."""
    check(method=(method, one_of(*RDM_SIMILARITIES)))


def check_comparable(rdms: RDMs, method: str) -> None:
    """Refuse matrices that are alike for all pairs, whose similarity to others is not defined."""
    values = rdms.dissimilarities
    flat = (values == 0).all(axis=1) if method == "cosine" else np.ptp(values, axis=1) == 0
    if flat.any():
        name = rdms.names[int(flat.argmax())]
        raise RDMError(
            f"all dissimilarities of {name!r} are {values[flat][0, 0]:g}: it cannot be compared by "
            f"{method}; leave it out"
        )


def similarities(first: NDArray[Any], second: NDArray[Any], method: str) -> Floats:
    """Return how alike each row of one array is to each of another, (n, m).

    A row that is constant (in a bootstrap sample) has a similarity of 0 to all.

    Examples
    --------
    >>> similarities(np.array([[1.0, 2.0, 4.0]]), np.array([[1.0, 3.0, 2.0]]), "spearman")
    array([[0.5]])
    >>> similarities(np.array([[1.0, 1.0, 2.0]]), np.array([[1.0, 1.0, 2.0]]), "kendall tau-a")
    array([[0.66666667]])
    """
    if method == "kendall tau-a":
        return np.array([[_tau_a(x, y) for y in second] for x in first])
    return np.asarray(prepared(first, method) @ prepared(second, method).T)


def prepared(values: NDArray[Any], method: str) -> Floats:
    """Return rows whose inner products are the similarities; of tau-a, those of rho-a."""
    if method in RANKS:
        values = _ranks(values)
    least = ROUNDING * np.linalg.norm(values, axis=1, keepdims=True)
    if method != "cosine":
        values = values - values.mean(axis=1, keepdims=True)
    n = values.shape[1]
    if method in ("rho-a", "kendall tau-a"):
        return np.asarray(values * np.sqrt(12 / (n**3 - n)))
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    return np.where(lengths > least, values / np.where(lengths > least, lengths, 1.0), 0.0)


def pooled(values: Floats, method: str) -> Floats:
    """Return rows whose sum is the one matrix most like them all; ranks as they are.

    Sums of ranks are exact, so that what ties, ties on every processor.
    """
    return _ranks(values) if method in RANKS else prepared(values, method)


def coded(values: Floats, method: str) -> NDArray[Any]:
    """Return numbers that are as similar: for ranks, whole ones, whose samples need no sorting."""
    if method not in RANKS:
        return values
    return np.asarray(rankdata(values, "dense", axis=1) - 1, dtype=np.intp)


def _ranks(values: NDArray[Any]) -> Floats:
    """Return the mean rank of each value in its row; whole numbers from 0 are counted."""
    if values.dtype.kind != "i":
        return np.asarray(rankdata(values, axis=1))
    ranks = np.empty(values.shape)
    for row, codes in zip(ranks, values, strict=True):
        counts = np.bincount(codes)
        row[:] = (np.cumsum(counts) - (counts - 1) / 2)[codes]
    return ranks


def _tau_a(x: Floats, y: Floats) -> float:
    """Return Kendall's tau-a: concordant less discordant pairs of values, of all."""
    tau = kendalltau(x, y).statistic  # tau-b: of those that are no ties
    n = len(x) * (len(x) - 1) / 2
    free = [(n - _tied(values)) / n for values in (x, y)]
    return float(tau * np.sqrt(free[0] * free[1])) if min(free) > 0 else 0.0


def _tied(values: Floats) -> float:
    """Count the pairs of equal values."""
    counts = np.unique(values, return_counts=True)[1]
    return float((counts * (counts - 1) / 2).sum())
