"""Cards, which show results in notebooks and by `print`.

A card has a title, named facts, and the first rows of a table. Text is escaped. Cards set no
colours, so that they fit light and dark themes, and load nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from html import escape
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from resemblance.errors import count

if TYPE_CHECKING:
    import pandas as pd

ROWS = 5  # number of rows of the table that a card shows
LINES = 15  # largest number of lines of a printed card
_CELL = "padding:0.15em 0.8em 0.15em 0;text-align:left;vertical-align:top;border:0"
_LINE = "border-top:1px solid currentColor;margin:0.4em 0"


@dataclass(frozen=True)
class Card:
    title: str
    # A fact whose value is None is not shown.
    facts: Mapping[str, Any] = field(default_factory=dict)
    table: pd.DataFrame | None = None  # table whose first rows the card shows
    n_rows: int | None = None  # number of rows of the whole table, if `table` is only a part

    @property
    def _rows(self) -> list[tuple[str, str]]:
        return [(name, in_words(value)) for name, value in self.facts.items() if value is not None]

    def text(self) -> str:
        """Return the card as text of at most 15 lines: title, facts, first rows of the table."""
        below = []
        if self.table is not None:
            frame = self.table.head(ROWS)
            below = frame.to_string(index=_is_named(frame), max_cols=8).splitlines()
            more = (len(self.table) if self.n_rows is None else self.n_rows) - len(frame)
            below += [f"and {count(more, 'more row')}"] if more else []
        rows = self._rows[: LINES - 1 - len(below)]
        width = max((len(name) for name, _ in rows), default=0)
        return "\n".join(
            [self.title, *(f"{name:{width}}  {words}" for name, words in rows), *below]
        )

    def html(self) -> str:
        facts = "".join(_row([name, words]) for name, words in self._rows)
        parts = [f"<strong>{escape(self.title)}</strong>"]
        parts += [f"<table style='margin:0.3em 0'><tbody>{facts}</tbody></table>"] if facts else []
        parts += [] if self.table is None else [_table(self.table, self.n_rows)]
        return f"<div style='color:inherit;background:transparent'>{''.join(parts)}</div>"


class Shown:
    """Base of objects that notebooks and `print` show as a card; by default of their fields.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Found(Shown):
    ...     error: float
    >>> "0.25" in Found(0.25)._repr_html_()
    True
    """

    def _card(self) -> Card:
        has_table = type(self).to_pandas is not Shown.to_pandas
        table = self.to_pandas() if has_table else None
        facts = facts_of(self)
        if table is not None:  # Arrays are shown in the table.
            facts = {name: value for name, value in facts.items() if not getattr(value, "ndim", 0)}
        return Card(type(self).__name__, facts, table)

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with each fact and its ``value``; arrays are left out."""
        from resemblance.optional import pd

        facts = {
            name: value
            for name, value in self._card().facts.items()
            if value is not None and not getattr(value, "ndim", 0)
        }
        return pd.DataFrame({"value": pd.Series(facts, dtype=object)})

    def _repr_html_(self) -> str:
        return self._card().html()

    def __str__(self) -> str:
        return self._card().text() if is_dataclass(type(self)) else repr(self)


class ShownTable(Shown):
    """Base of objects whose attribute ``table`` is shown in notebooks."""

    table: pd.DataFrame

    def to_pandas(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()


def facts_of(record: Any) -> dict[str, Any]:
    entries = record if isinstance(record, Mapping) else _fields(record)
    return {
        name.strip("_").replace("_", " "): value
        for name, value in entries.items()
        if _is_short(value)
    }


def _fields(record: Any) -> dict[str, Any]:
    return {f.name: getattr(record, f.name) for f in fields(record)} if is_dataclass(record) else {}


def _is_short(value: Any) -> bool:
    if isinstance(value, tuple):
        return len(value) <= ROWS and all(isinstance(part, Real | str) for part in value)
    return isinstance(value, Real | str) or (getattr(value, "ndim", 0) > 0 and not _is_frame(value))


def _is_frame(value: Any) -> bool:
    return hasattr(value, "columns") or hasattr(value, "iloc")


def in_words(value: Any) -> str:
    """Format a value for a card.

    >>> in_words(0.123456), in_words(12000), in_words((0.1, 0.25)), in_words((6, 6))
    ('0.1235', '12,000', '0.1 to 0.25', '6, 6')
    """
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return "yes" if value else "no"
    if isinstance(value, Integral):
        return f"{value:,}"
    if isinstance(value, Real):
        return f"{float(value):.4g}"
    if isinstance(value, tuple):
        bounds = len(value) == 2 and all(isinstance(part, float) for part in value)
        return (" to " if bounds else ", ").join(map(in_words, value))
    shape = getattr(value, "shape", ())
    return f"{' x '.join(map(str, shape))} values" if shape else str(value)


def _is_named(frame: pd.DataFrame) -> bool:
    return frame.index.dtype.kind not in "iu"


def _table(frame: pd.DataFrame, n_rows: int | None) -> str:
    first, n_rows = frame.head(ROWS), len(frame) if n_rows is None else n_rows
    named = _is_named(frame)
    title = "" if frame.index.name is None else frame.index.name
    header = [*([title] if named else []), *frame.columns]
    rows = [
        [*([label] if named else []), *cells]
        for label, cells in zip(first.index, first.itertuples(index=False), strict=True)
    ]
    body = "".join(_row([_cell(cell) for cell in row]) for row in rows)
    more = n_rows - len(first)
    note = f"<em>and {count(more, 'more row')}</em>" if more else ""
    return (
        f"<table style='{_LINE}'><thead>{_row(header, 'th')}</thead><tbody>{body}</tbody></table>"
        f"{note}"
    )


def _row(cells: Iterable[Any], tag: str = "td") -> str:
    inside = "".join(f"<{tag} style='{_CELL}'>{escape(str(cell))}</{tag}>" for cell in cells)
    return f"<tr style='background:transparent'>{inside}</tr>"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.4g}"
    if isinstance(value, list):
        return " | ".join(map(str, value))
    return "" if value is None else str(value)
