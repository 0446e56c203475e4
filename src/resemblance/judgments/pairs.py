"""Judgments of single pairs of items: similar pairs, and ranks of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from resemblance.errors import JudgmentError
from resemblance.judgments.base import Comparison, OneKind
from resemblance.judgments.checks import real_numbers, refuse
from resemblance.judgments.file_io import Filed
from resemblance.judgments.items import ItemsLike
from resemblance.judgments.layout import ONE_PAIR, Layout
from resemblance.judgments.rows import Rows


class Pairs(Rows):
    """Rows of two different items, with one measurement per pair.

    Base of :class:`JudgedPairs`, :class:`SimilarPairs` and :class:`PairRanks`.
    """

    columns = ("a", "b")
    of_one_item: ClassVar[str] = "correct or remove the row"

    @classmethod
    def _filled(cls, index: ArrayLike, items: ItemsLike = None, **measures_and_notes: Any) -> Self:
        return cls(index, items=items, **measures_and_notes)

    def _check_rows(self) -> None:
        refuse(
            self.index[:, 0] == self.index[:, 1],
            lambda r: f"{self._name(r, 0)} is paired with itself: {self.of_one_item}",
            "on_error",
        )

    def _one_per_pair(self, values: ArrayLike, what: str) -> NDArray[Any]:
        measure = np.asarray(values)
        if measure.shape != (len(self),):
            raise JudgmentError(
                f"{what} of shape {measure.shape} for {len(self)} pairs: give one per pair"
            )
        return measure


class JudgedPairs(Pairs, OneKind):
    """Rows of one pair of items each, without a right answer.

    Base of :class:`Confusions` and :class:`Ratings`, which are scored by likelihood.
    """

    layout: ClassVar[Layout]

    def comparisons(self) -> list[Comparison]:
        """Return the pair of items of each row, which is compared with nothing."""
        return [Comparison(slice(None), self.index, self.layout)]


class SimilarPairs(Filed, Pairs):
    """Pairs of items that are similar or not; unlisted pairs are unknown.

    Parameters
    ----------
    pairs : array of shape (m, 2)
        Item positions of two different items per row.
    similar : array of bool of shape (m,)
        Whether the two are similar; ones and zeros will do.
    items, weight, response_id, observer, extra
        As in :class:`Triplets`.

    Raises
    ------
    JudgmentError
        If ``similar`` holds anything but true and false or 1 and 0, or a pair is one item with
        itself, and as in :class:`Triplets`.

    Examples
    --------
    >>> pairs = SimilarPairs([[0, 1], [1, 2], [0, 2]], similar=[True, False, False])
    >>> pairs[~pairs.similar].index
    array([[1, 2],
           [0, 2]], dtype=int32)
    """

    measures = ("similar",)
    per_row = (*Pairs.per_row, *measures)

    similar: NDArray[np.bool_]

    def __init__(
        self,
        pairs: ArrayLike,
        similar: ArrayLike,
        items: ItemsLike = None,
        weight: ArrayLike | None = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self._fill(pairs, items, weight, response_id, observer, extra)
        answers = self._one_per_pair(similar, "similar")
        if answers.dtype.kind not in "biuf":
            raise JudgmentError(f"similar must be true or false, not {answers.dtype}: give bools")
        refuse(
            (answers != 0) & (answers != 1),
            lambda r: f"similar must be true or false (1 or 0), not {answers[r]}: correct it",
        )
        self._set(similar=answers.astype(bool))


class PairRanks(Pairs):
    """Pairs of items and the rank of each: rank(a, b) < rank(c, d) says d(a, b) < d(c, d).

    Parameters
    ----------
    pairs : array of shape (m, 2)
        Item positions of two different items per row.
    ranks : array of shape (m,)
        Finite numbers, 1 for the most similar pair; equal ranks are ties.
    items, weight, response_id, observer, extra
        As in :class:`Triplets`.

    Raises
    ------
    JudgmentError
        If a rank is missing or a pair is one item with itself, and as in :class:`Triplets`.

    Examples
    --------
    >>> ranks = PairRanks([[0, 1], [1, 2], [0, 2]], ranks=[1, 2.5, 2.5])
    >>> ranks[:2].ranks
    array([1. , 2.5])
    """

    measures = ("ranks",)
    per_row = (*Pairs.per_row, *measures)

    ranks: NDArray[np.float64]

    def __init__(
        self,
        pairs: ArrayLike,
        ranks: ArrayLike,
        items: ItemsLike = None,
        weight: ArrayLike | None = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self._fill(pairs, items, weight, response_id, observer, extra)
        self._set(ranks=real_numbers(self._one_per_pair(ranks, "ranks"), "ranks"))

    def comparisons(self) -> list[Comparison]:
        """Return the pair of items of each row."""
        return [Comparison(slice(None), self.index, ONE_PAIR)]

    @classmethod
    def from_matrix(
        cls, matrix: ArrayLike, items: ItemsLike = None, *, similarities: bool = False
    ) -> Self:
        """Rank all pairs by a matrix of means, such as mean ratings or dissimilarities.

        Parameters
        ----------
        matrix : array of shape (n, n)
            Symmetric; the diagonal counts for nothing, and a pair that is NaN is not ranked.
        items : Items, sequence of names, or int, optional
            The items of its rows and columns.
        similarities : bool
            Whether more is more similar; else more is less similar.

        Returns
        -------
        PairRanks, of which equal means are ties

        Raises
        ------
        JudgmentError
            If the matrix is not square or not symmetric, or holds no pair.

        Examples
        --------
        >>> ratings = [[5, 4.2, 1.5], [4.2, 5, 3.1], [1.5, 3.1, 5]]
        >>> PairRanks.from_matrix(ratings, ["bow", "tie", "pin"], similarities=True).ranks
        array([1., 3., 2.])
        """
        values = np.asarray(matrix, dtype=float)
        if values.ndim != 2 or len(values) != len(values.T):
            raise JudgmentError(f"the matrix has shape {values.shape}: give a square one")
        uneven = ~np.isclose(values, values.T, equal_nan=True)
        if uneven.any():
            i, j = np.argwhere(uneven)[0]
            raise JudgmentError(
                f"the pair ({i}, {j}) is {values[i, j]:g} above and {values[j, i]:g} below the "
                "diagonal: give a symmetric matrix, such as (matrix + matrix.T) / 2"
            )
        rows, columns = np.triu_indices(len(values), 1)
        present = np.isfinite(values[rows, columns])
        if not present.any():
            raise JudgmentError("the matrix holds no pair of two different items")
        pairs = np.column_stack([rows, columns])[present]
        means = values[rows, columns][present] * (-1 if similarities else 1)
        return cls(pairs, rankdata(means), len(values) if items is None else items)
