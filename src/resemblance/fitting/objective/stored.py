"""Compute the objective of judgments on disk or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.fitting.objective.card import CardRows
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
from resemblance.judgments import (
    AnyJudgments,
    DistributedJudgments,
    Elsewhere,
    Judgments,
    StoredJudgments,
)

FAN = 8  # number of partial sums that one task adds
SMALL = 1 << 18  # a state of at most this many bytes is sent within each task

Ints = NDArray[np.int32]
Node = tuple[int, int]  # range of partitions: first, and end (exclusive)


@dataclass(frozen=True)
class Laid:
    data: list[Batch]  # item numbers are positions in ``items``, if these are sent
    form: Form

    @classmethod
    def of(cls, rows: Judgments, items: Ints | None, form: Form) -> Laid:
        data = batches(rows)
        return cls(data if items is None else [_among(items, batch) for batch in data], form)


@dataclass(frozen=True)
class Sum:
    """The loss of some rows; its gradient with respect to positions of ``items`` (None: all)."""

    loss: float
    gradient: Floats
    items: Ints | None

    def __add__(self, other: Sum) -> Sum:
        loss, (a, b) = self.loss + other.loss, (self.items, other.items)
        if a is None or b is None or a is b:
            return Sum(loss, self.gradient + other.gradient, a)
        items = np.union1d(a, b)
        gradient = np.zeros((len(items), *self.gradient.shape[1:]))
        gradient[np.searchsorted(items, a)] = self.gradient
        gradient[np.searchsorted(items, b)] += other.gradient
        return Sum(loss, gradient, items)

    def spread(self, state: Floats) -> Floats:
        if self.items is None:
            return np.array(self.gradient)  # arrays from a network may be read-only
        gradient = np.zeros_like(state)
        gradient[self.items] = self.gradient
        return gradient


def added(sum_of: Callable[[Node], Sum | None], first: int, last: int) -> dict[Node, Sum]:
    """Return sums of the partitions from ``first`` to ``last``, added in a binary tree.

    Two halves are added if both have a sum; otherwise the sums of smaller ranges are returned.

    The order of additions is fixed, so that the total is the same, bit for bit, on any workers.

    >>> sums = {(k, k + 1): Sum(k, np.ones(1), None) for k in range(3)}
    >>> sorted(added(sums.get, 0, 4))
    [(0, 2), (2, 3)]
    """
    if (whole := sum_of((first, last))) is not None:
        return {(first, last): whole}
    if last - first <= 1:
        return {}
    middle = (first + last) // 2
    halves = (first, middle), (middle, last)
    sums = added(sum_of, *halves[0]) | added(sum_of, *halves[1])
    if not all(half in sums for half in halves):
        return sums
    return {(first, last): sums[halves[0]] + sums[halves[1]]}


@dataclass(frozen=True)
class Group:
    first: int
    last: int  # end of the range of partitions (exclusive)
    n: int  # number of partitions
    items: Ints | None = None  # items of the rows, if only their positions are sent

    def sums(self, laid: Sequence[Laid], state: Floats, choice: ChoiceModel) -> dict[Node, Sum]:
        def sum_of(node: Node) -> Sum | None:
            at = node[0] - self.first
            if node[1] - node[0] > 1 or not 0 <= at < len(laid):
                return None
            return Sum(*Part(laid[at].data, choice, laid[at].form)(state), self.items)

        return added(sum_of, 0, self.n)


class DaskObjective(ObjectiveElsewhere):
    """The objective of rows on the workers of a cluster.

    Each worker gets the state, or only the positions of its items if these are fewer bytes. Losses
    and gradients are added in a tree that depends only on the number of partitions, so any number
    of workers gives the same sum, bit for bit.
    """

    def __init__(self, sample: Objective, rows: DistributedJudgments) -> None:
        super().__init__(sample, rows)
        self.rows = rows
        # Workers get the positions of items, so they do not need the features of a map.
        form = Form() if sample.form.places else sample.form
        self.groups = self._grouped(form)
        items = rows.cluster.each("among", attrgetter("items"), self.groups)
        of_parts = [items[at] for at, g in enumerate(self.groups) for _ in range(g.first, g.last)]
        laid = rows.each("laid", Laid.of, rows.parts, of_parts, spread=True, form=form)
        self.laid = [laid[group.first : group.last] for group in self.groups]

    def _grouped(self, form: Form) -> list[Group]:
        rows, n = self.rows, len(self.rows.parts)
        n_groups = max(1, min(n, len(rows.cluster.seats)))
        ends = [-(-n * k // n_groups) for k in range(n_groups + 1)]
        groups = [Group(first, last, n) for first, last in pairwise(ends)]
        if not form.places:
            return groups
        own = rows.each("mentioned", mentioned_items, rows.parts)
        parts = [own[group.first : group.last] for group in groups]
        mentioned = rows.cluster.each("mentioned", _all_of, parts)
        counts = rows.gathered(rows.cluster.each("counted", len, mentioned))
        if sum(counts) > n_groups * rows.n_items / 2:
            return groups
        pairs = zip(groups, rows.gathered(mentioned), strict=True)
        return [replace(group, items=items) for group, items in pairs]

    def _summed(self, state: Floats) -> tuple[float, Floats]:
        n, rows = len(self.rows.parts), self.rows
        states = self._sent(state)
        named = [f"{group.first} to {group.last - 1}" for group in self.groups]
        sums = rows.cluster.each(
            "sum", Group.sums, self.groups, self.laid, states, numbers=named, choice=self.choice
        )
        while len(sums) > FAN:
            fans = [sums[first : first + FAN] for first in range(0, len(sums), FAN)]
            sums = rows.cluster.each("added", _merged, fans, n=n)
        total = _merged(rows.gathered(sums), n)[0, n]
        return total.loss, total.spread(state)

    def _sent(self, state: Floats) -> Sequence[Any]:
        if self.groups[0].items is not None:
            return [state[group.items] for group in self.groups]
        if state.nbytes <= SMALL:
            return [state] * len(self.groups)
        return self.rows.cluster.each("state", np.asarray, [state]) * len(self.groups)


def score_of(rows: DistributedJudgments, model: Any, name: str) -> float:
    mute = copy(model)
    mute.callback = None
    (there,) = rows.cluster.each("model", copy, [mute])
    shares = rows.gathered(rows.each("score", _score, rows.parts, model=there, name=name))
    total = weight = 0.0
    for share, mean in shares:
        total, weight = total + share * mean, weight + share
    return total / weight


def mentioned_items(rows: Judgments) -> Ints:
    items = np.unique(rows.index)
    return items[items >= 0]


def _all_of(items: Sequence[Ints]) -> Ints:
    return np.unique(np.concatenate(items))


def _merged(sums: Sequence[dict[Node, Sum]], n: int) -> dict[Node, Sum]:
    merged = {node: total for partial in sums for node, total in partial.items()}
    return added(merged.get, 0, n)


def _among(items: Ints, batch: Batch) -> Batch:
    columns = {id(column): column for pair in batch.pairs for column in pair}
    numbered = {
        name: np.searchsorted(items, column).astype(np.int32) for name, column in columns.items()
    }
    return replace(batch, pairs=[(numbered[id(a)], numbered[id(b)]) for a, b in batch.pairs])


def _score(rows: Judgments, model: Any, name: str) -> tuple[float, float]:
    return float(rows.weights.sum()), float(getattr(model, name)(rows))


ROWS = 1 << 16  # number of rows read at a time
POOL_ROWS = 1 << 20  # number of rows in the pool from which minibatches are sampled
SAMPLE_ROWS = 1_000_000  # minimum number of rows in the first sample
ROWS_PER_ITEM = 100  # minimum number of rows per item in the first sample
MOST_ROWS = 10_000_000  # maximum number of rows in the first sample
FEW_ITERATIONS = 10
ENOUGH_PER_ITEM = 50  # with fewer rows per item, a converged fit would be a fit to noise

Block = TypeVar("Block")


def sample_of(rows: Elsewhere, random_state: Any) -> Judgments:
    n = max(SAMPLE_ROWS, min(ROWS_PER_ITEM * rows.n_items, MOST_ROWS))
    return rows.sample(n, random_state)


def rough_iterations(sample: AnyJudgments) -> int | None:
    return None if len(sample) >= ENOUGH_PER_ITEM * sample.n_items else FEW_ITERATIONS


class StoredPart:
    """Loss and gradient of some rows on disk; a thread reads the next block in the background."""

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
        self.rows.check()
        return super().__call__(params)

    def pools(self, size: int, rng: np.random.Generator) -> Iterator[list[Batch]]:
        self.rows.check()
        yield from map(batches, ahead(self.rows.shuffled(max(size, POOL_ROWS), rng)))

    def _cut(self, state_size: int) -> Sequence[Summand]:
        if self.on_card is not None:
            return super()._cut(state_size)
        n = n_parts(self.n_pairs, state_size)
        return [StoredPart(part, self.choice, self.form) for part in self.rows.parts(n)]


def ahead(blocks: Iterator[Block]) -> Iterator[Block]:
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
