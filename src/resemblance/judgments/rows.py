"""Base class of judgments: immutable rows of item positions, with notes on each row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.checks import (
    are_missing,
    is_table,
    real_numbers,
    refuse,
    refuse_reordered,
    whole_numbers,
)
from resemblance.judgments.immutable import FrozenRows, cut
from resemblance.judgments.items import Items, ItemsLike, as_items, named_positions
from resemblance.judgments.tables import Table
from resemblance.notebook import ROWS, Card, Shown
from resemblance.optional import pd

NOTES = ("weight", "response_id", "observer")


class Rows(FrozenRows, Shown):
    """Immutable rows of item positions. They are sliced like an array; a slice keeps all items.

    Subclasses check rows, and declare columns of items, of measures and of optional notes.
    """

    columns: ClassVar[tuple[str, ...]] = ()
    measures: ClassVar[tuple[str, ...]] = ()
    optional: ClassVar[tuple[str, ...]] = NOTES
    per_row: ClassVar[tuple[str, ...]] = ("index", *NOTES)
    least_id: ClassVar[int] = 0
    # number of columns before the options, if the options' order has no meaning; else None
    fixed: ClassVar[int | None] = None
    options_from: ClassVar[int] = 0  # first column that is an option

    index: NDArray[np.int32]
    items: Items
    weight: NDArray[np.float64] | None
    response_id: NDArray[np.int64] | None
    observer: NDArray[np.str_] | None

    def __init__(
        self,
        index: ArrayLike,
        items: ItemsLike = None,
        weight: ArrayLike | None = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self._fill(index, items, weight, response_id, observer, extra)._refuse_catches()

    @classmethod
    def _filled(cls, index: ArrayLike, items: ItemsLike = None, **notes: Any) -> Self:
        return cls.__new__(cls)._fill(index, items, **notes)

    def _fill(
        self,
        index: ArrayLike,
        items: ItemsLike,
        weight: ArrayLike | None = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> Self:
        if is_table(index):
            raise JudgmentError(
                f"{type(self).__name__} take an array of positions, not a table, whose columns may "
                "be in any order: use read_triplets(table) or its siblings, or give "
                "table.to_numpy()"
            )
        index, items = named_positions(index, items)
        self._check_shape(np.shape(index))
        positions = whole_numbers(index, "ids", least=self.least_id)
        self._set(index=positions, items=as_items(items, positions))
        if len(self.items) == 1:
            raise JudgmentError(
                f"there is only one item, {self.items.names[0]!r}: judgments compare several,  "
                "so add the others"
            )
        self._check_rows()
        notes = check_notes(len(positions), weight, response_id, observer, extra)
        for name in {*self.columns, *self.measures, *NOTES}.intersection(notes["_extra"]):
            raise JudgmentError(
                f"the extra column {name!r} has the name of a column of {type(self).__name__}: "
                "rename it"
            )
        return self._set(**notes)

    @classmethod
    def _arranged(cls, positions: list[Any], name: Callable[[int], str]) -> NDArray[np.int32]:
        """Put cells in the order of ``index``; ``name`` gives names of items for messages."""
        return np.column_stack(positions)

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        if len(shape) != 2 or (shape[0] and shape[1] != len(self.columns)):
            raise JudgmentError(
                f"{type(self).__name__} need an array of shape (rows, {len(self.columns)}) with "
                f"the columns {', '.join(self.columns)}, not of shape {shape}"
            )

    def _check_rows(self) -> None:
        """Refuse rows that cannot be answers."""

    def _refuse_catches(self) -> Self:
        return self

    def _set_catches_apart(self) -> Self:
        return self

    @classmethod
    def _as_listed(cls, table: Table) -> Table:
        return table

    @classmethod
    def _check_beside(cls, cells: Any, labels: Sequence[Any]) -> None:
        """Refuse rows that contradict other columns of their file."""

    @classmethod
    def kind(cls) -> str:
        """Return the name of the kind in commands and reports.

        >>> from resemblance import OddOneOuts
        >>> OddOneOuts.kind()
        'odd_one_outs'
        """
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in cls.__name__).lstrip("_")

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and the number of columns of ``index``."""
        return self.index.shape

    @property
    def n_items(self) -> int:
        """The number of items, including items that no row mentions."""
        return len(self.items)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each row, (m,); 1 by default."""
        return np.ones(len(self)) if self.weight is None else self.weight

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a table, which readers such as :func:`read_triplets` accept.

        Its columns are the names of items, then measures such as errors and trials, weight,
        response_id and observer if present, then the extra columns. Options are lists, the answer
        first. Catch trials have their own table, ``catches.to_pandas()``.

        >>> from resemblance import Triplets
        >>> Triplets([[0, 1, 2]], ["jazz", "soul", "punk"], observer=["ann"]).to_pandas()
           head  near   far observer
        0  jazz  soul  punk      ann
        """
        return frame_of(self, self.columns, self.options_from)

    def with_extra(self, name: str, column: ArrayLike) -> Self:
        """Return the same rows with an extra column (m,), added or replaced.

        >>> from resemblance import Triplets
        >>> Triplets([[0, 1, 2]]).with_extra("side", ["left"]).extra
        {'side': array(['left'], dtype='<U4')}
        """
        notes = check_notes(len(self), None, None, None, {name: column})
        return self._with(_extra={**self._extra, **notes["_extra"]})

    def reweighted(self, weight: ArrayLike) -> Self:
        """Return the same rows with new weights (m,), which must be finite and 0 or more.

        >>> from resemblance import Triplets
        >>> Triplets([[0, 1, 2], [1, 2, 0]]).reweighted([2, 0.5]).weight
        array([2. , 0.5])
        """
        notes = check_notes(len(self), weight, None, None, None)
        return self._with(weight=notes["weight"])

    def __len__(self) -> int:
        return len(self.index)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} rows, {self.n_items} items)"

    def _card(self) -> Card:
        catches = getattr(self, "catches", None)
        facts = {
            "rows": len(self),
            "items": self.n_items,
            "people": None if self.observer is None else len(np.unique(self.observer)),
            "responses": None if self.response_id is None else len(np.unique(self.response_id)),
            "weight in all": None if self.weight is None else float(self.weight.sum()),
            "catch trials apart": None if catches is None else len(catches),
        }
        return Card(type(self).__name__, facts, self[:ROWS].to_pandas(), len(self))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.index, dtype=dtype, copy=copy)

    def _row(self, row: Integral) -> NDArray[np.int32]:
        return self.index[row]

    def _notes(self, rows: Any = slice(None)) -> dict[str, Any]:
        extra = {name: column[rows] for name, column in self._extra.items()}
        return {name: cut(getattr(self, name), rows) for name in NOTES} | {"extra": extra}

    def _name(self, row: int, column: int) -> str:
        return repr(self.items.names[self.index[row, column]])

    def _runs(self, *more: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        notes = (self.response_id, self.observer, *more)
        keys = [*self.index.T, *(key for key in notes if key is not None)]
        order = np.lexsort(keys[::-1])
        first = np.ones(len(self), dtype=bool)
        first[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
        return order, np.flatnonzero(first)


def frame_of(rows: Rows, columns: tuple[str, ...], options_from: int) -> pd.DataFrame:
    names = np.array(rows.items.names, dtype=object)
    cells: dict[str, Any] = {
        column: names[positions]
        for column, positions in zip(columns, rows.index.T, strict=False)
        if column != "options"
    }
    if "options" in columns:
        listed = (row[row >= 0] for row in rows.index[:, options_from:])
        cells["options"] = [names[options].tolist() for options in listed]
    cells |= {name: getattr(rows, name) for name in rows.measures}
    notes = {name: value for name in NOTES if (value := getattr(rows, name)) is not None}
    return pd.DataFrame({**cells, **notes, **rows.extra})


def check_notes(
    n_rows: int,
    weight: ArrayLike | None,
    response_id: ArrayLike | None,
    observer: ArrayLike | None,
    extra: Mapping[str, ArrayLike] | None,
) -> dict[str, Any]:
    given = {"weight": weight, "response_id": response_id, "observer": observer, **(extra or {})}
    for name, column in given.items():
        refuse_reordered(column, name)
    notes: dict[str, Any] = {
        "weight": None if weight is None else real_numbers(weight, "weight", least=0),
        "response_id": None if response_id is None else _response_ids(response_id),
        "observer": None if observer is None else _observers(observer),
    }
    further = {str(name): _texts(column).copy() for name, column in (extra or {}).items()}
    for name, column in {**notes, **further}.items():
        if column is not None and column.shape[: 1 if name in further else None] != (n_rows,):
            raise JudgmentError(
                f"{name} has shape {column.shape} for {n_rows} rows: give one value per row"
            )
    return {**notes, "_extra": further}


def _response_ids(response_id: ArrayLike) -> NDArray[np.int64]:
    least = int(np.iinfo(np.int64).min)
    return whole_numbers(np.ravel(response_id), "response_id", least=least, dtype=np.int64)


def _texts(values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "US" or hasattr(values, "dtype"):
        return array
    objects = np.asarray(values, dtype=object)
    return objects if are_missing(objects).any() else array


def _observers(observer: ArrayLike) -> NDArray[np.str_]:
    labels = _texts(observer)
    if labels.dtype.kind not in "US":
        missing = are_missing(labels)
        refuse(missing, lambda r: "the observer is missing: name one, or leave observers out")
    if labels.dtype.kind == "f" and (labels == np.floor(labels)).all():
        labels = labels.astype(np.int64)  # The observer 12.0 becomes "12".
    return labels.astype(str)
