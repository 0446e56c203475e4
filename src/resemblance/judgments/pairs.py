"""Judgments of single pairs: similar or not, ranks, and ratings on a scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, count
from resemblance.judgments.base import ONE_PAIR, RATED, Comparison, Layout, OneKind, Scoring, Space
from resemblance.judgments.checks import real_numbers, refuse, whole_numbers
from resemblance.judgments.file_io import Filed
from resemblance.judgments.items import ItemsLike
from resemblance.judgments.joining import raters_of
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
    """Judgments of one pair of items per row, without a right answer.

    Base of :class:`Confusions` and :class:`Ratings`, which are scored by likelihood.
    """

    layout: ClassVar[Layout]

    def comparisons(self) -> list[Comparison]:
        return [Comparison(slice(None), self.index, self.layout)]


class SimilarPairs(Filed, Pairs):
    """Pairs of items that are similar or dissimilar; pairs that are not listed are unknown.

    Parameters
    ----------
    pairs : array of shape (m, 2)
        Item positions of two different items per row.
    similar : array of bool of shape (m,)
        Whether the two items are similar; 1 and 0 are accepted.
    items, weight, response_id, observer, extra
        As in :class:`Triplets`.

    Raises
    ------
    JudgmentError
        If ``similar`` has other values or a pair is one item with itself; and as in
        :class:`Triplets`.

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
    """Pairs of items with ranks: rank(a, b) < rank(c, d) means d(a, b) < d(c, d).

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
        """Rank all pairs by the values of a matrix, such as mean ratings or dissimilarities.

        Equal values are ties. The matrix must be square and symmetric, and not empty.

        Parameters
        ----------
        matrix : array of shape (n, n)
            The symmetric matrix; its diagonal is ignored, and pairs whose value is NaN are not
            ranked.
        items : Items, sequence of names, or int, optional
            The items of the rows and columns.
        similarities : bool
            Whether high values mean similar; by default they mean dissimilar.

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


class Ratings(Filed, JudgedPairs):
    r"""Pairs of items whose similarity was rated on a scale of k points.

    .. math:: P(r > j) = \sigma\Big( \log \frac{s(d)}{s(0)} - \theta_{uj} \Big),
       \qquad \theta_{u1} < \dots < \theta_{u, k - 1}

    where r is the rating from 1 (not at all similar) to k (the most similar), d the distance of the
    pair, s the similarity of a choice model with a likelihood, and :math:`\theta_{uj}` the
    threshold of person u above point j. A threshold is like a remembered distance: P(r > j) is the
    probability, in the choice model, that the pair is nearer than this distance. The points of a
    scale are ordinal, and people may use them differently. Thresholds are fitted together with the
    space (:class:`~resemblance.fitting.Thresholds`); a person's thresholds are shrunk towards the
    thresholds of all people. Shrinkage is stronger if people are more alike. Ratings without
    observers share one set of thresholds.

    Parameters
    ----------
    pairs : array of shape (m, 2)
        Item positions of two different items per row; the smaller comes first in the index. A pair
        may be rated many times.
    rating : array of int of shape (m,)
        The ratings, from 1 to ``points``; high means similar.
    points : array of int of shape (m,), or int
        The number of points of the scale, 2 or more.
    items, weight, response_id, observer, extra
        As in :class:`Triplets`.

    Raises
    ------
    JudgmentError
        If a rating or number of points is fractional, missing or out of range; if a pair is one
        item with itself; and as in :class:`Triplets`. The message names the first such row.

    References
    ----------
    The graded response model: Samejima (1969), Estimation of latent ability using a response
    pattern of graded scores, Psychometrika Monograph 17; cumulative logits: McCullagh (1980),
    Regression models for ordinal data, Journal of the Royal Statistical Society B 42, 109-142.

    Examples
    --------
    >>> ratings = Ratings([[0, 1], [2, 0], [1, 2]], rating=[7, 2, 3], points=7)
    >>> ratings.index[1], ratings.ratio.round(2)
    (array([0, 2], dtype=int32), array([1.  , 0.17, 0.33]))
    """

    layout = RATED
    scoring = Scoring("log_likelihood", rated=True)
    measures = ("rating", "points")
    of_one_item = (
        'such a catch trial is never fitted: remove it, or read_experiment(on_error="skip")'
    )
    per_row = (*JudgedPairs.per_row, *measures)

    rating: NDArray[np.int64]
    points: NDArray[np.int64]

    def __init__(
        self,
        pairs: ArrayLike,
        rating: ArrayLike,
        points: ArrayLike | int,
        items: ItemsLike = None,
        weight: ArrayLike | None = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self._fill(pairs, items, weight, response_id, observer, extra)
        each = np.full(len(self), points) if np.ndim(points) == 0 else points
        for name, given, least in (("rating", rating, 1), ("points", each, 2)):
            values = whole_numbers(self._one_per_pair(given, name), name, least=least)
            self._set(**{name: values.astype(np.int64)})
        self._set(index=np.sort(self.index, axis=1))
        refuse(
            self.rating > self.points,
            lambda r: (
                f"the pair {self._name(r, 0)} with {self._name(r, 1)} is rated {self.rating[r]} of "
                f"{self.points[r]} points: correct the one or the other"
            ),
        )

    @property
    def ratio(self) -> NDArray[np.float64]:
        """The position of each rating on its scale, (m,), from 0 (lowest) to 1 (highest)."""
        return (self.rating - 1) / (self.points - 1)

    def numbers(self, compared: Comparison | None = None) -> NDArray[np.float64]:
        """Return the numbers of each row, (m, 4), that its loss needs besides the distance.

        The columns are the weight; the rating minus 1; the number of points of the scale; and the
        observer, numbered from 1 in the order of names (0: no observer).
        """
        _, who = raters_of(self)
        return np.column_stack([self.weights, self.rating - 1, self.points - 1, who])

    def counts_in_all(self) -> dict[str, Any]:
        """Return the number of ratings, and the numbers of points of the scales."""
        return {"trials": len(self), "points": np.unique(self.points)}

    def guesses(self) -> dict[str, NDArray[np.float64]]:
        """Return the log-likelihood of guessing each point of the scale with equal probability.

        Reports give another baseline: a fit in which all items have one position, with fitted
        thresholds.
        """
        return {self.scoring.name: -np.log(self.points)}

    def losses(self, space: Space) -> Floats:
        """Return the negative log-likelihood of each rating in nats, (m,)."""
        return space.scales.losses(space.similarity(*self.comparisons()), self)

    def probabilities(self, space: Space) -> Floats:
        """Return the probability of each rating, (m, points); column 0 is rating 1."""
        return space.scales.probabilities(space.similarity(*self.comparisons()), self)

    def predictions(self, space: Space) -> Floats:
        """Return the expected rating of each row, given its observer's thresholds, (m,)."""
        p = self.probabilities(space)
        return np.asarray(p @ np.arange(1, p.shape[1] + 1))

    @property
    def size(self) -> str:
        """The number of rated pairs and the mean rating, as text."""
        n_pairs, points = len(np.unique(self.index, axis=0)), np.unique(self.points)
        of = f"{points[0]:,}" if len(points) == 1 else f"{points[0]:,} to {points[-1]:,}"
        mean = np.average(self.rating, weights=self.weights)
        return f"{len(self):,} ratings of {count(n_pairs, 'pair')}, on average {mean:.1f} of {of}"
