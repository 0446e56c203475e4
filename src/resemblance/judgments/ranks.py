"""Ranks of pairs, from the most similar pair to the least."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.judgments.checks import real_numbers
from resemblance.judgments.pairs import Pairs
from resemblance.judgments.rows import ItemsLike


class PairRanks(Pairs):
    """Pairs of items and the rank of each: rank(a, b) < rank(c, d) says d(a, b) < d(c, d).

    Parameters
    ----------
    pairs : array of shape (m, 2)
        Item positions of two different items per row.
    ranks : array of shape (m,)
        Finite numbers, 1 for the most similar pair; equal ranks are ties.
    items, weight, group, observer, extra
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
        group: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self._fill(pairs, items, weight, group, observer, extra)
        self._set(ranks=real_numbers(self._one_per_pair(ranks, "ranks"), "ranks"))
