"""Base class of stimulus sets, which draw pictures from features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import Floats
from resemblance.errors import FileError, SettingError
from resemblance.optional import need_packages, pd
from resemblance.ranges import check, integers, one_of

SIZES = (128, 2048)


class StimulusSet(ABC):
    """A set of stimuli of one kind, each drawn from its row of features.

    A subclass defines ``side``, ``ranges`` and default features, and draws a picture from a row.
    Lengths are in pixels of a picture of ``side`` x ``side``; for another size the whole picture is
    scaled.

    Parameters
    ----------
    features : array of shape (n, d), optional
        One row per stimulus, or shape (n,) for a single feature. The subclass has a default.

    Attributes
    ----------
    features : array of shape (n, d)
        Read-only.
    names : tuple of n str
        Unique names that contain the features, and are also the names of saved files.
    side : int
        The default width and height of a picture, in pixels.
    ranges : mapping of str to (float, float)
        Lowest and highest value of each feature, in the order of the columns.

    Raises
    ------
    SettingError
        If a feature is not finite or out of its range, or two rows are the same to six digits.

    Examples
    --------
    >>> from resemblance.stimuli import Screws
    >>> screws = Screws([[60, 0], [60, 45], [80, 45]])
    >>> screws.names[0], screws.pairs.tolist()
    ('diameter=60_angle=0', [[0, 1], [0, 2], [1, 2]])
    >>> screws.draw([70, 30], size=256).shape
    (256, 256)
    """

    side: ClassVar[int]
    ranges: ClassVar[Mapping[str, tuple[float, float]]]

    def __init__(self, features: ArrayLike | None = None) -> None:
        self.features = self._checked(self._default() if features is None else features)
        self.features.flags.writeable = False
        self.names = tuple(map(self._name, self.features))
        first: dict[str, int] = {}
        for row, name in enumerate(self.names):
            if first.setdefault(name, row) != row:
                raise SettingError(
                    f"rows {first[name]} and {row} are the same stimulus ({name}): drop one"
                )

    @classmethod
    def on_grid(
        cls, shape: Sequence[int], bounds: Mapping[str, tuple[float, float]] | None = None
    ) -> Self:
        """Make stimuli on a regular grid of features.

        Parameters
        ----------
        shape : sequence of int
            The number of values of each feature.
        bounds : mapping of str to (float, float), optional
            Lowest and highest values by feature; default: those of the default stimuli.

        Raises
        ------
        SettingError
            If the shape has another number of features, or the bounds of a feature are in the wrong
            order or of another kind of stimuli.

        Examples
        --------
        >>> from resemblance.stimuli import Screws
        >>> Screws.on_grid((2, 3), {"angle": (0, 60)}).features[:3].tolist()
        [[50.0, 0.0], [50.0, 30.0], [50.0, 60.0]]
        """
        features, given = cls().features, dict(bounds or {})
        lowest_and_highest = np.stack([features.min(axis=0), features.max(axis=0)], axis=1)
        ends = dict(zip(cls.ranges, lowest_and_highest, strict=True))
        for name, (low, high) in given.items():
            check(bounds=(name, one_of(*ends)))
            if not low < high:
                raise SettingError(
                    f"bounds of {name} are {low:g} to {high:g}: give the lower end first",
                    setting="bounds",
                )
        if len(shape) != len(ends):
            names = ", ".join(ends)
            raise SettingError(
                f"shape is {tuple(shape)}: give a number of values for {names}", setting="shape"
            )
        for n in shape:
            check(shape=(n, integers(1)))
        axes = [
            np.linspace(low, high, n)
            for (low, high), n in zip((ends | given).values(), shape, strict=True)
        ]
        return cls(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes)))

    @abstractmethod
    def _default(self) -> Floats: ...

    @abstractmethod
    def _light(self, row: Floats, x: Floats, y: Floats, pixel: float) -> Floats:
        """Return the light, 0 to 1, at x to the right of the centre and y above it, in pixels."""

    def __len__(self) -> int:
        return len(self.features)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} stimuli by {', '.join(self.ranges)})"

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of ``features``."""
        return tuple(self.ranges)

    @property
    def pairs(self) -> NDArray[np.intp]:
        """Indices of the stimuli to compare, (m, 2): all pairs i < j."""
        return np.column_stack(np.triu_indices(len(self), 1))

    def draw(self, row: ArrayLike, size: int | None = None) -> Floats:
        """Draw one stimulus with smooth edges.

        Parameters
        ----------
        row : array of shape (d,)
            The features of a stimulus; it may be outside this set.
        size : int, optional
            The width and height in pixels, from 128 to 2048. The default is ``side``.

        Returns
        -------
        array of shape (size, size)
            From 0 (black) to 1 (white), top row first.

        Raises
        ------
        SettingError
            If a feature or the size is out of range.
        """
        size = self.side if size is None else size
        check(size=(size, integers(*SIZES)))
        pixel = self.side / size
        x = np.asarray((np.arange(size) - (size - 1) / 2) * pixel, float)
        return self._light(self._checked(np.reshape(row, (1, -1)))[0], x, -x[:, None], pixel)

    def save(self, folder: str | PathLike[str], size: int | None = None) -> list[Path]:
        """Write every stimulus as a grey PNG picture (8 bits) with the stimulus's name.

        Parameters
        ----------
        folder : path
            The folder, which is created if necessary. Pictures with the same names are replaced.
        size : int, optional
            The width and height in pixels, as in :meth:`draw`.

        Returns
        -------
        list of n Path
            The pictures in the order of the set, as for ``images`` of :class:`resemblance.Items`.

        Raises
        ------
        FileError
            If the folder or a picture cannot be written.
        """
        need_packages("pictures need", "PIL")
        from PIL import Image

        paths = [Path(folder) / f"{name}.png" for name in self.names]
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            for path, row in zip(paths, self.features, strict=True):
                grey = np.rint(255 * self.draw(row, size)).astype(np.uint8)
                Image.fromarray(grey).save(path)
        except OSError as error:
            raise FileError(
                f"the stimuli cannot be written to {folder} ({error}): give another folder"
            ) from error
        return paths

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each stimulus: ``item`` (its name), and its features."""
        table = pd.DataFrame(self.features, columns=list(self.ranges))
        table.insert(0, "item", self.names)
        return table

    def _name(self, row: Floats) -> str:
        return "_".join(f"{name}={value:g}" for name, value in zip(self.ranges, row, strict=True))

    def _checked(self, features: Any) -> Floats:
        values = np.array(features, dtype=np.float64) + 0.0  # Adding 0.0 turns -0.0 into 0.0.
        if values.ndim == 1 and len(self.ranges) == 1:
            values = values[:, None]
        kind, columns = type(self).__name__, ", ".join(self.ranges)
        if values.ndim != 2 or values.shape[1] != len(self.ranges) or not len(values):
            raise SettingError(
                f"the features of {kind} have shape {values.shape}: give one row or more, "
                f"with {len(self.ranges)} columns ({columns})"
            )
        for column, (name, (low, high)) in zip(values.T, self.ranges.items(), strict=True):
            outside = ~((column >= low) & (column <= high))
            if outside.any():
                row = int(outside.argmax())
                raise SettingError(
                    f"row {row}: {name} is {column[row]:g}, but {kind} take {name} from {low:g} "
                    f"to {high:g}: correct it or drop the row"
                )
        return values


def ink(distance: Floats, pixel: float) -> Floats:
    """Return the share of each pixel that a shape covers.

    .. math:: ink = min(1, max(0, 1/2 - distance / pixel))

    ``distance`` is the signed distance from the shape's edge, and ``pixel`` the width of a pixel.
    """
    return np.clip(0.5 - distance / pixel, 0.0, 1.0)
