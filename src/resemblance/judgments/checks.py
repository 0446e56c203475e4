"""Check columns of numbers and labels, and tables in memory (pandas, polars, Arrow)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from resemblance.errors import (
    NAMED as NAMED,
    JudgmentError,
    ResemblanceError,
    first_few as first_few,
)
from resemblance.files import label_text
from resemblance.optional import pd, require

Kind = TypeVar("Kind")


class RowError(JudgmentError):
    """An error in a row, with its index, so that a reader can find the line in the file."""

    def __init__(self, row: int, problem: str, setting: str | None = None) -> None:
        super().__init__(row, problem, setting=setting)
        self.row = row
        self.problem = problem

    def __str__(self) -> str:
        return f"row {self.row}: {self.problem}"


def of_kind(
    given: object,
    kinds: type[Kind] | tuple[type[Kind], ...],
    what: str,
    remedy: str = "",
    error: type[ResemblanceError] = JudgmentError,
) -> Kind:
    if not isinstance(given, kinds):
        names = [kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
        raise error(
            f"{what} takes {' or '.join(names)}, not {type(given).__name__}: "
            + (remedy or "give these")
        )
    return given


def are_missing(values: Any) -> NDArray[np.bool_]:
    """Return a mask of the values that are None, NaN or pandas' NA.

    >>> are_missing(["ann", None, float("nan"), 0]).tolist()
    [False, True, True, False]
    """
    cells = np.asarray(values, dtype=object).ravel()
    said = [type(x) is str or (repr(x) not in ("None", "<NA>") and x == x) for x in cells]
    return ~np.array(said, bool)


def refuse(bad: Any, problem: Callable[[int], str], setting: str | None = None) -> None:
    if bad.any():
        row = int(bad.argmax())
        raise RowError(row, problem(row), setting)


def whole_numbers(
    values: ArrayLike,
    what: str,
    *,
    least: int = 0,
    dtype: DTypeLike = np.int32,
    remedy: str = "turn names into positions with items.positions(names)",
) -> NDArray[Any]:
    """Copy whole numbers, which may be floats such as 3.0, into a C-contiguous integer array."""
    array = as_array(values, what)
    if len(array) == 0:
        raise JudgmentError(f"there are no {what}: give one row at least")
    if array.dtype.kind not in "iuf":
        raise JudgmentError(f"{what} must be whole numbers, not {array.dtype}: {remedy}")
    most = np.iinfo(np.dtype(dtype)).max
    for column in array.reshape(len(array), -1).T:
        bad = _not_whole(column, least, most)
        if bad is not None:
            refuse(bad, partial(_whole_problem, column, what, least))
    return np.array(array, dtype=dtype, order="C")


def as_array(values: ArrayLike, what: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise JudgmentError(
            f"the rows of {what} differ in length: fill shorter rows with -1"
        ) from None
    if not array.ndim:
        raise JudgmentError(f"{what} are {values!r}: give one a row")
    if np.ma.is_masked(values):
        raise JudgmentError(f"some {what} are masked: fill them in, or leave their rows out")
    return array


def floats_of(values: ArrayLike, what: str) -> NDArray[np.float64]:
    array = as_array(values, what)
    try:
        return np.array(array.astype(object) if array.dtype.kind == "c" else array, dtype=float)
    except (TypeError, ValueError):
        raise JudgmentError(f"{what} are {array.dtype}, no numbers: correct them") from None


def _not_whole(column: NDArray[Any], least: int, most: int) -> NDArray[np.bool_] | None:
    if column.dtype.kind == "f":
        return (column != np.floor(column)) | (column < least) | (column > most)
    if column.min() < least or column.max() > most:
        return (column < least) | (column > most)
    return None


def _whole_problem(column: NDArray[Any], what: str, least: int, row: int) -> str:
    bound = f" from {least} upwards" if least > np.iinfo(np.int64).min else ""
    remedy = "correct it, or count all from 1" if least == 1 else "correct it"
    return f"{what} must be whole numbers{bound}, not {column[row]}: {remedy}"


def real_numbers(values: ArrayLike, what: str, *, least: float = -np.inf) -> NDArray[np.float64]:
    """Copy finite numbers into a new one-dimensional array; refuse any below ``least``."""
    array = floats_of(values, what)
    if array.ndim != 1:
        raise JudgmentError(f"{what} must be one number per row, not an array of {array.shape}")
    bound = "" if least == -np.inf else f" from {least:g} upwards"
    refuse(
        ~np.isfinite(array) | (array < least),
        lambda r: (
            f"{what} must be a finite number{bound}, not {array[r]}: correct or remove the row"
        ),
    )
    return array


class ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


# attributes that identify tables of other libraries
WAYS = ("__arrow_c_stream__", "__dataframe__", "collect", "compute")
TableLike: TypeAlias = "pd.DataFrame | ArrowStream"


def is_table(given: object) -> bool:
    """Return whether an object is a table with named columns; a single column (Series) is not.

    >>> is_table(pd.DataFrame({"a": [1]})), is_table(pd.Series([1])), is_table([[1]])
    (True, False, False)
    """
    kind = type(given)
    named = hasattr(kind, "columns") or hasattr(kind, "column_names")
    return is_frame(given) or (named and any(hasattr(kind, way) for way in WAYS))


def is_frame(given: object) -> bool:
    return "pandas" in sys.modules and isinstance(given, pd.DataFrame)


def as_frame(table: Any) -> pd.DataFrame:
    frame = table if is_frame(table) else _of_stream(table)
    named = [label_text(str(name)) for name in frame.columns]
    if repeated := [name for i, name in enumerate(named) if name in named[:i]]:
        raise JudgmentError(f"two columns are called {repeated[0]!r}: rename or remove one")
    return frame.set_axis(named, axis=1)


def _of_stream(table: Any) -> pd.DataFrame:
    kind = f"{type(table).__module__.partition('.')[0]}.{type(table).__name__}"
    if not hasattr(table, "__arrow_c_stream__"):
        raise JudgmentError(
            f"the rows of a {kind} are not in memory: compute or collect it first, or give "
            "a pandas or polars DataFrame or an Arrow table"
        )
    rows = require(f"a {kind} needs", "pyarrow", "or give a pandas DataFrame").table(table)
    # Some versions of pyarrow cannot convert polars' string views to pandas.
    columns = {
        name: column.to_pylist() if "string_view" in str(column.type) else column.to_pandas()
        for name, column in zip(rows.column_names, rows.columns, strict=True)
    }
    if len(columns) < len(rows.column_names):
        raise JudgmentError(f"columns repeat among {rows.column_names}: rename or remove one")
    return pd.DataFrame(columns)


def column_names(table: Any) -> tuple[str, ...] | None:
    if not is_table(table):
        return None
    arrow = hasattr(type(table), "column_names")
    names = tuple(table.column_names if arrow else table.columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def row_names(table: object) -> tuple[str, ...] | None:
    series = "pandas" in sys.modules and isinstance(table, pd.Series)
    index: Any = table.index if series or is_frame(table) else ()  # type: ignore[attr-defined]
    texts = len(index) > 0 and all(isinstance(name, str) for name in index)
    return tuple(map(str, index)) if texts else None


def refuse_reordered(column: object, what: str) -> None:
    if "pandas" not in sys.modules or not isinstance(column, pd.Series):
        return
    rows = column.index.to_numpy()
    ordered = np.arange(len(rows))
    if rows.dtype.kind in "iu" and (rows != ordered).any() and (np.sort(rows) == ordered).all():
        raise JudgmentError(
            f"{what} is a series whose index begins with row {rows[0]}, {rows[1]}, in another "
            "order than the rows: use .sort_index(), or .to_numpy() if its values are in row order"
        )


def numbers_in(table: Any, what: str) -> NDArray[np.float64]:
    frame = as_frame(table)
    for name in frame:
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            raise JudgmentError(
                f"the column {name!r} of {what} holds {frame[name].dtype}, and features are "
                "numbers: leave it out; names and classes go into names= and labels="
            )
    return frame.to_numpy(dtype=np.float64, na_value=np.nan)
