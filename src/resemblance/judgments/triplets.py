"""Triplets and quadruplets (each compares two pairs of items), and catch trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.base import TWO_PAIRS, Comparison, Judgments, one_of
from resemblance.judgments.checks import are_missing, refuse
from resemblance.judgments.items import ItemsLike
from resemblance.judgments.rows import Rows, frame_of
from resemblance.optional import pd


class CatchTrials(Rows):
    """Questions whose head is also one of the options, so the head is obviously the right answer.

    A row is passed if the head was chosen. A catch trial of odd ones out shows one item twice; the
    third item, which is odd, is its head. Catch trials come from ``Triplets.split_catches``,
    ``Choices.split_catches``, ``OddOneOuts.split_catches`` or a reader's ``on_error="skip"``.

    Parameters
    ----------
    index : array of shape (m, k)
        Item positions: the head, the chosen option (near in triplets, odd in odd ones out), then
        the other options; -1 fills shorter rows.
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
        """Return a table of head, chosen, options (lists, chosen first), and the notes."""
        return frame_of(self, ("head", "chosen", "options"), 1)

    @property
    def passed(self) -> NDArray[np.bool_]:
        """Whether the head itself was chosen, (m,)."""
        return self.index[:, 0] == self.index[:, 1]

    @property
    def pass_rate(self) -> float:
        """The share of passed rows."""
        return float(self.passed.mean())

    def pass_rates_by_observer(self) -> dict[str, float]:
        """Return the share of passed rows by observer; every row needs an observer."""
        if self.observer is None:
            raise JudgmentError("these catch trials have no observers: give observer=")
        people, who = np.unique(self.observer, return_inverse=True)
        rates = np.bincount(who, self.passed) / np.bincount(who)
        return dict(zip(people.tolist(), rates.tolist(), strict=True))


class WithCatches(Judgments):
    """Judgments that can contain catch trials: Triplets, Choices and OddOneOuts.

    ``catches`` are the catch trials among the answers, or None; slices do not have them.
    """

    catches: CatchTrials | None = None
    shown_twice: ClassVar[str] = "the head {} is also among its options"

    @staticmethod
    def _caught(index: NDArray[np.int32]) -> NDArray[np.bool_]:
        return head_among_options(index)

    @staticmethod
    def _as_catches(index: NDArray[np.int32]) -> NDArray[np.int32]:
        return index

    @staticmethod
    def _from_catches(index: NDArray[np.int32]) -> NDArray[np.int32]:
        return index

    def all_rows(self) -> pd.DataFrame:
        """Return all rows to write: :meth:`to_pandas`, then the catch trials."""
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
        ids, counts = np.unique(self.index[row], return_counts=True)
        return int(np.argmax(self.index[row] == ids[counts.argmax()]))

    def _take(self, rows: object) -> Self:
        return super()._take(rows)._with(catches=None)


def head_among_options(index: NDArray[np.int32]) -> NDArray[np.bool_]:
    return np.asarray((index[:, 1:] == index[:, :1]).any(axis=1))


class TwoPairs(Rows):
    """Rows that compare two pairs of items; an array of responses may give the nearer pair."""

    swapped: ClassVar[tuple[int, ...]]  # order of columns that swaps the two pairs

    @classmethod
    def from_cblearn(
        cls, queries: ArrayLike, responses: ArrayLike | None = None, items: ItemsLike = None
    ) -> Self:
        """Read cblearn's arrays of questions and answers; for files use :func:`read_cblearn`.

        Parameters
        ----------
        queries : array of int of shape (m, 3) or (m, 4)
            The questions, with the columns of the class; either pair may be the more similar one.
        responses : array of shape (m,) or (m, 2), optional
            +1 or True where the first of the two compared pairs is the more similar, -1 or False
            where the second is; or one-hot rows. Default: the first pair in every row.
        items : Items, sequence of names, or int, optional
            As in the class.

        Examples
        --------
        >>> from resemblance import Triplets
        >>> Triplets.from_cblearn([[0, 1, 2], [2, 1, 0]], [1, -1]).index
        array([[0, 1, 2],
               [2, 0, 1]], dtype=int32)
        """
        asked = cls(queries, items)
        return asked if responses is None else asked.answered(responses)

    def answered(self, responses: ArrayLike) -> Self:
        """Swap the two pairs of rows whose response says that the second pair is more similar."""
        second = _seconds(np.asarray(responses), len(self))[:, None]
        return self._with(index=np.where(second, self.index[:, self.swapped], self.index))


def _seconds(y: NDArray[Any], n_rows: int) -> NDArray[np.bool_]:
    if y.shape not in ((n_rows,), (n_rows, 2)):
        raise JudgmentError(
            f"y has shape {y.shape} for {n_rows} rows: give one response for each, +1 or -1, "
            "True or False, or a one-hot row of two"
        )
    if y.dtype == bool and y.ndim == 1:
        return ~y
    allowed, what = ([0, 1], "0 and 1") if y.ndim == 2 else ([-1, 1], "+1 and -1, or booleans")
    strange = ~np.isin(y, allowed)
    strange = strange.any(axis=1) | (y.sum(axis=1) != 1) if y.ndim == 2 else strange
    refuse(strange, lambda r: f"the response is {y[r].tolist()!r}: responses are {what}")
    return np.asarray(y[:, 1] == 1 if y.ndim == 2 else y == -1)


class Quadruplets(TwoPairs, Judgments):
    """Comparisons of two pairs: a row (a, b, c, d) means d(a, b) < d(c, d).

    Parameters
    ----------
    index : array of shape (m, 4)
        Item positions, columns a, b, c, d: a and b were judged more similar than c and d.
    items, weight, response_id, observer, extra
        As in :class:`Triplets`.

    Raises
    ------
    JudgmentError
        As in :class:`Triplets`; if a pair is one item with itself; or if both pairs are the same.
        Two pairs may share one item.

    Examples
    --------
    >>> Quadruplets([[0, 1, 2, 3], [0, 2, 0, 3]]).n_items
    4
    """

    columns = ("a", "b", "c", "d")
    swapped = (2, 3, 0, 1)

    def _check_rows(self) -> None:
        a, b, c, d = self.index.T
        for first, second, column in ((a, b, 0), (c, d, 2)):
            names = " and ".join(self.columns[column : column + 2])
            refuse(
                first == second,
                lambda r, names=names, column=column: (  # type: ignore[misc]
                    f"{names} are both {self._name(r, column)}: a pair needs two items; "
                    "correct or remove the row"
                ),
            )
        refuse(
            ((a == c) & (b == d)) | ((a == d) & (b == c)),
            lambda r: (
                f"both pairs are {self._name(r, 0)} with {self._name(r, 1)}: "
                "correct or remove the row"
            ),
        )

    def comparisons(self) -> list[Comparison]:
        """Return the pairs (a, b) and (c, d) of every row."""
        return [Comparison(slice(None), self.index, TWO_PAIRS)]


class Triplets(TwoPairs, WithCatches):
    """Comparisons of two items with a head: (head, near, far) means d(head, near) < d(head, far).

    Immutable. Slices, masks or arrays of row numbers select rows; all items are kept. The columns
    of ``index`` are ``triplets.head``, ``triplets.near`` and ``triplets.far``.

    Parameters
    ----------
    index : array of shape (m, 3)
        Item positions or names, columns head, near, far; near was judged more similar to head.
    items : Items, sequence of names, or int, optional
        The items. Default: all positions up to the largest, or the index's names in natural order.
    weight : array of shape (m,), optional
        The weight of each row, 0 or more; a weight of 2 is the same as two equal rows.
    response_id : array of int of shape (m,), optional
        The response that each row came from; rows from one response share an id.
    observer : array of str of shape (m,), optional
        The person who answered each row.
    extra : dict of arrays of shape (m,), optional
        Further columns, which slices and files contain too.

    Raises
    ------
    JudgmentError
        If a position is negative, fractional, missing or beyond the items; if head, near and far
        are not three different items; if a weight is negative or not finite; or if a column has
        another length than the index. The message names the first such row.

    Examples
    --------
    >>> triplets = Triplets([[0, 1, 2], [2, 1, 0]], items=["jazz", "soul", "rock"])
    >>> triplets
    Triplets(2 rows, 3 items)
    >>> triplets[triplets.head == 2].n_items
    3
    >>> Triplets([("jazz", "soul", "rock")]).items.names
    ('jazz', 'rock', 'soul')
    """

    columns = ("head", "near", "far")
    odd_column = 2
    options_from = 1
    swapped = (0, 2, 1)

    @property
    def head(self) -> NDArray[np.int32]:
        """The position of each row's head, (m,)."""
        return self.index[:, 0]

    @property
    def near(self) -> NDArray[np.int32]:
        """The position of the item judged more similar to each row's head, (m,)."""
        return self.index[:, 1]

    @property
    def far(self) -> NDArray[np.int32]:
        """The position of the item judged less similar to each row's head, (m,)."""
        return self.index[:, 2]

    @classmethod
    def split_catches(
        cls,
        index: ArrayLike,
        items: ItemsLike = None,
        weight: ArrayLike | None = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> Self:
        """Make triplets, with the rows whose head is also near or far as catch trials.

        Parameters are as in the class; ``catches`` of the result are
        :class:`~resemblance.judgments.CatchTrials`, or None.

        >>> triplets = Triplets.split_catches([[0, 1, 2], [1, 1, 2]])
        >>> len(triplets), triplets.catches.pass_rate
        (1, 1.0)
        """
        filled = cls.__new__(cls)._fill(index, items, weight, response_id, observer, extra)
        return filled._set_catches_apart()

    @classmethod
    def _check_beside(cls, cells: Any, labels: Sequence[Any]) -> None:
        """Refuse rows whose columns left and right show other items than near and far."""
        sides = [np.asarray(cells[side], object) for side in ("left", "right") if side in cells]
        if len(sides) < 2 or any(are_missing(side).any() or "" in side.tolist() for side in sides):
            return
        near, far = (column.cells for column in labels[1:])
        left, right = (np.array([str(c).strip() for c in side], object) for side in sides)
        same = ((near == left) & (far == right)) | ((near == right) & (far == left))
        if same.any():  # If no row agrees, the columns left and right are about something else.
            refuse(
                ~same,
                lambda r: (
                    f"near is {str(near[r])!r} and far {str(far[r])!r}, but shown were "
                    f"{left[r]!r} and {right[r]!r}: correct or remove the row"
                ),
            )

    def _check_rows(self) -> None:
        _, near, far = self.index.T
        refuse(
            near == far,
            lambda r: f"near and far are both {self._name(r, 1)}: correct or remove the row",
        )

    def comparisons(self) -> list[Comparison]:
        """Return the pairs (head, near) and (head, far) of every row."""
        return [Comparison(slice(None), self.index, one_of(2))]
