"""A fitted space, as the search page and the API ask it."""

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.asking import Search, place_item
from resemblance.errors import FileError, ResemblanceError
from resemblance.fitting import OrdinalEmbedding
from resemblance.forms import FeatureMap
from resemblance.judgments import Triplets
from resemblance.web.failures import Failure

Floats = NDArray[np.float64]

TILES = 9
MOST_CLICKS = 100


@dataclass
class Space:
    """A fitted model, what has been clicked in it, and who is near whom.

    Attributes
    ----------
    model : OrdinalEmbedding
        The model.
    clicks : Path, optional
        The file of clicks that people agreed to have kept, as JSON lines.
    """

    model: OrdinalEmbedding
    clicks: Path | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.names: tuple[str, ...] = self.model.items_.names
        self.tiles = min(TILES, len(self.names))
        self.page = lru_cache(maxsize=65_536)(self._page)
        self.page(())
        if self.clicks is not None:
            try:
                self.clicks.open("a").close()
            except OSError as error:
                raise FileError(f"{self.clicks} cannot be written ({error})") from None

    def item(self, name: str) -> int:
        """Find an item by name."""
        try:
            return int(self.model.items_.positions([name])[0])
        except ResemblanceError as error:
            raise Failure("unknown_item", str(error)) from None

    def search(self, clicks: Sequence[int]) -> Search:
        """Do again the search in which these tiles, from 0, were clicked."""
        if len(clicks) > MOST_CLICKS:
            raise Failure("invalid_request", f"{len(clicks)} clicks are no search.", "Start over.")
        if any(click >= self.tiles for click in clicks):
            raise Failure("invalid_request", f"A page has {self.tiles} tiles.", "Start over.")
        search = Search(self.model, self.tiles)
        for turn, click in enumerate(clicks):
            page = self.page(tuple(clicks[:turn]))
            search.choose(page[click], page)
        return search

    def _page(self, clicks: tuple[int, ...]) -> tuple[int, ...]:
        """Give the items shown after some clicks."""
        return self.search(clicks).show()

    def keep(self, clicks: Sequence[int], found: str) -> int:
        """Store the clicks of a search as judgments about what was found; give their number.

        A page that showed it is none: there the answer is known beforehand.
        """
        head = self.item(found)
        answers = [answer for answer in self.search(clicks).answers if head not in answer]
        now = round(time.time(), 3)
        rows = [
            {
                "head": found,
                "chosen": self.names[answer[0]],
                "options": [self.names[option] for option in answer],
                "time": now,
            }
            for answer in answers
        ]
        assert self.clicks is not None
        with self._lock, self.clicks.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return len(rows)

    def nearest(self, point: Floats, k: int, besides: int | None = None) -> list[dict[str, Any]]:
        """Give the k items nearest to a point, one left out, with their distances."""
        distance = np.linalg.norm(self.model.embedding_ - point, axis=1)
        order = [int(i) for i in np.argsort(distance, kind="stable") if i != besides][:k]
        return [{"item": self.names[i], "distance": float(distance[i])} for i in order]

    def distance(self, a: str, b: str) -> float:
        """Give the distance between two items."""
        X = self.model.embedding_
        return float(np.linalg.norm(X[self.item(a)] - X[self.item(b)]))

    def probability(self, head: str, a: str, b: str) -> float:
        """Give the probability that a is judged more similar to the head than b is."""
        row = [self.item(name) for name in (head, a, b)]
        if len(set(row)) < 3:
            raise Failure("invalid_request", "head, a and b are not three items.", "Name three.")
        return float(self.model.predict_proba(Triplets([row], self.model.items_))[0, 0])

    def described(self, features: Sequence[float]) -> Floats:
        """Give the position of an item from its features."""
        if not isinstance(getattr(self.model, "form_", None), FeatureMap):
            raise Failure("no_features")
        try:
            return np.asarray(self.model.transform([features])[0], float)
        except ValueError as error:
            raise Failure("invalid_request", str(error), "Give the features of the fit.") from None

    def placed(self, answers: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
        """Give the position of a new item from answers about it, and how sure it is."""
        rows = [[self.item(name) for name in answer] for answer in answers]
        try:
            found = place_item(self.model, rows)
        except ResemblanceError as error:
            raise Failure("invalid_request", str(error), "Correct the answers.") from None
        return found.position, found.covariance
