"""Minibatches: parts of an objective that read only the items they mention."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import SettingError
from resemblance.fitting.objective.objective import Batch, Objective
from resemblance.forms import FeatureMap, Form


def one_pass(objective: Objective, size: int, rng: np.random.Generator) -> Iterator[Objective]:
    """Yield all rows once, in random order, as objectives of ``size`` rows each.

    They add up to the objective: each has its rows' share of the penalty.
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
    """Refuse sizes below one, and minibatches for other forms than maps, or for ratings."""
    if size is None:
        return
    if not isinstance(form, FeatureMap):
        raise SettingError(
            f"batch_size={size} works with maps of features, and the form is {form.name}: "
            "leave batch_size out, or take a LinearMap or KernelMap."
        )
    if any(batch.layout.rated for batch in data):
        raise SettingError(
            f"batch_size={size} uses some rows at a time, but people's thresholds depend on "
            "all of their ratings: leave batch_size out.",
            setting="batch_size",
        )
