"""Convert tables in memory (pandas, polars, Arrow) to pandas data frames.

Whatever has Arrow's stream (``__arrow_c_stream__``) is read by pyarrow: polars', DuckDB's, Arrow's.
"""

from __future__ import annotations

import sys
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import JudgmentError
from resemblance.files import label_text
from resemblance.optional import pd, require


class ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


# protocols that give the rows of other libraries' tables
WAYS = ("__arrow_c_stream__", "__dataframe__", "collect", "compute")
TableLike: TypeAlias = "pd.DataFrame | ArrowStream"


def is_table(given: object) -> bool:
    """Return whether an object has named columns; arrays and single columns do not.

    >>> is_table(pd.DataFrame({"a": [1]})), is_table(pd.Series([1])), is_table([[1]])
    (True, False, False)
    """
    kind = type(given)
    named = hasattr(kind, "columns") or hasattr(kind, "column_names")
    return is_frame(given) or (named and any(hasattr(kind, way) for way in WAYS))


def is_frame(given: object) -> bool:
    """Return whether an object is a pandas data frame, without loading pandas."""
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
    # Some versions of pyarrow cannot convert string views, as polars has them, to pandas.
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
    """Refuse a series whose index is in another order, which would be ignored."""
    if "pandas" not in sys.modules or not isinstance(column, pd.Series):
        return
    rows = column.index.to_numpy()
    ordered = np.arange(len(rows))
    if rows.dtype.kind in "iu" and (rows != ordered).any() and (np.sort(rows) == ordered).all():
        raise JudgmentError(
            f"{what} is a series whose index begins with row {rows[0]}, {rows[1]}, in another "
            "order than the rows: take .sort_index(), or .to_numpy() where it stands as they do"
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
