"""Trials in which people assigned images to classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from numbers import Integral
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from resemblance.errors import FileError, JudgmentError, SettingError
from resemblance.files import reading
from resemblance.geometry.kernels import finite_rows
from resemblance.judgments.checks import RowError, refuse
from resemblance.judgments.immutable import FrozenRows
from resemblance.judgments.labels import Columns, Labels, Path_, check_columns, response_ids_of
from resemblance.judgments.rows import check_notes
from resemblance.judgments.tables import read_table
from resemblance.notebook import ROWS, Card, Shown
from resemblance.optional import pd
from resemblance.pictures import read_grey

OPTIONAL = ("shown", "response_id", "observer")


class Classifications(FrozenRows, Shown):
    """Trials in which an observer assigned an image to a class.

    Immutable. Slices, masks or arrays of row numbers select trials; all classes are kept.

    Parameters
    ----------
    stimuli : array of shape (m, d), (m, height, width) or (m, ...)
        The image of each trial: finite numbers of any type, not copied, such as a memory map.
    labels : array of shape (m,)
        The answers, by name or number; at least two classes occur.
    shown : array of shape (m,), optional
        The signals that were shown, or the right answers.
    response_id, observer, extra
        As in :class:`Triplets`.

    Attributes
    ----------
    stimuli : array (m, d)
        The images, one per row (read-only, not copied).
    image_shape : tuple of int
        The shape of one image, (height, width) or (d,).
    classes : array (n_classes,)
        The classes answered, sorted.
    codes : array (m,) of int
        The position of each answer among the classes.

    Raises
    ------
    JudgmentError
        If a label is missing or all are the same, a pixel is not finite, or there is not one label
        per image. The message names the first such row.

    Examples
    --------
    >>> trials = Classifications(np.zeros((3, 4, 4)), ["up", "down", "up"])
    >>> trials
    Classifications(3 trials of 4 x 4 pixels: down, up)
    >>> trials[trials.labels == "up"].classes.tolist()
    ['down', 'up']
    """

    per_row = ("stimuli", "labels", "codes", "shown", "response_id", "observer")

    stimuli: NDArray[Any]
    labels: NDArray[Any]
    classes: NDArray[Any]
    codes: NDArray[np.intp]
    image_shape: tuple[int, ...]
    shown: NDArray[Any] | None
    response_id: NDArray[np.int64] | None
    observer: NDArray[np.str_] | None

    def __init__(
        self,
        stimuli: ArrayLike,
        labels: ArrayLike,
        shown: ArrayLike | None = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        images = as_images(stimuli)
        answers = known_labels(labels, "label")
        classes, codes = np.unique(answers, return_inverse=True)
        if len(classes) < 2:
            raise JudgmentError(
                f"all labels are {answers.tolist()[0]!r}: templates are told apart by two classes "
                "at least, so add the trials with other answers"
            )
        truth = None if shown is None else known_labels(shown, "shown")
        for what, column in (("labels", answers), ("shown", truth)):
            if column is not None and column.shape != (len(images),):
                raise JudgmentError(
                    f"{what} has shape {column.shape} for {len(images)} images: give one per image"
                )
        notes = check_notes(len(images), None, response_id, observer, extra)
        notes.pop("weight")
        flat = images.reshape(len(images), -1).view()
        self._set(stimuli=flat, labels=answers, classes=classes, codes=codes, shown=truth, **notes)
        self._set(image_shape=images.shape[1:])

    @property
    def shape(self) -> tuple[int, int]:
        """The number of trials and the number of pixels."""
        return self.stimuli.shape

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each answer equals ``shown``, the right answer, (m,)."""
        if self.shown is None:
            raise JudgmentError(
                "the shown classes are unknown: give Classifications(..., shown=...)"
            )
        return np.asarray(self.labels == self.shown)

    def questions(self) -> NDArray[np.intp]:
        """Number the distinct images from 0; return the number of each trial's image, (m,)."""
        images = (np.ascontiguousarray(image) for image in self.stimuli)
        hashes = b"".join(blake2b(image, digest_size=8).digest() for image in images)
        return np.unique(np.frombuffer(hashes, dtype="<u8"), return_inverse=True)[1]

    def to_pandas(self) -> pd.DataFrame:
        """Return a table of the trials, without their images.

        Its columns are label, then shown, response_id and observer if present, then extra columns.
        """
        notes = {name: getattr(self, name) for name in ("shown", "response_id", "observer")}
        filled = {name: column for name, column in notes.items() if column is not None}
        return pd.DataFrame({"label": self.labels, **filled, **self.extra})

    def _card(self) -> Card:
        facts = {
            "trials": len(self),
            "pixels": " x ".join(map(str, self.image_shape)),
            "classes": ", ".join(map(str, self.classes)),
            "people": None if self.observer is None else len(np.unique(self.observer)),
        }
        return Card(type(self).__name__, facts, self[:ROWS].to_pandas(), len(self))

    def __len__(self) -> int:
        return len(self.stimuli)

    def __repr__(self) -> str:
        size, classes = " x ".join(map(str, self.image_shape)), ", ".join(map(str, self.classes))
        return f"Classifications({len(self)} trials of {size} pixels: {classes})"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.stimuli, dtype=dtype, copy=copy)

    def _row(self, row: Integral) -> NDArray[Any]:
        return self.stimuli[row].reshape(self.image_shape)


def as_images(stimuli: ArrayLike) -> NDArray[Any]:
    """Return images as an array, without a copy; refuse pixels that are not finite.

    >>> as_images([[0.0, float("nan")]])
    Traceback (most recent call last):
    resemblance.judgments.checks.RowError: row 0: pixel 1 of the image is nan: ...
    """
    images = np.asarray(stimuli)
    if images.ndim < 2 or not images.size or images.dtype.kind not in "biuf":
        raise JudgmentError(
            f"stimuli are an array of {images.dtype} of shape {images.shape}: give numbers, one "
            "image per row, of shape (images, pixels) or (images, height, width)"
        )
    if images.dtype.kind == "f":
        flat = images.reshape(len(images), -1)
        refuse(~finite_rows(flat), lambda r: _not_finite(flat[r]))
    return images


def _not_finite(image: NDArray[Any]) -> str:
    pixel = int(np.isfinite(image).argmin())
    return (
        f"pixel {pixel} of the image is {image[pixel]}: mend or leave out the image, or leave that "
        "pixel out of all"
    )


def known_labels(labels: ArrayLike, what: str) -> NDArray[Any]:
    given = np.array(labels)
    if given.dtype.kind not in "biufU":
        given = np.array(labels, dtype=object)
    missing = np.array([v is None or v != v or v == "" for v in given.ravel().tolist()])
    refuse(missing, lambda r: f"the {what} is missing: fill it in or remove the trial")
    return given.astype(str) if given.dtype == object else given


def read_classifications(
    path: Path_, images: Path_ | None = None, columns: Columns = None
) -> Classifications:
    r"""Read classifications from a table with pictures, or from arrays.

    A **table** (.csv, .parquet or .jsonl, also gzipped) has the columns ``label`` or ``class`` (the
    answer) and ``image`` (the name of a picture in the folder ``images``). Pictures are read as
    grey, from 0 (black) to 1 (white), and must all have one size. ``images`` may also be an array
    file (.npy) with one image for each row of the table: it is memory-mapped, and the table needs
    no column ``image``. Optional columns are ``shown`` (the right answer, or the signal shown),
    ``response_id`` and ``observer``; all other columns become ``extra``.

    An **archive of arrays** (.npz) has the arrays ``stimuli``, with one image per entry, and
    ``label``; the other names are as in a table.

    Parameters
    ----------
    path : path
        The table, or the archive.
    images : path, optional
        The folder of the pictures (default: the table's folder), or an array file.
    columns : dict, optional
        Names in the file, such as ``{"label": "response", "stimuli": "noise"}``.

    Raises
    ------
    FileError
        If a file is missing, broken, of an unknown type or lacks a column; if picture sizes differ.
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
    saved = reading(path, "save it again", " as arrays", BadZipFile)
    with saved, np.load(path, allow_pickle=False) as archive:
        arrays = dict(archive)
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
