"""Confusions: counts of pairs of items mistaken for each other."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlog1py, xlogy

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, RepeatedPairsWarning, SettingError, count
from resemblance.judgments.base import ONE_PAIR, Comparison, Scoring, Space
from resemblance.judgments.checks import RowError, refuse, whole_numbers
from resemblance.judgments.file_io import Filed, FileItems, known_items
from resemblance.judgments.items import ItemsLike, named_by_square
from resemblance.judgments.labels import Path_, texts_of
from resemblance.judgments.pairs import JudgedPairs
from resemblance.judgments.rows import NOTES
from resemblance.judgments.tables import Table, read_table

Counts = NDArray[np.int64]
STRATEGY = "strategy"  # name of the column with the strategy that chose each trial


class Confusions(Filed, JudgedPairs):
    """Pairs of items (i, j), each with its number of trials, n_ij, and of wrong answers, a_ij.

    In a trial of a two-alternative forced choice (2AFC), one item is shown, then this item beside
    another one, and the observer says which was shown first; chance is one half. Counts do not
    record which item was shown first, so (a, b) and (b, a) are one pair, with the smaller position
    first in the index.

    Rows with the same pair, response, observer and strategy are summed into one row, with a warning
    that gives their number. :meth:`pool` also sums rows of different observers.

    Parameters
    ----------
    pairs : array of shape (m, 2)
        Item positions of two different items per row, in either order.
    errors : array of int of shape (m,)
        The number of trials with a wrong answer, 0 to ``trials``.
    trials : array of int of shape (m,), or int
        The number of trials of each pair, 1 or more; an int applies to every pair. A row's number
        of trials is also its weight.
    items, response_id, observer, extra
        As in :class:`Triplets`.

    Raises
    ------
    JudgmentError
        If a count is negative, fractional or missing; if there are more errors than trials, or no
        trials; if a pair is one item with itself; if rows must be summed but have extra columns;
        and as in :class:`Triplets`. The message names the first such row.

    Warns
    -----
    RepeatedPairsWarning
        If rows were summed.

    References
    ----------
    The Yada paper, section 3.1, equations 8 to 10, defines the 2AFC experiment and its counts.

    Examples
    --------
    >>> confusions = Confusions([[0, 1], [2, 0], [1, 2]], errors=[20, 3, 9], trials=50)
    >>> confusions.index[1], confusions.ratio
    (array([0, 2], dtype=int32), array([0.4 , 0.06, 0.18]))
    """

    layout = ONE_PAIR
    scoring = Scoring("log_likelihood")
    measures = ("errors", "trials")
    optional = NOTES[1:]
    per_row = ("index", *optional, *measures)

    errors: NDArray[np.int64]
    trials: NDArray[np.int64]

    def __init__(
        self,
        pairs: ArrayLike,
        errors: ArrayLike,
        trials: ArrayLike | int,
        items: ItemsLike = None,
        response_id: ArrayLike | None = None,
        observer: ArrayLike | None = None,
        extra: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        self._fill(pairs, items, None, response_id, observer, extra)
        each = np.full(len(self), trials) if np.ndim(trials) == 0 else trials
        counts = {"errors": self._counts(errors, "errors"), "trials": self._counts(each, "trials")}
        self._set(index=np.sort(self.index, axis=1), **counts)._check_counts()
        self._sum_repeats()

    @classmethod
    def from_matrix(
        cls,
        errors: ArrayLike,
        trials: ArrayLike | None = None,
        items: ItemsLike = None,
        *,
        mirrored: bool | None = None,
    ) -> Self:
        r"""Make confusions from a matrix of identifications, or of 2AFC errors and their trials.

        .. math:: a_{ij} = N_{ij} + N_{ji}, \quad n_{ij} = N_{ii} + N_{ij} + N_{ji} + N_{jj}

        for identifications, where N_ij counts how often item i was shown and j was the answer. In
        n_ij trials i or j was shown and the answer was i or j; in a_ij of these trials the answer
        was the item not shown. By the constant-ratio rule, a_ij / n_ij is the error rate if only
        these two items had been offered, as in 2AFC. Unlike in 2AFC, every N_ii contributes to n -
        1 pairs. The counts of pairs are therefore not independent, and a likelihood counts each
        right answer n - 1 times. The result has one row for each pair that has trials, sorted.

        Parameters
        ----------
        errors : array of int of shape (n, n)
            Without ``trials``, the confusion matrix of an identification experiment: rows are the
            items shown, columns the answers. With ``trials``, errors of 2AFC: entry (i, j) counts
            errors in trials that showed i and offered j as the other alternative.
        trials : array of int of shape (n, n), optional
            Numbers of 2AFC trials, in the same layout; the diagonal is 0.
        items : Items, sequence of n names, or int, optional
            The items, in the order of rows and columns.
        mirrored : bool, optional
            With ``trials``: whether the half below the diagonal repeats the half above (True), or
            counts other trials, which are added (False, also if one half is empty). Required only
            if the two halves are equal.

        Raises
        ------
        JudgmentError
            If a matrix is not square, or its size differs from the other matrix or from the number
            of items; if a count is negative, fractional, missing or above its trials; if an item
            has 2AFC trials against itself; if no pair has trials; or if ``mirrored`` contradicts
            the halves.
        SettingError
            If ``mirrored`` is given without trials.

        References
        ----------
        F. R. Clarke (1957), Constant-ratio rule for confusion matrices in speech communication,
        Journal of the Acoustical Society of America 29, 715-720.

        Examples
        --------
        >>> faces = Confusions.from_matrix([[8, 2, 0], [4, 6, 0], [1, 0, 9]], items=["x", "y", "z"])
        >>> faces.index.tolist(), faces.errors, faces.trials
        ([[0, 1], [0, 2], [1, 2]], array([6, 1, 0]), array([20, 18, 15]))
        """
        if trials is None and mirrored is not None:
            raise SettingError(
                "mirrored applies to 2AFC errors: give their trials too, or leave it out"
            )
        if trials is None:
            wrong, asked = identification_counts(errors)
        else:
            wrong, asked = both_halves(errors, trials, mirrored)
        given = {"errors": errors} | ({} if trials is None else {"trials": trials})
        items = named_by_square(items, **given)
        pairs = np.argwhere(np.triu(asked, 1))
        if not len(pairs):
            raise JudgmentError("no two different items have trials: give counts off the diagonal")
        cells = tuple(pairs.T)
        confusions = cls(pairs, wrong[cells], asked[cells], len(wrong) if items is None else items)
        if confusions.n_items != len(wrong):
            raise JudgmentError(
                f"the matrix has {len(wrong)} rows for {confusions.n_items} items: give one per row"
            )
        return confusions

    @property
    def ratio(self) -> NDArray[np.float64]:
        """Errors per trial of each pair, (m,); near one half if nobody can tell the items apart."""
        return self.errors / self.trials

    @property
    def trial_weights(self) -> NDArray[np.float64]:
        return self.trials * self.weights

    @property
    def counts(self) -> NDArray[np.float64]:
        """The numbers of errors and right answers of each pair, times the pair's weight, (m, 2)."""
        split = np.column_stack([self.errors, self.trials - self.errors])
        return split * self.weights[:, None]

    def numbers(self, compared: Comparison) -> NDArray[np.float64]:
        """Return the numbers of errors and of right answers, (m, 2)."""
        return self.counts[compared.rows]

    @property
    def own_ratios(self) -> float:
        r"""The highest mean log-likelihood, if probabilities equal the pairs' shares of errors.

        .. math:: \frac{\sum a \log (a/n) + (n - a) \log (1 - a/n)}{\sum n}

        where a is the number of errors and n the number of trials of a pair.

        >>> round(Confusions([[0, 1]], errors=[1], trials=[2]).own_ratios, 3)
        -0.693
        """
        pairs = np.unique(self.index, axis=0, return_inverse=True)[1].ravel()
        errors, right = (np.bincount(pairs, column) for column in self.counts.T)
        p = errors / (errors + right)
        return float((xlogy(errors, p) + xlog1py(right, -p)).sum() / (errors + right).sum())

    def counts_in_all(self) -> dict[str, Any]:
        """Return the totals of trials and errors."""
        return {"trials": self.trials.sum(), "errors": self.errors.sum()}

    def guesses(self) -> dict[str, NDArray[np.float64]]:
        """Return the log-likelihood if every pair has the overall share of errors."""
        errors, right = self.counts.sum(axis=0)
        p = errors / (errors + right)
        return {self.scoring.name: xlogy(self.ratio, p) + xlog1py(1.0 - self.ratio, -p)}

    def losses(self, space: Space) -> Floats:
        """Return the negative mean log-likelihood of the trials of each pair, in nats, (m,)."""
        p = self.probabilities(space)[:, 0]
        return np.asarray(-(xlogy(self.ratio, p) + xlog1py(1.0 - self.ratio, -p)))

    @property
    def size(self) -> str:
        """The number of pairs and trials, and the share of errors, as text."""
        trials, pairs = self.trials.sum(), len(np.unique(self.index, axis=0))
        share = self.errors.sum() / trials
        return f"{count(pairs, 'pair')}, {trials:,} trials, {share:.0%} of them errors"

    def pool(self) -> Self:
        """Sum the rows of each pair over observers.

        Pairs keep the order of their first rows; responses, observers and extra columns are lost.

        >>> both = Confusions([[0, 1], [1, 0]], [3, 4], [10, 12], observer=["ann", "bob"]).pool()
        >>> both.errors, both.trials
        (array([7]), array([22]))
        """
        return self._with(response_id=None, observer=None, _extra={})._summed()

    def _counts(self, values: ArrayLike, what: str) -> NDArray[np.int64]:
        given = self._one_per_pair(values, what)
        return whole_numbers(given, what, remedy="give counts").astype(np.int64)

    def _pair(self, row: int) -> str:
        return f"{self._name(row, 0)} with {self._name(row, 1)}"

    def _check_counts(self) -> None:
        refuse(
            self.trials == 0,
            lambda r: f"the pair {self._pair(r)} has 0 trials: remove the row",
        )
        refuse(
            self.errors > self.trials,
            lambda r: (
                f"the pair {self._pair(r)} has {self.errors[r]} errors in {self.trials[r]} trials: "
                "correct the one or the other"
            ),
        )

    def _sum_repeats(self) -> None:
        summed = self._summed()
        repeats = len(self) - len(summed)
        if not repeats:
            return
        if others := [name for name in self._extra if name != STRATEGY]:
            raise JudgmentError(
                f"{repeats} rows repeat a pair, and the extra columns {', '.join(others)} "
                "cannot be summed with their counts: leave them out, or tell the rows apart by "
                "response or observer"
            )
        warnings.warn(
            f"{repeats} rows repeat a pair of another row: their counts were summed, which leaves "
            f"{len(summed)} rows. If that is wrong, tell the rows apart by response or observer.",
            RepeatedPairsWarning,
            stacklevel=3,
        )
        self._set(**vars(summed))

    def _summed(self) -> Self:
        chosen_by = [self._extra[STRATEGY].astype(str)] if STRATEGY in self._extra else []
        order, starts = self._runs(*chosen_by)
        place = np.argsort(order[starts])
        sums = {
            name: np.add.reduceat(getattr(self, name)[order], starts)[place]
            for name in self.measures
        }
        return self._take(order[starts][place])._with(**sums)


def read_confusion_matrix(
    path: Path_,
    items: FileItems = None,
    *,
    trials: Path_ | int | None = None,
    mirrored: bool | None = None,
) -> Confusions:
    r"""Read confusions from a square table with the items' names in its first row and column.

    Rows are the items shown, columns the answers, in any order. Without ``trials`` the table counts
    the answers of an identification experiment; with ``trials`` it counts errors of 2AFC.
    ``mirrored``, the result and errors are as in :meth:`Confusions.from_matrix`.

    Parameters
    ----------
    path : path
        A .csv, .parquet, .jsonl, .csv.gz or .jsonl.gz file. In JSON lines and Parquet, the first
        column has the names of the rows.
    items : Items, path of a file of items, or sequence of names, optional
        All items, in the matrix or not; default: the names of the rows, in their order.
    trials : path or int, optional
        A second table with the numbers of 2AFC trials, or one number for every pair.
    mirrored : bool, optional
        With ``trials``: whether one half of the matrices repeats the other.

    Raises
    ------
    FileError
        If a file is missing, empty, broken or of an unknown type.
    JudgmentError
        As :meth:`Confusions.from_matrix`; also if the names of rows and columns differ or repeat.
        The message names the line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "faces.csv"
    ...     _ = path.write_text(",x,y,z\nx,8,2,0\ny,4,6,0\nz,1,0,9\n")
    ...     read_confusion_matrix(path).errors
    array([6, 1, 0])
    """
    table, names, errors = _matrix(Path(path), None)
    asked = None
    if isinstance(trials, int):
        asked = np.full(errors.shape, trials) * (1 - np.eye(len(names), dtype=int))
    elif trials is not None:
        asked = _matrix(Path(trials), names)[2]
    with table.located():
        confusions = Confusions.from_matrix(errors, asked, names, mirrored=mirrored)
        every = known_items(items)
        if every is None:
            return confusions
        places = every.positions(confusions.items.names)
        return Confusions(places[confusions.index], confusions.errors, confusions.trials, every)


def _matrix(path: Path, order: list[str] | None) -> tuple[Table, list[str], NDArray[np.float64]]:
    table = read_table(path)
    first, *columns = table.frame.columns
    names = texts_of(table.frame[first]).tolist()
    with table.located():
        order = names if order is None else order
        for what, labels in (("rows", names), ("columns", columns)):
            if sorted(labels) != sorted(order) or len(set(labels)) < len(labels):
                odd = sorted(set(labels) ^ set(order)) or labels
                raise JudgmentError(
                    f"the {what} are {', '.join(labels)} and the items {', '.join(order)}: each "
                    f"item needs one row and one column of its name (see {odd[0]!r})"
                )
        cells = [table.numbers(name, f"the count in column {name!r}") for name in order]
    rows = [names.index(name) for name in order]
    return table, order, np.column_stack(cells)[rows]


def identification_counts(matrix: ArrayLike) -> tuple[Counts, Counts]:
    counts = _square(matrix, "identifications")
    right = counts.diagonal()
    wrong = counts + counts.T
    return wrong, wrong + right[:, None] + right


def both_halves(
    errors: ArrayLike, trials: ArrayLike, mirrored: bool | None
) -> tuple[Counts, Counts]:
    """Return errors and trials of all pairs, from the upper half or both halves of matrices."""
    wrong, asked = _square(errors, "errors"), _square(trials, "trials")
    if wrong.shape != asked.shape:
        raise JudgmentError(
            f"errors have {len(wrong)} rows and trials {len(asked)}: give matrices of one size"
        )
    _refuse_cells(wrong > asked, "there are more errors than trials: correct one of the two")
    _refuse_cells(
        np.diag(asked.diagonal() > 0),
        "an item has trials with itself, which cannot be confused: set the diagonal to 0",
    )
    differ = (wrong != wrong.T) | (asked != asked.T)
    if mirrored is None and not differ.any():
        raise JudgmentError(
            "both halves of the matrices are equal: say mirrored=True if one repeats the other, "
            "mirrored=False if their trials are to be added"
        )
    if not mirrored:
        return wrong + wrong.T, asked + asked.T
    _refuse_cells(differ, "the other half differs: correct it, or say mirrored=False to add both")
    return wrong, asked


def _square(values: ArrayLike, what: str) -> Counts:
    matrix = np.asarray(values)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise JudgmentError(
            f"{what} must be a square matrix with a row and a column per item, not of shape "
            f"{matrix.shape}"
        )
    columns = [
        whole_numbers(column, f"{what} in column {j}", remedy="give counts")
        for j, column in enumerate(matrix.T)
    ]
    return np.array(columns, dtype=np.int64).T


def _refuse_cells(bad: NDArray[np.bool_], problem: str) -> None:
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise RowError(int(row), f"column {column}: {problem}")
