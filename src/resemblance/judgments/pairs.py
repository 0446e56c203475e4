"""What all rows of one pair of items share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.base import Comparison
from resemblance.judgments.checks import refuse
from resemblance.judgments.layout import Layout
from resemblance.judgments.rows import ItemsLike, Rows


class Pairs(Rows):
    """Rows of two different items, and what was measured of each such pair.

    The base of :class:`CountedPairs`, :class:`SimilarPairs` and :class:`PairRanks`.
    """

    columns = ("a", "b")

    @classmethod
    def _filled(cls, index: ArrayLike, items: ItemsLike = None, **measures_and_notes: Any) -> Self:
        return cls(index, items=items, **measures_and_notes)  # type: ignore[call-arg]

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


class CountedPairs(Pairs):
    """Rows that count, of one pair of items, how many of some trials came out one way.

    The base of :class:`Confusions` and :class:`Ratings`. No answer is the right one, so what such
    rows are fitted and scored by is the binomial likelihood of a trial.
    """

    layout: ClassVar[Layout]
    hit: ClassVar[str]  # what those that came out so are called
    trials: NDArray[np.int64]

    @property
    @abstractmethod
    def hits(self) -> NDArray[np.int64]:
        """How many of the trials came out so."""

    @property
    @abstractmethod
    def size(self) -> str:
        """What was counted, in words."""

    @property
    def ratio(self) -> NDArray[np.float64]:
        """Hits per trial, of shape (m,)."""
        return self.hits / self.trials

    @property
    def trial_weights(self) -> NDArray[np.float64]:
        """The trials of each row, times its weight."""
        return self.trials * self.weights

    @property
    def counts(self) -> NDArray[np.float64]:
        """Trials that came out so, and those that did not, times the weight: (m, 2)."""
        split = np.column_stack([self.hits, self.trials - self.hits])
        return split * self.weights[:, None]

    def comparisons(self) -> list[Comparison]:
        """Say which pair of items each row is about; nothing is compared with it."""
        return [Comparison(slice(None), self.index, self.layout)]


def pairs_in_words(n: int) -> str:
    """Count pairs: "1 pair", "2,000 pairs"."""
    return f"{n:,} pair{'s'[: n != 1]}"
