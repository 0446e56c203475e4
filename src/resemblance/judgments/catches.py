"""Catch trials: rows that check attention and are never fitted."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.base import Judgments
from resemblance.judgments.checks import refuse
from resemblance.judgments.rows import Rows, frame_of
from resemblance.optional import pd


class CatchTrials(Rows):
    """Rows whose head is repeated among the options, so that one answer shows attention.

    A row is passed if the head itself was chosen as most similar to the head. Of odd ones out,
    where a catch trial shows an item twice, the head is the third item: the odd one. Catch trials
    come from ``Triplets.split_catches``, ``Choices.split_catches``, ``OddOneOuts.split_catches``
    or a reader's ``on_error="skip"``.

    Parameters
    ----------
    index : array of shape (m, k)
        Item positions: the head, the option chosen (a triplet's near, the odd one out), the other
        options, -1 last where a row has fewer.
    items, weight, response_id, observer, extra
        As in :class:`Triplets`.

    Raises
    ------
    JudgmentError
        If a head is not among its options.

    Examples
    --------
    >>> catches = CatchTrials([[0, 0, 2], [1, 2, 1]], observer=["ann", "bob"])
    >>> catches.passed
    array([ True, False])
    >>> catches.pass_rates_by_observer()
    {'ann': 1.0, 'bob': 0.0}
    """

    columns = ("head", "chosen", "other")
    least_id = -1

    fixed = 2

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        if len(shape) != 2 or shape[1] < len(self.columns):
            raise JudgmentError(
                f"CatchTrials need a head, the option chosen and others in every row, not {shape}"
            )

    def _check_rows(self) -> None:
        refuse(
            (self.index[:, :2] < 0).any(axis=1) | ~head_among_options(self.index),
            lambda r: "the head is not among its options, so this is no catch trial: leave it out",
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return a table: head, chosen, options (lists, the chosen one first), and the notes.

        Returns
        -------
        DataFrame
        """
        return frame_of(self, ("head", "chosen", "options"), 1)

    @property
    def passed(self) -> NDArray[np.bool_]:
        """Whether the head itself was chosen, for each row."""
        return self.index[:, 0] == self.index[:, 1]

    @property
    def pass_rate(self) -> float:
        """The share of rows that were passed."""
        return float(self.passed.mean())

    def pass_rates_by_observer(self) -> dict[str, float]:
        """Return the share of rows that each observer passed.

        Raises
        ------
        JudgmentError
            If the rows have no observers.
        """
        if self.observer is None:
            raise JudgmentError("these catch trials have no observers: give observer=")
        people, who = np.unique(self.observer, return_inverse=True)
        rates = np.bincount(who, self.passed) / np.bincount(who)
        return dict(zip(people.tolist(), rates.tolist(), strict=True))


class WithCatches(Judgments):
    """Judgments that can contain catch trials: Triplets, Choices and OddOneOuts.

    ``catches`` are the catch trials answered among these rows, or None. They belong to the whole;
    slices have none.
    """

    catches: CatchTrials | None = None
    shown_twice: ClassVar[str] = "the head {} is also among its options"

    @staticmethod
    def _caught(index: NDArray[np.int32]) -> NDArray[np.bool_]:
        return head_among_options(index)

    @staticmethod
    def _as_catches(index: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return rows of this kind as catch trials: the right answer, the given one, others."""
        return index

    @staticmethod
    def _from_catches(index: NDArray[np.int32]) -> NDArray[np.int32]:
        return index

    def all_rows(self) -> pd.DataFrame:
        """Return the table that is written: :meth:`to_pandas`, and below it the catch trials."""
        frame = self.to_pandas()
        if self.catches is None:
            return frame
        index, notes = self._from_catches(self.catches.index), self.catches._notes()
        last = type(self)._filled(index, self.catches.items, **notes).to_pandas()
        return pd.concat([frame, last], ignore_index=True)

    def _refuse_catches(self) -> Self:
        refuse(
            self._caught(self.index),
            lambda r: (
                f"{self.shown_twice.format(self._name(r, self._repeated(r)))}: such a catch trial "
                f"is never fitted; set it apart with {type(self).__name__}.split_catches(...), "
                'read the file with on_error="skip", or remove the row'
            ),
            "on_error",
        )
        return self

    def _set_catches_apart(self) -> Self:
        catch = self._caught(self.index)
        if catch.all():
            raise JudgmentError("every row is a catch trial: there is nothing to fit, add rows")
        if not catch.any():
            return self
        index = self._as_catches(self.index[catch])
        checks = CatchTrials(index, self.items, **self._notes(catch))
        return self._take(~catch)._with(catches=checks)

    def _repeated(self, row: int) -> int:
        """Return the column of the item that a catch trial repeats."""
        ids, counts = np.unique(self.index[row], return_counts=True)
        return int(np.argmax(self.index[row] == ids[counts.argmax()]))

    def _take(self, rows: object) -> Self:
        return super()._take(rows)._with(catches=None)


def head_among_options(index: NDArray[np.int32]) -> NDArray[np.bool_]:
    return np.asarray((index[:, 1:] == index[:, :1]).any(axis=1))
