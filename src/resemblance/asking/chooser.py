"""Choose the next question of a session."""

from collections.abc import Iterator
from itertools import chain, islice

import numpy as np
from sklearn.base import clone

from resemblance.arrays import Floats, Ints
from resemblance.asking.gain import PredictiveGain
from resemblance.asking.out_of_sample import OutOfSampleSession
from resemblance.asking.question import Question, QuestionType
from resemblance.asking.state import State
from resemblance.asking.strategies import Belief, RandomQuestions
from resemblance.catalog import HELD_OUT, INFORMED, NEW, START
from resemblance.errors import UnknownQuestionError

OF_A_SPACE = 5  # number of questions per space drawn from the prior, before the first fit


def start_rows(
    rng: np.random.Generator, n_items: int, asks: QuestionType, rounds: int, offer: Ints | None
) -> Iterator[Ints]:
    """Yield random questions in rounds. A round has one question about each item."""
    offered = np.empty((0, asks.width), np.int32) if offer is None else rng.permutation(offer)
    for _ in range(rounds):
        heads = rng.permutation(n_items).astype(np.int32)
        if offer is None:
            yield from asks.random(rng, n_items, n_items, heads)
        for head in heads if len(offered) else ():
            if not len(offered):
                return
            left = np.flatnonzero((offered[:, : asks.heads or None] == head).any(axis=1))
            # if no question about this item is left, take any question
            at = left[0] if len(left) else 0
            yield offered[at]
            offered = np.delete(offered, at, axis=0)


class Chooser:
    def __init__(self, state: State) -> None:
        self.state = state
        n, rounds = len(state.items), state.start_per_head
        self.n_start = (rounds or 1) * n
        self.first = START if rounds else INFORMED
        random = start_rows(state.rng("start"), n, state.asks, rounds, state.offer)
        self._start = random if rounds else self._informed_rows()
        self._streams: dict[str, Iterator[Ints]] = {}

    def next(self) -> Question:
        state, number = self.state, len(self.state.questions)
        name = self.name(number)
        head, options = state.asks.parts(self.row(name).tolist())
        shuffled = tuple(state.rng("order", number).permutation(options).tolist())
        return Question(number, head, shuffled, name, name == HELD_OUT)

    def name(self, number: int) -> str:
        state = self.state
        asked = len(state.questions) - state.n_withdrawn
        if asked < self.n_start if self.first == START else not state.n_fits:
            return self.first
        if state.n_fits and state.newcomers.next(state.pending, state.left_out) is not None:
            return NEW
        if state.rng("held out", number).random() < state.held_out:
            return HELD_OUT
        if not state.n_fits:
            return "random"
        shares = self.current_shares()
        at = state.rng("strategy", number).choice(len(shares), p=list(shares.values()))
        return list(shares)[at]

    def current_shares(self) -> dict[str, float]:
        keep = 1.0 if self.state.guard is None else self.state.guard.trust
        named = self.state.strategies
        kept = {n: keep if strategy.adaptive else 1.0 for n, strategy in named.items()}
        shares = {n: share * kept[n] for n, share in self.state.shares.items()}
        rest = 1.0 - sum(shares.values())
        if rest > 1e-12:
            shares["random"] = shares.get("random", 0.0) + rest
        return shares

    def row(self, name: str) -> Ints:
        """Return the next question of a strategy; if no question is left, a random question."""
        if name == self.first and (row := next(self._start, None)) is not None:
            return row
        if name == NEW:
            return self._placing_row()
        if anew := name not in self._streams:
            self._streams[name] = self._opened(name)
        for row in self._streams[name]:
            if self._may_be_asked(self.state.asks.key(row)):
                return row
        if name == "random" and anew:
            raise UnknownQuestionError("no question of the offer is left: offer more, or stop.")
        if name == "random":
            del self._streams[name]  # A new generator offers withdrawn questions again.
        return self.row("random")

    def take_back(self, question: Question) -> None:
        if question.strategy == self.first:
            self._start = chain([np.array(question.row, np.int32)], self._start)

    def weigh(self) -> None:
        used = [name for name, share in self.current_shares().items() if share > 0]
        self._streams = {name: self._opened(name) for name in used}

    def start_positions(self, n_items: int, n_answers: int) -> Floats:
        positions = self.state.model_.embedding_[:n_items].copy()
        if self._places_by_answers():
            for item in self.state.newcomers:
                if item < n_items:
                    positions[item] = self._out_of_sample(item, 0, n_answers).place().position
        return positions

    def _may_be_asked(self, key: tuple[int, ...]) -> bool:
        state = self.state
        return not state.pending.asks(key) if state.offer is None else state.on_offer[key] > 0

    def _opened(self, name: str) -> Iterator[Ints]:
        state, placed = self.state, self.state.placed_items
        strategy = state.strategies.get(name, RandomQuestions())
        rows = strategy.questions(self._belief(), state.rng(name, state.n_fits))
        stream = (placed[row] for row in rows)
        return chain([row for row in [next(stream, None)] if row is not None], stream)

    def _informed_rows(self) -> Iterator[Ints]:
        while True:
            rng, placed = (
                self.state.rng(INFORMED, len(self.state.questions)),
                self.state.placed_items,
            )
            rows = PredictiveGain().questions(self.state.imagined(rng).among(placed), rng)
            if not (few := [placed[row] for row in islice(rows, OF_A_SPACE)]):
                return
            yield from few

    def _belief(self) -> Belief:
        state, placed = self.state, self.state.placed_items
        if not state.n_fits:
            return Belief(np.zeros((len(placed), 1)), asks=state.asks, offer=state.offer)
        belief = state.belief()
        return belief if len(placed) == len(state.items) else belief.among(placed)

    def _placing_row(self) -> Ints:
        state, placed = self.state, self.state.placed_items
        item, number = state.newcomers.next(state.pending, state.left_out), len(state.questions)
        assert item is not None
        if self._places_by_answers():
            out = [np.searchsorted(placed, q.options).tolist() for q in state.pending.about(item)]
            places = list(self._out_of_sample(item, number).ask(out))
        else:
            first, rng = np.array([len(placed)], np.int32), state.rng(NEW, number)
            places = state.asks.random(rng, 1, len(placed) + 1, first)[0, 1:].tolist()
        return np.array([item, *placed[places]], np.int32)

    def _places_by_answers(self) -> bool:
        """Return whether answers can place a new item, which needs heads and a likelihood."""
        return self.state.model_.choice_.one_of_many and self.state.asks.heads > 0

    def _out_of_sample(
        self, item: int, number: int = 0, n_answers: int | None = None
    ) -> OutOfSampleSession:
        state, placed = self.state, self.state.placed_items
        place = {item: at for at, item in enumerate(placed.tolist())}
        model = clone(state.model).set_positions(state.model_.embedding_[placed])
        seed, n_options = [state.random_state, number], state.asks.n_options
        session = OutOfSampleSession(model, n_options, noise=state.noise, random_state=seed)
        for at, answer in state.newcomers[item]:
            options, chosen = answer.question.options, answer.chosen
            if chosen is None or answer.observer in state.left_out:
                continue
            if (n_answers is None or at < n_answers) and place.keys() >= set(options):
                for row in state.asks.choices(None, chosen, options):
                    first, *others = (place[option] for option in row if option >= 0)
                    session.tell(first, [first, *others])
        return session
