"""The objective of a fit: the losses of all judgments and a penalty, in the parameters."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from resemblance.choice import ChoiceModel
from resemblance.choice._loops import choose_all, compare_all, confuse_all, rate_all
from resemblance.errors import SettingError
from resemblance.forms import READS, Form
from resemblance.judgments import CountedPairs, Judgments, Layout
from resemblance.judgments.layout import TWO_PAIRS, Pair

Floats = NDArray[np.float64]

BLOCK = 8192  # rows whose distances and slopes stay in the processor's cache
MOST_CONTRASTS = 32  # of one row, where a start looks at two pairs at a time
NO_WEIGHT = np.empty(0)


@dataclass(frozen=True)
class Batch:
    """Rows with the same number of options, as columns.

    The layout says which pairs each possible answer is about, the one given first; the weight is
    that of the row (empty for ones). A single pair is one of :class:`CountedPairs`, and its weight,
    (m, 2), its counts: errors and right answers, or steps up a scale and steps left.
    """

    pairs: Sequence[Pair]
    weight: Floats
    layout: Layout

    def __len__(self) -> int:
        return len(self.pairs[0][0])

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> "Batch":
        cut = lambda column: np.ascontiguousarray(column[rows])  # noqa: E731
        weight = cut(self.weight) if self.weight.size else self.weight
        return replace(self, pairs=[(cut(a), cut(b)) for a, b in self.pairs], weight=weight)

    def by_item(self) -> "Batch":
        """Put rows about the same item one after another."""
        return self[np.argsort(self.pairs[0][0], kind="stable")]

    def blocks(self, size: int = BLOCK) -> "list[Batch]":
        """Cut the rows into blocks."""
        return [self[first : first + size] for first in range(0, len(self), size)]

    def against_answer(self) -> "list[Batch]":
        """Compare pairs of the answer with other pairs in turn, as triplets do; some of many."""
        contrasts = self.layout.contrasts
        return [
            Batch([self.pairs[near], self.pairs[far]], self.weight, TWO_PAIRS)
            for near, far in contrasts[:: -(-len(contrasts) // MOST_CONTRASTS) or 1]
        ]


def batches(judgments: Judgments | CountedPairs) -> list[Batch]:
    """Lay judgments out as columns, one batch for each number of options."""
    if isinstance(judgments, CountedPairs):
        (compared,) = judgments.comparisons()
        return [Batch(compared.pairs, judgments.counts, compared.layout)]
    weight = NO_WEIGHT if judgments.weight is None else judgments.weight
    return [
        Batch(compared.pairs, weight[compared.rows] if weight.size else weight, compared.layout)
        for compared in judgments.comparisons()
    ]


def thinned(data: list[Batch], most: int) -> list[Batch]:
    """Take every k-th row, so that at most ``most`` rows are left."""
    step = max(1, -(-sum(map(len, data)) // most))
    return [batch[::step] for batch in data]


class Objective:
    """sum_r w_r l_r(distances of row r) + penalty * size, with its gradient in the parameters.

    The rows are taken in blocks: distances out of the form, losses and slopes out of the choice
    model, slopes back into the form. No more than one block of distances exists at a time.

    Parameters
    ----------
    data : list of Batch
        The comparisons.
    choice : ChoiceModel
        How distances become losses.
    form : Form
        How distances come from parameters.
    penalty : float
        The factor of the form's size: the trace of the Gram matrix, the squared norm of a map.

    Raises
    ------
    SettingError
        If the choice model cannot judge rows of these.
    """

    def __init__(
        self, data: list[Batch], choice: ChoiceModel, form: Form, penalty: float = 0.0
    ) -> None:
        self.data, self.choice, self.form, self.penalty = data, choice, form, penalty
        self.reads = READS[choice.reads]
        self._blocks = [block for batch in data for block in batch.blocks()]
        self._most = max((len(batch.pairs) for batch in data), default=2)
        for batch in data:
            refuse_pairing(choice, batch.layout)
        self._make_room()

    def with_choice(self, choice: ChoiceModel) -> "Objective":
        """Return the same objective under another choice model: same data, its own work space."""
        twin = copy(self)
        twin.choice, twin.reads = choice, READS[choice.reads]
        twin._make_room()
        return twin

    def _make_room(self) -> None:
        """Allocate the distances and slopes of one block; never shared between threads."""
        self._distances = np.empty((self._most, BLOCK))
        self._slopes = np.empty((self._most, BLOCK))

    def __call__(self, params: Floats) -> tuple[float, Floats]:
        """Return the value and the gradient at the parameters."""
        state = self.form.expand(params)
        gradient = np.zeros_like(state)
        total = sum(self._block(state, block, gradient) for block in self._blocks)
        slope = self.form.pull_back(params, gradient)
        if self.penalty:
            size, growth = self.form.penalty(params, state)
            total += self.penalty * size
            slope = slope + self.penalty * growth
        return total, slope

    def _block(self, state: Floats, block: Batch, gradient: Floats) -> float:
        """Add the gradient of one block in the state; give its loss."""
        m, k = len(block), len(block.pairs)
        distances, slopes = self._distances[:k, :m], self._slopes[:k, :m]
        for (a, b), out in zip(block.pairs, distances, strict=True):
            self.form.distances(state, a, b, self.reads, out)
        if k == 1:
            count = rate_all if block.layout.rated else confuse_all
            loss = count(self.choice.code, distances[0], block.weight, slopes[0])
        elif k == 2:
            near, far = distances
            loss = compare_all(self.choice.code, near, far, block.weight, slopes[0], slopes[1])
        else:
            members = block.layout.members
            loss = choose_all(self.choice.code, distances, members, block.weight, slopes)
        for pair, d, slope in zip(block.pairs, distances, slopes, strict=True):
            self.form.add_gradient(state, pair, self.reads, d, slope, gradient)
        return float(loss)


def refuse_pairing(choice: ChoiceModel, layout: Layout) -> None:
    """Refuse a choice model that has nothing to say of rows with so many possible answers."""
    n_options = len(layout.options)
    if n_options == 1 and not choice.confuses:
        choice.rating_share(0.0) if layout.rated else choice.error_probability(0.0)
    if n_options >= 2 and not choice.compares:
        choice.loss(0.0, 0.0)
    if n_options > 2 and not choice.one_of_many:
        choice.log_similarity(0.0)


def refuse_penalty(penalty: float) -> float:
    """Check that a penalty is a finite number that is not negative."""
    if not (np.isfinite(penalty) and penalty >= 0):
        raise SettingError(f"penalty must be 0 or a positive number, not {penalty!r}.")
    return float(penalty)
