"""Triplets: comparisons of two items with a third."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from resemblance.judgments.base import Comparison
from resemblance.judgments.catches import WithCatches
from resemblance.judgments.checks import are_missing, refuse
from resemblance.judgments.items import ItemsLike
from resemblance.judgments.layout import one_of
from resemblance.judgments.responses import TwoPairs


class Triplets(TwoPairs, WithCatches):
    """Rows (head, near, far): d(head, near) < d(head, far), as somebody judged.

    Frozen; cut it like an array, by slices, masks or arrays of rows: ``n_items`` stays. A column
    of the index is ``triplets.index[:, 0]``.

    Parameters
    ----------
    index : array of shape (m, 3)
        Item positions, columns head, near, far: near was judged more similar to head than far was.
    items : Items, sequence of names, or int, optional
        The items; left out, there are as many as the largest position says.
    weight : array of shape (m,), optional
        The weight of each row, 0 or more; a weight of 2 equals two rows.
    response_id : array of int of shape (m,), optional
        The response that each row came from; rows of one response share a number.
    observer : array of str of shape (m,), optional
        The person who answered each row.
    extra : dict of arrays of shape (m,), optional
        Further columns, kept through slices and files.

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
    >>> triplets[triplets.index[:, 0] == 2].n_items
    3
    """

    columns = ("head", "near", "far")
    options_from = 1
    swapped = (0, 2, 1)

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
        """Make triplets of the rows that can be fitted, and separate the catch trials.

        Parameters are those of the class; a row whose head is also near or far is a catch trial.

        Returns
        -------
        Triplets whose ``catches`` are the
        :class:`~resemblance.judgments.CatchTrials`, or None if there are none

        Examples
        --------
        >>> triplets = Triplets.split_catches([[0, 1, 2], [1, 1, 2]])
        >>> len(triplets), triplets.catches.pass_rate
        (1, 1.0)
        """
        filled = cls.__new__(cls)._fill(index, items, weight, response_id, observer, extra)
        return filled._set_catches_apart()

    @classmethod
    def _check_beside(cls, cells: Any, labels: Sequence[Any]) -> None:
        """Refuse rows whose answer was not on either side of the screen."""
        sides = [np.asarray(cells[side], object) for side in ("left", "right") if side in cells]
        if len(sides) < 2 or any(are_missing(side).any() or "" in side.tolist() for side in sides):
            return
        near, far = (column.cells for column in labels[1:])
        left, right = (np.array([str(c).strip() for c in side], object) for side in sides)
        same = ((near == left) & (far == right)) | ((near == right) & (far == left))
        if same.any():  # else the columns hold something else
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
