"""Read classifications from a table with pictures, or from arrays."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import FileError, SettingError
from resemblance.files import reading
from resemblance.judgments.checks import RowError
from resemblance.judgments.classifications import Classifications
from resemblance.judgments.labels import Labels, response_ids_of
from resemblance.judgments.reading_items import Columns, Path_, check_columns
from resemblance.judgments.tables import read_table
from resemblance.pictures import read_grey

OPTIONAL = ("shown", "response_id", "observer")


def read_classifications(
    path: Path_, images: Path_ | None = None, columns: Columns = None
) -> Classifications:
    r"""Read classifications from a table with pictures, or from arrays.

    A **table** (.csv, .parquet or .jsonl, also gzipped) has the columns ``label`` (or ``class``:
    what was answered) and ``image``: the name of a picture in the folder ``images``. Pictures are
    read as grey, from 0 (black) to 1 (white), and must be of one size. ``images`` may also be a
    file of one array (.npy), whose row belongs to the row of the table: it stays on the disk, as a
    memory map, and the table needs no column ``image``. Optional columns are ``shown`` (the right
    answer, or the signal shown), ``response_id`` and ``observer``; all others go to ``extra``.

    An **archive of arrays** (.npz) has the arrays ``stimuli``, with one image per entry, and
    ``label``; the other names are as in a table.

    Parameters
    ----------
    path : path
        The table, or the archive.
    images : path, optional
        The folder of the pictures (default: that of the table), or a file of one array.
    columns : dict, optional
        Names in the file, such as ``{"label": "response", "stimuli": "noise"}``.

    Returns
    -------
    Classifications

    Raises
    ------
    FileError
        If a file is missing, broken or of an unknown type, lacks a column, or if pictures differ
        in size.
    JudgmentError
        As :class:`Classifications`; the message names the line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trials.npz"
    ...     np.savez(path, noise=np.eye(3), label=["yes", "no", "yes"])
    ...     read_classifications(path, columns={"stimuli": "noise"})
    Classifications(3 trials of 3 pixels: no, yes)
    """
    if Path(path).suffix == ".npz":
        return _of_arrays(Path(path), images, dict(columns or {}))
    stored = Path(images) if images is not None and Path(images).suffix == ".npy" else None
    needed = ("label",) if stored else ("label", "image")
    check_columns((*needed, *OPTIONAL), columns)
    table = read_table(path)
    column_of = table.find(needed, OPTIONAL, columns)
    with table.located():
        cells = {role: table.frame[column_of[role]] for role in column_of}
        texts = {
            role: Labels.of(cells[role], role).cells for role in cells if role != "response_id"
        }
        return Classifications(
            _stored(stored) if stored else _pictures(Path(images or table.folder), texts),
            texts["label"],
            shown=texts.get("shown"),
            response_id=response_ids_of(cells["response_id"]) if "response_id" in cells else None,
            observer=texts.get("observer"),
            extra=table.further(c for role, c in column_of.items() if role != "image"),
        )


def _of_arrays(path: Path, images: Path_ | None, columns: dict[str, str]) -> Classifications:
    if images is not None:
        raise SettingError(f"{path} holds its images itself: leave images out (--images)")
    arrays = _archive(path)
    taken = {}
    for role in ("stimuli", "label", *OPTIONAL):
        name = columns.pop(role, role)
        if name in arrays:
            taken[role] = arrays.pop(name)
        elif role in ("stimuli", "label"):
            present = ", ".join(map(repr, [*taken, *arrays]))
            raise FileError(
                f"{path} has no array {name!r} of the {role}; it has {present}: name the right one "
                f"with columns={{{role!r}: ...}}",
                setting="columns",
            )
    if columns:
        allowed = ", ".join(("stimuli", "label", *OPTIONAL))
        raise SettingError(
            f"columns= names {', '.join(columns)}: it may name {allowed}", setting="columns"
        )
    n = len(taken["stimuli"])
    extra = {name: array for name, array in arrays.items() if array.shape[:1] == (n,)}
    return Classifications(taken.pop("stimuli"), taken.pop("label"), **taken, extra=extra)


def _archive(path: Path) -> dict[str, NDArray[Any]]:
    saved = reading(path, "save it again", " as arrays", BadZipFile)
    with saved, np.load(path, allow_pickle=False) as archive:
        return dict(archive)


def _stored(path: Path) -> NDArray[Any]:
    with reading(path, "save it again", " as one array"):
        return np.load(path, mmap_mode="r", allow_pickle=False)


def _pictures(folder: Path, texts: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
    names, first, row_of = np.unique(texts["image"], return_index=True, return_inverse=True)
    grey: list[NDArray[np.float32]] = []
    for name, row in zip(names, first, strict=True):
        grey.append(_picture(folder / str(name), int(row)))
        if grey[-1].shape != grey[0].shape:
            raise RowError(
                int(row),
                f"the image {folder / str(name)} is of {_size(grey[-1])} pixels, "
                f"{folder / str(names[0])} of {_size(grey[0])}: make them all of one size",
            )
    return np.stack(grey)[row_of]


def _picture(path: Path, row: int) -> NDArray[np.float32]:
    if not path.is_file():
        raise RowError(row, f"the image {path} is not there: correct its name, or the folder")
    try:
        grey: NDArray[np.float32] = read_grey(path)
    except FileError as error:
        raise RowError(row, str(error)) from None
    return grey


def _size(picture: Sequence[Any] | NDArray[Any]) -> str:
    return " x ".join(map(str, np.shape(picture)[::-1]))
