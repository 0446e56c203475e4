"""CSV files where pandas is not installed: each cell a text, read by the module csv."""

import csv
from collections.abc import Callable
from itertools import chain
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import FileError
from resemblance.files import need, no_quote, split
from resemblance.judgments.checks import RowError
from resemblance.judgments.items import Items
from resemblance.judgments.labels import KEPT, Labels
from resemblance.judgments.reading_items import Columns
from resemblance.judgments.rows import Rows
from resemblance.judgments.tables import Table, header_of, opened, readable, refuse_swelling
from resemblance.optional import is_there

Kind = TypeVar("Kind", bound=Rows)
Texts = NDArray[np.object_]
TRUTH = {"true": "1", "false": "0"}


def is_plain(source: Any) -> bool:
    """Say whether a source is a CSV file that pandas is not there to read."""
    name = str(source).removesuffix(".gz") if isinstance(source, str | PathLike) else ""
    return name.endswith(".csv") and not is_there("pandas")


def read_plain(
    kind: type[Kind],
    path: Path,
    columns: Columns,
    catches: str,
    index_of: Callable[[list[Labels]], tuple[NDArray[np.int32], Items]],
) -> Kind:
    """Read judgments of a kind from the columns of a CSV file that it declares, and their notes.

    What is no number stays a text; an empty cell of further columns is NaN.
    """
    need(path)
    with readable(path):
        refuse_swelling(path)
        separator, header = header_of(path)
        with opened(path) as file:
            reader = csv.reader(file, delimiter=separator)
            filled = (cells for cells in reader if len(cells) > 1 or "".join(cells).strip())
            rows = [(reader.line_num, cells) for cells in filled][1:]
    if header == [""]:
        raise FileError(f"{path} is empty: it needs a header and rows")
    if not rows:
        raise FileError(f"{path} has no rows: it needs one at least")
    names: list[str] = [name.strip() or f"Unnamed: {k}" for k, name in enumerate(header)]
    lines = [f"line {line}" for line, _ in rows]
    place, heads = lines.__getitem__, SimpleNamespace(columns=names)
    table = Table(path, cast("Any", heads), place)  # whose names are all that is asked of it
    with table.located():
        cells = _cells([row for _, row in rows], len(names))
    texts = dict(zip(names, cells.T, strict=True))
    if "odd" in kind.columns and "options" not in texts and {*KEPT, "odd"} <= {*texts}:
        texts["options"] = _lists([texts.pop(KEPT[0]), texts.pop(KEPT[1]), texts["odd"]])
    heads.columns = [*texts]
    column_of = table.find((*kind.columns, *kind.measures), kind.optional, columns)
    with table.located():
        labels = [_labels(texts[column_of[role]], role) for role in kind.columns]
        index, items = index_of(labels)
        kind._check_beside(texts, labels)
        numbers = {
            role: _numbers(texts[column_of[role]], role, separator)
            for role in (*kind.measures, "weight")
            if role in column_of
        }
        notes: dict[str, Any] = {}
        if "observer" in column_of:
            notes["observer"] = _labels(texts[column_of["observer"]], "observer").cells
        if "response_id" in column_of:
            notes["response_id"] = _ids(_labels(texts[column_of["response_id"]], "response_id"))
        further = [name for name in texts if name not in column_of.values()]
        extra = {name: _as_numbers(texts[name], separator) for name in further}
        made = kind._filled(index, items, **numbers, **notes, extra=extra)
        return made._set_catches_apart() if catches == "keep" else made._refuse_catches()


def _cells(rows: list[list[str]], width: int) -> NDArray[np.object_]:
    """Lay out the cells of all rows, each of which must have as many."""
    for number, row in enumerate(rows):
        if len(row) != width:
            raise RowError(number, f"it has {len(row)} cells, and the header {width}: correct it")
    return np.array(rows, object)


def _labels(texts: Texts, role: str) -> Labels:
    """Take the labels of a column; a cell of options is a list, or is separated by bars."""
    parted = split if role == "options" else lambda text: [text]
    several = [cell if isinstance(cell, list) else parted(cell) or [""] for cell in texts]
    rows = np.repeat(np.arange(len(texts)), [len(cell) for cell in several])
    every = np.array([no_quote(text.strip()) for text in chain.from_iterable(several)], object)
    distinct, codes = np.unique(every, return_inverse=True)
    labels = Labels(role, distinct.tolist(), codes, rows)
    if not all(distinct):
        empty = int(rows[np.argmax(every == "")])
        raise RowError(empty, f"{role} is empty: fill it in or remove the row")
    return labels


def _lists(columns: list[Texts]) -> Texts:
    """Put columns together as one of lists."""
    lists = np.empty(len(columns[0]), object)
    lists[:] = [*map(list, zip(*columns, strict=True))]
    return lists


def _ids(labels: Labels) -> NDArray[np.intp]:
    """Return whole numbers as they are, and else the number of each text as it first appears."""
    if all(text.isdecimal() for text in labels.texts):
        return np.array(labels.texts).astype(np.intp)[labels.codes]
    _, first, again = np.unique(labels.codes, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[again])


def _numbers(texts: Texts, role: str, separator: str) -> NDArray[np.float64]:
    """Take the numbers of a column; every cell must be one, or true or false."""
    texts = np.array([TRUTH.get(text.strip().lower(), text) for text in texts], object)
    values = [_as_numbers(texts[k : k + 1], separator) for k in range(len(texts))]
    for row, value in enumerate(values):
        if value.dtype == object or np.isnan(value[0]):
            problem = f"{role} must be a number, not {texts[row]!r}: correct or remove the row"
            raise RowError(row, problem)
    return np.concatenate(values)


def _as_numbers(texts: Texts, separator: str) -> NDArray[Any]:
    """Return the numbers of a column, with decimal commas where others part its cells, or texts."""
    written = (text.strip() for text in texts)
    if separator != ",":
        written = (text.replace(",", ".") for text in written)
    try:
        return np.array([float(text) if text else np.nan for text in written])
    except ValueError:
        return np.array([text or np.nan for text in texts], object)
