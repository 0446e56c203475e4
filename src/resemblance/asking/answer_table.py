"""The answers of a session as columns, which many fits and questions read."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Ints
from resemblance.asking.question import Answer, QuestionType
from resemblance.catalog import AT_RANDOM
from resemblance.judgments import Items, Judgments

HELD, SKIPPED, BY, WHO = range(4)  # columns after the items


class AnswerTable:
    """The answers in the order told: the option chosen before the others, and what each was.

    An answer costs the same however many there are, and so does one that is cut out.

    Parameters
    ----------
    asks : QuestionType
        What was asked.
    """

    def __init__(self, asks: QuestionType) -> None:
        self.asks = asks
        self._room = np.empty((64, asks.width + 4), np.int32)
        self._used = 0
        self._strategies: dict[str, int] = {}
        self._observers: dict[str, int] = {}

    def __len__(self) -> int:
        return self._used

    def take(self, answer: Answer) -> None:
        """Take an answer, or a skip."""
        if self._used == len(self._room):
            self._room = np.concatenate([self._room, np.empty_like(self._room)])
        asked, chosen = answer.question, answer.chosen
        first = () if chosen is None else (chosen,)
        options = *first, *(option for option in asked.options if option != chosen)
        head = () if asked.head is None else (asked.head,)
        by = self._strategies.setdefault(asked.strategy, len(self._strategies))
        who = self._observers.setdefault(answer.observer, len(self._observers))
        self._room[self._used] = (*head, *options, asked.held_out, chosen is None, by, who)
        self._used += 1

    def counting(
        self, first: int, last: int | None, left_out: Iterable[str], held_out: bool | None
    ) -> NDArray[np.intp]:
        """Number the answers of a range that are no skips, of observers who are not left out.

        Those held out, or not held out; of both with None.
        """
        notes = self._notes(first, last)
        kept = notes[:, SKIPPED] == 0
        if held_out is not None:
            kept &= notes[:, HELD] == held_out
        out = [self._observers[name] for name in left_out if name in self._observers]
        if out:
            kept &= ~np.isin(notes[:, WHO], out)
        return first + np.flatnonzero(kept)

    def at_random(self, numbers: NDArray[np.intp]) -> NDArray[np.intp]:
        """Keep those whose question no strategy chose."""
        codes = [code for name, code in self._strategies.items() if name in AT_RANDOM]
        return numbers[np.isin(self._notes(0, None)[numbers, BY], codes)]

    def rows(self, numbers: NDArray[np.intp]) -> Ints:
        """Return some answers as rows: the head if there is one, the option chosen, the others."""
        return self._room[numbers, : self.asks.width]

    def judgments(self, numbers: NDArray[np.intp], items: Items) -> Judgments:
        """Return some answers as judgments, with who chose each question, and who answered."""
        if not len(numbers):  # judgments cannot be made of no rows, only cut
            return self.asks.judgments(np.array([[*range(self.asks.width)]], np.int32), items)[:0]
        notes = self._notes(0, None)[numbers]
        by, who = np.array([*self._strategies]), np.array([*self._observers])
        observer = who[notes[:, WHO]]
        extra = {"strategy": by[notes[:, BY]]}
        named = observer if (observer != "").any() else None
        return self.asks.judgments(self.rows(numbers), items, observer=named, extra=extra)

    def _notes(self, first: int, last: int | None) -> Ints:
        """Return what each answer of a range was."""
        last = self._used if last is None else min(last, self._used)
        return self._room[first:last, self.asks.width :]
