"""Choices of the option that is most similar to a head, and choices of the odd one out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.base import Comparison, Layout, odd_one_out, one_of
from resemblance.judgments.checks import RowError, refuse, whole_numbers
from resemblance.judgments.items import ItemsLike
from resemblance.judgments.labels import KEPT, Labels
from resemblance.judgments.tables import Table
from resemblance.judgments.triplets import WithCatches
from resemblance.optional import pd


class Choices(WithCatches):
    """Choices of one option among N: d(head, chosen) < d(head, other) for every other option.

    The columns of ``index`` are head, chosen, then the other options in ascending order; -1 fills
    shorter rows.

    Parameters
    ----------
    head : array of shape (m,)
        Position of the item that the options were compared with.
    options : array of shape (m, N)
        Item positions of two or more options per row; -1 fills rows with fewer than N.
    chosen : array of shape (m,)
        Position of the option judged most similar to the head.
    items, weight, response_id, observer, extra
        As in :class:`Triplets`.

    Raises
    ------
    JudgmentError
        As :class:`Triplets`, and if the chosen item is not among its row's options, an option is
        repeated in its row, or a row has fewer than two options.

    Examples
    --------
    >>> choices = Choices(head=[0, 1], options=[[1, 2, 3], [3, 0, -1]], chosen=[2, 3])
    >>> choices.index
    array([[ 0,  2,  1,  3],
           [ 1,  3,  0, -1]], dtype=int32)
    >>> choices.n_options
    array([3, 2])
    """

    columns = ("head", "chosen", "options")
    least_id = -1
    fixed = 2
    options_from = 1

    def __init__(
        self,
        head: ArrayLike,
        options: ArrayLike,
        chosen: ArrayLike,
        items: ItemsLike = None,
        weight: ArrayLike | None = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        index = choice_index(head, options, chosen)
        self._fill(index, items, weight, response_id, observer, extra)._refuse_catches()

    @classmethod
    def split_catches(
        cls,
        head: ArrayLike,
        options: ArrayLike,
        chosen: ArrayLike,
        items: ItemsLike = None,
        weight: ArrayLike | None = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> Self:
        """Make choices, with the rows whose head is also an option as catch trials.

        Parameters are as in the class; ``catches`` of the result are
        :class:`~resemblance.judgments.CatchTrials`, or None.

        >>> choices = Choices.split_catches([0, 1], [[1, 2], [1, 2]], chosen=[1, 2])
        >>> len(choices), choices.catches.pass_rate
        (1, 0.0)
        """
        index = choice_index(head, options, chosen)
        filled = cls.__new__(cls)._fill(index, items, weight, response_id, observer, extra)
        return filled._set_catches_apart()

    def _check_shape(self, shape: tuple[int, ...]) -> None: ...

    @classmethod
    def _arranged(cls, positions: list[Any], name: Callable[[int], str]) -> NDArray[np.int32]:
        head, chosen, options = positions
        return choice_index(head, options, chosen, name=name)

    @property
    def n_options(self) -> NDArray[np.intp]:
        """The number of options of each row, including the chosen one, (m,)."""
        return (self.index[:, 1:] >= 0).sum(axis=1)

    def comparisons(self) -> list[Comparison]:
        """Return the pairs (head, option), the chosen option first, by number of options."""
        return comparisons_by_size(self.index, self.options_from, one_of)


def comparisons_by_size(
    index: NDArray[np.int32], options_from: int, layout: Callable[[int], Layout]
) -> list[Comparison]:
    counts = (index[:, options_from:] >= 0).sum(axis=1)
    sizes = np.unique(counts).tolist()
    if len(sizes) == 1:
        return [Comparison(slice(None), index[:, : options_from + sizes[0]], layout(sizes[0]))]
    rows = [np.flatnonzero(counts == size) for size in sizes]
    return [
        Comparison(which, index[which, : options_from + size], layout(size))
        for which, size in zip(rows, sizes, strict=True)
    ]


def choice_index(
    head: ArrayLike, options: ArrayLike, chosen: ArrayLike, name: Callable[[int], str] = str
) -> NDArray[np.int32]:
    """Arrange each row as head, chosen, other options; ``name`` gives items' names for messages."""
    arranged = chosen_first(options, chosen, name=name)
    heads = whole_numbers(head, "heads")
    if heads.shape != (len(arranged),):
        raise JudgmentError(
            f"head has shape {heads.shape} for {len(arranged)} rows of options: give one per row"
        )
    return np.column_stack([heads, arranged])


def chosen_first(
    options: ArrayLike,
    chosen: ArrayLike,
    *,
    what: str = "chosen",
    fewest: int = 2,
    name: Callable[[int], str] = str,
    twice: bool = False,
) -> NDArray[np.int32]:
    """Put the chosen option first, then the other options in ascending order, then -1.

    ``twice`` allows rows of three items with two equal items.
    """
    index = whole_numbers(options, "options", least=-1)
    picked = whole_numbers(chosen, f"{what} items")
    if index.ndim != 2 or picked.shape != (len(index),):
        raise JudgmentError(
            f"options of shape {index.shape} and {what} of shape {picked.shape}: "
            "give options of shape (rows, N) and one chosen item per row"
        )
    # A stable sort by (not chosen, gap, position) puts the chosen option first and gaps last.
    top = np.iinfo(np.int32).max
    rank = np.sort(np.where(index == picked[:, None], -1, np.where(index < 0, top, index)), axis=1)
    refuse(
        rank[:, 0] != -1,
        lambda r: f"the {what} item {name(picked[r])} is not among the options: correct it",
    )
    rank = np.where(rank == -1, picked[:, None], rank)
    counts = (rank < top).sum(axis=1)
    repeated = (rank[:, 1:] == rank[:, :-1]) & (rank[:, 1:] < top)
    bad = repeated.any(axis=1) & ~(twice & (counts == 3) & (repeated.sum(axis=1) == 1))
    if bad.any():
        row = int(bad.argmax())
        option = name(rank[row, repeated[row].argmax()])
        raise RowError(row, f"the option {option} is repeated: name each option once")
    refuse(
        counts < fewest,
        lambda r: f"there are fewer than {fewest} options: remove the row",
    )
    rank[rank == top] = -1
    return rank[:, : counts.max()]


class OddOneOuts(WithCatches):
    r"""Rows of N items, with the item that people chose as odd.

    .. math:: P(\text{k is odd}) = \frac{e^{u_k}}{\sum_j e^{u_j}}, \qquad
       u_k = \frac{1}{|P_k|} \sum_{(a, b) \in P_k} \log s(d_{ab})

    where :math:`P_k` are the pairs without item k, and s is the similarity of a choice model with a
    likelihood. For three items, :math:`P_k` is the one pair judged most similar. The columns of
    ``index`` are the odd item, then the other items in ascending order; -1 fills shorter rows. A
    row of three that shows an item twice is a catch trial, in which the third item is odd: see
    :meth:`split_catches`.

    Parameters
    ----------
    options : array of shape (m, N)
        Positions of the three or more items shown; -1 fills rows with fewer than N.
    odd : array of shape (m,)
        Position of the odd one of each row.
    items, weight, response_id, observer, extra
        As in :class:`Triplets`.

    Raises
    ------
    JudgmentError
        As :class:`Triplets`, and if the odd item is not among the items shown, an item is shown
        twice, or a row shows fewer than three items.

    See Also
    --------
    judgments.triplets_from_odd_one_out : For models that compare two distances (GNMDS, SOE).

    Notes
    -----
    With inner products as similarity and three items, this is the model of SPoSE: Zheng, Pereira,
    Baker & Hebart (2019), Revealing interpretable object representations from human behavior, ICLR.

    Examples
    --------
    >>> odd = OddOneOuts([[0, 1, 2], [3, 0, 1]], odd=[1, 3])
    >>> odd.index
    array([[1, 0, 2],
           [3, 0, 1]], dtype=int32)
    """

    columns = ("odd", "options")
    plural = "odd ones out"
    odd_column = 0
    least_id = -1
    fixed = 1
    options_from = 0
    shown_twice = "the item {} is shown twice"

    def __init__(
        self,
        options: ArrayLike,
        odd: ArrayLike,
        items: ItemsLike = None,
        weight: ArrayLike | None = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        index = chosen_first(options, odd, what="odd", fewest=3, twice=True)
        self._fill(index, items, weight, response_id, observer, extra)._refuse_catches()

    @classmethod
    def split_catches(
        cls,
        options: ArrayLike,
        odd: ArrayLike,
        items: ItemsLike = None,
        weight: ArrayLike | None = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> Self:
        """Make odd ones out, with the rows of three that show an item twice as catch trials.

        Parameters are as in the class; ``catches`` of the result are
        :class:`~resemblance.judgments.CatchTrials`, or None.

        >>> odd = OddOneOuts.split_catches([[0, 1, 2], [3, 3, 1], [0, 0, 2]], odd=[1, 1, 0])
        >>> len(odd), odd.catches.passed.tolist()
        (1, [True, False])
        """
        index = chosen_first(options, odd, what="odd", fewest=3, twice=True)
        filled = cls.__new__(cls)._fill(index, items, weight, response_id, observer, extra)
        return filled._set_catches_apart()

    @staticmethod
    def _caught(index: NDArray[np.int32]) -> NDArray[np.bool_]:
        return ((index[:, 1:] == index[:, :-1]) & (index[:, 1:] >= 0)).any(axis=1)

    @staticmethod
    def _as_catches(index: NDArray[np.int32]) -> NDArray[np.int32]:
        odd, other, last = index[:, :3].T
        return np.column_stack([np.where(odd == other, last, odd), index])

    @staticmethod
    def _from_catches(index: NDArray[np.int32]) -> NDArray[np.int32]:
        return index[:, 1:]

    def _check_shape(self, shape: tuple[int, ...]) -> None: ...

    @classmethod
    def _arranged(cls, positions: list[Any], name: Callable[[int], str]) -> NDArray[np.int32]:
        odd, options = positions
        return chosen_first(options, odd, what="odd", fewest=3, name=name, twice=True)

    @classmethod
    def _as_listed(cls, table: Table) -> Table:
        frame = table.frame
        if "options" in frame.columns or not {*KEPT, "odd"} <= {*frame.columns}:
            return table
        columns = [frame[name] for name in (*KEPT, "odd")]
        with table.located():
            for column in columns:
                Labels.of(column, str(column.name))
        options = pd.Series(zip(*columns, strict=True), frame.index).map(list)
        return replace(table, frame=frame.drop(columns=[*KEPT]).assign(options=options))

    @property
    def n_options(self) -> NDArray[np.intp]:
        """The number of items that each row shows, (m,)."""
        return (self.index >= 0).sum(axis=1)

    def comparisons(self) -> list[Comparison]:
        """Return the pairs of items, grouped by number of items; the odd item is first."""
        return comparisons_by_size(self.index, self.options_from, odd_one_out)
