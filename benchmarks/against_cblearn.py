"""Fit time and held-out error beside cblearn's, on the same files in the same run."""

from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from problems import Problem
from tables import Row, spread
from workers import Worker


@dataclass(frozen=True)
class Match:
    """One technique as both libraries call it; what is not set is each library's default."""

    method: str
    repeats: int
    settings: dict[str, Any] = field(default_factory=dict)


# cblearn's defaults: a standard normal start; L-BFGS until SciPy's ftol of 2.2e-9, at most 1,000
# (STE, t-STE, SOE) or 2,000 (CKL, GNMDS) iterations; mu 0; SOE with ten starts and margin 0.1.
MATCHES = (
    Match("STE", 5),
    Match("CKL", 5),
    Match("TSTE", 5),
    Match("SOE", 5),
    Match("GNMDS", 3),
)


def run(problem: Problem, python: Path, methods: list[str] | None = None) -> list[Row]:
    """Fit every technique with both libraries by turns, from the seeds 0, 1, ..."""
    with Worker("resemblance") as ours, Worker("cblearn", python) as peer:
        return [
            _compare(problem, match, ours, peer)
            for match in MATCHES
            if methods is None or match.method in methods
        ]


def _compare(problem: Problem, match: Match, ours: Worker, peer: Worker) -> Row:
    """Fit A B A B ...; give the ratio of each pair of fits, and each library's own figures."""
    fits = [
        (
            ours.fit(problem, match.method, seed, **match.settings),
            peer.fit(problem, match.method, seed),
        )
        for seed in range(match.repeats)
    ]
    row: Row = {"data": problem.name, "method": match.method, "fits": match.repeats}
    row |= spread("ratio", [b["seconds"] / a["seconds"] for a, b in fits])
    for name, column in zip(("ours", "cblearn"), zip(*fits, strict=True), strict=True):
        row |= spread(f"{name} s", [fit["seconds"] for fit in column])
        for figure in ("error", "n_iter", "peak_mb"):
            row[f"{name} {figure}"] = median(fit[figure] for fit in column)
    return row
