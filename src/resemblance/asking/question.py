"""Question types, questions and answers of a session."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Ints
from resemblance.judgments import (
    Choices,
    Comparison,
    Judgments,
    Layout,
    OddOneOuts,
    Triplets,
)
from resemblance.judgments.base import odd_one_out, one_of
from resemblance.judgments.choices import comparisons_by_size
from resemblance.picks import choices
from resemblance.ranges import check, integers

if TYPE_CHECKING:
    from resemblance.observers import Observer

Row = tuple[int, ...]
Picked = int | tuple[int, ...]  # picked option, or several picked options


@dataclass(frozen=True)
class QuestionType:
    """A type of question. Rows of items are the head, if the type has one, then options."""

    n_options: int
    picks: int = field(default=1, kw_only=True)
    ordered: bool = field(default=True, kw_only=True)  # whether the first pick is the nearest
    heads: ClassVar[int]  # number of head columns: 0 or 1
    least: ClassVar[int]  # minimum number of options

    @property
    def items(self) -> str:
        return f"{'a head and ' if self.heads else ''}{self.n_options} options"

    @property
    def width(self) -> int:
        return self.heads + self.n_options

    @staticmethod
    @abstractmethod
    def laid_out(n_options: int) -> Layout:
        """Return the layout of comparisons for rows whose first option is the answer."""

    @abstractmethod
    def count(self, n_items: int, first: int | None = None) -> int:
        """Count the distinct questions about n items, or only questions starting with ``first``."""

    @abstractmethod
    def all(self, n_items: int, first: int | None = None) -> Ints:
        """List the distinct questions about n items, or only questions starting with ``first``."""

    @abstractmethod
    def judgments(self, index: Ints, items: Any = None, **notes: Any) -> Judgments:
        """Make judgments from rows whose first option was chosen, with ``notes`` as keywords."""

    @property
    def smallest(self) -> Self:
        return type(self)(self.least)

    def parts(self, row: Sequence[int]) -> tuple[int | None, tuple[int, ...]]:
        return (row[0] if self.heads else None), tuple(row[self.heads :])

    def asked(self, rows: Ints) -> Comparison:
        return Comparison(slice(None), rows, self.laid_out(self.n_options))

    def told(self, rows: Ints) -> list[Comparison]:
        """Convert choices, padded with -1, to comparisons, grouped by number of options."""
        if (rows >= 0).all():
            return [self.asked(rows)]
        return comparisons_by_size(rows, self.heads, self.laid_out)

    def choices(self, head: int | None, picked: Picked, options: Sequence[int]) -> Iterator[Row]:
        """Yield a row per picked option: head, picked option, other options, padding of -1."""
        chosen = (picked,) if isinstance(picked, int) else picked
        heads = () if head is None else (head,)
        for choice in choices(chosen, options, self.ordered):
            row = (*heads, *choice)
            yield row + (-1,) * (self.width - len(row))

    def random(
        self, rng: np.random.Generator, m: int, n_items: int, first: Ints | None = None
    ) -> Ints:
        """Draw m questions uniformly, or with given items ``first`` (m,) in the first column."""
        return random_rows(rng, m, n_items, self.width - 1, first)

    def key(self, row: Any) -> tuple[int, ...]:
        """Return a key of a row that does not depend on the order of options."""
        items = [int(item) for item in row]
        return (*items[: self.heads], *sorted(items[self.heads :]))

    def keys(self, index: Ints, n_items: int) -> NDArray[np.int64]:
        """Return integer keys of rows (m,) that do not depend on the order of options.

        If keys would exceed 63 bits, they are hashes. Two hashes collide with probability 2 ** -60.
        """
        heads, options = np.hsplit(index, [self.heads])
        rows = np.column_stack([heads, np.sort(options, axis=1)]).astype(np.uint64)
        key = np.zeros(len(rows), dtype=np.uint64)
        base = np.uint64(n_items)
        if float(n_items) ** index.shape[1] >= 2.0**63:
            base = np.uint64(0x9E3779B97F4A7C15)  # odd multiplier of a 64-bit hash
        for column in rows.T:
            key = key * base + column
        return key.view(np.int64)


@dataclass(frozen=True)
class MostSimilar(QuestionType):
    heads: ClassVar[int] = 1
    least: ClassVar[int] = 2
    laid_out = staticmethod(one_of)  # pairs of the head and each option

    def count(self, n_items: int, first: int | None = None) -> int:
        return (n_items if first is None else 1) * comb(n_items - 1, self.n_options)

    def all(self, n_items: int, first: int | None = None) -> Ints:
        heads = np.arange(n_items, dtype=np.int32) if first is None else np.array([first], np.int32)
        return np.concatenate([_with_others(head, n_items, self.n_options) for head in heads])

    def judgments(self, index: Ints, items: Any = None, **notes: Any) -> Judgments:
        if self.n_options == 2:
            return Triplets(index, items, **notes)
        head, options = index[:, 0], index[:, 1:]
        return Choices(head, options, options[:, 0], items, **notes)


@dataclass(frozen=True)
class OddOneOut(QuestionType):
    heads: ClassVar[int] = 0
    least: ClassVar[int] = 3
    laid_out = staticmethod(odd_one_out)  # pairs of the options that remain without the odd one

    def count(self, n_items: int, first: int | None = None) -> int:
        if first is not None:
            return comb(n_items - 1, self.n_options - 1)
        return comb(n_items, self.n_options)

    def all(self, n_items: int, first: int | None = None) -> Ints:
        if first is not None:
            return _with_others(first, n_items, self.n_options - 1)
        return _sets(n_items, self.n_options)

    def judgments(self, index: Ints, items: Any = None, **notes: Any) -> Judgments:
        return OddOneOuts(index, index[:, 0], items, **notes)


def _with_others(first: int, n_items: int, n_others: int) -> Ints:
    others = _sets(n_items - 1, n_others)
    return np.column_stack([np.full(len(others), first, np.int32), others + (others >= first)])


def _sets(n_items: int, size: int) -> Ints:
    return np.array([*combinations(range(n_items), size)], np.int32).reshape(-1, size)


def question_type(
    n_options: int, odd: bool = False, picks: int = 1, ordered: bool = True
) -> QuestionType:
    check(picks=(picks, integers(1)))
    if odd:
        return OddOneOut(n_options, picks=picks)
    return MostSimilar(n_options, picks=picks, ordered=ordered)


def random_rows(
    rng: np.random.Generator, m: int, n_items: int, n_others: int, first: Ints | None = None
) -> Ints:
    first = rng.integers(n_items, size=m).astype(np.int32) if first is None else first
    rows = np.empty((len(first), 1 + n_others), dtype=np.int32)
    rows[:, 0] = first
    for j in range(1, 1 + n_others):
        # Draw a rank among the items left; each taken item at or below this rank raises the rank by
        # one.
        value = rng.integers(n_items - j, size=len(first)).astype(np.int32)
        for taken in np.sort(rows[:, :j], axis=1).T:
            value += value >= taken
        rows[:, j] = value
    return rows


@dataclass(frozen=True, slots=True)
class Question:
    """A question for the option most similar to the head, or for the odd one out.

    Attributes
    ----------
    number : int
        The index among the questions of the session, from 0.
    head : int or None
        The item that options are compared with. None if the question asks for the odd one out.
    options : tuple of int
        Two or more items, in the order on the screen.
    strategy : str
        The name of the strategy that chose the question, or "start", or "held out".
    held_out : bool
        Whether the answer only tests fits, so the session never fits it.

    Examples
    --------
    >>> Question(0, head=4, options=(1, 2), strategy="random").options
    (1, 2)
    """

    number: int
    head: int | None
    options: tuple[int, ...]
    strategy: str
    held_out: bool = False

    @property
    def type(self) -> QuestionType:
        """The type of the question."""
        return question_type(len(self.options), self.head is None)

    @property
    def row(self) -> tuple[int, ...]:
        """The items as a tuple: the head if there is one, then the options."""
        return self.options if self.head is None else (self.head, *self.options)

    @property
    def about(self) -> tuple[int, ...]:
        """The items in question: (head,), or all options if there is no head."""
        return self.options if self.head is None else (self.head,)

    @property
    def key(self) -> tuple[int, ...]:
        """A tuple that does not depend on the order of the options."""
        return self.type.key(self.row)

    def as_judgment(self) -> Judgments:
        """Return the question as a judgment with the first option as the answer."""
        row = np.array([self.row], np.int32)
        return self.type.judgments(row)._with(index=row)

    def answered_by(self, observer: "Observer", picks: int = 1) -> Picked:
        """Return the item that a simulated person picks, or a tuple of several items in order.

        Each pick is the answer to the question with the options that are not picked yet.

        Raises
        ------
        SettingError
            If ``picks`` is not an integer from 1 to the number of options minus 1.

        Examples
        --------
        >>> import resemblance as rs
        >>> person = rs.SpaceObserver([[0.0], [9.0], [4.0], [1.0]], random_state=0)
        >>> question = Question(0, head=0, options=(2, 3, 1), strategy="random")
        >>> question.answered_by(person), question.answered_by(person, picks=2)
        (3, (3, 2))
        """
        check(picks=(picks, integers(1, len(self.options) - 1)))
        picked: list[int] = []
        for _ in range(picks):
            left = tuple(option for option in self.options if option not in picked)
            asked: Any = replace(self, options=left).as_judgment()
            presented, place = observer._drawn(asked)
            picked.append(int(presented.index[0, presented.options_from + place[0]]))
        return picked[0] if picks == 1 else tuple(picked)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values, for a log."""
        return {
            "number": self.number,
            "head": self.head,
            "options": list(self.options),
            "strategy": self.strategy,
            "held_out": self.held_out,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """A question, its chosen option or options (None if skipped), and the observer."""

    question: Question
    chosen: Picked | None
    observer: str = ""


class Pending(dict[int, Question]):
    def __init__(self) -> None:
        super().__init__()
        self._keys: dict[int, tuple[int, ...]] = {}
        self._times: Counter[tuple[int, ...]] = Counter()

    def put(self, question: Question) -> None:
        self[question.number] = question
        self._keys[question.number] = key = question.key
        self._times[key] += 1

    def take(self, question: Question) -> Question:
        key = self._keys.pop(question.number)
        self._times[key] -= 1
        if not self._times[key]:
            del self._times[key]
        return self.pop(question.number)

    def about(self, item: int) -> list[Question]:
        return [question for question in self.values() if item in question.about]

    def asks(self, key: tuple[int, ...]) -> bool:
        return self._times[key] > 0
