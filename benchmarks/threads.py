"""How long one large fit takes on one thread and on several: python benchmarks/threads.py.

Fits are taken by turns in one process, with the thread counts one after another, and a ratio is
that of two neighbouring fits. ``--before FOLDER`` names the ``src`` of an earlier version, which is
fitted by turns too, in a process of its own; ``--evaluations`` times the objective alone. Set
``OPENBLAS_NUM_THREADS=1``, so that linear algebra has no threads of its own.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import problems
from tables import Row, show, spread

ONE_FIT = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
import numpy as np, resemblance as rs
triplets = rs.Triplets(np.load(sys.argv[2]), int(sys.argv[3]))
make = getattr(rs, sys.argv[4])
make(2, random_state=0).fit(triplets[:3000])
for seed in map(int, sys.stdin):
    start, cpu = time.perf_counter(), time.process_time()
    model = make(2, random_state=seed).fit(triplets)
    took = time.perf_counter() - start, time.process_time() - cpu
    print(json.dumps([*took, model.loss_, model.n_iter_]), flush=True)
"""


class Before:
    """A process that fits with an earlier version."""

    def __init__(self, source: Path, problem: problems.Problem, method: str) -> None:
        told = (str(source.resolve()), str(problem.train), str(problem.n_items), method)
        command = [sys.executable, "-W", "ignore", "-c", ONE_FIT, *told]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, text=True, **pipes)

    def fit(self, seed: int) -> list[float]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{seed}\n")
        self._process.stdin.flush()
        return list(json.loads(self._process.stdout.readline()))

    def end(self) -> None:
        self._process.communicate()


def fits(problem: problems.Problem, method: str, options: argparse.Namespace) -> list[Row]:
    """Fit with each number of threads, by turns; and before."""
    import resemblance as rs

    train = rs.Triplets(np.load(problem.train), problem.n_items)
    test = rs.Triplets(np.load(problem.test), problem.n_items)
    make = getattr(rs, method)
    make(2, random_state=0).fit(train[:3000])
    before = Before(options.before, problem, method) if options.before else None
    taken: dict[str, list[list[float]]] = {}
    for seed in range(options.fits):
        if before is not None:
            taken.setdefault("before", []).append([*before.fit(seed), np.nan])
        for n in options.threads:
            start, cpu = time.perf_counter(), time.process_time()
            model = make(2, random_state=seed, n_jobs=n).fit(train)
            took = time.perf_counter() - start, time.process_time() - cpu
            told = [*took, model.loss_, model.n_iter_, 1.0 - model.score(test)]
            taken.setdefault(f"{n} threads", []).append(told)
    if before is not None:
        before.end()
    return [_row(problem, method, name, taken) for name in taken]


def _row(
    problem: problems.Problem, method: str, name: str, taken: dict[str, list[list[float]]]
) -> Row:
    """Set one way beside one thread."""
    one = taken["1 threads"]
    ratios = [first[0] / other[0] for first, other in zip(one, taken[name], strict=True)]
    wall, cpu, loss, n_iter, error = zip(*taken[name], strict=True)
    row: Row = {"triplets": problem.n_triplets, "method": method, "fit": name}
    row |= spread("s", list(wall)) | spread("times faster than one", ratios)
    return row | {
        "cpu s": median(cpu),
        "loss": median(loss),
        "iterations": median(n_iter),
        "error": median(error),
    }


def evaluations(problem: problems.Problem, options: argparse.Namespace) -> list[Row]:
    """Time the objective alone, with each number of threads by turns."""
    from resemblance.choice import Softmax, StudentT
    from resemblance.fitting.objective.objective import Objective, batches
    from resemblance.fitting.objective.threads import Crew
    from resemblance.forms import Coordinates
    from resemblance.judgments import Triplets

    data = batches(Triplets(np.load(problem.train), problem.n_items))
    X = np.random.default_rng(0).normal(size=(problem.n_items, 2))
    rows: list[Row] = []
    for choice in (StudentT(1.0), Softmax()):
        objective = Objective(data, choice, Coordinates())
        on = {n: objective.with_crew(Crew(n)) for n in options.threads}
        seconds: dict[int, list[float]] = {n: [] for n in on}
        for _ in range(40):
            for n, evaluated in on.items():
                start = time.perf_counter()
                evaluated(X)
                seconds[n].append((time.perf_counter() - start) / problem.n_triplets * 1e9)
        for n, took in seconds.items():
            one = [a / b for a, b in zip(seconds[1], took, strict=True)]
            row: Row = {"objective": repr(choice), "threads": n}
            rows.append(row | spread("ns", took[2:]) | spread("times faster than one", one[2:]))
    return rows


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks"))
    parser.add_argument("--methods", default="TSTE,STE")
    parser.add_argument("--triplets", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--fits", type=int, default=3)
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--before", type=Path, help="src of an earlier version")
    parser.add_argument("--evaluations", action="store_true", help="the objective alone")
    parser.set_defaults(threads=[1, 2])
    options = parser.parse_args()
    problem = problems.blobs(options.out, options.items, options.triplets)
    if options.evaluations:
        show("evaluations", evaluations(problem, options))
        return
    for method in options.methods.split(","):
        show(method, fits(problem, method, options))


if __name__ == "__main__":
    main()
