"""A fitted space, as used by the search page and its API."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.asking import Search, embed_item
from resemblance.errors import ResemblanceError
from resemblance.fitting import OrdinalEmbedding
from resemblance.forms import FeatureMap
from resemblance.judgments import Triplets
from resemblance.study.failures import Failure

Floats = NDArray[np.float64]

TILES = 9
MOST_CLICKS = 20
BLOCK = 1000  # number of items in a block
ROUNDING = 1e-5  # largest relative error of squared distances in single precision
REMEMBERED = 2**28  # largest size of the cached searches in bytes


def _bound(values: NDArray[Any], k: int) -> float:
    """Return an upper bound of the k-th smallest value, without sorting.

    The values are divided into blocks; the bound is the k-th smallest of the blocks' minima.
    """
    whole = len(values) - len(values) % BLOCK
    least = np.append(values[:whole].reshape(-1, BLOCK).min(axis=1), values[whole:])
    least = least if len(least) >= k else values
    return float(np.partition(least, k - 1)[k - 1])


def _unlimited() -> None:
    """Allow any number of pages."""


@dataclass
class Space:
    """A fitted model, with its searches and the nearest items of any point."""

    model: OrdinalEmbedding
    remembered: int = REMEMBERED

    def __post_init__(self) -> None:
        self.names: tuple[str, ...] = self.model.items_.names
        self.tiles = min(TILES, len(self.names))
        self._first = Search(self.model, self.tiles)
        columns = self._first.columns
        self._squares = np.einsum("dn,dn->n", columns, columns)
        self._first.show()
        # searches by first item and clicks, the most recently used last
        self._turns: OrderedDict[tuple[int | None, ...], Search] = OrderedDict()
        self._turns_lock = threading.Lock()

    def item(self, name: str) -> int:
        try:
            return int(self.model.items_.positions([name])[0])
        except ResemblanceError:
            raise Failure("unknown_item", f"There is no item {name!r}.") from None

    def search(
        self,
        clicks: Sequence[int],
        spend: Callable[[], None] = _unlimited,
        like: int | None = None,
    ) -> Search:
        """Return the search after clicks on tiles (numbered from 0); callers must not change it.

        A search may begin at the item with the index ``like``. ``spend`` is called before each page
        that is not in the cache; it raises an error if the rate limit is exceeded.
        """
        if len(clicks) > MOST_CLICKS:
            raise Failure(
                "invalid_request", f"A search has {MOST_CLICKS} clicks at most.", "Start over."
            )
        self._refuse_beyond(max(clicks, default=0))
        turn = self._first
        if like is not None:
            if like >= len(self.names):
                raise Failure("invalid_request", f"There is no item {like}.", "Start over.")
            turn = self._turn((like,), partial(turn.like, like), spend)
        for n, click in enumerate(clicks, 1):
            later = partial(turn.after, turn.shown[click])
            turn = self._turn((like, *clicks[:n]), later, spend)
        return turn

    def _refuse_beyond(self, tile: int) -> None:
        if tile >= self.tiles:
            raise Failure("invalid_request", f"A page has {self.tiles} tiles.", "Start over.")

    def _turn(
        self,
        key: tuple[int | None, ...],
        later: Callable[[], Search],
        spend: Callable[[], None],
    ) -> Search:
        with self._turns_lock:
            if key in self._turns:
                self._turns.move_to_end(key)
                return self._turns[key]
        spend()
        turn = later()
        turn.show()
        most = self.remembered // (self._first.columns.itemsize * len(self.names))
        with self._turns_lock:
            self._turns[key] = turn
            while len(self._turns) > max(most, 1):
                self._turns.popitem(last=False)
        return turn

    def page(
        self,
        clicks: Sequence[int],
        spend: Callable[[], None] = _unlimited,
        like: int | None = None,
    ) -> tuple[int, ...]:
        return self.search(clicks, spend, like).shown

    def judged(
        self,
        clicks: Sequence[int],
        tile: int,
        spend: Callable[[], None] = _unlimited,
        like: int | None = None,
    ) -> tuple[str, list[list[str]]]:
        """Return the found item, and the pages that do not show it, each with the choice first."""
        end = self.search(clicks, spend, like)
        self._refuse_beyond(tile)
        head = end.shown[tile]
        answers = [answer for answer in end.answers if head not in answer]
        return self.names[head], [[self.names[item] for item in answer] for answer in answers]

    def nearest(self, point: Floats, k: int, besides: int | None = None) -> list[dict[str, Any]]:
        """Return the k nearest items of a point, and their distances; ``besides`` is left out."""
        point, columns = np.asarray(point, dtype=float), self._first.columns
        # At a very distant point numbers overflow, and all items are candidates.
        with np.errstate(over="ignore", invalid="ignore"):
            away = point - self._first.centre
            rough = self._squares - 2.0 * (away.astype(columns.dtype) @ columns)
            wanted = min(k + (besides is not None), len(rough))
            margin = ROUNDING * float(self._squares.max() + away @ away)
            near = np.flatnonzero(~(rough > _bound(rough, wanted) + margin))
        distance = np.linalg.norm(self.model.embedding_[near] - point, axis=1)
        order = [i for i in np.argsort(distance, kind="stable") if near[i] != besides][:k]
        return [{"item": self.names[near[i]], "distance": float(distance[i])} for i in order]

    def distance(self, a: str, b: str) -> float:
        X = self.model.embedding_
        return float(np.linalg.norm(X[self.item(a)] - X[self.item(b)]))

    def probability(self, head: str, a: str, b: str) -> float:
        """Return the probability that a is judged more similar to the head than b."""
        row = [self.item(name) for name in (head, a, b)]
        if len(set(row)) < 3:
            raise Failure("invalid_request", "head, a and b are not three items.", "Name three.")
        return float(self.model.predict_proba(Triplets([row], self.model.items_))[0, 0])

    def described(self, features: Sequence[float]) -> Floats:
        """Return the position of an item from its features."""
        if not isinstance(getattr(self.model, "form_", None), FeatureMap):
            raise Failure("no_features")
        try:
            return np.asarray(self.model.transform([features])[0], float)
        except ValueError as error:
            raise Failure("invalid_request", str(error), "Give the features of the fit.") from None

    def placed(self, answers: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
        """Return the position of a new item, and its covariance, from answers about it."""
        rows = [[self.item(name) for name in answer] for answer in answers]
        try:
            placement = embed_item(self.model, rows)
        except ResemblanceError as error:
            raise Failure("invalid_request", str(error), "Correct the answers.") from None
        return placement.position, placement.covariance
