"""Dissimilarities of all pairs of items, for one person, group or model, or for several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import squareform

from resemblance.arrays import Floats
from resemblance.errors import RDMError
from resemblance.geometry.procrustes import is_whole
from resemblance.judgments import Items
from resemblance.judgments.checks import first_few, of_kind
from resemblance.judgments.immutable import Frozen
from resemblance.judgments.items import ItemsLike, named_by_square
from resemblance.notebook import ROWS, Card, Shown
from resemblance.optional import pd

LONG = ("item_a", "item_b", "dissimilarity")
NAME = "rdm"  # column of a long table with the names of matrices
TOLERANCE = 1e-6  # largest relative difference between the two halves of a symmetric matrix


class RDMs(Frozen, Shown):
    """One or several representational dissimilarity matrices of the same items.

    Parameters
    ----------
    dissimilarities : array (n_rdms, n_pairs) or (n_pairs,)
        The upper triangle of each matrix, row by row, as in ``scipy.spatial.distance.squareform``:
        items 0 and 1, 0 and 2, ..., 1 and 2, ... NaN marks a pair that was not measured. Use
        :meth:`from_squares` for whole matrices.
    items : Items or sequence of str, optional
        The compared items. Default: "0", "1", ....
    names : sequence of str, optional
        The name of each matrix, such as a person, a group, a model. Default: numbers from 0.
    measure : str, optional
        The kind of dissimilarity, such as "euclidean".

    Attributes
    ----------
    dissimilarities : array (n_rdms, n_pairs)
        Read-only.
    items, names, measure
        The values that were given.
    missing : array (n_rdms,)
        The number of missing pairs in each matrix.

    Raises
    ------
    RDMError
        If a dissimilarity is infinite, if all dissimilarities of a matrix are missing, if their
        number is not the number of pairs of items, or if a name is empty or repeated.

    Examples
    --------
    >>> people = RDMs([[1.0, 2.0, 3.0], [2.0, 2.0, 4.0]], ["a", "b", "c"], ["ann", "bob"])
    >>> people
    RDMs(2 of 3 items: ann, bob)
    >>> people["bob"].squares()[0]
    array([[0., 2., 2.],
           [2., 0., 4.],
           [2., 4., 0.]])
    >>> people.of_items(["c", "a"]).dissimilarities
    array([[2.],
           [2.]])
    """

    dissimilarities: Floats
    items: Items
    names: tuple[str, ...]
    measure: str | None

    def __init__(
        self,
        dissimilarities: ArrayLike,
        items: Items | Iterable[Any] | None = None,
        names: Sequence[Any] | None = None,
        measure: str | None = None,
    ) -> None:
        values = _numbers(dissimilarities)
        values = values[None] if values.ndim == 1 else values
        if values.ndim != 2 or not values.size:
            raise RDMError(
                f"the dissimilarities have shape {values.shape}: give (n_rdms, n_pairs), or whole "
                "matrices to RDMs.from_squares"
            )
        if is_whole(values):
            raise RDMError(
                f"the array of shape {values.shape} is a whole matrix, not rows of pairs: give it "
                "to RDMs.from_squares"
            )
        n_items = n_items_of(values.shape[1])
        named = items if isinstance(items, Items) else Items(n_items if items is None else items)
        if len(named) != n_items:
            raise RDMError(
                f"{values.shape[1]} dissimilarities are the pairs of {n_items} items, but "
                f"{len(named)} items are named: give one dissimilarity for each pair"
            )
        called = _names(names, len(values))
        _check_cells(values, named, called)
        self._set(dissimilarities=values, items=named, names=called, measure=measure)

    @classmethod
    def from_squares(
        cls,
        squares: ArrayLike,
        items: Items | Iterable[Any] | None = None,
        names: Sequence[Any] | None = None,
        measure: str | None = None,
    ) -> Self:
        """Make RDMs from whole matrices.

        Parameters
        ----------
        squares : array (n_rdms, n_items, n_items) or (n_items, n_items)
            Matrices that are symmetric (to a millionth of the largest value), with a diagonal of 0
            or NaN. A pair that is NaN on both sides is missing.
        items, names, measure
            As in the class. The index of a data frame names its items.

        Raises
        ------
        RDMError
            If a matrix is not symmetric, or its diagonal is not 0.
        JudgmentError
            If the names of the index or columns of a data frame, or their order, differ from items.

        Examples
        --------
        >>> RDMs.from_squares([[0, 1], [1, 0]], ["a", "b"]).dissimilarities
        array([[1.]])
        """
        values = _numbers(squares)
        values = values[None] if values.ndim == 2 else values
        if values.ndim != 3 or values.shape[1] != values.shape[2] or values.shape[1] < 2:
            raise RDMError(
                f"the matrices have shape {values.shape}: give (n_rdms, n_items, n_items), of two "
                "items at least"
            )
        n_items = values.shape[1]
        given: ItemsLike = items
        for square in squares if isinstance(squares, list | tuple) else [squares]:
            given = named_by_square(given, matrix=square)
        named = given if isinstance(given, Items) else Items(n_items if given is None else given)
        if len(named) != n_items:
            raise RDMError(
                f"the matrices have {n_items} rows, and {len(named)} items are named: name each row"
            )
        called = _names(names, len(values))
        for square, name in zip(values, called, strict=True):
            _check_square(square, named.names, _of(name, called))
        upper = np.triu_indices(n_items, 1)
        return cls(values[:, *upper], named, called, measure)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Self]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        first = ", ".join(self.names[:3]) + (", ..." if len(self) > 3 else "")
        return f"RDMs({len(self)} of {len(self.items)} items: {first})"

    def __getitem__(self, which: Any) -> Self:
        rows = np.atleast_1d(np.arange(len(self))[self._rows(which)])
        names = tuple(self.names[row] for row in rows)
        return self._with(
            dissimilarities=self.dissimilarities[rows], names=_names(names, len(names))
        )

    @property
    def missing(self) -> NDArray[np.intp]:
        """The number of missing pairs of each matrix, (n_rdms,)."""
        return np.isnan(self.dissimilarities).sum(axis=1)

    def squares(self) -> Floats:
        """Return whole matrices, (n_rdms, n_items, n_items)."""
        return np.stack([squareform(row, checks=False) for row in self.dissimilarities])

    def to_pandas(self) -> pd.DataFrame:
        """Return a table of all pairs: ``rdm, item_a, item_b, dissimilarity``."""
        a, b = np.triu_indices(len(self.items), 1)
        items = np.array(self.items.names, dtype=object)
        return pd.DataFrame(
            {
                NAME: np.repeat(np.array(self.names, dtype=object), len(a)),
                LONG[0]: np.tile(items[a], len(self)),
                LONG[1]: np.tile(items[b], len(self)),
                LONG[2]: self.dissimilarities.ravel(),
            }
        )

    def _card(self) -> Card:
        facts = {"matrices": len(self), "items": len(self.items), "measure": self.measure}
        facts["missing pairs"] = int(self.missing.sum()) or None
        first = self[:ROWS].of_items(self.items.names[:ROWS])
        squares = pd.concat(
            pd.DataFrame(square, pd.Index(first.items.names, name=name), first.items.names)
            for name, square in zip(first.names[:1], first.squares(), strict=False)
        )
        return Card("RDMs", facts, squares, len(self.items))

    def of_items(self, items: Items | Iterable[Any]) -> Self:
        """Return the matrices of the given items only, in the given order.

        Raises JudgmentError for an unknown item.
        """
        wanted = items if isinstance(items, Items) else Items(items)
        rows = self.items.positions(wanted.names)
        a, b = rows[np.array(np.triu_indices(len(rows), 1))]
        cells = pair_numbers(np.minimum(a, b), np.maximum(a, b), len(self.items))
        kept = wanted if isinstance(items, Items) else self.items.taken(rows)
        return type(self)(self.dissimilarities[:, cells], kept, self.names, self.measure)

    def mean(self, groups: Mapping[str, Any] | None = None) -> Self:
        """Return the mean of all matrices, or of the matrices in each group.

        The mean of a pair is over the matrices in which the pair is not missing.

        Parameters
        ----------
        groups : mapping of name to group, optional
            The group of each matrix; default: a single group called "mean".

        Returns
        -------
        RDMs
            One matrix for each group, in the order of first appearance. A pair that is missing in
            all matrices of a group stays missing.

        Raises
        ------
        RDMError
            If a matrix has no group.
        """
        group_of = dict.fromkeys(self.names, "mean") if groups is None else dict(groups)
        if missing := [name for name in self.names if name not in group_of]:
            raise RDMError(f"groups lacks {first_few(missing)}: give each matrix a group")
        of_row = np.array([str(group_of[name]) for name in self.names])
        called = list(dict.fromkeys(of_row.tolist()))
        means = [mean_of_present(self.dissimilarities[of_row == group]) for group in called]
        return type(self)(means, self.items, called, self.measure)

    def _rows(self, which: Any) -> Any:
        if isinstance(which, str):
            return self._number(which)
        if isinstance(which, slice | Integral | np.ndarray) and np.asarray(which).dtype.kind != "U":
            return self._within(which)
        return [self._number(row) if isinstance(row, str) else self._within(row) for row in which]

    def _within(self, which: Any) -> Any:
        if isinstance(which, Integral) and not -len(self) <= int(which) < len(self):
            raise RDMError(f"there is no matrix {which}: give a number from 0 to {len(self) - 1}")
        return which

    def _number(self, name: str) -> int:
        if name not in self.names:
            raise RDMError(f"no matrix is called {name!r}: ask for one of {first_few(self.names)}")
        return self.names.index(name)


def same_items(first: RDMs, second: RDMs) -> RDMs:
    """Return the second RDMs with items in the order of the first; refuse other items."""
    for given in (first, second):
        of_kind(given, RDMs, "comparing", "make them with rdm(), RDMs() or read_rdms()", RDMError)
    here, there = first.items.names, second.items.names
    if here == there:
        return second
    if odd := [name for name in here if name not in set(there)]:
        raise RDMError(_other_items(odd, "first"))
    if odd := [name for name in there if name not in set(here)]:
        raise RDMError(_other_items(odd, "second"))
    return second.of_items(first.items)


def mean_of_present(values: Floats) -> Floats:
    """Return the mean of each column over the rows that are not NaN; NaN if there are none."""
    present = ~np.isnan(values)
    counts = present.sum(axis=0)
    sums = np.where(present, values, 0.0).sum(axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def pair_numbers(a: NDArray[Any], b: NDArray[Any], n_items: int) -> NDArray[np.intp]:
    """Return the indices of pairs (a, b), a < b, in the rows of an upper triangle."""
    return np.asarray(n_items * a - a * (a + 1) // 2 + b - a - 1, dtype=np.intp)


def n_items_of(n_pairs: int) -> int:
    n = round((1 + (1 + 8 * n_pairs) ** 0.5) / 2)
    if n * (n - 1) // 2 != n_pairs or n < 2:
        raise RDMError(
            f"{n_pairs} is not the number of pairs of any number of items ({n - 1} have "
            f"{(n - 1) * (n - 2) // 2} pairs, {n} have {n * (n - 1) // 2}): give one for each pair"
        )
    return n


def _numbers(values: ArrayLike) -> Floats:
    try:
        return np.array(np.ma.filled(np.ma.array(values, dtype=float), np.nan))
    except (TypeError, ValueError) as error:
        raise RDMError(f"dissimilarities must be numbers in one array ({error})") from None


def _names(names: Sequence[Any] | None, n: int) -> tuple[str, ...]:
    called = tuple(str(name) for name in (range(n) if names is None else names))
    if len(called) != n:
        raise RDMError(f"there are {n} matrices and {len(called)} names: name each")
    for place, name in enumerate(called):
        if not name.strip() or name in called[:place]:
            problem = "is also that of an earlier one" if name.strip() else "is empty"
            raise RDMError(f"the name {name!r} of matrix {place} {problem}: give each its own")
    return called


def _check_cells(values: Floats, items: Items, names: tuple[str, ...]) -> None:
    empty = np.isnan(values).all(axis=1)
    if empty.any():
        raise RDMError(
            f"all dissimilarities of {names[int(empty.argmax())]!r} are missing, as that of "
            f"{items.names[0]!r} and {items.names[1]!r}: leave it out"
        )
    bad = np.argwhere(np.isinf(values))
    if not len(bad):
        return
    a, b = np.triu_indices(len(items), 1)
    cells = [
        f"{items.names[a[pair]]!r} and {items.names[b[pair]]!r}{_of(names[row], names)}"
        for row, pair in bad[:3]
    ]
    more = f" and {len(bad) - 3} more" if len(bad) > 3 else ""
    raise RDMError(
        f"the dissimilarity of {'; of '.join(cells)}{more} is infinite: give a number, or NaN "
        "where the pair was not measured"
    )


def _check_square(square: Floats, items: tuple[str, ...], of: str) -> None:
    n = len(square)
    finite = np.where(np.isfinite(square), square, 0.0)
    near = TOLERANCE * np.abs(finite).max()
    diagonal = np.flatnonzero(np.abs(np.diag(finite)) > near)
    if diagonal.size:
        i = diagonal[0]
        raise RDMError(
            f"row {items[i]!r}, column {items[i]!r}{of} is {square[i, i]:g}, not 0: an item does "
            "not differ from itself; turn similarities into dissimilarities first"
        )
    blank = ~np.isfinite(square)
    unlike = (np.abs(finite - finite.T) > near) | (blank != blank.T)
    if unlike.any():
        i, j = divmod(int(unlike.argmax()), n)
        raise RDMError(
            f"row {items[i]!r}, column {items[j]!r}{of} is {square[i, j]:g}, and row "
            f"{items[j]!r}, column {items[i]!r} is {square[j, i]:g}: the matrix must be symmetric; "
            "correct one, or give the mean of it and its transpose"
        )


def _of(name: str, names: tuple[str, ...]) -> str:
    return f" of {name!r}" if len(names) > 1 else ""


def _other_items(odd: list[str], where: str) -> str:
    return (
        f"only the {where} has {first_few(odd)}: give both the same items, such as those that both "
        "have, with of_items(names)"
    )
