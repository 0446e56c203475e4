"""The items that judgments compare."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import ONE_VIEW, by_view
from resemblance.errors import JudgmentError, SettingError
from resemblance.files import nfc
from resemblance.geometry.kernels import finite_rows, is_tall
from resemblance.judgments.checks import (
    RowError,
    are_missing,
    column_names,
    floats_of,
    is_table,
    numbers_in,
    refuse,
    row_names,
)
from resemblance.judgments.immutable import Frozen
from resemblance.notebook import ROWS, Card, Shown
from resemblance.optional import pd

Features = NDArray[Any] | dict[str, NDArray[Any]]


class Items(Frozen, Shown):
    """Items that people compare: their unique names, and optional data about each item.

    Parameters
    ----------
    names : sequence of str, or int, optional
        Unique names; an int n means the names "0" to "n-1". Default: the index of a pandas
        DataFrame of features if it contains texts; otherwise "0", "1", ..., one for each row of
        features, labels or images.
    features : array or table of shape (n, d), or dict of such arrays, optional
        Finite numbers that describe each item; a dict contains several views of the items. They are
        copied in double precision, except a memory map (``numpy.load(path, mmap_mode="r")``) or a
        single-precision array of 64 MiB or more, which is used directly.
    labels : array of shape (n,), optional
        The class of each item; None if unknown.
    images : sequence of n paths, optional
        The picture of each item. The files are not opened.
    titles : sequence of n str, optional
        The text that maps show instead of each item's name; titles may repeat.
    feature_names : sequence of d str, optional
        The names of the features; default: the columns of a table.

    Raises
    ------
    JudgmentError
        If a name is repeated, empty, padded with spaces or has several lines; if a feature is not a
        finite number; if names differ from the texts in the index of the features; or if names,
        features, labels and images are not equally many.

    Examples
    --------
    >>> items = Items(["rock", "jazz", "soul"], labels=["loud", "soft", "soft"])
    >>> len(items)
    3
    >>> items.positions(["soul", "rock"])
    array([2, 0])
    """

    names: tuple[str, ...]
    features: Features | None
    labels: NDArray[Any] | None
    images: tuple[Path, ...] | None
    titles: tuple[str, ...] | None
    feature_names: tuple[str, ...] | None

    def __init__(
        self,
        names: Iterable[Any] | int | None = None,
        features: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        labels: ArrayLike | None = None,
        images: Sequence[str | PathLike[str]] | None = None,
        titles: Iterable[Any] | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        views = {str(view): _matrix(x, view) for view, x in by_view(features).items()}
        described = views if isinstance(features, Mapping) else views.get(ONE_VIEW)
        classes = None if labels is None else np.array(labels)
        pictures = None if images is None else tuple(Path(image) for image in images)
        texts = None if titles is None else tuple(str(title) for title in titles)
        noted = {"labels": classes, "images": pictures, "titles": texts}
        parts: dict[str, Any] = {**by_view(described), **noted}
        sizes = {part: len(value) for part, value in parts.items() if value is not None}
        own = {**by_view(features), "labels": labels, "images": images, "titles": titles}
        given = named_by_rows(names, own)
        checked = _names(next(iter(sizes.values()), None) if given is None else given)
        for part, size in sizes.items():
            if size != len(checked):
                raise JudgmentError(
                    f"{part} has {size} rows for {len(checked)} items: give one row per item"
                )
        called = column_names(features) if feature_names is None else tuple(feature_names)
        shape = described.shape if isinstance(described, np.ndarray) else ()
        if called is not None and shape[1:] != (len(called),):
            raise JudgmentError(
                f"there are {len(called)} feature_names for features of shape {shape}: name each "
                "column of one array of features"
            )
        self._set(names=checked, features=described, labels=classes, images=pictures, titles=texts)
        self._set(feature_names=called)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        first = ", ".join(self.names[:3]) + (", ..." if len(self) > 3 else "")
        return f"Items({len(self)}: {first})"

    def to_pandas(self) -> pd.DataFrame:
        """Return a table that :func:`read_items` reads, with a row for each item.

        Its columns are item, then name (the titles), label, image and the named features if
        present. Features without names are called "feature_0", ...; if there are several views,
        features are called by the view's name, such as "view_0".

        >>> Items(["jazz", "punk"], [[1915.0], [1974.0]], feature_names=["year"]).to_pandas()
           item    year
        0  jazz  1915.0
        1  punk  1974.0
        """
        parts = {"name": self.titles, "label": self.labels, "image": self.images}
        filled = {part: list(value) for part, value in parts.items() if value is not None}
        return pd.DataFrame({"item": list(self.names), **filled, **self._feature_columns()})

    def _feature_columns(self) -> dict[str, NDArray[Any]]:
        given = self.feature_names
        return {
            given[k] if given else f"{view}_{k}": column
            for view, values in by_view(self.features, "feature").items()
            for k, column in enumerate(np.asarray(values).T)
        }

    def _card(self) -> Card:
        facts = {
            "items": len(self),
            **{view: x.shape[1] for view, x in by_view(self.features).items()},
            "pictures": None if self.images is None else len(self.images),
        }
        return Card("Items", facts, self.taken(range(min(ROWS, len(self)))).to_pandas(), len(self))

    @cached_property
    def _position_of(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}

    def positions(self, names: Iterable[Any]) -> NDArray[np.intp]:
        """Return the position of each name, in an array of the same shape as ``names``.

        A number is looked up by its digits. Unknown names raise a JudgmentError with similar names.

        >>> Items(["jazz", "soul"]).positions([["soul", "jazz"]])
        array([[1, 0]])
        """
        given = np.array([names] if isinstance(names, str) else list(names), dtype=object)
        wanted = [nfc(str(name)) for name in given.flat]
        for place, name in enumerate(wanted):
            if name not in self._position_of:
                row = place * len(given) // len(wanted)
                raise RowError(row, self.unknown(name), setting="items")
        positions = np.array([self._position_of[name] for name in wanted], dtype=np.intp)
        return positions.reshape(given.shape)

    def taken(self, positions: ArrayLike) -> Items:
        """Return the items at the given positions, in the given order, with all their attributes.

        >>> Items(["rock", "jazz", "soul"], labels=["loud", "soft", "soft"]).taken([2, 0]).labels
        array(['soft', 'loud'], dtype='<U4')
        """
        rows = np.asarray(positions, dtype=np.intp)
        cut = {view: x[rows] for view, x in by_view(self.features).items()}
        notes: dict[str, Any] = {
            part: None if values is None else [values[row] for row in rows]
            for part, values in (("images", self.images), ("titles", self.titles))
        }
        return Items(
            [self.names[row] for row in rows],
            cut if isinstance(self.features, dict) else cut.get(ONE_VIEW),
            labels=None if self.labels is None else self.labels[rows],
            feature_names=self.feature_names,
            **notes,
        )

    def unknown(self, name: str) -> str:
        """Return the error message for an unknown name; it suggests similar names."""
        close = get_close_matches(name, self.names, n=3)
        hint = f" (did you mean {' or '.join(map(repr, close))}?)" if close else ""
        return (
            f"{name!r} is not among the {len(self)} items{hint}: correct it or add it to the items"
        )


def are_numbered(items: Items) -> bool:
    return items.names == tuple(map(str, range(len(items))))


ItemsLike: TypeAlias = Items | Iterable[Any] | int | None


def natural_order(name: str) -> tuple[list[Any], str]:
    """Return a sort key that orders numbers within names by their value: a2 before a10."""
    parts = re.split(r"([0-9]+)", name)
    return [int(part) if i % 2 else part.casefold() for i, part in enumerate(parts)], name


def named_positions(index: ArrayLike, items: ItemsLike) -> tuple[ArrayLike, ItemsLike]:
    """Replace names by positions; return the positions and the items.

    By default the items are the names in natural order.

    >>> named_positions([("jazz", "soul", "punk")], None)[0]
    array([[0, 2, 1]])
    """
    if np.asarray(index).dtype.kind not in "UO":
        return index, items
    cells = np.array(index, dtype=object)
    if not cells.size or not all(isinstance(cell, str) for cell in cells.flat):
        return index, items
    if items is None:
        items = Items(sorted(set(cells.flat), key=natural_order))
    named = items if isinstance(items, Items) else Items(items)
    return named.positions(cells), named


def as_items(items: ItemsLike, index: NDArray[np.int32]) -> Items:
    """Return items that contain all positions of an index; without items, number them."""
    top = int(index.max())
    if items is None:
        return items_up_to(top, index.size)
    named = items if isinstance(items, Items) else Items(items)
    if top >= len(named):
        refuse(
            (index >= len(named)).any(axis=1),
            lambda r: (
                f"id {index[r].max()} is not among the {len(named)} items, whose positions are "
                f"0 to {len(named) - 1}: correct it or give all items"
            ),
        )
    return named


DENSE = 1_000  # Positions up to this number may have gaps.


def items_up_to(top: int, n_ids: int) -> Items:
    """Return the items "0" to ``top``, for an array that contains ``n_ids`` positions.

    If ``top`` is 1,000 or more and at least ten times ``n_ids``, the values are probably ids with
    gaps: an error is raised.
    """
    if top >= max(DENSE, 10 * n_ids):
        raise JudgmentError(
            f"the largest position is {top:,}, and only {n_ids:,} are given: positions count items "
            f"from 0 without gaps. If these are ids, use names, index = np.unique(ids, "
            f"return_inverse=True), and items=names; if there are {top + 1:,} items, "
            f"give items={top + 1}",
            setting="items",
        )
    return Items(top + 1)


def items_of(model: object, given: Items | None = None) -> Items | None:
    """Return the given items, or the model's items; raise an error if the orders differ."""
    own = getattr(model, "items_", None)
    if own is None or given is None:
        return own if given is None else given
    if own.names != given.names and set(own.names) == set(given.names):
        raise SettingError(
            f"the items are the model's own in another order, {given.names[0]!r} before "
            f"{given.names[1]!r}: leave items out, or give them in the order of the fit.",
            setting="items",
        )
    return given


def _names(names: ItemsLike) -> tuple[str, ...]:
    if names is None or isinstance(names, str):
        raise JudgmentError("items are missing: give a sequence of names, or the number of items")
    given = range(int(names)) if isinstance(names, Integral) else names
    checked = tuple(nfc(str(name)) for name in given)  # type: ignore[union-attr]
    if not checked:
        raise JudgmentError("there are no items: give one name at least")
    if isinstance(names, Integral):
        return checked
    seen: dict[str, int] = {}
    for position, name in enumerate(checked):
        if name.strip().splitlines() != [name]:
            raise RowError(
                position, f"the name {name!r} is empty, padded or of several lines: correct it"
            )
        if seen.setdefault(name, position) != position:
            raise RowError(
                position,
                f"the name {name!r} is also that of the item at position {seen[name]}: "
                "names must be unique",
            )
    return checked


def named_by_rows(names: ItemsLike, tables: Mapping[Any, Any]) -> ItemsLike:
    """Return the given items; without any, those of the rows. Refuse rows that name other items."""
    if isinstance(names, Items):
        named_by_rows(names.names, tables)
        return names
    counted = names is None or isinstance(names, Integral | str)
    if isinstance(names, bool) or not (counted or isinstance(names, Iterable)):
        raise JudgmentError(f"items are {names!r}: give names, or the number of items")
    if isinstance(names, set | frozenset):
        raise JudgmentError("items are a set, which has no fixed order: give a list")
    if getattr(names, "ndim", 1) > 1:
        raise JudgmentError("an array of several columns has no names: give it as features=")
    given: Any = names if counted else tuple(names)  # type: ignore[arg-type]
    if not counted:
        refuse(are_missing(given), lambda _: "the name is missing: give each item one")
        given = tuple(map(str, given))
    for what, table in tables.items():
        rows = row_names(table)
        if rows is None:
            continue
        given = rows if given is None else given
        if isinstance(given, tuple) and given != rows and len(given) == len(rows):
            row = next(i for i, (a, b) in enumerate(zip(given, rows, strict=True)) if a != b)
            raise RowError(
                row,
                f"{what} describes {rows[row]!r}, but the item is {given[row]!r}: bring the table "
                "into the order of the items (.loc[names]), or give an array (.to_numpy())",
            )
    return given


def items_of_rows(items: ItemsLike, **tables: Any) -> Items:
    named = named_by_rows(items, tables)
    if isinstance(named, Items):
        return named
    return Items(len(np.asarray(next(iter(tables.values())))) if named is None else named)


def named_by_square(names: ItemsLike, **squares: Any) -> ItemsLike:
    """Return the given items, or names from rows and columns of matrices; refuse other names."""
    sides = {f"a row of {what}": square for what, square in squares.items()}
    sides |= {f"a column of {what}": getattr(square, "T", None) for what, square in squares.items()}
    return named_by_rows(names, sides)


def _matrix(values: ArrayLike, what: str) -> NDArray[Any]:
    values = numbers_in(values, what) if is_table(values) else values
    tall = is_tall(values)
    matrix = np.asanyarray(values)[:] if tall else floats_of(values, what)
    if matrix.ndim != 2:
        raise JudgmentError(f"{what} must have shape (items, dimensions), not {matrix.shape}")
    refuse(~finite_rows(matrix), lambda r: _not_finite(matrix[r], what))
    return matrix


def _not_finite(row: NDArray[Any], what: str) -> str:
    column = int(np.isfinite(row).argmin())
    return (
        f"column {column} of {what} is {row[column]}: features must be finite; fill in or leave "
        "out the column"
    )
