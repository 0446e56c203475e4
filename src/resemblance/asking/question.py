"""A question, and telling questions apart."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.judgments import Choices, Items, Judgments, Triplets

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Question:
    """Which of the options is the most similar to the head?

    Attributes
    ----------
    number : int
        Its place among the questions of the session, from 0.
    head : int
        The item that the options are compared with.
    options : tuple of int
        Two or more items, in the order in which they are to be shown.
    strategy : str
        Who chose it: a strategy's name, "start" or "held out".
    held_out : bool
        Whether its answer is kept to test fits, and never fitted by the session.

    Examples
    --------
    >>> Question(0, head=4, options=(1, 2), strategy="random").options
    (1, 2)
    """

    number: int
    head: int
    options: tuple[int, ...]
    strategy: str
    held_out: bool = False

    @property
    def key(self) -> tuple[int, ...]:
        """What is asked, whatever the order of the options."""
        return question_key((self.head, *self.options))

    def as_judgment(self) -> Judgments:
        """Give it as a row for an observer: the first option chosen, the others in any order."""
        row = np.array([[self.head, *self.options]], np.int32)
        return Triplets(row) if row.shape[1] == 3 else Choices(row[:, 0], row[:, 1:], row[:, 1])

    def as_dict(self) -> dict[str, Any]:
        """Give its fields as plain numbers and text, for a log."""
        return {
            "number": self.number,
            "head": self.head,
            "options": list(self.options),
            "strategy": self.strategy,
            "held_out": self.held_out,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What was told of a question: the option chosen (None is a skip), and by whom."""

    question: Question
    chosen: int | None
    observer: str = ""


class Pending(dict[int, Question]):
    """The questions that are out, by number."""

    def __init__(self) -> None:
        super().__init__()
        self._keys: dict[int, tuple[int, ...]] = {}
        self._times: Counter[tuple[int, ...]] = Counter()

    def put(self, question: Question) -> None:
        """Let a question be out."""
        self[question.number] = question
        self._keys[question.number] = key = question.key
        self._times[key] += 1

    def take(self, question: Question) -> Question:
        """Let a question be out no longer."""
        key = self._keys.pop(question.number)
        self._times[key] -= 1
        if not self._times[key]:
            del self._times[key]
        return self.pop(question.number)

    def about(self, head: int) -> list[Question]:
        """Give the questions that are out about a head."""
        return [question for question in self.values() if question.head == head]

    def asks(self, key: tuple[int, ...]) -> bool:
        """Say whether a question of this key is out."""
        return self._times[key] > 0


def answered_judgments(answers: Sequence[Answer], items: Items, n_options: int) -> Judgments:
    """Give answers as judgments, in their order; skips are none."""
    kept = [answer for answer in answers if answer.chosen is not None]
    index = np.array([_row(answer) for answer in kept] or [[*range(1 + n_options)]], np.int32)
    rows = slice(None) if kept else slice(0)  # judgments cannot be made of no rows, only cut
    observer = [a.observer for a in kept] if any(a.observer for a in kept) else None
    if n_options == 2:
        return Triplets(index, items, observer=observer)[rows]
    head, options = index[:, 0], index[:, 1:]
    return Choices(head, options, options[:, 0], items, observer=observer)[rows]


def _row(answer: Answer) -> list[Any]:
    """Give head, chosen, others."""
    others = [option for option in answer.question.options if option != answer.chosen]
    return [answer.question.head, answer.chosen, *others]


def question_key(row: Any) -> tuple[int, ...]:
    """Tell questions apart, whatever the order of their options."""
    return (int(row[0]), *sorted(int(option) for option in row[1:]))


def question_keys(index: Ints, n_items: int) -> NDArray[np.int64]:
    """Give one number to each row (head, options...): equal for equal questions, any order.

    Exact while n_items ** columns fits 63 bits; beyond that the number is a hash, and two
    questions are mistaken for each other once in 2 ** 60 or so.
    """
    rows = np.column_stack([index[:, :1], np.sort(index[:, 1:], axis=1)]).astype(np.uint64)
    key = np.zeros(len(rows), dtype=np.uint64)
    base = np.uint64(n_items)
    if float(n_items) ** index.shape[1] >= 2.0**63:
        base = np.uint64(0x9E3779B97F4A7C15)  # an odd multiplier spreads over all 64 bits
    for column in rows.T:
        key = key * base + column
    return key.view(np.int64)
