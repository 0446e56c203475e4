"""The state that a strategy receives when it is asked for questions."""

from dataclasses import dataclass, field, replace
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import inv

from resemblance.arrays import Floats, Ints
from resemblance.asking.question import MostSimilar, QuestionType
from resemblance.choice import ChoiceModel, Softmax
from resemblance.fitting.laplace import ItemUncertainty, Noise
from resemblance.judgments import Comparison, Items, Judgments


@dataclass(frozen=True)
class Belief:
    """What a session believes: a fitted space, what was asked in it, and what may be asked.

    Attributes
    ----------
    points : array (n_items, d)
        The fitted positions.
    choice : ChoiceModel
        The choice model.
    answered : array (m, w) of int
        The choices made so far: the head if there is one, the chosen option, the others, and -1
        where they are fewer than a question has.
    pending : array (k, w) of int
        The questions out, or planned, whose answers are still to come.
    noise : Noise
        Temperature and lapses, as far as they are known.
    asks : QuestionType
        The type of the questions.
    offer : array (M, w) of int, optional
        The questions that may be asked, a row for each time; None is any question at any time.
    penalty : float
        Of the fit; 0 is none.
    sure : ItemUncertainty, optional
        With many items: the uncertainty of each, and positions that follow the answers.
    alike : array (n_items, n_items), optional
        The similarity of positions expected from features, before any answer: the covariance of
        a coordinate, 1 for an item on average. None is: not at all.
    items : Items, optional
        All items of the session, for those who know them by name; None: they have no names.
    numbers : array (n_items,) of int, optional
        The numbers of the items among these; None is all, in their order.
    """

    points: Floats
    choice: ChoiceModel = field(default_factory=Softmax)
    answered: Ints = field(default_factory=lambda: np.empty((0, 3), np.int32))
    pending: Ints = field(default_factory=lambda: np.empty((0, 3), np.int32))
    noise: Noise = field(default_factory=Noise)
    asks: QuestionType = field(default_factory=lambda: MostSimilar(2))
    offer: Ints | None = None
    penalty: float = 0.0
    sure: ItemUncertainty | None = None
    alike: Floats | None = None
    items: Items | None = None
    numbers: Ints | None = None

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.points)

    def asked(self, rows: Ints) -> Comparison:
        """Return questions as what an engine compares, the first option as the answer."""
        return self.asks.asked(rows)

    def told(self, rows: Ints) -> list[Comparison]:
        """Return choices as what an engine compares, those of as many options together."""
        return self.asks.told(rows)

    def judgments(self, rows: Ints) -> Judgments:
        """Return questions as judgments of the session's items, the first option as the answer."""
        numbers = np.arange(self.n_items) if self.numbers is None else self.numbers
        named = self.items if self.items is not None else int(numbers.max()) + 1
        return self.asks.judgments(numbers[rows].astype(np.int32), named)

    def keys(self, index: Ints) -> NDArray[np.int64]:
        """Return one number to each question, whatever the order of its options."""
        return self.asks.keys(index, self.n_items)

    def candidates(
        self,
        rng: np.random.Generator,
        limit: int,
        repeats: bool = False,
        head: int | None = None,
    ) -> Ints:
        """Return the questions that may be asked now: all where they are few, else a sample.

        Parameters
        ----------
        rng : Generator
            Draws the sample.
        limit : int
            The largest number of them.
        repeats : bool
            Whether a question that has been answered may come again. One that is out never does,
            unless the offer holds it more than once.
        head : int, optional
            The head that they are about; a sample about one head may hold a question twice. None
            is any head, and no question twice.

        Returns
        -------
        array (C, w) of int
        """
        free = self.offer is None
        rows = self._any(rng, limit, head) if free else self._about(self._offered(), head)
        past = [self._pending_keys] * (free or not repeats) + [self._answered_keys] * (not repeats)
        for taken in past:
            rows = rows[~_among(self.keys(rows), taken)]
        if len(rows) > limit:
            rows = rows[np.sort(rng.choice(len(rows), limit, replace=False))]
        return rows

    def is_exhaustive(self, limit: int) -> bool:
        """Say whether ``candidates`` of this limit weighs every open question, or a sample."""
        return (self.n_questions if self.offer is None else len(self._offered())) <= limit

    def among(self, items: Ints) -> "Belief":
        """Return what is known of some items alone, each called by its place among them."""
        place = np.full(self.n_items + 1, -1, np.int32)  # the last one is for gaps, -1
        place[items] = np.arange(len(items))
        answered, pending = (
            place[rows[((place[rows] >= 0) | (rows < 0)).all(axis=1)]]
            for rows in (self.answered, self.pending)
        )
        sure = None if self.sure is None else self.sure.among(items)
        alike = None if self.alike is None else self.alike[np.ix_(items, items)]
        numbers = items if self.numbers is None else self.numbers[items]
        belief = replace(self, points=self.points[items], alike=alike, sure=sure, numbers=numbers)
        return replace(belief, answered=answered, pending=pending)

    def prior(self) -> Floats | None:
        """Return the precision of a coordinate of all items before any answer; None: as usual."""
        if self.alike is None:
            return None
        return np.asarray(inv(self.alike) / max(float(np.mean(self.points**2)), 1e-12))

    def item_uncertainty(self) -> ItemUncertainty:
        """Return how sure each item is, as the session knows it, or as the answers say."""
        if self.sure is not None:
            return self.sure
        prior = 2.0 * self.penalty or None
        anew = ItemUncertainty(self.points, self.choice, noise=self.noise, prior=prior)
        return reduce(ItemUncertainty.learn, self.told(self.answered), anew)

    @property
    def n_questions(self) -> int:
        """How many different questions there are."""
        return self.asks.count(self.n_items)

    @cached_property
    def _answered_keys(self) -> NDArray[np.int64]:
        return np.sort(self.keys(self.answered[(self.answered >= 0).all(axis=1)]))

    @cached_property
    def _pending_keys(self) -> NDArray[np.int64]:
        return np.sort(self.keys(self.pending))

    def _offered(self) -> Ints:
        """Return each question that was asked less often than it was offered, once."""
        assert self.offer is not None
        offered, first, count = np.unique(
            self.keys(self.offer), return_index=True, return_counts=True
        )
        asked, times = np.unique(
            np.concatenate([self._answered_keys, self._pending_keys]), return_counts=True
        )
        used = np.zeros(len(offered), dtype=int)
        at = np.searchsorted(offered, asked)
        on_offer = (at < len(offered)) & (offered[np.minimum(at, len(offered) - 1)] == asked)
        used[at[on_offer]] = times[on_offer]
        return self.offer[first[used < count]]

    def _any(self, rng: np.random.Generator, limit: int, head: int | None) -> Ints:
        """Return all questions if there are at most ``limit``, else as many random ones."""
        n = self.n_items
        if self.asks.count(n, head) <= limit:
            return self.asks.all(n, head)
        if head is not None:
            return self.asks.random(rng, limit, n, np.full(limit, head, np.int32))
        rows = self.asks.random(rng, limit, n)
        return rows[np.sort(np.unique(self.keys(rows), return_index=True)[1])]

    def _about(self, rows: Ints, head: int | None) -> Ints:
        """Keep the questions with this head, or with this item if they have no head."""
        if head is None:
            return rows
        return rows[(rows[:, : self.asks.heads or None] == head).any(axis=1)]


def _among(keys: NDArray[np.int64], taken: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which keys are among sorted ones, of which there may be many more."""
    if not len(taken):
        return np.zeros(len(keys), bool)
    at = np.minimum(np.searchsorted(taken, keys), len(taken) - 1)
    return np.asarray(taken[at] == keys)
