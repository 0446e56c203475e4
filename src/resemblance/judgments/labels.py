"""Read labels from the columns of a file, and find the items that they name."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resemblance.catalog import CONFINED
from resemblance.errors import ResemblanceWarning, SettingError, first_few
from resemblance.files import NO_ANSWER, label_text, split
from resemblance.judgments.checks import RowError, TableLike, refuse
from resemblance.judgments.items import Items, natural_order
from resemblance.judgments.tables import read_table, typed
from resemblance.optional import pd

# Among labels that are numbers, these texts mean a missing value, not an item.
NO_NUMBER = frozenset(("nan", "NaN", "NA", "inf", "-inf"))
# columns of the two items that are not odd, in a question for the odd one out
KEPT = ("kept_a", "kept_b")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
Path_: TypeAlias = str | PathLike[str]
Columns: TypeAlias = Mapping[str, str] | None


@dataclass(frozen=True)
class Labels:
    """Labels of a column: the distinct texts, and each label's text (by number) and row.

    ``written`` are the texts before normalisation, which can make several texts the same label.
    """

    role: str
    texts: list[str]
    codes: NDArray[Any]
    rows: NDArray[np.intp]
    written: list[str]

    @classmethod
    def of(cls, column: pd.Series, role: str) -> Labels:
        """Return the labels of a column. A cell of options holds a list, or texts between bars."""
        cells = column.reset_index(drop=True)
        if role == "options":
            parted = cache(split)
            cells = cells.astype(object).map(
                lambda cell: parted(cell) if isinstance(cell, str) else cell
            )
            cells = cells.explode()
        # Values of mixed types become texts, because categories treat 1 and True as equal.
        if pd.api.types.infer_dtype(cells).startswith("mixed"):
            cells = cells.map(written, na_action="ignore")
        coded = cells.astype("category").cat.remove_unused_categories().cat
        as_written = [written(text) for text in coded.categories]
        texts = [label_text(text) for text in as_written]
        blank = np.array([*(text == "" for text in texts), True])
        codes, rows = coded.codes.to_numpy(), cells.index.to_numpy()
        empty = blank[codes]
        if empty.any():
            raise RowError(
                int(rows[empty.argmax()]), f"{role} is empty: fill it in or remove the row"
            )
        return cls(role, texts, codes, rows, as_written)

    @property
    def cells(self) -> NDArray[np.str_]:
        return np.array(self.texts)[self.codes]

    def as_ids(self) -> Labels:
        texts = [whole_as_digits(text) or text for text in self.texts]
        return replace(self, texts=texts) if all(map(str.isdecimal, texts)) else self

    def positions(self, items: Items) -> NDArray[np.int32]:
        item_names = set(items.names)
        names = [text if text in item_names else whole_as_digits(text) for text in self.texts]
        self.refuse([name not in item_names for name in names], items.unknown, "items")
        return items.positions(names).astype(np.int32)[self.codes]

    def refuse(self, bad: list[bool], problem: Any, setting: str | None = None) -> None:
        cells = np.array(bad)[self.codes]
        if cells.any():
            cell = int(cells.argmax())
            text = self.texts[self.codes[cell]]
            raise RowError(int(self.rows[cell]), f"{self.role}: {problem(text)}", setting)


def written(cell: Any) -> str:
    if isinstance(cell, bool | np.bool_):
        return str(cell).lower()
    is_whole = isinstance(cell, float | np.floating) and float(cell).is_integer()
    return str(int(cell)) if is_whole else str(cell)


def texts_of(column: pd.Series) -> pd.Series:
    codes, cells = pd.factorize(hashable(column))
    texts = [*(label_text(written(cell)) for cell in cells), ""]
    return pd.Series(np.array(texts, dtype=object)[codes], column.index, dtype=object)


def hashable(column: pd.Series) -> pd.Series:
    if not pd.api.types.infer_dtype(column, skipna=True).startswith("mixed"):
        return column
    return column.map(_as_text)


def _as_text(cell: Any) -> Any:
    if isinstance(cell, np.ndarray):
        cell = cell.tolist()
    return repr(cell) if isinstance(cell, list | tuple | dict | set) else cell


def whole_as_digits(text: str) -> str | None:
    if not _NUMBER.fullmatch(text):
        return text
    digits, _, fraction = text.removeprefix("+").partition(".")
    return digits if digits.isdigit() and not fraction.strip("0") else None


def items_of(columns: Sequence[Labels]) -> Items:
    """Return the items that columns name, in natural order: 2 before 10, a2 before a10.

    If all labels are whole numbers, 3.0 names the item 3.
    """
    texts = {text for column in columns for text in column.texts}
    ids = {text for text in texts if (whole_as_digits(text) or "").isdecimal()}
    numbered = bool(ids) and texts - ids <= NO_NUMBER
    names: set[str] = set()
    for column in columns:
        column.refuse(
            [
                whole_as_digits(text) is None
                or (numbered and text not in ids)
                or len(text.splitlines()) > 1
                for text in column.texts
            ],
            lambda text: (
                f"{text!r} is neither a name in one line nor a whole number from 0: correct it"
            ),
        )
        names.update(str(whole_as_digits(text)) if numbered else text for text in column.texts)
    if doubtful := sorted(names & NO_ANSWER):
        warnings.warn(
            f"{', '.join(map(repr, doubtful))} is read as the name of an item: if it means "
            "a missing item, leave these rows out",
            ResemblanceWarning,
            stacklevel=6,
        )
    return Items(sorted(names, key=natural_order))


def warn_of_joined(columns: Iterable[Labels]) -> None:
    ways: dict[str, set[str]] = {}
    for column in columns:
        for text, as_written in zip(column.texts, column.written, strict=True):
            # Blanks after a separator do not make another spelling.
            ways.setdefault(text, set()).add(as_written.lstrip(" "))
    several = [sorted(texts) for texts in ways.values() if len(texts) > 1]
    joined = [" and ".join(map(repr, texts)) for texts in several]
    if joined:
        warnings.warn(
            f"labels that are written in several ways are read as one: {first_few(joined)}",
            ResemblanceWarning,
            stacklevel=6,
        )


def response_ids_of(column: pd.Series) -> NDArray[Any]:
    """Return response ids as numbers, (m,); texts are numbered in order of appearance."""
    refuse(column.isna().to_numpy(), lambda r: "response_id is empty: fill it in or remove the row")
    ids = typed(column)
    return ids.to_numpy() if pd.api.types.is_numeric_dtype(ids) else pd.factorize(column)[0]


def read_items(
    path: Path_ | TableLike, columns: Columns = None, *, features: Sequence[str] | None = None
) -> Items:
    r"""Read items from a CSV, Parquet or JSON lines file, or from a table in memory.

    The names that judgments use are in the first of the columns ``item``, ``id`` and ``name`` that
    is present. Beside ``item`` or ``id``, ``name`` contains the titles that maps show. Classes are
    in ``label`` or ``class`` (an empty cell is an unknown class). Paths of pictures are in
    ``image``, relative to the file, or to the working directory for a table in memory. Other
    columns are read only if ``features`` names them.

    Parameters
    ----------
    path : path or table
        As in :func:`read_triplets`.
    columns : dict, optional
        Names of columns in the file, such as ``{"item": "index", "name": "artist"}``.
    features : sequence of str, optional
        Columns of numbers that describe each item.

    Raises
    ------
    FileError
        If the file is missing, empty, broken or of an unknown type, or lacks a column.
    JudgmentError
        If a name is missing or repeated, a feature is not finite, or a picture does not exist.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "items.csv"
    ...     _ = path.write_text("item,class,year\njazz,soft,1915\npunk,loud,1974\n")
    ...     items = read_items(path, features=["year"])
    >>> items.names, items.labels.tolist()
    (('jazz', 'punk'), ['soft', 'loud'])
    """
    roles = ("item", "name", "label", "image")
    check_columns(roles, columns)
    table = read_table(path)
    given = dict(columns or {})
    if "name" in given and not {"item", "id"} & set(table.frame.columns):
        given.setdefault("item", given["name"])
    column = table.find(roles[:1], roles[1:], given)
    wanted = list(features or [])
    table.need(wanted, "features=", "features")
    with table.located():
        cells = {role: table.frame[column[role]] for role in column}
        texts = {
            role: Labels.of(cells[role], role).cells.tolist() for role in cells if role != "label"
        }
        numbers = [table.numbers(name, name, "features") for name in wanted]
        return Items(
            texts["item"],
            np.column_stack(numbers) if numbers else None,
            labels=_classes(cells["label"]) if "label" in cells else None,
            images=_images(table.folder, texts["image"]) if "image" in texts else None,
            titles=texts["name"] if column.get("name") not in (None, column["item"]) else None,
            feature_names=wanted or None,
        )


def _classes(column: pd.Series) -> NDArray[Any]:
    texts = [text or None for text in texts_of(column)]
    return np.array(texts, dtype=object if None in texts else str)


def _images(folder: Path, names: list[str]) -> list[Path]:
    paths = [folder / name for name in names]
    for row, image in enumerate(paths):
        if CONFINED in os.environ and not image.resolve().is_relative_to(folder.resolve()):
            raise RowError(
                row, f"the image {names[row]} is outside the table's folder: move it there"
            )
        if not image.is_file():
            raise RowError(row, f"the image {image} is not there: correct its path")
    return paths


def check_columns(roles: Sequence[str], columns: Columns) -> None:
    if not isinstance(columns, Mapping | None):
        raise SettingError(
            f"columns= is {columns!r}: give a dict of columns by what they hold, some of "
            f"{', '.join(roles)}",
            setting="columns",
        )
