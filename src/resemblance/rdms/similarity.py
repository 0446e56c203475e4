"""Similarity of dissimilarity matrices, from their upper triangles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.stats import kendalltau, rankdata

from resemblance.arrays import Floats
from resemblance.catalog import RDM_SIMILARITIES
from resemblance.errors import RDMError
from resemblance.ranges import check, one_of
from resemblance.rdms import _loops

# A row is constant if subtracting its mean reduces its length to this share, or less.
ROUNDING = 1e-12
RANKS = "spearman", "rho-a", "kendall tau-a", "kendall tau-b"
NOT_CENTRED = "cosine", "whitened cosine"
# In these methods, a sample of items can be expressed as weights of the columns.
BY_WEIGHT = "spearman", "pearson", "cosine", "rho-a"
WHITENED = "whitened pearson", "whitened cosine"
FEWEST_PAIRS = 3  # smallest number of pairs that two matrices must share
MEMORY = 2**30  # memory for the ranks of several samples, in bytes
# limits of rescaling: largest number of rounds, and smallest change
MOST_RESCALED, SETTLED = 1000, 1e-9
Ends: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]


def check_method(method: str) -> None:
    check(method=(method, one_of(*RDM_SIMILARITIES)))


def check_comparable(values: Floats, names: Sequence[str], method: str) -> None:
    lowest, highest = np.nanmin(values, axis=1), np.nanmax(values, axis=1)
    flat = (lowest == highest) & ((lowest == 0) | (method not in NOT_CENTRED))
    if flat.any():
        i = int(flat.argmax())
        raise RDMError(
            f"all dissimilarities of {names[i]!r} that are compared are {lowest[i]:g}, so "
            f"{method} is undefined: leave it out"
        )


class Shared(NamedTuple):
    """Indices of rows in two arrays, and a mask of the columns without gaps in these rows."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    cells: NDArray[np.bool_]


def shared_cells(first: NDArray[Any], second: NDArray[Any]) -> list[Shared]:
    """Group rows by missing cells; return the common columns of each combination of groups."""
    pairs = product(_by_cells(first), _by_cells(second))
    return [Shared(np.array(a), np.array(b), has & other) for (a, has), (b, other) in pairs]


def _by_cells(rows: NDArray[Any]) -> list[tuple[list[int], NDArray[np.bool_]]]:
    groups: dict[bytes, tuple[list[int], NDArray[np.bool_]]] = {}
    for number, row in enumerate(rows):
        has = ~np.isnan(row)
        groups.setdefault(np.packbits(has).tobytes(), ([], has))[0].append(number)
    return list(groups.values())


def similarities(
    first: NDArray[Any], second: NDArray[Any], method: str, ends: Ends | None = None
) -> Floats:
    r"""Return the similarity of each row of one array to each row of another, (n, m).

    Columns are pairs of items: ``ends`` are the two items of each column, by default all pairs of
    an upper triangle. A row that is constant in a bootstrap sample has similarity 0. Columns with
    NaN in either row are left out; fewer than three columns give NaN.

    The whitened cosine is :math:`a' V^{-1} b / \sqrt{a' V^{-1} a \; b' V^{-1} b}`, where a and b
    are the rows and V is the covariance of estimated squared distances with equal noise. V is 4 on
    the diagonal and 1 for two pairs that share an item. The whitened Pearson correlation subtracts
    means first. Source: Diedrichsen et al. 2020, Comparing representational geometries using
    whitened unbiased-distance-matrix similarity, Neurons, Behavior, Data analysis, and Theory.
    """
    if np.isnan(first).any() or np.isnan(second).any():
        return _of_shared(first, second, method, _all_ends(first) if ends is None else ends)
    if method in TAUS:
        return np.array([[TAUS[method](x, y) for y in second] for x in first])
    if method in WHITENED:
        rows = _Whitened.of(np.concatenate([first, second]), method, ends)
        return rows.products(slice(len(first)), slice(len(first), None))
    return np.asarray(prepared(first, method) @ prepared(second, method).T)


def _of_shared(first: Floats, second: Floats, method: str, ends: Ends) -> Floats:
    values = np.full((len(first), len(second)), np.nan)
    for a, b, cells in shared_cells(first, second):
        if cells.sum() >= FEWEST_PAIRS:
            x, y, kept = first[a][:, cells], second[b][:, cells], (ends[0][cells], ends[1][cells])
            values[np.ix_(a, b)] = similarities(x, y, method, kept)
    return values


@dataclass(frozen=True)
class _Whitened:
    r"""Rows, with the terms that whitening subtracts from their inner products.

    .. math:: V = 2 I + B B', \quad V^{-1} = \tfrac12 \big( I - B (2 I + B' B)^{-1} B' \big)

    is the covariance of pairs, with B the incidence matrix of pairs and items.
    """

    values: Floats
    less: Floats  # terms to subtract, (rows, n_items)
    least: Floats  # smaller lengths are rounding errors, (rows,)

    @classmethod
    def of(cls, values: NDArray[Any], method: str, ends: Ends | None) -> _Whitened:
        a, b = _all_ends(values) if ends is None else ends
        n_items = int(max(a.max(), b.max())) + 1
        least = ROUNDING * np.linalg.norm(values, axis=1)
        values = values if method in NOT_CENTRED else values - values.mean(axis=1, keepdims=True)
        shared = 2.0 * np.eye(n_items)
        np.add.at(shared, (np.r_[a, a, b, b], np.r_[a, b, a, b]), 1.0)
        sums = [np.bincount(a, r, n_items) + np.bincount(b, r, n_items) for r in values]
        less = solve_triangular(cholesky(shared, lower=True), np.transpose(sums), lower=True)
        return cls(values, less.T, least)

    def lengths(self) -> Floats:
        """Return the whitened length of each row; 0 in place of rounding errors."""
        squares = ((self.values**2).sum(axis=1) - (self.less**2).sum(axis=1)) / 2
        return np.sqrt(np.where(squares > self.least**2, squares, 0.0))

    def products(self, first: slice, second: slice) -> Floats:
        inner = (
            self.values[first] @ self.values[second].T - self.less[first] @ self.less[second].T
        ) / 2
        lengths = self.lengths()
        scale = lengths[first, None] * lengths[second]
        return np.where(scale > 0, inner / np.where(scale > 0, scale, 1.0), 0.0)


def _all_ends(values: NDArray[Any]) -> Ends:
    n_items = round((1 + np.sqrt(1 + 8 * values.shape[1])) / 2)
    return np.triu_indices(n_items, 1)


def is_product(method: str) -> bool:
    return method not in (*TAUS, *WHITENED)


def prepared(values: NDArray[Any], method: str) -> Floats:
    """Return rows whose inner products are the similarities (rho-a in place of Kendall's tau)."""
    if method in RANKS:
        values = _ranks(values)
    least = ROUNDING * np.linalg.norm(values, axis=1, keepdims=True)
    if method not in NOT_CENTRED:
        values = values - values.mean(axis=1, keepdims=True)
    n = values.shape[1]
    if method in ("rho-a", *TAUS):
        return np.asarray(values * np.sqrt(12 / (n**3 - n)))
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    return np.where(lengths > least, values / np.where(lengths > least, lengths, 1.0), 0.0)


def samples_at_once(n_rows: int, n_pairs: int) -> int:
    """Return how many samples to compare at once: limited by memory and by a cache line."""
    return int(np.clip(MEMORY // (4 * (n_rows + 1) * n_pairs), 1, 16))


def sampled_similarities(
    first: NDArray[Any], second: NDArray[Any], method: str, times: NDArray[np.intp], ends: Ends
) -> Floats:
    """Return similarities of rows in several samples of items, (n_samples, n, m).

    ``times`` (n_samples, n_items) is the number of copies of each item. The method must be in
    ``BY_WEIGHT``; for ranks, values are integers from :func:`coded`.
    """
    a, b = ends
    columns = np.ascontiguousarray(times.T, dtype=np.int32)
    weights = columns[a] * columns[b]
    if method in RANKS:
        products = _rank_products(first, second, weights)
    else:
        centred = method not in NOT_CENTRED
        products = np.array([_products(first, second, w, centred) for w in weights.T.astype(float)])
        products = products.swapaxes(0, 1)
    if method == "rho-a":
        total = weights.sum(axis=0, dtype=float)[:, None, None]
        return np.asarray(products[0] * 3 / (total**3 - total))
    scale = np.sqrt(products[1]) * np.sqrt(products[2])
    return np.where(scale > 0, products[0] / np.where(scale > 0, scale, 1.0), 0.0)


def _products(first: Floats, second: Floats, weights: Floats, centred: bool) -> Floats:
    sides, squares = [], []
    for rows in (first, second):
        least = ROUNDING**2 * (rows**2 @ weights)
        values = rows - (rows @ weights / weights.sum())[:, None] if centred else rows
        square = np.einsum("ij,ij,j->i", values, values, weights)
        sides.append(values)
        squares.append(np.where(square > least, square, 0.0))
    inner = (sides[0] * weights) @ sides[1].T
    return np.array(np.broadcast_arrays(inner, squares[0][:, None], squares[1]))


def _rank_products(first: NDArray[Any], second: NDArray[Any], weights: NDArray[np.int32]) -> Floats:
    n = weights.shape[1]
    products = np.zeros((3, len(first), len(second), n))
    tables = np.zeros((len(second) + 1, first.shape[1], n), dtype=np.int32)
    squares = np.empty(n)
    for m, codes in enumerate(second):
        _loops.rank(codes, weights, tables[m, : codes.max() + 1], squares)
        products[2, :, m] = squares
    for g, own in enumerate(first):
        _loops.rank(own, weights, tables[-1, : own.max() + 1], squares)
        products[1, g] = squares
        for m, codes in enumerate(second):
            _loops.add_products(own, tables[-1], codes, tables[m], weights, products[0, g, m])
    return np.moveaxis(products, 3, 1)


def pooled(values: Floats, method: str) -> Floats:
    """Scale rows, so that the mean of all rows is the matrix most similar to them.

    Sums of ranks are exact, so every processor finds the same ties.
    """
    has = ~np.isnan(values)
    if (has != has[0]).any():
        return rescaled(values, centred=method not in NOT_CENTRED)
    if not has.all():
        made, (a, b), cells = np.full(values.shape, np.nan), _all_ends(values), has[0]
        made[:, cells] = _pooled(values[:, cells], method, (a[cells], b[cells]))
        return made
    return _pooled(values, method, None)


def _pooled(values: Floats, method: str, ends: Ends | None) -> Floats:
    if method in WHITENED:
        lengths = _Whitened.of(values, method, ends).lengths()[:, None]
        return np.asarray(values / np.where(lengths > 0, lengths, 1.0))
    return _ranks(values) if method in RANKS else prepared(values, method)


def rescaled(values: Floats, centred: bool) -> Floats:
    r"""Bring rows with missing cells to one scale, with the cells that rows have in common.

    .. math:: \tilde d^g = \lVert m \rVert_g \, d^g / \lVert d^g \rVert_g, \qquad m \propto
       \text{the mean of } \tilde d

    with lengths over the cells that row g has. This is repeated until m converges. If ``centred``,
    rows are also shifted to the mean of m over their cells. Source: ``rescale`` of rsatoolbox, with
    equal weights.
    """
    present = ~np.isnan(values)
    counts, n = present.sum(axis=0), present.sum(axis=1, keepdims=True)
    used = counts > 0

    def part(rows: Floats) -> tuple[Floats, Floats]:
        rows = np.where(present, rows, 0.0)
        mean = rows.sum(axis=1, keepdims=True) / n if centred else np.zeros_like(n, dtype=float)
        apart = np.where(present, rows - mean, 0.0)
        return mean, np.sqrt((apart**2).sum(axis=1, keepdims=True) / n)

    mean, length = part(values)
    unit = np.where(present, (values - mean) / np.where(length > 0, length, 1.0), 0.0)
    target, rows = unit.sum(axis=0) / np.maximum(counts, 1), unit
    for _ in range(MOST_RESCALED):
        mean, length = part(target)
        rows = np.where(present, mean + length * unit, 0.0)
        before, target = target, rows.sum(axis=0) / np.maximum(counts, 1)
        if centred:
            target = target - target[used].mean()
        target = target / (np.sqrt((target[used] ** 2).mean()) or 1.0)
        if np.abs(target - before).max() < SETTLED:
            break
    return np.where(present, rows, np.nan)


def coded(values: Floats, method: str) -> NDArray[Any]:
    """Return values with the same similarities; ranks become integers, which sort faster."""
    if method not in RANKS or np.isnan(values).any():
        return values
    return np.asarray(rankdata(values, "dense", axis=1) - 1, dtype=np.uint32)


def _ranks(values: NDArray[Any]) -> Floats:
    if values.dtype.kind != "u":
        return np.asarray(rankdata(values, axis=1))
    ranks = np.empty(values.shape)
    for row, codes in zip(ranks, values, strict=True):
        counts = np.bincount(codes)
        row[:] = (np.cumsum(counts) - (counts - 1) / 2)[codes]
    return ranks


def _tau_b(x: Floats, y: Floats) -> float:
    return float(np.nan_to_num(kendalltau(x, y).statistic))


def _tau_a(x: Floats, y: Floats) -> float:
    n = len(x) * (len(x) - 1) / 2
    free = [(n - _tied(values)) / n for values in (x, y)]
    return _tau_b(x, y) * float(np.sqrt(free[0] * free[1]))


def _tied(values: Floats) -> float:
    counts = np.unique(values, return_counts=True)[1]
    return float((counts * (counts - 1) / 2).sum())


TAUS = {"kendall tau-a": _tau_a, "kendall tau-b": _tau_b}
