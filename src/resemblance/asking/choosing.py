"""How a session chooses its next question: who chooses it, and from what is known."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.asking.guard import Guard
from resemblance.asking.knowledge import Knowledge
from resemblance.asking.newcomers import Newcomers, placing_row
from resemblance.asking.question import Pending, Question, QuestionType
from resemblance.asking.settings import HELD_OUT, NEW, START
from resemblance.asking.strategies import RandomQuestions, Strategy
from resemblance.errors import UnknownQuestionError
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.noise import Noise
from resemblance.judgments import Items

Ints = NDArray[np.int32]


class Choosing:
    """The part of a :class:`Session` that chooses."""

    items: Items
    model: OrdinalEmbedding
    model_: OrdinalEmbedding
    strategies: dict[str, Strategy]
    shares: dict[str, float]
    asks: QuestionType
    held_out: float
    random_state: int
    offer: Ints | None
    guard: Guard | None
    questions: list[Question]
    pending: Pending
    left_out: frozenset[str]
    newcomers: Newcomers
    n_fits: int
    _left: Counter[tuple[int, ...]]
    _noise: Noise
    _streams: dict[str, Iterator[Ints]]
    _start: Iterator[Ints]
    _n_start: int
    _withdrawn: int

    def knowledge(self) -> Knowledge:
        """Give what strategies are told now."""
        raise NotImplementedError

    @property
    def is_placing(self) -> bool:
        """Whether the next question is about an item that came later."""
        return self._chooser(len(self.questions)) == NEW

    def current_shares(self) -> dict[str, float]:
        """Give the shares in force: as set, or shifted to random questions by the guard."""
        keep = 1.0 if self.guard is None else self.guard.trust
        kept = {n: keep if strategy.adaptive else 1.0 for n, strategy in self.strategies.items()}
        shares = {n: share * kept[n] for n, share in self.shares.items()}
        rest = 1.0 - sum(shares.values())
        if rest > 1e-12:
            shares["random"] = shares.get("random", 0.0) + rest
        return shares

    def _chooser(self, number: int) -> str:
        """Say who chooses the next question."""
        if len(self.questions) - self._withdrawn < self._n_start:
            return START
        if self.n_fits and self.newcomers.next(self.pending, self.left_out) is not None:
            return NEW
        if self._rng("held out", number).random() < self.held_out:
            return HELD_OUT
        if not self.n_fits:
            return "random"
        shares = self.current_shares()
        at = self._rng("strategy", number).choice(len(shares), p=list(shares.values()))
        return list(shares)[at]

    def _next_row(self, chooser: str) -> Ints:
        """Take the next question of a strategy; a random one where it has none left."""
        if chooser == START and (row := next(self._start, None)) is not None:
            return row
        if chooser == NEW:
            return self._placing_row()
        if anew := chooser not in self._streams:
            self._streams[chooser] = self._opened(chooser)
        for row in self._streams[chooser]:
            key = self.asks.key(row)
            if not self.pending.asks(key) if self.offer is None else self._left[key] > 0:
                return row
        if chooser == "random" and anew:
            raise UnknownQuestionError("nothing is left to ask of the offer: offer more, or stop.")
        if chooser == "random":
            del self._streams[chooser]  # what was withdrawn since it was opened may be asked again
        return self._next_row("random")

    def _placing_row(self) -> Ints:
        """Take the question that tells most about where a new item is."""
        item = self.newcomers.next(self.pending, self.left_out)
        assert item is not None
        return placing_row(self, item, len(self.questions))

    def _opened(self, chooser: str) -> Iterator[Ints]:
        """Give the questions of a strategy, the first of them found already."""
        strategy = self.strategies.get(chooser, RandomQuestions())
        known = self.known_items
        found = strategy.questions(self._known(), self._rng(chooser, self.n_fits))
        stream = (known[row] for row in found)
        return chain([row for row in [next(stream, None)] if row is not None], stream)

    def _known(self) -> Knowledge:
        """Give the knowledge of the items that are placed; at the origin before the first fit."""
        n, known = len(self.items), self.known_items
        if not self.n_fits:
            return Knowledge(np.zeros((len(known), 1)), asks=self.asks, offer=self.offer)
        return self.knowledge() if len(known) == n else self.knowledge().among(known)

    @property
    def known_items(self) -> Ints:
        """The items that other questions are about: all but those that are being placed."""
        numbers = np.arange(len(self.items), dtype=np.int32)
        return numbers[~np.isin(numbers, list(self.newcomers))]

    def _rng(self, *purpose: Any) -> np.random.Generator:
        """Give the generator of one purpose: chance depends on nothing but what it is for."""
        words = [int.from_bytes(str(p).encode(), "little") for p in purpose]
        return np.random.default_rng([self.random_state, *words])
