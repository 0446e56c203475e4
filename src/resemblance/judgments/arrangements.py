"""Arrangements: items placed on a plane so that distance shows dissimilarity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError
from resemblance.judgments.base import Comparison, OneKind, Scoring, Space, arranged
from resemblance.judgments.checks import RowError, first_few, floats_of, whole_numbers
from resemblance.judgments.choices import comparisons_by_size
from resemblance.judgments.file_io import Filed, FileItems, Source, known_items, notes_of, padded
from resemblance.judgments.items import ItemsLike
from resemblance.judgments.labels import Columns, Labels, check_columns, items_of
from resemblance.judgments.rows import NOTES
from resemblance.judgments.tables import Table, read_table
from resemblance.optional import pd

Ints = NDArray[np.int64]
T = TypeVar("T")

NEEDED = ("trial", "item", "x", "y")
# Fewest items of a trial: two items have only one distance, whose scale is arbitrary.
FEWEST = 3
OUTSIDE = 1e-6  # largest distance of an item beyond the circle, relative to its radius


def read_trials(
    source: Source, items: FileItems, columns: Columns, arranged: Callable[..., T]
) -> T:
    check_columns((*NEEDED, *NOTES), columns)
    table = read_table(source)
    column_of = table.find(NEEDED, NOTES, columns)
    given = known_items(items)
    with table.located():
        labels = Labels.of(table.frame[column_of["item"]], "item")
        everything = items_of([labels]) if given is None else given
        positions = labels.positions(everything)
        places = np.column_stack([table.numbers(column_of[axis], axis) for axis in "xy"])
        trial, first = _trials(table, column_of)
        notes = _of_trials(table, column_of, trial, first)
    order = np.argsort(trial, kind="stable")
    index = padded(positions[order], trial[order])
    put = np.full((*index.shape, 2), np.nan)
    put[index >= 0] = places[order]
    with table.located(), _first_lines(first):
        return arranged(index, put, everything, **notes)


@contextmanager
def _first_lines(first: Ints) -> Iterator[None]:
    try:
        yield
    except RowError as error:
        raise RowError(int(first[error.row]), error.problem) from None


def _trials(table: Table, column_of: dict[str, str]) -> tuple[Ints, Ints]:
    # This call raises an error if a trial's name is empty.
    Labels.of(table.frame[column_of["trial"]], "trial")
    keys = [column_of[role] for role in ("observer", "trial") if role in column_of]
    number = table.frame.groupby(keys, sort=False, dropna=False, observed=True).ngroup().to_numpy()
    _, first = np.unique(number, return_index=True)
    return number.astype(np.int64), first.astype(np.int64)


def _of_trials(table: Table, column_of: dict[str, str], trial: Ints, first: Ints) -> dict[str, Any]:
    notes = notes_of(table, column_of)
    extra = notes.pop("extra")
    for name, column in {**notes, **extra}.items():
        cells = pd.Series(column)
        differs = ~((cells == cells.iloc[first[trial]].to_numpy()) | cells.isna()).to_numpy()
        if differs.any():
            row = int(differs.argmax())
            raise RowError(
                row,
                f"{name} is {cells[row]!r}, and {cells[first[trial[row]]]!r} in the first row "
                "of this trial: give all of its rows the same value",
            )
    of_first = lambda column: np.asarray(column)[first]  # noqa: E731
    kept = {name: of_first(column) for name, column in notes.items()}
    return {**kept, "extra": {name: of_first(column) for name, column in extra.items()}}


class Arrangements(Filed, OneKind):
    r"""Trials in which people arranged items on a plane: farther apart means less similar.

    .. math:: \ell_t = \frac{a + \nu}{2} \log\left(1 + \frac{\nu}{a s^2}
       \frac{P}{P - 1} \bigl(1 - \cos^2(\delta, d)\bigr)\right), \qquad \nu = 2 k - 4

    is the loss of a trial of k items, which have P = k (k - 1) / 2 pairs. The distances of the
    pairs are :math:`\delta` on the screen and d in the space. The positions on the screen show the
    space at a scale that is fitted for each trial, plus normal noise. The noise variance differs
    between trials. Its prior is a scaled inverse chi-squared with a = 20 degrees of freedom, whose
    scale is the square of s = .15 times the root mean square of the distances on the screen. A
    trial therefore has a multivariate t likelihood, in which a careless trial counts little. The
    positions of k items have 2 k - 4 degrees of freedom, as they may be moved, turned and scaled.

    Parameters
    ----------
    shown : array of shape (m, k)
        Item positions of the three or more items of each trial, -1 where a trial has fewer than k.
    places : array of shape (m, k, 2)
        The position of each item on the screen, in any unit; ignored at gaps (-1).
    items, weight, response_id, observer, extra
        As in :class:`Triplets`.
    radius : float, optional
        Radius of the circle around (0, 0) that all items must lie in; default: no check.

    Attributes
    ----------
    index : array of int32 of shape (m, k)
        The items of each trial.
    places : array of shape (m, k, 2)
        The positions of these items on the screen; NaN where ``index`` is -1.

    Raises
    ------
    JudgmentError
        If a trial has fewer than three items, or the same item twice; if an item has no position
        (NaN) or is outside the circle; if all items of a trial share one position; and as in
        :class:`Triplets`. The message names the trial and the item.

    See Also
    --------
    rdms.rdm_from_arrangements : The weighted mean of the distances on the screen.

    References
    ----------
    The task: Kriegeskorte, Mur (2012), Inverse MDS: inferring dissimilarity structure from multiple
    item arrangements, Frontiers in Psychology 3, 245. The likelihood is our own.

    Examples
    --------
    >>> trials = Arrangements([[0, 1, 2]], [[[0, 0], [0.3, 0], [0, 0.4]]], ["egg", "ball", "box"])
    >>> trials.distances(0)  # of items 0 and 1, 0 and 2, 1 and 2
    array([0.3, 0.4, 0.5])
    """

    scoring = Scoring(has_likelihood=False)
    columns = ("trial", "item", "x", "y")
    measures = ("places",)
    per_row = (*OneKind.per_row, *measures)
    least_id = -1

    places: NDArray[np.float64]

    def __init__(
        self,
        shown: ArrayLike,
        places: ArrayLike,
        items: ItemsLike = None,
        weight: ArrayLike | None = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
        *,
        radius: float | None = None,
    ) -> None:
        index, put = _gaps_last(shown, places)
        self._fill(index, items, weight, response_id, observer, extra)
        self._set(places=put)
        self._check_places(radius)

    @classmethod
    def read(  # type: ignore[override]  # takes no on_error: rows of a trial belong together
        cls,
        path: Source,
        items: FileItems = None,
        columns: Columns = None,
        *,
        radius: float | None = None,
    ) -> Self:
        """Read arrangements from a table with a row for each item of each trial.

        The columns are ``trial, item, x, y``, optionally ``observer``, ``weight`` and
        ``response_id``, and any further columns. Apart from item, x and y, a column must have one
        value in all rows of a trial. Equal trial numbers of different observers are different
        trials. ``path``, ``items``, ``columns`` and errors of files are as in
        :meth:`Triplets.read`. ``radius`` and errors of trials are as in :class:`Arrangements`; the
        messages name the line where the trial begins.

        >>> table = pd.DataFrame({"trial": 1, "item": ["egg", "ball", "box"],
        ...                       "x": [0, 0.3, 0], "y": [0, 0, 0.4]})
        >>> Arrangements.read(table).distances(0)
        array([0.3, 0.4, 0.5])
        """
        return read_trials(path, items, columns, partial(cls, radius=radius))

    @classmethod
    def _filled(cls, index: ArrayLike, items: ItemsLike = None, **notes: Any) -> Self:
        return cls(index, items=items, **notes)

    def _check_shape(self, shape: tuple[int, ...]) -> None: ...

    def _check_rows(self) -> None:
        ordered = np.sort(self.index, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
        if twice.any():
            row, column = np.argwhere(twice)[0]
            name = self.items.names[ordered[row, column]]
            raise RowError(int(row), f"{name!r} appears twice: name each item of a trial once")
        few = self.n_shown < FEWEST
        if few.any():
            row = int(few.argmax())
            raise RowError(
                row,
                f"a trial of {self.n_shown[row]} items says nothing, because distances on "
                f"the screen have no unit: give {FEWEST} or more, or leave it out",
            )

    def _check_places(self, radius: float | None) -> None:
        there = self.index >= 0
        lost = there & ~np.isfinite(self.places).all(axis=2)
        self._refuse_item(lost, "has no place: give it one, or take it out of the trial")
        if radius is not None:
            outside = np.linalg.norm(self.places, axis=2) > radius * (1.0 + OUTSIDE)
            self._refuse_item(outside, f"lies outside the circle of radius {radius:g}: correct it")
        spread = np.nanmax(self.places, axis=1) - np.nanmin(self.places, axis=1)
        flat = spread.max(axis=1) == 0.0
        if flat.any():
            row = int(flat.argmax())
            names = [self.items.names[i] for i in self.index[row] if i >= 0]
            raise RowError(
                row,
                f"{first_few(names)} all lie in one place, as if not moved: leave the trial out",
            )

    def _refuse_item(self, bad: NDArray[np.bool_], problem: str) -> None:
        if bad.any():
            row, column = map(int, np.argwhere(bad)[0])
            raise RowError(row, f"{self._name(row, column)} {problem}")

    @property
    def n_shown(self) -> NDArray[np.intp]:
        """The number of items of each trial, (m,)."""
        return (self.index >= 0).sum(axis=1)

    @property
    def size(self) -> str:
        fewest, most = self.n_shown.min(), self.n_shown.max()
        of = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        return f"{len(self):,} arrangements of {of} items"

    def to_pandas(self) -> pd.DataFrame:
        """Return a table that :func:`read_arrangements` reads, with a row per item and trial.

        Its columns are trial (from 1), item, x and y, then weight, response_id and observer if
        present, then the extra columns.

        >>> Arrangements([[0, 2, 1]], [[[0, 0], [1, 0], [0, 1]]]).to_pandas()
           trial item    x    y
        0      1    0  0.0  0.0
        1      1    2  1.0  0.0
        2      1    1  0.0  1.0
        """
        row, column = np.nonzero(self.index >= 0)
        names = np.array(self.items.names, dtype=object)
        notes = self._notes(row)
        extra = notes.pop("extra")
        filled = {name: values for name, values in notes.items() if values is not None}
        x, y = self.places[row, column].T
        cells = {"trial": row + 1, "item": names[self.index[row, column]], "x": x, "y": y}
        return pd.DataFrame({**cells, **filled, **extra})

    def distances(self, row: int) -> NDArray[np.float64]:
        """Return the distances of one trial on the screen, with pairs in the order of columns."""
        at = self.places[row, : self.n_shown[row]]
        a, b = np.triu_indices(len(at), 1)
        return np.asarray(np.linalg.norm(at[a] - at[b], axis=1))

    def comparisons(self) -> list[Comparison]:
        """Return all pairs of each trial, grouped by number of items."""
        return comparisons_by_size(self.index, 0, arranged)

    def numbers(self, compared: Comparison) -> NDArray[np.float64]:
        """Return the weight and the screen distances of each row, (m, 1 + number of pairs)."""
        places = self.places[compared.rows]
        apart = [
            np.linalg.norm(places[:, a] - places[:, b], axis=1) for a, b in compared.layout.pairs
        ]
        return np.column_stack([self.weights[compared.rows], *apart])

    def guesses(self) -> dict[str, NDArray[np.float64]]:
        """Return the error of guessing: one half for each trial."""
        return {self.scoring.name: np.full(len(self), 0.5)}

    def losses(self, space: Space) -> Floats:
        """Return the error of each trial, (m,): the share of pairs of distances in the wrong order.

        Two distances on the screen, of the pairs (a, b) and (c, d), should have the same order in
        the space. A tie on the screen or in the space counts as one half.
        """
        out = np.empty(len(self))
        for row, index in enumerate(self.index):
            there, screen = pdist(space.points[index[index >= 0]]), self.distances(row)
            agreed = sum(
                float(np.sign((there[k + 1 :] - there[k]) * (screen[k + 1 :] - screen[k])).sum())
                for k in range(len(there) - 1)
            )
            out[row] = 0.5 - agreed / (len(there) * (len(there) - 1))
        return out

    def log_losses(self, space: Space) -> Floats:
        """Raise an error: log losses need the unknown scale and noise of each trial."""
        return self.probabilities(space)


def _gaps_last(
    items: ArrayLike, places: ArrayLike
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    index = whole_numbers(items, "items", least=-1)
    put = floats_of(places, "places")
    if index.ndim != 2 or put.shape != (*index.shape, 2):
        raise JudgmentError(
            f"items of shape {index.shape} and places of shape {put.shape}: give items of shape "
            "(trials, k) and a place of each, (trials, k, 2)"
        )
    order = np.argsort(index < 0, axis=1, kind="stable")
    index = np.take_along_axis(index, order, axis=1)
    put = np.take_along_axis(put, order[:, :, None], axis=1)
    put[index < 0] = np.nan
    width = int((index >= 0).sum(axis=1).max())
    return index[:, : max(width, 1)], put[:, : max(width, 1)]
