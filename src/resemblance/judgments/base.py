"""Base class of every kind of judgment: its compared pairs and its scoring."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from hashlib import blake2b
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import Floats
from resemblance.catalog import AT_RANDOM, HELD_OUT, OTHERS, STRATEGIES
from resemblance.errors import JudgmentError
from resemblance.judgments.checks import refuse
from resemblance.judgments.file_io import Filed
from resemblance.judgments.rows import Rows

if TYPE_CHECKING:
    from resemblance.judgments.pairs import Ratings
    from resemblance.judgments.scanning import ScanItems
    from resemblance.judgments.stored import StoredJudgments

Ints = NDArray[np.int32]
Pair = tuple[Ints, Ints]


@dataclass(frozen=True)
class Layout:
    """The pairs of columns that a row compares, and the possible answers to it.

    >>> odd_one_out(3).pairs, odd_one_out(3).options
    (((0, 1), (0, 2), (1, 2)), ((2,), (1,), (0,)))
    """

    pairs: tuple[tuple[int, int], ...]  # the P compared pairs, as positions of items in the row
    # for each possible answer, the pairs that it makes most similar; the given answer is first
    options: tuple[tuple[int, ...], ...]
    rated: bool = False  # whether the answer is a rating of one pair
    arranged: bool = False  # whether the answer is a distance on the screen for each pair

    @cached_property
    def members(self) -> NDArray[np.int64]:
        return np.array(self.options, dtype=np.int64)

    @cached_property
    def contrasts(self) -> tuple[tuple[int, int], ...]:
        """The comparisons (near pair, far pair) that the answer implies."""
        own = self.options[0]
        others = [pair for pair in range(len(self.pairs)) if pair not in own]
        return tuple((near, far) for near in own for far in others)

    def of_options(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Average the values (P, ...) of the pairs of each of K possible answers, (K, ...)."""
        if self.members.shape[1] == 1:
            return values[self.members[:, 0]]
        return np.asarray(values[self.members].mean(axis=1))


@cache
def one_of(n_options: int) -> Layout:
    """Return the layout of choices: rows (head, chosen, others...), pairs (head, option)."""
    pairs = tuple((0, option) for option in range(1, n_options + 1))
    return Layout(pairs, tuple((pair,) for pair in range(n_options)))


@cache
def odd_one_out(n_items: int) -> Layout:
    pairs = tuple(combinations(range(n_items), 2))
    left = tuple(
        tuple(at for at, pair in enumerate(pairs) if odd not in pair) for odd in range(n_items)
    )
    return Layout(pairs, left)


@cache
def arranged(n_items: int) -> Layout:
    return Layout(tuple(combinations(range(n_items), 2)), (), arranged=True)


ONE_PAIR = Layout(((0, 1),), ((0,),))
RATED = Layout(((0, 1),), ((0,),), rated=True)
TWO_PAIRS = Layout(((0, 1), (2, 3)), ((0,), (1,)))


@dataclass(frozen=True)
class Scoring:
    name: str = "error"  # "error" (0 to 1), or "log_likelihood" (mean, in nats)
    # Whether rows are answers to questions. The error is then the share of wrong answers.
    of_answers: bool = False
    has_likelihood: bool = True
    rated: bool = False  # whether answers are ratings, whose thresholds are fitted

    @property
    def is_error(self) -> bool:
        return self.name == "error"

    def value(self, loss: float) -> float:
        """Convert a mean loss to the score in reports: the error, or the log-likelihood.

        >>> Scoring("log_likelihood").value(0.5)
        -0.5
        """
        return loss if self.is_error else -loss

    def score(self, loss: float) -> float:
        return 1.0 - loss if self.is_error else -loss


class UseOfScale(Protocol):
    def probabilities(self, similarity: Floats, ratings: Ratings) -> Floats: ...

    def losses(self, similarity: Floats, ratings: Ratings) -> Floats: ...


class Space(Protocol):
    """A fitted space, whose predictions give the losses of judgments."""

    @property
    def points(self) -> Floats:
        """The positions, (n_items, d)."""

    @property
    def scales(self) -> UseOfScale: ...

    def similarity(self, compared: Comparison) -> Floats:
        """Return the log similarity of the first compared pair of each row, (m,)."""

    def probabilities(self, judgments: OneKind) -> Floats:
        """Return the probability of every possible answer, (m, K); the given answer is column 0."""

    def disagreement(self, judgments: OneKind) -> Floats:
        """Return each row's error, (m,): 0 for the nearest answer, 1 - 1/t if t tie, else 1."""

    def nearest(self, judgments: OneKind) -> NDArray[np.int64]:
        """Return the index of the most probable answer of each row, (m,); -1 for a tie."""


MIXING = np.uint64(0x9E3779B97F4A7C15)  # the hash function multiplies by this odd number


def mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of hashes, so that sums of hashes of different sets differ."""
    spread = (hashes + MIXING) * MIXING
    spread ^= spread >> np.uint64(29)
    spread *= MIXING
    return np.asarray(spread ^ (spread >> np.uint64(32)))


@lru_cache(16)
def hashes_of(texts: tuple[Any, ...]) -> NDArray[np.uint64]:
    digests = (blake2b(str(text).encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


@dataclass(frozen=True)
class Comparison:
    rows: slice | NDArray[np.intp]  # rows of the judgments
    index: NDArray[np.int32]  # items of each row, (m, w)
    layout: Layout  # the pairs and possible answers of these rows

    @classmethod
    def of_heads(cls, rows: NDArray[np.int32]) -> Self:
        return cls(slice(None), rows, one_of(rows.shape[1] - 1))

    @cached_property
    def pairs(self) -> list[Pair]:
        columns = [np.ascontiguousarray(column) for column in self.index.T]
        return [(columns[a], columns[b]) for a, b in self.layout.pairs]

    @property
    def n_options(self) -> int:
        return len(self.layout.options)

    def hashes(self, items: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return a hash of each possible answer of each row, (K, m); the given answer is row 0.

        The hash of a pair ignores the order of its items. Rows without possible answers get one
        hash of all their pairs.
        """
        pairs = mixed(np.stack([items[a] + items[b] for a, b in self.pairs]))
        members = self.layout.members
        if not members.size:
            return pairs.sum(axis=0, keepdims=True)
        return np.asarray(mixed(pairs[members].sum(axis=1)))


class OneKind(Rows):
    """Judgments of one kind: the interface that fits, scores and reports use for all kinds."""

    scoring: ClassVar[Scoring]
    odd_column: ClassVar[int | None] = None  # column of ``index`` with the item that is set apart
    plural: ClassVar[str | None] = None  # plural in messages; default: the name of the kind

    @abstractmethod
    def comparisons(self) -> list[Comparison]:
        """Return the pairs of items that each row compares."""

    @abstractmethod
    def numbers(self, compared: Comparison) -> NDArray[np.float64]:
        """Return the numbers that losses need besides distances, such as weights."""

    @property
    def size(self) -> str:
        """The number of rows and the kind, as text."""
        return f"{len(self):,} {self.plural or self.kind().replace('_', ' ')}"

    @property
    def trial_weights(self) -> NDArray[np.float64]:
        """The weight of each row, times its number of trials."""
        return self.weights

    @property
    def at_random(self) -> NDArray[np.bool_] | None:
        """Whether each question was chosen at random, (m,); None if unknown.

        A question is random if its strategy (:attr:`strategies`, written by studies and sessions)
        is "start", "held out" or "random".

        >>> from resemblance import Triplets
        >>> asked = Triplets([[0, 1, 2], [1, 2, 0]], extra={"strategy": ["start", "predictive"]})
        >>> asked.at_random
        array([ True, False])
        """
        return None if self.strategies is None else np.isin(self.strategies, AT_RANDOM)

    @property
    def strategies(self) -> NDArray[np.str_] | None:
        """The strategy that chose each question (extra column "strategy"), (m,); None if unknown.

        A column with values that are not names of strategies is ignored, unless it also has the
        value "held out", which only sessions write.
        """
        if "strategy" not in self._extra:
            return None
        names = self._extra["strategy"].astype(str)
        recognised = np.isin(names, (*AT_RANDOM, *OTHERS, *STRATEGIES)).all()
        return names if recognised or (names == HELD_OUT).any() else None

    @property
    def own_ratios(self) -> float | None:
        """The highest possible mean log-likelihood: each answer has the probability of its share.

        None if each row is a single answer.
        """
        return None

    def row_hashes(self, named: bool = True) -> NDArray[np.uint64]:
        """Return a hash of each row, (m,), equal for the same question, answer and observer.

        The hash depends on the names of items, not on the order of rows, of options or of the two
        items in a pair. With ``named=False`` the hash ignores the observer.
        """
        answers, questions = self._answers_and_questions(hashes_of(tuple(self.items.names)))
        hashes = mixed(answers) + questions
        for column in self._measured():
            hashes = mixed(hashes) + column.view(np.uint64)
        if named and self.observer is not None:
            people, who = np.unique(self.observers_named().astype(str), return_inverse=True)
            by_whom = mixed(hashes) + hashes_of(tuple(people.tolist()))[who]
            hashes = np.where(people[who] != "", by_whom, hashes)
        return mixed(hashes)

    def questions(self) -> NDArray[np.intp]:
        """Number the distinct questions from 0; return the number of each row's question, (m,).

        Rows with the same possible answers, in any order, have the same question: triplets with the
        same head and the same two other items, quadruplets of the same pairs, ratings of one pair.
        """
        items = mixed(np.arange(self.n_items, dtype=np.uint64))
        return np.unique(self._answers_and_questions(items)[1], return_inverse=True)[1]

    def _answers_and_questions(
        self, items: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        answers, questions = np.empty((2, len(self)), dtype=np.uint64)
        for compared in self.comparisons():
            hashes = compared.hashes(items)
            answers[compared.rows], questions[compared.rows] = hashes[0], hashes.sum(axis=0)
        return answers, questions

    def of_mentioned_items(self) -> Self:
        """Return the same rows, without the items that no row mentions."""
        mentioned = np.unique(self.index[self.index >= 0])
        if len(mentioned) == self.n_items:
            return self
        # A gap (-1) is mapped to itself by the last entry.
        places = np.full(self.n_items + 1, -1, dtype=self.index.dtype)
        places[mentioned] = np.arange(len(mentioned))
        return self._with(index=places[self.index], items=self.items.taken(mentioned))

    def observers_named(self) -> NDArray[np.object_]:
        """Return the observer's name of each row, (m,), or "" if missing."""
        named = np.full(len(self), "") if self.observer is None else self.observer
        return named.astype(object)

    def _measured(self) -> list[NDArray[np.float64]]:
        measures = (np.asarray(getattr(self, name), float) for name in self.measures)
        columns = (column for values in measures for column in values.reshape(len(self), -1).T)
        return [np.ascontiguousarray(column) for column in columns]

    def counts_in_all(self) -> dict[str, Any]:
        """Return the totals that reports show in addition to the number of rows."""
        return {}

    @abstractmethod
    def guesses(self) -> dict[str, NDArray[np.float64]]:
        """Return a dict from score names to the scores (m,) of guessed answers."""

    @abstractmethod
    def losses(self, space: Space) -> Floats:
        """Return the loss of each row, (m,); a score is computed from the weighted mean."""

    def log_losses(self, space: Space) -> Floats:
        """Return -log p(answer) of each row, (m,)."""
        return self.losses(space)

    def probabilities(self, space: Space) -> Floats:
        """Return the probability of every possible answer, (m, K); the given answer is column 0."""
        return space.probabilities(self)

    def predictions(self, space: Space) -> NDArray[Any]:
        """Return the predicted answer of each row."""
        return space.nearest(self)


class Judgments(Filed, OneKind):
    """Rows of items; each row says which pair or pairs were judged most similar.

    Base of :class:`Triplets`, :class:`Quadruplets`, :class:`Choices` and :class:`OddOneOuts`.
    """

    scoring = Scoring(of_answers=True)

    @classmethod
    def scan(
        cls,
        path: str | PathLike[str],
        items: ScanItems = None,
        columns: Mapping[str, str] | None = None,
        *,
        folder: str | PathLike[str] | None = None,
    ) -> StoredJudgments:
        """Open judgments that stay on disk: Parquet files, or an array in a file.

        Parquet files have the columns of ``read``; files of a folder are read in the order of their
        names. All rows are checked in blocks. Item positions are written to files, 4 bytes per item
        and row, so that a fit reads no text. Columns other than weight, response_id and observer
        are left out.

        An array (``.npy``) contains integer item positions, (rows, 3) for triplets or (rows, 4) for
        quadruplets. It is not copied.

        Parameters
        ----------
        path : path
            The folder, a Parquet file, or the array.
        items : Items, path, sequence of names or int, optional
            The items, or the file that :func:`read_items` reads; an int n means the names "0" to
            "n - 1". Default: the items that the rows mention, in natural order, which are found by
            reading the files a second time; for an array, all positions up to the largest.
        columns : dict, optional
            Names of columns in the files, such as ``{"head": "anchor"}``.
        folder : path, optional
            A new or empty folder for the files of item positions. Default: a temporary folder (in
            ``TMPDIR``), which is deleted together with the judgments.

        Raises
        ------
        FileError
            If there are no files; if a file is broken, truncated, lacks a column or has other
            columns than the first; if ``folder`` contains another scan.
        JudgmentError
            If a row is not a judgment of this kind; the message names the file and the row.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from resemblance import Triplets
        >>> with TemporaryDirectory() as folder:
        ...     Triplets([[0, 1, 2], [1, 2, 0]]).write(f"{folder}/part-0.parquet")
        ...     Triplets([[2, 1, 3]], items=4).write(f"{folder}/part-1.parquet")
        ...     Triplets.scan(folder).shape
        (3, 3)
        """
        from resemblance.judgments.scanning import scan

        return scan(cls, Path(path), items, columns, folder)

    def guesses(self) -> dict[str, NDArray[np.float64]]:
        options = self.answers_possible()
        return {"error": 1.0 - 1.0 / options, "log_loss": np.log(options)}

    def losses(self, space: Space) -> Floats:
        """Return the error of each row, (m,): 0, 1, or 1 - 1/t if t answers are tied."""
        return space.disagreement(self)

    def log_losses(self, space: Space) -> Floats:
        with np.errstate(divide="ignore"):  # The log-probability of an impossible answer is -inf.
            return np.asarray(-np.log(self.probabilities(space)[:, 0]))

    def answers_possible(self) -> NDArray[np.intp]:
        """Return the number of possible answers of each row, (m,)."""
        counts = np.empty(len(self), dtype=np.intp)
        for comparison in self.comparisons():
            counts[comparison.rows] = comparison.n_options
        return counts

    def numbers(self, compared: Comparison) -> NDArray[np.float64]:
        """Return the weights as a column, (m, 1), or an empty array if all weights are 1."""
        return np.empty(0) if self.weight is None else self.weight[compared.rows]

    def weighted(self, sample_weight: ArrayLike) -> Self:
        """Multiply the weights of rows by ``sample_weight``, (m,), whose values are 0 or more.

        >>> from resemblance import Triplets
        >>> Triplets([[0, 1, 2], [1, 2, 0]], weight=[1, 2]).weighted([3, 0.5]).weight
        array([3., 1.])
        """
        again = self._filled(self.index, self.items, weight=sample_weight)
        return self._with(weight=self.weights * again.weights)

    def merge_repeats(self, *, drop_extra: bool = False) -> Self:
        """Merge equal rows into one row, and sum their weights.

        Rows are equal if they have the same index, response and observer. The result is sorted by
        these columns. A fit has the same loss as before, and ``penalty="auto"`` still keeps all
        answers to a question in one fold. Extra columns cannot be merged: they raise an error,
        unless ``drop_extra`` discards them. :meth:`expand_repeats` is the inverse.

        >>> from resemblance import Triplets
        >>> Triplets([[0, 1, 2], [1, 2, 0], [0, 1, 2]]).merge_repeats().weight
        array([2., 1.])
        """
        if self._extra and not drop_extra:
            raise JudgmentError(
                f"the extra columns {', '.join(self._extra)} cannot be merged: drop them with "
                "drop_extra=True"
            )
        order, starts = self._runs()
        weight = np.add.reduceat(self.weights[order], starts) if len(self) else self.weights
        return self._with(_extra={})._take(order[starts])._with(weight=weight)

    def expand_repeats(self) -> Self:
        """Repeat each row as many times as its integer weight, and drop the weights.

        >>> from resemblance import Triplets
        >>> len(Triplets([[0, 1, 2], [1, 2, 0]], weight=[2, 1]).expand_repeats())
        3
        """
        weights = self.weights
        refuse(
            weights != np.floor(weights),
            lambda r: (
                f"weight {weights[r]} is not a whole number, so the row cannot be repeated: "
                "round the weights or keep them"
            ),
        )
        rows = np.repeat(np.arange(len(self)), weights.astype(np.intp))
        return self._with(weight=None)._take(rows)
