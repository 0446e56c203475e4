"""Rows that compare two pairs, with responses that say which pair is more similar."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.checks import refuse
from resemblance.judgments.items import ItemsLike
from resemblance.judgments.rows import Rows


class TwoPairs(Rows):
    """Rows that compare two pairs of items, whose answers may be given separately."""

    swapped: ClassVar[tuple[int, ...]]  # the columns of a row, the second pair first

    @classmethod
    def from_cblearn(
        cls, queries: ArrayLike, responses: ArrayLike | None = None, items: ItemsLike = None
    ) -> Self:
        """Read the arrays in which cblearn keeps questions and answers.

        Parameters
        ----------
        queries : array of int of shape (m, 3) or (m, 4)
            The questions: the columns of the class, whichever of the two pairs is the more similar.
        responses : array of shape (m,) or (m, 2), optional
            +1 or True where the first of the two compared pairs is the more similar, -1 or False
            where the second is; or one-hot rows. None is the first everywhere.
        items : Items, sequence of names, or int, optional
            As in the class.

        Returns
        -------
        judgments of the class

        Raises
        ------
        JudgmentError
            As the class, and for responses of another length or with other values.

        See Also
        --------
        read_cblearn : From a file.

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
        """Swap the pairs of rows whose second pair was judged more similar: see
        :meth:`from_cblearn`.
        """
        second = _seconds(np.asarray(responses), len(self))[:, None]
        return self._with(index=np.where(second, self.index[:, self.swapped], self.index))


def _seconds(y: NDArray[Any], n_rows: int) -> NDArray[np.bool_]:
    """Return whether the second pair of each row was judged more similar."""
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
