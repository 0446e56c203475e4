"""Ratings of how similar two items are, on a scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import Floats
from resemblance.errors import count
from resemblance.judgments.base import Comparison
from resemblance.judgments.checks import refuse, whole_numbers
from resemblance.judgments.file_io import Filed
from resemblance.judgments.items import ItemsLike
from resemblance.judgments.layout import RATED
from resemblance.judgments.observers import raters_of
from resemblance.judgments.pairs import JudgedPairs
from resemblance.judgments.scoring import Scoring, Space


class Ratings(Filed, JudgedPairs):
    r"""Pairs of items and how similar they are, rated on a scale of so many points.

    .. math:: P(r > j) = \sigma\Big( \log \frac{s(d)}{s(0)} - \theta_{uj} \Big),
       \qquad \theta_{u1} < \dots < \theta_{u, k - 1}

    where r is the rating from 1 (not at all similar) to k (the most similar), d the distance of the
    pair, s the similarity of a choice model with a likelihood, and theta the thresholds of person
    u. A threshold is a distance that somebody remembers: the pair is rated above j as often as the
    choice model says that it is nearer than that. Nothing but their order is asked of the points of
    the scale, and nobody has to use them as others do. Thresholds are found with the space
    (:class:`~resemblance.fitting.Thresholds`); those of a person are pulled towards the crowd's as
    far as people are alike. Where no observer is told, all ratings share theirs.

    Parameters
    ----------
    pairs : array of shape (m, 2)
        Item positions of two different items per row; the smaller comes first in the index. A pair
        may be rated many times.
    rating : array of int of shape (m,)
        From 1 to ``points``; more is more similar.
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
        """The ratings as shares of their scale, (m,), from 0 (lowest) to 1 (highest)."""
        return (self.rating - 1) / (self.points - 1)

    def numbers(self, compared: Comparison | None = None) -> NDArray[np.float64]:
        """Return what the loss of rows needs beside distances.

        Returns
        -------
        array (m, 4)
            The weight, the step of the scale from 0, the steps that it has, and the person, from 1
            in the order of their names; 0 where nobody is told.
        """
        _, who = raters_of(self)
        return np.column_stack([self.weights, self.rating - 1, self.points - 1, who])

    def counts_in_all(self) -> dict[str, Any]:
        """Return how many ratings there are, and the scales."""
        return {"trials": len(self), "points": np.unique(self.points)}

    def guesses(self) -> dict[str, NDArray[np.float64]]:
        """Return the log-likelihood of guessing a point of the scale.

        Reports say that of the fit with all items in one place, which knows how people use it.
        """
        return {self.scoring.name: -np.log(self.points)}

    def losses(self, space: Space) -> Floats:
        """Return minus the log-likelihood of each rating, in nats."""
        return space.scales.losses(space.similarity(*self.comparisons()), self)

    def probabilities(self, space: Space) -> Floats:
        """Return the probability of each point of the scale, (m, points), from 1 on."""
        return space.scales.probabilities(space.similarity(*self.comparisons()), self)

    def predictions(self, space: Space) -> Floats:
        """Return the expected rating of each row by its observer, (m,)."""
        p = self.probabilities(space)
        return np.asarray(p @ np.arange(1, p.shape[1] + 1))

    @property
    def size(self) -> str:
        """How many pairs are rated, and their mean on the scale."""
        n_pairs, points = len(np.unique(self.index, axis=0)), np.unique(self.points)
        of = f"{points[0]:,}" if len(points) == 1 else f"{points[0]:,} to {points[-1]:,}"
        mean = np.average(self.rating, weights=self.weights)
        return f"{len(self):,} ratings of {count(n_pairs, 'pair')}, on average {mean:.1f} of {of}"
