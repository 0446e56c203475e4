"""What all rows of one pair of items share."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.checks import refuse
from resemblance.judgments.rows import ItemsLike, Rows


class Pairs(Rows):
    """Rows of two different items, and what was measured of each such pair.

    The base of :class:`Confusions`, :class:`SimilarPairs` and :class:`PairRanks`.
    """

    columns = ("a", "b")

    @classmethod
    def _filled(cls, index: ArrayLike, items: ItemsLike = None, **measures_and_notes: Any) -> Self:
        return cls(index, items=items, **measures_and_notes)

    def _check_rows(self) -> None:
        refuse(
            self.index[:, 0] == self.index[:, 1],
            lambda r: f"{self._name(r, 0)} is paired with itself: correct or remove the row",
        )

    def _one_per_pair(self, values: ArrayLike, what: str) -> NDArray[Any]:
        """Check that a measure has one value for each pair."""
        measure = np.asarray(values)
        if measure.shape != (len(self),):
            raise JudgmentError(
                f"{what} of shape {measure.shape} for {len(self)} pairs: give one per pair"
            )
        return measure
