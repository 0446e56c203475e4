"""Compute the objective of a fit: the losses of all judgments plus a penalty."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from resemblance.choice import ChoiceModel
from resemblance.choice._loops import (
    arrange_all,
    choose_all,
    compare_all,
    confuse_all,
)
from resemblance.errors import SettingError
from resemblance.fitting.objective.threads import Crew
from resemblance.fitting.objective.thresholds import (
    NO_PRIORS,
    Priors,
    likeliest_priors,
    scales_of,
)
from resemblance.forms import READS, FeatureMap, Form, quickest
from resemblance.judgments import AnyJudgments, Layout, each_kind
from resemblance.judgments.base import TWO_PAIRS, Ints, Pair

Floats = NDArray[np.float64]
# A Summand maps a state to a loss and its gradient.
Summand = Callable[[Floats], tuple[float, Floats]]

BLOCK = 8192  # number of rows whose distances and slopes fit into the CPU's cache
PART = 125_000  # minimum number of pairs in a part of the objective
MOST_PARTS = 16
MOST_CONTRASTS = 32  # maximum number of comparisons that replace one answer


@dataclass(frozen=True)
class Batch:
    """Rows with the same number of options, stored as columns.

    The layout lists the pairs of each possible answer, the given answer first. ``weight`` has one
    value per row, or is empty if all weights are 1. For confusions it has the counts of errors and
    of right answers (m, 2); for ratings the weight, step, number of thresholds and person (m, 4);
    for arrangements the weight and the screen distances of P pairs (m, 1 + P).
    """

    pairs: Sequence[Pair]
    weight: Floats
    layout: Layout

    def __len__(self) -> int:
        return len(self.pairs[0][0])

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> "Batch":
        columns = {id(column): column for pair in self.pairs for column in pair}
        cut = {name: np.ascontiguousarray(column[rows]) for name, column in columns.items()}
        weight = np.ascontiguousarray(self.weight[rows]) if self.weight.size else self.weight
        return replace(self, pairs=[(cut[id(a)], cut[id(b)]) for a, b in self.pairs], weight=weight)

    @cached_property
    def read_together(self) -> Sequence[Pair]:
        if len(self) >= len(self.pairs):
            return self.pairs
        first, second = zip(*self.pairs, strict=True)
        return [(np.concatenate(first), np.concatenate(second))]

    @property
    def counts(self) -> Floats:
        """The weights of a pair as near and as far, (2, m).

        They are the counts of errors and right answers, or the steps below and above a rating.
        """
        if not self.layout.rated:
            return self.weight.T
        weight, step, top = self.weight[:, :3].T
        return weight * np.stack([step, top - step])

    def of_one_person(self) -> "Batch":
        if not self.layout.rated:
            return self
        return replace(self, weight=self.weight * [1.0, 1.0, 1.0, 0.0])

    @cached_property
    def triplets(self) -> tuple[Ints, Ints, Ints] | None:
        if len(self.pairs) != 2 or self.pairs[0][0] is not self.pairs[1][0]:
            return None
        return *self.pairs[0], self.pairs[1][1]

    def by_item(self) -> "Batch":
        return self[np.argsort(self.pairs[0][0], kind="stable")]

    def blocks(self, size: int = BLOCK) -> "list[Batch]":
        return [self[first : first + size] for first in range(0, len(self), size)]

    def shares(self, n: int) -> "list[Batch]":
        ends = [len(self) * k // n for k in range(n + 1)]
        return [self[first:last] for first, last in pairwise(ends)]

    def against_answer(self) -> "list[Batch]":
        """Replace each answer by comparisons of two pairs, at most about ``MOST_CONTRASTS``."""
        if self.layout.arranged:
            return self._near_against_far()
        contrasts = self.layout.contrasts
        return [
            Batch([self.pairs[near], self.pairs[far]], self.weight, TWO_PAIRS)
            for near, far in contrasts[:: -(-len(contrasts) // MOST_CONTRASTS) or 1]
        ]

    def _near_against_far(self) -> "list[Batch]":
        order = np.argsort(self.weight[:, 1:], axis=1, kind="stable")
        ends, rows = np.stack([np.stack(pair) for pair in self.pairs]), np.arange(len(self))
        weight, half = np.ascontiguousarray(self.weight[:, 0]), len(self.pairs) // 2
        compared = ((n, n - half) for n in range(0, half, -(-half // MOST_CONTRASTS)))
        ranked = ([ends[order[:, at], :, rows].T.copy() for at in both] for both in compared)
        return [Batch([(a, b) for a, b in pairs], weight, TWO_PAIRS) for pairs in ranked]


def batches(judgments: AnyJudgments) -> list[Batch]:
    return [
        Batch(compared.pairs, part.numbers(compared), compared.layout)
        for part in each_kind(judgments)
        for compared in part.comparisons()
    ]


def scale_free(data: list[Batch]) -> bool:
    return all(batch.layout.arranged for batch in data)


def thinned(data: list[Batch], most: int) -> list[Batch]:
    step = max(1, -(-sum(map(len, data)) // most))
    return [batch[::step] for batch in data]


class Part:
    """Loss and gradient of some rows in memory, as a function of the state.

    In each block of rows, the form computes distances, the choice model losses and slopes, and the
    form the gradient, so that only one block of distances is in memory. Rows that a single compiled
    loop can process are not split into blocks.
    """

    def __init__(self, data: list[Batch], choice: ChoiceModel, form: Form) -> None:
        self.choice, self.form = choice, form
        self.reads, self.model = READS[choice.reads], choice.code
        self._in_one_loop = form.places and choice.reads == "squared"
        self._blocks = [block for batch in data for block in self._cut(batch)]

    def _cut(self, batch: Batch) -> list[Batch]:
        return [batch] if self._in_one_loop and batch.triplets else batch.blocks()

    def __call__(self, state: Floats) -> tuple[float, Floats]:
        gradient = np.zeros(state.shape)
        return self.add(state, gradient), gradient

    def add(self, state: Floats, gradient: Floats) -> float:
        return sum([self._block(state, block, gradient) for block in self._blocks])

    def _block(self, state: Floats, block: Batch, gradient: Floats) -> float:
        if self._in_one_loop and (columns := block.triplets):
            return self.form.triplets(state, columns, block.weight, self.model, gradient)
        reads = READS["plain"] if block.layout.arranged else self.reads
        pairs = block.read_together
        distances, slopes = np.empty((2, len(block.pairs), len(block)))
        d_of, slope_of = distances.reshape(len(pairs), -1), slopes.reshape(len(pairs), -1)
        for (a, b), out in zip(pairs, d_of, strict=True):
            self.form.distances(state, a, b, reads, out)
        loss = self._judge(block, distances, slopes)
        for pair, d, slope in zip(pairs, d_of, slope_of, strict=True):
            self.form.add_gradient(state, pair, reads, d, slope, gradient)
        return loss

    def _judge(self, block: Batch, distances: Floats, slopes: Floats) -> float:
        if block.layout.arranged:
            loss = arrange_all(distances, block.weight, slopes)
        elif len(distances) == 1:
            loss = confuse_all(self.model, distances[0], block.weight, slopes[0])
        elif len(distances) == 2:
            near, far = distances
            loss = compare_all(self.model, near, far, block.weight, slopes[0], slopes[1])
        else:
            members = block.layout.members
            loss = choose_all(self.model, distances, members, block.weight, slopes)
        return float(loss)


class RatedPart:
    """Loss and gradient of a batch of ratings, with the thresholds of lowest loss.

    Thresholds are refitted at each state, starting from the previous thresholds, so descents cannot
    share a part. See :class:`~resemblance.fitting.objective.thresholds.Grades` for the loss.
    """

    def __init__(self, batch: Batch, choice: ChoiceModel, form: Form, priors: Priors) -> None:
        self.batch, self.choice, self.form = batch, choice, form
        self._scales = scales_of(batch.weight, priors)
        self._starts: dict[int, Floats] = {}

    def __call__(self, state: Floats) -> tuple[float, Floats]:
        (pair,), reads = self.batch.pairs, READS[self.choice.reads]
        distances = np.empty(len(self.batch))
        self.form.distances(state, *pair, reads, distances)
        similarity, slopes = self.choice.log_share(distances)
        loss = 0.0
        for scale in self._scales:
            start = self._starts.get(scale.points)
            at, bowl, slope = scale.grades.best(similarity[scale.rows], start)
            self._starts[scale.points] = at
            loss += bowl.loss
            slopes[scale.rows] *= slope
        gradient = np.zeros_like(state)
        self.form.add_gradient(state, pair, reads, distances, slopes, gradient)
        return loss, gradient


class RowsOnCard(Protocol):
    card: Any

    def part(self, choice: ChoiceModel) -> Summand: ...


class Objective:
    """The objective sum_r w_r l_r(distances of row r) + penalty * size, and its gradient.

    The rows are split into parts. Each part returns the loss and gradient for a state; the results
    are added in the order of the parts. The number of parts depends only on the rows and the size
    of the state, so any number of threads gives the same sum, bit for bit.
    """

    def __init__(
        self,
        data: list[Batch],
        choice: ChoiceModel,
        form: Form,
        penalty: float = 0.0,
        priors: Priors = NO_PRIORS,
        on_card: RowsOnCard | None = None,
    ) -> None:
        self.data, self.choice, self.form, self.penalty = data, choice, form, penalty
        self.priors, self.on_card = priors, on_card
        self._crew = Crew()
        self._parts: Sequence[Summand] | None = None
        for batch in data:
            refuse_pairing(choice, batch.layout)

    @property
    def n_rows(self) -> int:
        return sum(map(len, self.data))

    @property
    def n_pairs(self) -> int:
        in_memory = sum(map(len, self.data))
        pairs = sum(len(batch) * len(batch.pairs) for batch in self.data)
        return pairs * self.n_rows // max(1, in_memory)

    def pools(self, size: int, rng: np.random.Generator) -> Iterator[list[Batch]]:
        """Yield all rows once, split into pools of at least ``size`` rows."""
        yield self.data

    def with_choice(self, choice: ChoiceModel) -> "Objective":
        return self._with(choice=choice, _parts=None)

    def _with(self, **changes: Any) -> "Objective":
        twin = copy(self)
        vars(twin).update(changes)
        return twin

    def with_crew(self, crew: Crew) -> "Objective":
        # a RatedPart stores thresholds, so descents cannot share it
        rated = any(batch.layout.rated for batch in self.data)
        return self._with(_crew=crew, _parts=None if rated else self._parts)

    @property
    def people(self) -> bool:
        return any(batch.layout.rated and batch.weight[:, 3].any() for batch in self.data)

    def with_likeliest_priors(self, params: Floats) -> "Objective":
        twin, reads = copy(self), READS[self.choice.reads]
        state = np.ascontiguousarray(self.form.expand(params))
        twin._parts = None
        for batch in (batch for batch in self.data if batch.layout.rated):
            distances = np.empty(len(batch))
            self.form.distances(state, *batch.pairs[0], reads, distances)
            twin.priors = likeliest_priors(batch.weight, self.choice.log_share(distances)[0])
        return twin

    def __call__(self, params: Floats) -> tuple[float, Floats]:
        # Compiled loops are only fast for arrays in C order.
        state = np.ascontiguousarray(self.form.expand(params))
        total, gradient = self._summed(state)
        slope = self.form.pull_back(params, gradient)
        if self.penalty:
            size, growth = self.form.penalty(params, state)
            total += self.penalty * size
            slope = slope + self.penalty * growth
        return total, slope

    def _summed(self, state: Floats) -> tuple[float, Floats]:
        parts = self._parts = self._parts or self._cut(state.size)
        if len(parts) == 1:
            return parts[0](state)
        (total, gradient), *others = self._crew.each(lambda part: part(state), parts)
        for loss, slope in others:
            total += loss
            gradient += slope
        return total, gradient

    def _cut(self, state_size: int) -> Sequence[Summand]:
        if self.on_card is not None:
            return [self.on_card.part(self.choice)]
        n = n_parts(self.n_pairs, state_size)
        rated = [batch for batch in self.data if batch.layout.rated]
        others = [batch.shares(n) for batch in self.data if not batch.layout.rated]
        parts: list[Summand] = [
            Part(list(share), self.choice, self.form) for share in zip(*others, strict=True)
        ]
        parts += [RatedPart(batch, self.choice, self.form, self.priors) for batch in rated]
        return parts or [Part([], self.choice, self.form)]


class ObjectiveElsewhere(Objective):
    """The objective of rows on disk or on a cluster.

    The objective ``sample`` of rows in memory defines the form and the choice model.
    """

    def __init__(self, sample: Objective, rows: Sized) -> None:
        super().__init__(sample.data, sample.choice, sample.form, sample.penalty)
        self._n_rows = len(rows)

    @property
    def n_rows(self) -> int:
        return self._n_rows


def n_parts(n_pairs: int, state_size: int) -> int:
    """Return the number of parts into which rows are split.

    A part has at least ``PART`` pairs, and at least as many pairs as the state has entries, so that
    the gradients of all parts need no more memory than the rows.
    """
    return max(1, min(MOST_PARTS, n_pairs // max(PART, state_size)))


def refuse_pairing(choice: ChoiceModel, layout: Layout) -> None:
    n_options = len(layout.options)
    if n_options == 1 and not choice.confuses:
        choice.log_share(0.0) if layout.rated else choice.error_probability(0.0)
    if n_options >= 2 and not choice.compares:
        choice.loss(0.0, 0.0)
    if n_options > 2 and not choice.one_of_many:
        choice.log_similarity(0.0)


def quickest_objective(
    data: list[Batch],
    choice: ChoiceModel,
    form: Form,
    penalty: float,
    shape: tuple[int, int],
    on_card: RowsOnCard | None = None,
) -> Objective:
    quick = form
    if on_card is None and not any(batch.layout.arranged for batch in data):
        n_pairs = sum(len(batch) * len(batch.pairs) for batch in data)
        quick = quickest(form, *shape, n_pairs, READS[choice.reads])
    data = [batch.by_item() for batch in data] if quick is not form else data
    return Objective(data, choice, quick, penalty, on_card=on_card)


def one_pass(objective: Objective, size: int, rng: np.random.Generator) -> Iterator[Objective]:
    """Yield objectives of ``size`` random rows each, until each row was used once.

    Each has a share of the penalty, so that the sum is the whole objective.
    """
    for pool in objective.pools(size, rng):
        parts = [
            (batch, rows)
            for batch in pool
            for rows in np.array_split(rng.permutation(len(batch)), -(-len(batch) // size))
        ]
        for at in rng.permutation(len(parts)):
            batch, rows = parts[at]
            yield part_of(objective, batch[rows], len(rows) / objective.n_rows)


def part_of(objective: Objective, rows: Batch, share: float) -> Objective:
    items, local = renumbered(rows)
    form = objective.form
    assert isinstance(form, FeatureMap)
    return Objective([local], objective.choice, form.of_items(items), share * objective.penalty)


def renumbered(rows: Batch) -> tuple[NDArray[np.intp], Batch]:
    ends = np.stack([end for pair in rows.pairs for end in pair])
    place = np.zeros(ends.max() + 1, dtype=np.int32)
    place[ends] = 1
    items = np.flatnonzero(place)
    place[items] = np.arange(len(items))
    local = place[ends]
    pairs = [(local[k], local[k + 1]) for k in range(0, len(local), 2)]
    return items, replace(rows, pairs=pairs)


def check_batch_size(size: int | None, form: Form, data: Iterable[Batch] = ()) -> None:
    if size is None:
        return
    if not isinstance(form, FeatureMap):
        raise SettingError(
            f"batch_size={size} works with maps of features, and the form is {form.name}: "
            "leave batch_size out, or take a forms.LinearMap or forms.KernelMap."
        )
    if any(batch.layout.rated for batch in data):
        raise SettingError(
            f"batch_size={size} uses some rows at a time, but people's thresholds depend on "
            "all of their ratings: leave batch_size out.",
            setting="batch_size",
        )
