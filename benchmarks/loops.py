"""Time each compiled loop, and a whole evaluation of the objective, in nanoseconds per triplet."""

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from tables import Row, spread

from resemblance.choice import ChoiceModel
from resemblance.choice._loops import choose_all, compare_all
from resemblance.choice.models import MODELS
from resemblance.fitting.objective.objective import BLOCK, Batch, Objective
from resemblance.forms import READS, Coordinates, Form, Gram
from resemblance.forms._loops import sweep
from resemblance.judgments.base import TWO_PAIRS, one_of

Timed = tuple[str, int | None, Callable[[], object]]

OPTIONS = 8  # number of options of a choice
EACH = one_of(OPTIONS).members
NO_WEIGHT = np.empty(0)  # all rows have weight 1


def run(n_items: int = 1000, n_rows: int = BLOCK, repeats: int = 50) -> list[Row]:
    """Time every loop on one block of triplets, which fits in the processor's cache."""
    rng = np.random.default_rng(0)
    columns = np.ascontiguousarray(rng.integers(n_items, size=(3, n_rows), dtype=np.int32))
    return [
        {"loop": name, "d": d, **spread("ns", _nanoseconds(loop, n_rows, repeats))}
        for name, d, loop in (*_form_loops(columns, n_items), *_choice_loops(n_rows, rng))
    ]


def _nanoseconds(loop: Callable[[], object], n_rows: int, repeats: int) -> list[float]:
    """Time repeats of a loop, without the first, which compiles."""
    loop()
    times = []
    for _ in range(repeats):
        start = time.perf_counter_ns()
        loop()
        times.append((time.perf_counter_ns() - start) / n_rows)
    return times


def _form_loops(columns: np.ndarray, n_items: int) -> Iterator[Timed]:
    """Yield the loops over positions and Gram matrices, and whole objectives over positions."""
    head, near, far = columns
    data = [Batch([(head, near), (head, far)], NO_WEIGHT, TWO_PAIRS)]
    for d in (2, 10):
        X = np.random.default_rng(d).normal(size=(n_items, d))
        yield from _both_ways(Coordinates(), X, columns, d)
        for model in MODELS:
            yield f"sweep {model.__name__}", d, _sweep(model(), columns, X)
            objective = Objective(data, model(), Coordinates())
            yield f"objective {model.__name__}", d, partial(objective, X)
    yield from _both_ways(Gram(), X @ X.T, columns, None)


def _both_ways(
    form: Form, state: np.ndarray, columns: np.ndarray, d: int | None
) -> Iterator[Timed]:
    """Yield the loops for distances of a form, and for gradients, for near and far pairs."""
    head, *others = columns
    out, ones, gradient = np.empty(len(head)), np.ones(len(head)), np.zeros_like(state)

    def distances(code: int) -> None:
        for other in others:
            form.distances(state, head, other, code, out)

    def add_gradient(code: int) -> None:
        for other in others:
            form.add_gradient(state, (head, other), code, ones, ones, gradient)

    for reads, code in READS.items():
        yield f"{form.name} distances {reads}", d, partial(distances, code)
        yield f"{form.name} gradient {reads}", d, partial(add_gradient, code)


def _choice_loops(n_rows: int, rng: np.random.Generator) -> Iterator[Timed]:
    """Yield the loops over distances: comparisons of two, and choices of one among many."""
    distances = rng.gamma(1.0, size=(OPTIONS, n_rows))
    slopes = np.empty_like(distances)
    for model in MODELS:
        name, code = model.__name__, model().code
        two = (*distances[:2], NO_WEIGHT, *slopes[:2])
        yield f"compare_all {name}", None, partial(compare_all, code, *two)
        if model.one_of_many:
            loop = partial(choose_all, code, distances, EACH, NO_WEIGHT, slopes)
            yield f"choose_all {name}, {OPTIONS} options", None, loop


def _sweep(model: ChoiceModel, columns: np.ndarray, X: np.ndarray) -> Callable[[], object]:
    """Return the stochastic pass, which changes a copy of the positions."""
    squares, reads = np.ones(X.shape), READS[model.reads]
    return partial(sweep, X.copy(), squares, columns, NO_WEIGHT, model.code, reads, 1e-3)
