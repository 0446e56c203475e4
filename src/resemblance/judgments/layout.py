"""The pairs of items that each possible answer compares, and how a kind is scored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats

if TYPE_CHECKING:
    from resemblance.judgments.base import Comparison, OneKind
    from resemblance.judgments.pairs import Ratings

Ints = NDArray[np.int32]
Pair = tuple[Ints, Ints]


@dataclass(frozen=True)
class Layout:
    """The comparison made by the items of a row.

    >>> odd_one_out(3).pairs, odd_one_out(3).options
    (((0, 1), (0, 2), (1, 2)), ((2,), (1,), (0,)))
    """

    pairs: tuple[tuple[int, int], ...]  # P compared pairs, as columns of the row
    # the L most similar pairs of each of K answers; the given answer is first
    options: tuple[tuple[int, ...], ...]
    rated: bool = False  # whether the answer is a rating of a single pair
    arranged: bool = False  # whether the answer is a distance of every pair, up to a scale

    @cached_property
    def members(self) -> NDArray[np.int64]:
        return np.array(self.options, dtype=np.int64)

    @cached_property
    def contrasts(self) -> tuple[tuple[int, int], ...]:
        """The implied comparisons of two: each pair of the answer with each other pair."""
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
    """Return the layout of rows (head, chosen, others...), with pairs of head and option."""
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
    """How rows of a kind are scored: the name of their mean loss, and its meaning."""

    name: str = "error"  # an error from 0 to 1, or minus the mean loss in nats
    # whether rows are answers with probabilities, so that errors are shares
    of_answers: bool = False
    has_likelihood: bool = True
    rated: bool = False  # whether answers are steps of a scale with fitted thresholds

    @property
    def is_error(self) -> bool:
        return self.name == "error"

    def value(self, loss: float) -> float:
        """Return the reported form of a mean loss: the error, or the log-likelihood.

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
        """Return 0 if the given answer is nearest, 1 if not, and 1 - 1/t for t ties."""

    def nearest(self, judgments: OneKind) -> NDArray[np.int64]:
        """Return the most probable answer of each row, -1 if several tie."""
