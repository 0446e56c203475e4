"""What a strategy is told when it is asked for questions."""

from dataclasses import dataclass, field, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from resemblance.asking.question import question_keys
from resemblance.choice import ChoiceModel, Softmax
from resemblance.fitting.noise import Noise
from resemblance.judgments import Comparison

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Knowledge:
    """A fitted space, what was asked in it, and what may be asked.

    Attributes
    ----------
    points : array (n_items, d)
        The fitted positions.
    choice : ChoiceModel
        How distances become answers.
    answered : array (m, 1 + N) of int
        The questions answered so far: head, the chosen option, the others.
    pending : array (k, 1 + N) of int
        The questions out, or planned, whose answers are still to come.
    noise : Noise
        Temperature and lapses, as far as they are known.
    n_options : int
        The number N of options of a question.
    offer : array (M, 1 + N) of int, optional
        The questions that may be asked, a row for each time; None is any question at any time.
    """

    points: Floats
    choice: ChoiceModel = field(default_factory=Softmax)
    answered: Ints = field(default_factory=lambda: np.empty((0, 3), np.int32))
    pending: Ints = field(default_factory=lambda: np.empty((0, 3), np.int32))
    noise: Noise = field(default_factory=Noise)
    n_options: int = 2
    offer: Ints | None = None

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.points)

    def asked(self, rows: Ints) -> Comparison:
        """Return questions as what an engine compares, the first option as the answer."""
        return Comparison.of_heads(rows)

    def keys(self, index: Ints) -> NDArray[np.int64]:
        """Give one number to each question, whatever the order of its options."""
        return question_keys(index, self.n_items)

    def candidates(
        self,
        rng: np.random.Generator,
        limit: int,
        repeats: bool = False,
        head: int | None = None,
    ) -> Ints:
        """Give the questions that may be asked now: all where they are few, else a sample.

        Parameters
        ----------
        rng : Generator
            Draws the sample.
        limit : int
            How many at most.
        repeats : bool
            Whether a question that has been answered may come again. One that is out never does,
            unless the offer holds it more than once.
        head : int, optional
            The head that they are about; a sample about one head may hold a question twice. None
            is any head, and no question twice.

        Returns
        -------
        array (C, 1 + N) of int
        """
        free = self.offer is None
        rows = self._any(rng, limit, head) if free else _about(self._offered(), head)
        past = [self.pending] * (free or not repeats) + [self.answered] * (not repeats)
        taken = [np.empty(0, np.int64), *(self.keys(_about(asked, head)) for asked in past)]
        rows = rows[~np.isin(self.keys(rows), np.concatenate(taken))]
        if len(rows) > limit:
            rows = rows[np.sort(rng.choice(len(rows), limit, replace=False))]
        return rows

    def is_exhaustive(self, limit: int) -> bool:
        """Say whether ``candidates`` of this limit weighs every open question, or a sample."""
        return (self.n_questions if self.offer is None else len(self._offered())) <= limit

    def among(self, items: Ints) -> "Knowledge":
        """Give what is known of some items alone, each called by its place among them."""
        place = np.full(self.n_items, -1, np.int32)
        place[items] = np.arange(len(items))
        asked = [place[rows] for rows in (self.answered, self.pending)]
        answered, pending = (rows[(rows >= 0).all(axis=1)] for rows in asked)
        return replace(self, points=self.points[items], answered=answered, pending=pending)

    @property
    def n_questions(self) -> int:
        """How many different questions there are."""
        return self.n_items * comb(self.n_items - 1, self.n_options)

    def _offered(self) -> Ints:
        """Give each question on offer that was asked less often than it is offered, once."""
        assert self.offer is not None
        offered, first, count = np.unique(
            self.keys(self.offer), return_index=True, return_counts=True
        )
        asked, times = np.unique(
            np.concatenate([self.keys(self.answered), self.keys(self.pending)]), return_counts=True
        )
        used = np.zeros(len(offered), dtype=int)
        at = np.searchsorted(offered, asked)
        known = (at < len(offered)) & (offered[np.minimum(at, len(offered) - 1)] == asked)
        used[at[known]] = times[known]
        return self.offer[first[used < count]]

    def _any(self, rng: np.random.Generator, limit: int, head: int | None) -> Ints:
        """Give all questions where they fit the limit, else as many random ones."""
        n = self.n_items
        heads = np.arange(n) if head is None else np.array([head])
        if len(heads) * comb(n - 1, self.n_options) <= limit and self.n_options == 2:
            b, c = np.triu_indices(n - 1, 1)
            options = np.tile(np.column_stack([b, c]), (len(heads), 1))
            heads = np.repeat(heads, len(b))
            options += options >= heads[:, None]
            return np.column_stack([heads, options]).astype(np.int32)
        if head is not None:
            return random_rows(rng, limit, n, self.n_options, np.full(limit, head, np.int32))
        rows = random_rows(rng, limit, n, self.n_options)
        return rows[np.sort(np.unique(self.keys(rows), return_index=True)[1])]


def _about(rows: Ints, head: int | None) -> Ints:
    """Keep the questions about a head; all where it is None."""
    return rows if head is None else rows[rows[:, 0] == head]


def random_rows(
    rng: np.random.Generator, m: int, n_items: int, n_options: int, head: Ints | None = None
) -> Ints:
    """Draw m questions (head, options), uniform over heads and sets of options."""
    head = rng.integers(n_items, size=m).astype(np.int32) if head is None else head
    rows = np.empty((len(head), 1 + n_options), dtype=np.int32)
    rows[:, 0] = head
    for j in range(1, 1 + n_options):
        # the value among those left, then past each one taken, in ascending order
        value = rng.integers(n_items - j, size=len(head)).astype(np.int32)
        for taken in np.sort(rows[:, :j], axis=1).T:
            value += value >= taken
        rows[:, j] = value
    return rows
