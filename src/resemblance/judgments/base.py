"""What every kind of judgment shares: comparisons for the engines, repeats as weights."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from resemblance.catalog import AT_RANDOM, HELD_OUT, OTHERS, START, STRATEGIES
from resemblance.errors import JudgmentError
from resemblance.judgments.checks import refuse
from resemblance.judgments.layout import Layout, Pair, one_of
from resemblance.judgments.rows import Rows


@dataclass(frozen=True)
class Comparison:
    """Rows of items that are compared in one way.

    Attributes
    ----------
    rows : slice or array of int
        Which rows of the judgments these are.
    index : array (m, w) of int32
        The items of each row.
    layout : Layout
        Which of them each possible answer pairs; the first answer was given.
    """

    rows: slice | NDArray[np.intp]
    index: NDArray[np.int32]
    layout: Layout

    @classmethod
    def of_heads(cls, rows: NDArray[np.int32]) -> Self:
        """Compare the options of rows (head, options...) with their heads, as an answer would."""
        return cls(slice(None), rows, one_of(rows.shape[1] - 1))

    @cached_property
    def pairs(self) -> list[Pair]:
        """The compared pairs of items, as columns."""
        columns = [np.ascontiguousarray(column) for column in self.index.T]
        return [(columns[a], columns[b]) for a, b in self.layout.pairs]

    @property
    def n_options(self) -> int:
        """How many answers a row may have."""
        return len(self.layout.options)


class Judgments(Rows):
    """Rows that say which of some pairs of items was judged the most similar.

    The base of :class:`Triplets`, :class:`Quadruplets`, :class:`Choices` and :class:`OddOneOuts`.
    """

    @abstractmethod
    def comparisons(self) -> list[Comparison]:
        """Say which pairs of items each row compared."""

    def numbers(self, compared: Comparison) -> NDArray[np.float64]:
        """Return what the loss of rows needs beside distances: their weights; empty for ones."""
        return np.empty(0) if self.weight is None else self.weight[compared.rows]

    @property
    def at_random(self) -> NDArray[np.bool_] | None:
        """Whether each question was drawn at random; None where nobody knows.

        It is read from the extra column "strategy", which the files of studies and the answers
        of sessions have: it names what chose a question, or says "start", "held out" or "random".
        Any other column of that name says nothing of it.

        Examples
        --------
        >>> from resemblance import Triplets
        >>> asked = Triplets([[0, 1, 2], [1, 2, 0]], extra={"strategy": ["start", "predictive"]})
        >>> asked.at_random
        array([ True, False])
        """
        if "strategy" not in self._extra:
            return None
        told = self._extra["strategy"].astype(str)
        ours = np.isin(told, (START, HELD_OUT)).any()  # else strategies have names of one's own
        known = ours or np.isin(told, (*AT_RANDOM, *OTHERS, *STRATEGIES)).all()
        return np.isin(told, AT_RANDOM) if known else None

    def merge_repeats(self, *, drop_extra: bool = False) -> Self:
        """Merge equal rows into one whose weight is the sum of theirs.

        Rows are equal if their index is, and their response and observer where there are any. The
        merged rows are sorted by those columns.

        Parameters
        ----------
        drop_extra : bool
            Extra columns cannot be merged: give them up, or (the default) raise.

        Returns
        -------
        judgments of the same kind, without extra columns

        Raises
        ------
        JudgmentError
            If there are extra columns and they are not to be dropped.

        See Also
        --------
        expand_repeats : The way back.

        Examples
        --------
        >>> from resemblance import Triplets
        >>> merged = Triplets([[0, 1, 2], [1, 2, 0], [0, 1, 2]]).merge_repeats()
        >>> merged.weight
        array([2., 1.])
        """
        if self._extra and not drop_extra:
            raise JudgmentError(
                f"the extra columns {', '.join(self._extra)} cannot be merged: "
                "give them up with drop_extra=True"
            )
        order, starts = self._runs()
        weight = np.add.reduceat(self.weights[order], starts) if len(self) else self.weights
        return self._with(_extra={})._take(order[starts])._with(weight=weight)

    def expand_repeats(self) -> Self:
        """Repeat each row as often as its weight says, and give the weights up.

        Returns
        -------
        judgments of the same kind, without weights

        Raises
        ------
        JudgmentError
            If a weight is not a whole number.

        Examples
        --------
        >>> from resemblance import Triplets
        >>> len(Triplets([[0, 1, 2], [1, 2, 0]], weight=[2, 1]).expand_repeats())
        3
        """
        weights = self.weights
        refuse(
            weights != np.floor(weights),
            lambda r: (
                f"weight {weights[r]} is not a whole number, so the row cannot be repeated: "
                "round the weights or keep them"
            ),
        )
        rows = np.repeat(np.arange(len(self)), weights.astype(np.intp))
        return self._with(weight=None)._take(rows)
