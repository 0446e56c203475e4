"""Classifications of images into classes."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from resemblance.errors import JudgmentError
from resemblance.geometry.tall import finite_rows
from resemblance.judgments.checks import refuse
from resemblance.judgments.immutable import FrozenRows
from resemblance.judgments.rows import check_notes
from resemblance.notebook import ROWS, Card, Shown
from resemblance.optional import pd


class Classifications(FrozenRows, Shown):
    """Trials in which somebody assigned an image to a class.

    Frozen; cut it like an array, by slices, masks or arrays of rows: the classes stay.

    Parameters
    ----------
    stimuli : array of shape (m, d), (m, height, width) or (m, ...)
        The image of each trial: finite numbers of any type. It is not copied, and may be a memory
        map.
    labels : array of shape (m,)
        The answers: one of two classes or more, by name or number.
    shown : array of shape (m,), optional
        The signals that were really shown, or the right answers.
    response_id, observer, extra
        As in :class:`Triplets`.

    Attributes
    ----------
    stimuli : array (m, d)
        The images, one row each (read-only, not copied).
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
        """Trials and pixels."""
        return self.stimuli.shape

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each answer names the shown class, (m,)."""
        if self.shown is None:
            raise JudgmentError(
                "the shown classes are unknown: give Classifications(..., shown=...)"
            )
        return np.asarray(self.labels == self.shown)

    def questions(self) -> NDArray[np.intp]:
        """Return the number of each trial's image, (m,), equal for equal pixels."""
        images = (np.ascontiguousarray(image) for image in self.stimuli)
        hashes = b"".join(blake2b(image, digest_size=8).digest() for image in images)
        return np.unique(np.frombuffer(hashes, dtype="<u8"), return_inverse=True)[1]

    def to_pandas(self) -> pd.DataFrame:
        """Return a table of the trials, without their images.

        Returns
        -------
        DataFrame
            With the label, then shown, response_id and observer where there are any, then the
            extra columns.
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
    """Return images, one per entry, without a copy; every pixel must be finite.

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
