"""Ratings: how similar two items are, on a scale."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.judgments.checks import refuse, whole_numbers
from resemblance.judgments.layout import RATED
from resemblance.judgments.pairs import CountedPairs, pairs_in_words
from resemblance.judgments.rows import ItemsLike


class Ratings(CountedPairs):
    r"""Pairs of items and how similar they are, rated on a scale of so many points.

    .. math:: P(r) = \binom{k - 1}{r - 1} p^{r - 1} (1 - p)^{k - r}, \qquad
       p = \epsilon + (1 - 2 \epsilon) \frac{s(d)}{s(0)}

    where r is the rating from 1 (not at all similar) to k (the most similar), d the distance of the
    pair, s the similarity of a choice model with a likelihood, and epsilon 0.05: a rating is the
    number of k - 1 steps up the scale that are taken, each with probability p. This is an ordinal
    likelihood of the distance: nothing but their order is asked of the points of the scale.
    Similarities have a zero and a one, so ratings fix the scale of the space too.

    Parameters
    ----------
    pairs : array of shape (m, 2)
        Item positions of two different items per row; the smaller comes first in the index. A pair
        may be rated many times.
    rating : array of int of shape (m,)
        From 1 to ``points``; more is more similar.
    points : array of int of shape (m,), or int
        How many points the scale has, 2 or more.
    items, weight, response_id, observer, extra
        As in :class:`Triplets`.

    Raises
    ------
    JudgmentError
        If a rating or number of points is fractional, missing or out of range; if a pair is one
        item with itself; and as in :class:`Triplets`. The message names the first such row.

    References
    ----------
    The shifted binomial model of ratings: D'Elia, Piccolo (2005), A mixture model for preferences
    data analysis, Computational Statistics & Data Analysis 49, 917-934; here without the mixture.

    Examples
    --------
    >>> ratings = Ratings([[0, 1], [2, 0], [1, 2]], rating=[7, 2, 3], points=7)
    >>> ratings.index[1], ratings.ratio.round(2)
    (array([0, 2], dtype=int32), array([1.  , 0.17, 0.33]))
    """

    layout, hit = RATED, "steps"
    measures = ("rating", "points")
    per_row = (*CountedPairs.per_row, *measures)

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
    def hits(self) -> NDArray[np.int64]:
        """The steps up the scale: rating - 1."""
        return self.rating - 1

    @property
    def trials(self) -> NDArray[np.int64]:  # type: ignore[override]
        """The steps that a scale has: points - 1."""
        return self.points - 1

    @property
    def size(self) -> str:
        """How many pairs are rated, and their mean on the scale."""
        n_pairs, points = len(np.unique(self.index, axis=0)), np.unique(self.points)
        of = f"{points[0]:,}" if len(points) == 1 else f"{points[0]:,} to {points[-1]:,}"
        mean = np.average(self.rating, weights=self.weights)
        return f"{len(self):,} ratings of {pairs_in_words(n_pairs)}, on average {mean:.1f} of {of}"
