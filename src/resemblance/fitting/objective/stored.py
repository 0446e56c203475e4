"""Fit judgments on disk: each part of the objective reads its rows anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.fitting.objective.card import CardRows
from resemblance.fitting.objective.cluster import DaskObjective, score_of
from resemblance.fitting.objective.objective import (
    Batch,
    Objective,
    ObjectiveElsewhere,
    Part,
    Summand,
    batches,
    n_parts,
)
from resemblance.forms import Form
from resemblance.judgments import AnyJudgments, Elsewhere, Judgments, StoredJudgments

ROWS = 1 << 16  # rows that are read at a time
POOL_ROWS = 1 << 20  # rows in the pool of minibatches
SAMPLE_ROWS = 1_000_000  # rows of the first sample, for few items
ROWS_PER_ITEM = 100  # rows per item of the first sample, for many items
MOST_ROWS = 10_000_000  # most rows of the first sample
FEW_ITERATIONS = 10
ENOUGH_PER_ITEM = 50  # a converged fit to fewer rows per item would fit their noise

Block = TypeVar("Block")


def sample_of(rows: Elsewhere, random_state: Any) -> Judgments:
    n = max(SAMPLE_ROWS, min(ROWS_PER_ITEM * rows.n_items, MOST_ROWS))
    return rows.sample(n, random_state)


def rough_iterations(sample: AnyJudgments) -> int | None:
    """Return the number of iterations over a sample; None runs until convergence."""
    return None if len(sample) >= ENOUGH_PER_ITEM * sample.n_items else FEW_ITERATIONS


class StoredPart:
    """Loss and gradient of some rows on disk; a thread reads the next block meanwhile."""

    def __init__(self, rows: StoredJudgments, choice: ChoiceModel, form: Form) -> None:
        self.rows, self.choice, self.form = rows, choice, form

    def __call__(self, state: Floats) -> tuple[float, Floats]:
        gradient, loss = np.zeros_like(state), 0.0
        for rows in ahead(self.rows.blocks(ROWS)):
            loss += Part(batches(rows), self.choice, self.form).add(state, gradient)
        return loss, gradient


class StoredObjective(ObjectiveElsewhere):
    def __init__(self, sample: Objective, rows: StoredJudgments) -> None:
        super().__init__(sample, rows)
        self.rows = rows
        if sample.on_card is not None:
            self.on_card = CardRows.stored(sample.on_card.card, rows)

    def __call__(self, params: Floats) -> tuple[float, Floats]:
        """Return the value and the gradient at the parameters; refuse changed files."""
        self.rows.check()
        return super().__call__(params)

    def pools(self, size: int, rng: np.random.Generator) -> Iterator[list[Batch]]:
        """Yield all rows once, read from several places of the files at a time."""
        self.rows.check()
        yield from map(batches, ahead(self.rows.shuffled(max(size, POOL_ROWS), rng)))

    def _cut(self, state_size: int) -> Sequence[Summand]:
        if self.on_card is not None:
            return super()._cut(state_size)
        n = n_parts(self.n_pairs, state_size)
        return [StoredPart(part, self.choice, self.form) for part in self.rows.parts(n)]


def ahead(blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield blocks, each read by a thread during the work on the one before.

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    with ThreadPoolExecutor(1, "read") as reader:
        coming = reader.submit(next, blocks, None)
        while (block := coming.result()) is not None:
            coming = reader.submit(next, blocks, None)
            yield block


def over_all(sample: Objective, rows: Elsewhere) -> StoredObjective | DaskObjective:
    if isinstance(rows, StoredJudgments):
        return StoredObjective(sample, rows)
    return DaskObjective(sample, rows)


def score_where_they_lie(rows: Elsewhere, model: Any, name: str) -> float:
    if isinstance(rows, StoredJudgments):
        return mean_of_blocks(rows, getattr(model, name))
    return score_of(rows, model, name)


def mean_of_blocks(rows: StoredJudgments, mean: Callable[[Judgments], float]) -> float:
    rows.check()
    total = weight = 0.0
    for block in ahead(rows.blocks()):
        share = float(block.weights.sum())
        total, weight = total + share * mean(block), weight + share
    return total / weight
