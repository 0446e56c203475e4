"""Compare fit time and held-out error with cblearn, on the same files in the same run."""

from pathlib import Path
from statistics import median

from problems import Problem
from tables import Row, spread
from workers import Worker

# defaults of cblearn: a standard normal start; L-BFGS until SciPy's ftol of 2.2e-9, at most 1,000
# (STE, t-STE, SOE) or 2,000 (CKL, GNMDS) iterations; mu 0; SOE with ten starts and margin 0.1.
FITS = {"STE": 5, "CKL": 3, "TSTE": 3, "SOE": 3, "GNMDS": 3}


def run(
    problem: Problem, python: Path, methods: list[str] | None = None, n_fits: int | None = None
) -> list[Row]:
    """Fit every technique with both libraries alternately, from the seeds 0, 1, ..."""
    with Worker("resemblance") as ours, Worker("cblearn", python) as peer:
        return [
            _compare(problem, method, n_fits or FITS[method], ours, peer)
            for method in methods or FITS
        ]


def _compare(problem: Problem, method: str, n_fits: int, ours: Worker, peer: Worker) -> Row:
    """Fit alternately, each library with its defaults; return ratios of pairs, and times."""
    fits = [
        [worker.fit(problem, method, seed) for worker in (ours, peer)] for seed in range(n_fits)
    ]
    row: Row = {"data": problem.name, "method": method, "fits": n_fits}
    for label, clock in (("ratio", "seconds"), ("cpu ratio", "cpu_seconds")):
        row |= spread(label, [b[clock] / a[clock] for a, b in fits])
    for name, column in zip(("ours", "cblearn"), zip(*fits, strict=True), strict=True):
        row |= spread(f"{name} s", [fit["seconds"] for fit in column])
        row[f"{name} cpu s"] = median(fit["cpu_seconds"] for fit in column)
        for figure in ("error", "n_iter", "peak_mb"):
            row[f"{name} {figure}"] = median(fit[figure] for fit in column)
    return row
