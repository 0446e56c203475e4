"""The questions of the start: random, the same number about every item."""

from collections.abc import Iterator

import numpy as np

from resemblance.arrays import Ints
from resemblance.asking.question import QuestionType


def start_rows(
    rng: np.random.Generator, n_items: int, asks: QuestionType, rounds: int, offer: Ints | None
) -> Iterator[Ints]:
    """Yield round after round of random questions, a round being one about each item."""
    offered = np.empty((0, asks.width), np.int32) if offer is None else rng.permutation(offer)
    for _ in range(rounds):
        heads = rng.permutation(n_items).astype(np.int32)
        if offer is None:
            yield from asks.random(rng, n_items, n_items, heads)
        for head in heads if len(offered) else ():
            if not len(offered):
                return
            left = np.flatnonzero((offered[:, : asks.heads or None] == head).any(axis=1))
            at = left[0] if len(left) else 0  # nothing is offered about it: any question
            yield offered[at]
            offered = np.delete(offered, at, axis=0)
