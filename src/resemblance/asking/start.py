"""The questions of the start: random, the same number about every item."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from resemblance.asking.knowledge import random_rows

Ints = NDArray[np.int32]


def start_rows(
    rng: np.random.Generator, n_items: int, n_options: int, rounds: int, offer: Ints | None
) -> Iterator[Ints]:
    """Give round after round of random questions (head, options), a round being all heads."""
    offered = np.empty((0, 3), np.int32) if offer is None else rng.permutation(offer)
    for _ in range(rounds):
        heads = rng.permutation(n_items).astype(np.int32)
        if offer is None:
            yield from random_rows(rng, n_items, n_items, n_options, heads)
        for head in heads if len(offered) else ():
            if not len(offered):
                return
            left = np.flatnonzero(offered[:, 0] == head)
            at = left[0] if len(left) else 0  # nothing is offered about it: any question
            yield offered[at]
            offered = np.delete(offered, at, axis=0)
