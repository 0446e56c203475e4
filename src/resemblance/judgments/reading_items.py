"""Read items from files and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import SettingError
from resemblance.judgments.checks import RowError
from resemblance.judgments.frames import TableLike
from resemblance.judgments.items import Items
from resemblance.judgments.labels import Labels, texts_of
from resemblance.judgments.tables import read_table
from resemblance.optional import pd

Path_: TypeAlias = str | PathLike[str]
Columns: TypeAlias = Mapping[str, str] | None


def read_items(
    path: Path_ | TableLike, columns: Columns = None, *, features: Sequence[str] | None = None
) -> Items:
    r"""Read items from a CSV, Parquet or JSON lines file, or from a table in memory.

    What judgments call the items is in the column ``item`` (or ``id``, ``name``: the first of the
    three that is there); beside it, ``name`` holds their titles, which maps show instead. Classes
    are in ``label`` (or ``class``; an empty cell is an unknown class), the paths of pictures in
    ``image``, relative to the file, or of a table to the working directory. Other columns are read
    only if they are named as features.

    Parameters
    ----------
    path : path or table
        As in :func:`read_triplets`.
    columns : dict, optional
        Names of columns in the file, such as ``{"item": "index", "name": "artist"}``.
    features : sequence of str, optional
        Columns of numbers that describe each item.

    Returns
    -------
    Items

    Raises
    ------
    FileError
        If the file is missing, empty, broken or of an unknown type, or lacks a column.
    JudgmentError
        If a name is missing or repeated, a feature is no finite number, or a picture is not there.

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
