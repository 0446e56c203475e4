"""Similar pairs: is one item similar to another, yes or no."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.checks import refuse
from resemblance.judgments.pairs import Pairs
from resemblance.judgments.rows import ItemsLike


class SimilarPairs(Pairs):
    """Pairs of items that are similar or are not: nothing is said of pairs that are not listed.

    Parameters
    ----------
    pairs : array of shape (m, 2)
        Item positions of two different items per row.
    similar : array of bool of shape (m,)
        Whether the two are similar; ones and zeros will do.
    items, weight, group, observer, extra
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
        group: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self._fill(pairs, items, weight, group, observer, extra)
        answers = self._one_per_pair(similar, "similar")
        if answers.dtype.kind not in "biuf":
            raise JudgmentError(f"similar must be true or false, not {answers.dtype}: give bools")
        refuse(
            (answers != 0) & (answers != 1),
            lambda r: f"similar must be true or false (1 or 0), not {answers[r]}: correct it",
        )
        self._set(similar=answers.astype(bool))
