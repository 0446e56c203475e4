"""Labels in the columns of a file, and the items that they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.files import no_quote, split
from resemblance.judgments.checks import RowError, refuse
from resemblance.judgments.items import Items
from resemblance.optional import pd

KEPT = ("kept_a", "kept_b")  # of three items, those that are not the odd one
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+|nan|inf(inity)?)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Labels:
    """The labels of a column: the distinct texts, which one each cell holds, and its row."""

    role: str
    texts: list[str]
    codes: NDArray[Any]
    rows: NDArray[np.intp]

    @classmethod
    def of(cls, column: pd.Series, role: str) -> Labels:
        """Take the labels of a column; a cell may hold several, as a list or separated by bars."""
        cells = column.reset_index(drop=True)
        if role == "options":
            parted = cache(split)
            cells = cells.astype(object).map(
                lambda cell: parted(cell) if isinstance(cell, str) else cell
            )
            cells = cells.explode()
        coded = cells.astype("category").cat.remove_unused_categories().cat
        texts = [no_quote(str(text).strip()) for text in coded.categories]
        blank = np.array([*(text == "" for text in texts), True])
        codes, rows = coded.codes.to_numpy(), cells.index.to_numpy()
        empty = blank[codes]
        if empty.any():
            raise RowError(
                int(rows[empty.argmax()]), f"{role} is empty: fill it in or remove the row"
            )
        return cls(role, texts, codes, rows)

    @property
    def cells(self) -> NDArray[np.str_]:
        """The text of every cell."""
        return np.array(self.texts)[self.codes]

    def positions(self, items: Items) -> NDArray[np.int32]:
        """Find the position of every cell's label among the items."""
        item_names = set(items.names)
        names = [text if text in item_names else whole_as_digits(text) for text in self.texts]
        self.refuse([name not in item_names for name in names], items.unknown, "items")
        return items.positions(names).astype(np.int32)[self.codes]

    def refuse(self, bad: list[bool], problem: Any, setting: str | None = None) -> None:
        """Raise for the first row with a bad text, with the problem told of that text."""
        cells = np.array(bad)[self.codes]
        if cells.any():
            cell = int(cells.argmax())
            text = self.texts[self.codes[cell]]
            raise RowError(int(self.rows[cell]), f"{self.role}: {problem(text)}", setting)


def whole_as_digits(text: str) -> str | None:
    """Write a whole number as its digits, '3.0' as '3'; give None for other numbers."""
    if not _NUMBER.fullmatch(text):
        return text
    digits, _, fraction = text.removeprefix("+").partition(".")
    return digits if digits.isdigit() and not fraction.strip("0") else None


def items_of(columns: Sequence[Labels]) -> Items:
    """Make the items that some columns mention, in natural order: 2 before 10, a2 before a10."""
    names: set[str] = set()
    for column in columns:
        texts = [whole_as_digits(text) for text in column.texts]
        column.refuse(
            [name is None or len(name.splitlines()) > 1 for name in texts],
            lambda text: (
                f"{text!r} is no name and no whole number from 0 upwards, in one line: correct it"
            ),
        )
        names.update(name for name in texts if name is not None)
    return Items(sorted(names, key=natural_order))


def natural_order(name: str) -> tuple[list[Any], str]:
    """Return the key that sorts numbers in names by their value."""
    parts = re.split(r"([0-9]+)", name)
    return [int(part) if i % 2 else part.casefold() for i, part in enumerate(parts)], name


def numbers_of(column: pd.Series, role: str, setting: str | None = None) -> NDArray[np.float64]:
    """Take the numbers of a column; every cell must be one. An error carries the setting."""
    refuse(column.isna().to_numpy(), lambda r: f"{role} is empty: fill it in or remove the row")
    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    refuse(
        np.isnan(values),
        lambda r: f"{role} must be a number, not {column.iloc[r]!r}: correct or remove the row",
        setting,
    )
    return values


def response_ids_of(column: pd.Series) -> NDArray[Any]:
    """Take the ids of a column: its numbers, or texts numbered as they first appear."""
    refuse(column.isna().to_numpy(), lambda r: "response_id is empty: fill it in or remove the row")
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy()
    return pd.factorize(column)[0]
