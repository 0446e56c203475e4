"""The base of every kind of judgment: the layout of its comparisons, and its scoring."""

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
    """The comparison made by the items of a row.

    >>> odd_one_out(3).pairs, odd_one_out(3).options
    (((0, 1), (0, 2), (1, 2)), ((2,), (1,), (0,)))
    """

    pairs: tuple[tuple[int, int], ...]  # P compared pairs, as columns of the row
    # the L most similar pairs of each of K answers; the given answer is first
    options: tuple[tuple[int, ...], ...]
    rated: bool = False  # whether the answer is a rating of a single pair
    arranged: bool = False  # whether the answer is a distance of every pair, up to a scale

    @cached_property
    def members(self) -> NDArray[np.int64]:
        return np.array(self.options, dtype=np.int64)

    @cached_property
    def contrasts(self) -> tuple[tuple[int, int], ...]:
        """The implied comparisons of two: each pair of the answer with each other pair."""
        own = self.options[0]
        others = [pair for pair in range(len(self.pairs)) if pair not in own]
        return tuple((near, far) for near in own for far in others)

    def of_options(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean of values (P, ...) over the pairs of each option, (K, ...)."""
        if self.members.shape[1] == 1:
            return values[self.members[:, 0]]
        return np.asarray(values[self.members].mean(axis=1))


@cache
def one_of(n_options: int) -> Layout:
    """Return the layout of rows (head, chosen, others...), with pairs of head and option."""
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
    """How rows of a kind are scored: the name of their mean loss, and its meaning."""

    name: str = "error"  # an error from 0 to 1, or minus the mean loss in nats
    # whether rows are answers with probabilities, so that errors are shares
    of_answers: bool = False
    has_likelihood: bool = True
    rated: bool = False  # whether answers are steps of a scale with fitted thresholds

    @property
    def is_error(self) -> bool:
        return self.name == "error"

    def value(self, loss: float) -> float:
        """Return the reported form of a mean loss: the error, or the log-likelihood.

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
    """Predictions of a fitted model, from which judgments compute their losses."""

    @property
    def points(self) -> Floats:
        """The positions, (n_items, d)."""

    @property
    def scales(self) -> UseOfScale: ...

    def similarity(self, compared: Comparison) -> Floats:
        """Return the log similarity of the first pair of each row, (m,)."""

    def probabilities(self, judgments: OneKind) -> Floats:
        """Return the probability of every possible answer, the given one first, (m, K)."""

    def disagreement(self, judgments: OneKind) -> Floats:
        """Return 0 if the given answer is nearest, 1 if not, and 1 - 1/t for t ties."""

    def nearest(self, judgments: OneKind) -> NDArray[np.int64]:
        """Return the most probable answer of each row, -1 if several tie."""


MIXING = np.uint64(0x9E3779B97F4A7C15)  # odd, by which hashes are mixed


def mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread numbers over 64 bits, so that the sums of different sets differ."""
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
    """Rows whose items are compared by one layout."""

    rows: slice | NDArray[np.intp]  # rows of the judgments
    index: NDArray[np.int32]  # (m, w), items of each row
    layout: Layout  # the first answer was given

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
        """Return a hash of each possible answer of each row, (K, m), the given one first.

        It does not depend on the order within pairs. Rows without a choice have one hash, of all
        pairs.
        """
        pairs = mixed(np.stack([items[a] + items[b] for a, b in self.pairs]))
        members = self.layout.members
        if not members.size:
            return pairs.sum(axis=0, keepdims=True)
        return np.asarray(mixed(pairs[members].sum(axis=1)))


class OneKind(Rows):
    """Judgments of one kind: all that fits, scores and reports ask, which know no kind by name."""

    scoring: ClassVar[Scoring]
    plural: ClassVar[str | None] = None  # plural in messages, if not the name of the kind

    @abstractmethod
    def comparisons(self) -> list[Comparison]:
        """Return which pairs of items each row compares."""

    @abstractmethod
    def numbers(self, compared: Comparison) -> NDArray[np.float64]:
        """Return what the loss of rows needs besides distances."""

    @property
    def size(self) -> str:
        """How many rows there are, in words."""
        return f"{len(self):,} {self.plural or self.kind().replace('_', ' ')}"

    @property
    def trial_weights(self) -> NDArray[np.float64]:
        """The weight of each row, times its trials if it has several."""
        return self.weights

    @property
    def at_random(self) -> NDArray[np.bool_] | None:
        """Whether each question was random; None if unknown.

        It is read from the extra column "strategy", which the files of studies and the answers
        of sessions have: it names what chose a question, or says "start", "held out" or "random"
        (:attr:`strategies`).

        >>> from resemblance import Triplets
        >>> asked = Triplets([[0, 1, 2], [1, 2, 0]], extra={"strategy": ["start", "predictive"]})
        >>> asked.at_random
        array([ True, False])
        """
        return None if self.strategies is None else np.isin(self.strategies, AT_RANDOM)

    @property
    def strategies(self) -> NDArray[np.str_] | None:
        """The strategy of each question, by the column "strategy", or None.

        A column of that name with other names than theirs says nothing of it, unless a session
        wrote "held out".
        """
        if "strategy" not in self._extra:
            return None
        names = self._extra["strategy"].astype(str)
        recognised = np.isin(names, (*AT_RANDOM, *OTHERS, *STRATEGIES)).all()
        return names if recognised or (names == HELD_OUT).any() else None

    @property
    def own_ratios(self) -> float | None:
        """The log-likelihood of each row's own shares; None for single answers."""
        return None

    def row_hashes(self, named: bool = True) -> NDArray[np.uint64]:
        """Return a hash of each row, (m,), equal for the same question, answer and observer.

        It is made of the names of the items, whatever the order of rows, of options and within
        pairs. ``named=False``, or no observer, leaves the observer out.
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
        """Return the number of the question of each row, (m,), from 0.

        Rows ask the same question that offer the same answers, in any order: triplets with the same
        head and items beside it, quadruplets of the same pairs, ratings of one pair.
        """
        items = mixed(np.arange(self.n_items, dtype=np.uint64))
        return np.unique(self._answers_and_questions(items)[1], return_inverse=True)[1]

    def _answers_and_questions(
        self, items: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return a hash of the given answer of each row, and of its question."""
        answers, questions = np.empty((2, len(self)), dtype=np.uint64)
        for compared in self.comparisons():
            hashes = compared.hashes(items)
            answers[compared.rows], questions[compared.rows] = hashes[0], hashes.sum(axis=0)
        return answers, questions

    def of_mentioned_items(self) -> Self:
        """Return the same rows restricted to the items that they mention."""
        mentioned = np.unique(self.index[self.index >= 0])
        if len(mentioned) == self.n_items:
            return self
        places = np.full(self.n_items + 1, -1, dtype=self.index.dtype)  # the last is that of a gap
        places[mentioned] = np.arange(len(mentioned))
        return self._with(index=places[self.index], items=self.items.taken(mentioned))

    def observers_named(self) -> NDArray[np.object_]:
        """Return the observer of each row, (m,), "" if missing."""
        named = np.full(len(self), "") if self.observer is None else self.observer
        return named.astype(object)

    def _measured(self) -> list[NDArray[np.float64]]:
        measures = (np.asarray(getattr(self, name), float) for name in self.measures)
        columns = (column for values in measures for column in values.reshape(len(self), -1).T)
        return [np.ascontiguousarray(column) for column in columns]

    def counts_in_all(self) -> dict[str, Any]:
        """Return further counts for reports."""
        return {}

    @abstractmethod
    def guesses(self) -> dict[str, NDArray[np.float64]]:
        """Return the scores of each row, (m,), if answers are guessed."""

    @abstractmethod
    def losses(self, space: Space) -> Floats:
        """Return the loss of each row, (m,); the weighted mean is the score of ``scoring``."""

    def log_losses(self, space: Space) -> Floats:
        """Return -log p(answer) of each row, (m,)."""
        return self.losses(space)

    def probabilities(self, space: Space) -> Floats:
        """Return the probability of every possible answer, (m, K); column 0 was given."""
        return space.probabilities(self)

    def predictions(self, space: Space) -> NDArray[Any]:
        """Return the predicted answer of each row."""
        return space.nearest(self)


class Judgments(Filed, OneKind):
    """Rows that say which of some pairs of items was judged most similar.

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
        """Scan judgments of this kind that stay on the disk: Parquet files, or an array.

        Parquet files have the columns of ``read``; those of a folder are read in the order of
        their names. All rows are checked, block after block, and their numbers are written to files
        that take 4 bytes an item and row, so that a fit reads no text. Columns that are not
        weights, responses or observers are left out.

        An array (``.npy``) of whole numbers, (rows, 3) of triplets and (rows, 4) of quadruplets,
        holds positions of items; nothing is copied of it.

        Parameters
        ----------
        path : path
            The folder, a Parquet file, or the array.
        items : Items, path, sequence of names or int, optional
            The items, or the file that :func:`read_items` reads; a number stands for the names "0"
            and so on. Left out, they are those that the rows mention, in natural order, which takes
            one more pass; of an array they are all numbers up to the largest.
        columns : dict, optional
            Names of columns in the files, such as ``{"head": "anchor"}``.
        folder : path, optional
            Where the numbers are written, a folder without any. Default: a temporary folder (in
            ``TMPDIR``), which goes when the judgments do.

        Raises
        ------
        FileError
            If there are no files, one of them is broken or cut off, lacks a column, or has other
            columns than the first; if ``folder`` holds the numbers of another scan.
        JudgmentError
            If a row is no judgment of this kind; the message names the file and the row.

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
        from resemblance.judgments.scanning import scan  # scanned rows keep their kind

        return scan(cls, Path(path), items, columns, folder)

    def guesses(self) -> dict[str, NDArray[np.float64]]:
        """Return the error and the log loss of guessing."""
        options = self.answers_possible()
        return {"error": 1.0 - 1.0 / options, "log_loss": np.log(options)}

    def losses(self, space: Space) -> Floats:
        """Return whether each answer disagrees with a space; ties count their share."""
        return space.disagreement(self)

    def log_losses(self, space: Space) -> Floats:
        with np.errstate(divide="ignore"):  # impossible answers have a log probability of -inf
            return np.asarray(-np.log(self.probabilities(space)[:, 0]))

    def answers_possible(self) -> NDArray[np.intp]:
        """Count the answers that each row may have, (m,)."""
        counts = np.empty(len(self), dtype=np.intp)
        for comparison in self.comparisons():
            counts[comparison.rows] = comparison.n_options
        return counts

    def numbers(self, compared: Comparison) -> NDArray[np.float64]:
        """Return what the loss of rows needs beside distances: their weights; empty for ones."""
        return np.empty(0) if self.weight is None else self.weight[compared.rows]

    def weighted(self, sample_weight: ArrayLike) -> Self:
        """Return the judgments with their weights times others, (m,), each 0 or more.

        >>> from resemblance import Triplets
        >>> Triplets([[0, 1, 2], [1, 2, 0]], weight=[1, 2]).weighted([3, 0.5]).weight
        array([3., 1.])
        """
        again = self._filled(self.index, self.items, weight=sample_weight)
        return self._with(weight=self.weights * again.weights)

    def merge_repeats(self, *, drop_extra: bool = False) -> Self:
        """Merge equal rows into one whose weight is the sum of theirs.

        Rows are equal if their index is, and their response and observer where there are any. The
        merged rows are sorted by those columns. A fit has the same loss, and ``penalty="auto"``
        holds all answers to a question out together in both forms. Extra columns cannot be merged:
        ``drop_extra`` gives them up, otherwise they are refused. :meth:`expand_repeats` undoes it.

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
        """Repeat each row as often as its weight, a whole number, says, and drop the weights.

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
