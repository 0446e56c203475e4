"""Define the base of every kind of judgment: the layout of its comparisons, and its scoring."""

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
    """The pairs that a row compares, and its possible answers.

    >>> odd_one_out(3).pairs, odd_one_out(3).options
    (((0, 1), (0, 2), (1, 2)), ((2,), (1,), (0,)))
    """

    pairs: tuple[tuple[int, int], ...]  # P compared pairs, as columns of the row
    # for each of K answers, its L most similar pairs; the given answer is first
    options: tuple[tuple[int, ...], ...]
    rated: bool = False  # whether the answer rates a single pair
    arranged: bool = False  # whether the answer is one distance for each pair, up to a scale

    @cached_property
    def members(self) -> NDArray[np.int64]:
        return np.array(self.options, dtype=np.int64)

    @cached_property
    def contrasts(self) -> tuple[tuple[int, int], ...]:
        """The implied comparisons of two pairs: each pair of the answer with each other pair."""
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
    """Return the layout of rows (head, chosen, others...), whose pairs are (head, option)."""
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
    name: str = "error"  # an error from 0 to 1, or a mean log-likelihood in nats
    # whether rows are answers with a probability each, so that errors are shares
    of_answers: bool = False
    has_likelihood: bool = True
    rated: bool = False  # whether answers are steps of a rating scale with fitted thresholds

    @property
    def is_error(self) -> bool:
        return self.name == "error"

    def value(self, loss: float) -> float:
        """Turn a mean loss into the reported score: the error, or the log-likelihood.

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
        """Return 0 where the given answer is nearest, 1 where not, 1 - 1/t for t ties, (m,)."""

    def nearest(self, judgments: OneKind) -> NDArray[np.int64]:
        """Return the index of the most probable answer of each row, (m,), or -1 for ties."""


MIXING = np.uint64(0x9E3779B97F4A7C15)  # odd multiplier of the hash function


def mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread integers over 64 bits, so that sums over different sets differ."""
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
    index: NDArray[np.int32]  # (m, w), items of each row
    layout: Layout  # the pairs and answers of these rows; the given answer is the first one

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

        The order within pairs does not matter. Rows without a choice have one hash, of all pairs.
        """
        pairs = mixed(np.stack([items[a] + items[b] for a, b in self.pairs]))
        members = self.layout.members
        if not members.size:
            return pairs.sum(axis=0, keepdims=True)
        return np.asarray(mixed(pairs[members].sum(axis=1)))


class OneKind(Rows):
    """Judgments of one kind: the interface that fits, scores and reports use for every kind."""

    scoring: ClassVar[Scoring]
    plural: ClassVar[str | None] = None  # plural in messages, if not the name of the kind

    @abstractmethod
    def comparisons(self) -> list[Comparison]:
        """Return the pairs of items that each row compares."""

    @abstractmethod
    def numbers(self, compared: Comparison) -> NDArray[np.float64]:
        """Return the values, besides distances, that the loss of each row needs."""

    @property
    def size(self) -> str:
        """The number of rows, in words."""
        return f"{len(self):,} {self.plural or self.kind().replace('_', ' ')}"

    @property
    def trial_weights(self) -> NDArray[np.float64]:
        """The weight of each row, times its number of trials."""
        return self.weights

    @property
    def at_random(self) -> NDArray[np.bool_] | None:
        """Whether each question was random; None if unknown.

        This is read from the extra column "strategy" of studies and sessions: the name of the
        strategy that chose the question, or "start", "held out" or "random" (:attr:`strategies`).

        >>> from resemblance import Triplets
        >>> asked = Triplets([[0, 1, 2], [1, 2, 0]], extra={"strategy": ["start", "predictive"]})
        >>> asked.at_random
        array([ True, False])
        """
        return None if self.strategies is None else np.isin(self.strategies, AT_RANDOM)

    @property
    def strategies(self) -> NDArray[np.str_] | None:
        """The strategy that chose each question, from the extra column "strategy"; None if unknown.

        A column with any other values than names of strategies is ignored, unless it has "held
        out", which only sessions write.
        """
        if "strategy" not in self._extra:
            return None
        names = self._extra["strategy"].astype(str)
        recognised = np.isin(names, (*AT_RANDOM, *OTHERS, *STRATEGIES)).all()
        return names if recognised or (names == HELD_OUT).any() else None

    @property
    def own_ratios(self) -> float | None:
        """The log-likelihood under each row's own shares of answers; None for single answers."""
        return None

    def row_hashes(self, named: bool = True) -> NDArray[np.uint64]:
        """Return a hash of each row, (m,), equal for the same question, answer and observer.

        It depends on the names of the items, not on the order of rows, options or within pairs.
        With ``named=False`` it ignores the observer.
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
        """Return the index of each row's question, (m,), from 0.

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
        """Return the same rows, with only the items that they mention."""
        mentioned = np.unique(self.index[self.index >= 0])
        if len(mentioned) == self.n_items:
            return self
        # the last entry maps a gap (-1) to itself
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
        """Return further totals for reports."""
        return {}

    @abstractmethod
    def guesses(self) -> dict[str, NDArray[np.float64]]:
        """Return the scores that guessing would get on each row, (m,)."""

    @abstractmethod
    def losses(self, space: Space) -> Floats:
        """Return the loss of each row, (m,); the weighted mean gives the score of ``scoring``."""

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
    """Rows that each say which pairs of items were judged most similar.

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
        names. All rows are checked block by block, and item positions are written to files of 4
        bytes per item and row, so that a fit reads no text. Columns other than weight, response_id
        and observer are left out.

        An array (``.npy``) holds integer item positions, (rows, 3) for triplets or (rows, 4) for
        quadruplets. It is not copied.

        Parameters
        ----------
        path : path
            The folder, a Parquet file, or the array.
        items : Items, path, sequence of names or int, optional
            The items, or the file that :func:`read_items` reads; an int n means the names "0" to "n
            - 1". Default: the items that the rows mention, in natural order, which takes one more
            pass; for an array, all positions up to the largest.
        columns : dict, optional
            Names of columns in the files, such as ``{"head": "anchor"}``.
        folder : path, optional
            Where the item positions are written: a new or empty folder. Default: a temporary folder
            (in ``TMPDIR``), which is deleted together with the judgments.

        Raises
        ------
        FileError
            If there are no files; if a file is broken, truncated, lacks a column or has other
            columns than the first; if ``folder`` holds another scan.
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
        """Return 1 for each answer that disagrees with a space, else 0; ties count their share."""
        return space.disagreement(self)

    def log_losses(self, space: Space) -> Floats:
        with np.errstate(divide="ignore"):  # log p of an impossible answer is -inf
            return np.asarray(-np.log(self.probabilities(space)[:, 0]))

    def answers_possible(self) -> NDArray[np.intp]:
        """Count the possible answers of each row, (m,)."""
        counts = np.empty(len(self), dtype=np.intp)
        for comparison in self.comparisons():
            counts[comparison.rows] = comparison.n_options
        return counts

    def numbers(self, compared: Comparison) -> NDArray[np.float64]:
        """Return the weights of the rows; empty if all are 1."""
        return np.empty(0) if self.weight is None else self.weight[compared.rows]

    def weighted(self, sample_weight: ArrayLike) -> Self:
        """Return the judgments with weights multiplied by ``sample_weight``, (m,), each 0 or more.

        >>> from resemblance import Triplets
        >>> Triplets([[0, 1, 2], [1, 2, 0]], weight=[1, 2]).weighted([3, 0.5]).weight
        array([3., 1.])
        """
        again = self._filled(self.index, self.items, weight=sample_weight)
        return self._with(weight=self.weights * again.weights)

    def merge_repeats(self, *, drop_extra: bool = False) -> Self:
        """Merge equal rows into one whose weight is the sum of theirs.

        Rows are equal if they have the same index, response and observer. The merged rows are
        sorted by those columns. A fit has the same loss as before, and ``penalty="auto"`` still
        holds out all answers to a question together. Extra columns cannot be merged: they raise an
        error, unless ``drop_extra`` discards them. :meth:`expand_repeats` is the inverse.

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
