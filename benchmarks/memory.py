"""Measure peak memory and time of one fit in a new process with one thread."""

from collections.abc import Iterable
from pathlib import Path
from statistics import median

from problems import Problem
from tables import Row, spread
from workers import Worker

FIGURES = ("cpu_seconds", "error", "n_iter", "peak_mb")


def run(
    problem: Problem,
    methods: Iterable[str],
    repeats: int = 1,
    library: str = "resemblance",
    **python: Path,
) -> list[Row]:
    """Fit with each method; the peak is that of the whole process, interpreter included."""
    return [_fresh(problem, method, repeats, library, **python) for method in methods]


def _fresh(problem: Problem, method: str, repeats: int, library: str, **python: Path) -> Row:
    with Worker(library, **python, one_core=True) as worker:
        fits = [worker.fit(problem, method, seed) for seed in range(repeats)]
    row: Row = {
        "library": library,
        "data": problem.name,
        "triplets": problem.n_triplets,
        "method": method,
        **spread("s", [fit["seconds"] for fit in fits]),
    }
    return row | {figure: median(fit[figure] for fit in fits) for figure in FIGURES}
