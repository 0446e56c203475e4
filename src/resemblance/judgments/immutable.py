"""Base class of immutable objects."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sized
from functools import cached_property
from numbers import Integral
from types import EllipsisType
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Selection: TypeAlias = slice | ArrayLike | tuple[Any, EllipsisType]


class Frozen:
    """Base class of immutable objects; arrays are read-only, also after unpickling.

    Objects of one class are equal if all attributes are.
    """

    def _set(self, **values: Any) -> Self:
        for value in values.values():
            for array in value.values() if isinstance(value, dict) else (value,):
                if isinstance(array, np.ndarray):
                    array.flags.writeable = False
        self.__dict__.update(values)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"{type(self).__name__} never changes: make a new one instead of setting {name!r}"
        )

    def _given(self) -> dict[str, Any]:
        cached = {
            name
            for kind in type(self).__mro__
            for name, value in vars(kind).items()
            if isinstance(value, cached_property)
        }
        return {name: value for name, value in self.__dict__.items() if name not in cached}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, Frozen)
        return _equal(self._given(), other._given())

    def __hash__(self) -> int:
        return hash((type(self), len(self) if isinstance(self, Sized) else 0))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(**state)

    def _with(self, **changes: Any) -> Self:
        return type(self).__new__(type(self))._set(**{**self.__dict__, **changes})


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == other.dtype.kind == "f")
    return bool(type(one) is type(other) and one == other)


class FrozenRows(Frozen):
    per_row: ClassVar[tuple[str, ...]]

    _extra: dict[str, NDArray[Any]]

    @property
    def extra(self) -> dict[str, NDArray[Any]]:
        """Further columns by name, one value per row."""
        return dict(self._extra)

    def __getitem__(self, rows: Selection) -> Any:
        if isinstance(rows, tuple):
            if len(rows) != 2 or rows[1] not in (Ellipsis, slice(None)):
                raise IndexError("judgments are sliced by rows alone: their columns are in .index")
            rows = rows[0]
        # isinstance accepts int as Integral; type checkers do not.
        if isinstance(rows, Integral):
            return self._row(rows)
        return self._take(rows)

    @abstractmethod
    def _row(self, row: Integral) -> NDArray[Any]: ...

    def _take(self, rows: Any) -> Self:
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            rows = rows if rows.size else rows.astype(np.intp)
        taken = {name: cut(getattr(self, name), rows) for name in self.per_row}
        extra = {name: cut(column, rows) for name, column in self._extra.items()}
        return self._with(**taken, _extra=extra)


def cut(array: NDArray[Any] | None, rows: Any) -> NDArray[Any] | None:
    return None if array is None else np.ascontiguousarray(array[rows])
