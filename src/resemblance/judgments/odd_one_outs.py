"""Odd ones out: of several items, which is the least like the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.judgments.base import Comparison, Judgments
from resemblance.judgments.choices import chosen_first, comparisons_by_size
from resemblance.judgments.layout import odd_one_out
from resemblance.judgments.rows import ItemsLike


class OddOneOuts(Judgments):
    r"""Rows of the odd one of N items shown.

    .. math:: P(\text{k is odd}) = \frac{e^{u_k}}{\sum_j e^{u_j}}, \qquad
       u_k = \frac{1}{|P_k|} \sum_{(a, b) \in P_k} \log s(d_{ab})

    where :math:`P_k` are the pairs left when item k goes, and s is the similarity of a choice model
    with a likelihood. Of three items one pair is left: the most similar one. ``index`` has the
    columns odd, others: the others ascend, and -1 fills rows with fewer.

    Parameters
    ----------
    options : array of shape (m, N)
        Item positions of the three or more items shown, -1 where a row has fewer than N.
    odd : array of shape (m,)
        Item positions: the odd one of each row.
    items, weight, group, observer, extra
        As in :class:`Triplets`.

    Raises
    ------
    JudgmentError
        As :class:`Triplets`, and if the odd item is not among those shown, an item is shown twice,
        or a row shows fewer than three.

    See Also
    --------
    triplets_from_odd_one_out : For models that compare two distances (GNMDS, SOE).

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
    least_id = -1
    fixed = 1
    options_from = 0

    def __init__(
        self,
        options: ArrayLike,
        odd: ArrayLike,
        items: ItemsLike = None,
        weight: ArrayLike | None = None,
        group: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        index = chosen_first(options, odd, what="odd", fewest=3)
        self._fill(index, items, weight, group, observer, extra)

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        """Accept any width: the index was made by chosen_first."""

    @classmethod
    def _arranged(cls, positions: list[Any], name: Callable[[int], str]) -> NDArray[np.int32]:
        """Arrange each row of a file as the index has it."""
        odd, options = positions
        return chosen_first(options, odd, what="odd", fewest=3, name=name)

    @property
    def n_options(self) -> NDArray[np.intp]:
        """How many items each row shows."""
        return (self.index >= 0).sum(axis=1)

    def comparisons(self) -> list[Comparison]:
        """Return the items shown, the odd one first, of the rows with each number of items."""
        return comparisons_by_size(self.index, self.options_from, odd_one_out)
