"""Catch trials: rows that check attention, kept for quality and never fitted."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.base import Judgments
from resemblance.judgments.checks import refuse
from resemblance.judgments.labelled import FileItems, Source, read
from resemblance.judgments.reading_items import Columns
from resemblance.judgments.rows import Rows, frame_of
from resemblance.optional import pd


class CatchTrials(Rows):
    """Rows whose head is repeated among the options, where only one answer shows attention.

    A row is passed if the head itself was chosen as most similar to the head. Catch trials come
    from ``Triplets.split_catches``, ``Choices.split_catches`` or a reader's ``catches="keep"``.

    Parameters
    ----------
    index : array of shape (m, k)
        Item positions: the head, the option chosen (a triplet's near), the other options, -1 last
        where a row has fewer.
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


class HeadJudgments(Judgments):
    """Judgments of options against a head, where catch trials can occur: Triplets and Choices.

    ``catches`` are the catch trials that were answered among these rows, or None. They belong to
    the whole: a slice has none.
    """

    catches: CatchTrials | None = None

    @classmethod
    def read(
        cls,
        path: Source,
        items: FileItems = None,
        columns: Columns = None,
        *,
        catches: Literal["error", "keep"] = "error",
    ) -> Self:
        """Read judgments of this kind from a file or a table: :meth:`.Filed.read`.

        Parameters
        ----------
        path, items, columns
            As there.
        catches : {"error", "keep"}
            Raise on catch trials (the head is also an option), or set them apart as ``.catches`` of
            the result.

        Returns
        -------
        judgments of this kind

        Examples
        --------
        >>> from resemblance import Triplets
        >>> table = pd.DataFrame({"head": ["a", "b"], "near": ["b", "b"], "far": ["c", "c"]})
        >>> len(Triplets.read(table, catches="keep").catches)
        1
        """
        return read(cls, path, items, columns, catches)

    def _all_rows(self) -> pd.DataFrame:
        frame = self.to_pandas()
        if self.catches is None:
            return frame
        last = frame_of(self.catches, self.columns, self.options_from)
        return pd.concat([frame, last], ignore_index=True)

    def _refuse_catches(self) -> Self:
        refuse(
            head_among_options(self.index),
            lambda r: (
                f"the head {self._name(r, 0)} is also among its options: such a catch trial is "
                f"never fitted; set it apart with {type(self).__name__}.split_catches(...), "
                'read the file with catches="keep", or remove the row'
            ),
            "catches",
        )
        return self

    def _set_catches_apart(self) -> Self:
        catch = head_among_options(self.index)
        if catch.all():
            raise JudgmentError("every row is a catch trial: there is nothing to fit, add rows")
        if not catch.any():
            return self
        checks = CatchTrials(self.index[catch], self.items, **self._notes(catch))
        return self._take(~catch)._with(catches=checks)

    def _take(self, rows: object) -> Self:
        return super()._take(rows)._with(catches=None)


def head_among_options(index: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Mark the rows whose first column is repeated in another."""
    repeated = np.zeros(len(index), dtype=bool)
    for option in index.T[1:]:
        repeated |= option == index[:, 0]
    return repeated
