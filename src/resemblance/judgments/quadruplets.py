"""Quadruplets: comparisons of two pairs of items."""

from __future__ import annotations

from resemblance.judgments.base import Comparison, Judgments
from resemblance.judgments.checks import refuse
from resemblance.judgments.layout import TWO_PAIRS
from resemblance.judgments.responses import TwoPairs


class Quadruplets(TwoPairs, Judgments):
    """Rows (a, b, c, d): d(a, b) < d(c, d), as somebody judged.

    Parameters
    ----------
    index : array of shape (m, 4)
        Item positions, columns a, b, c, d: a and b were judged more similar than c and d.
    items, weight, response_id, observer, extra
        As in :class:`Triplets`.

    Raises
    ------
    JudgmentError
        As :class:`Triplets`, and if a row has a pair of one item with itself, or twice the same
        pair. A pair may share an item with the other.

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
