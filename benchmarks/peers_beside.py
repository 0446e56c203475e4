"""Compare all peers that install on the same triplets in one run: error, seconds, memory.

    python benchmarks/peers_beside.py salmon=PYTHON psiz=PYTHON metric_learn=PYTHON [--eggs DATA]

PYTHON is the interpreter of an environment with the peer: pip install salmon-triplets; psiz;
metric-learn with "scikit-learn<1.6", because metric-learn 0.7 uses names that later versions
removed. With --eggs, people's answers about 30 alien eggs replace simulated ones.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from problems import Problem, eggs, weighed_features
from tables import Row, show
from workers import Worker

COORDINATES = {
    "resemblance": ("STE", "TSTE", "CKL", "SOE"),
    "salmon": ("STE", "TSTE", "CKL", "SOE"),
    "psiz": ("exponential",),
    "sklearn": ("metric", "nonmetric"),
}
OF_FEATURES = {"resemblance": ("map",), "metric_learn": ("SCML", "LSML")}
OWN = "resemblance", "sklearn"  # in this environment


def run(pythons: dict[str, str], n_fits: int, folder: Path, data: Path | None) -> Iterator[Row]:
    """Fit each method of each available library from several seeds; yield a row for each."""
    given: list[tuple[dict[str, tuple[str, ...]], dict[str, Any]]] = [(COORDINATES, {})]
    if data is None:
        problem, features = weighed_features(folder)
        given.append((OF_FEATURES, {"features": str(features)}))
    else:
        problem = eggs(folder, data)
    for kinds, settings in given:
        for library, methods in kinds.items():
            if library not in pythons:
                continue
            with Worker(library, pythons[library], one_core=True) as worker:
                for method in methods:
                    yield row(worker, library, method, problem, n_fits, settings)


def row(
    worker: Worker,
    library: str,
    method: str,
    problem: Problem,
    n_fits: int,
    settings: dict[str, Any],
) -> Row:
    """Fit from several seeds; return a summary, or the error message of a peer."""
    fits = [worker.fit(problem, method, seed, **settings) for seed in range(n_fits)]
    what = {"library": library, "method": method, "on": "features" if settings else "triplets"}
    told = "error", "cpu_seconds", "peak_mb"
    figures = {name: median(fit[name] for fit in fits) for name in told}
    return what | figures | {"worst error": max(fit["error"] for fit in fits)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peers", nargs="*", help="a peer and its interpreter, as psiz=PYTHON")
    parser.add_argument("--fits", type=int, default=3)
    parser.add_argument("--eggs", type=Path, help="folder with alien_eggs")
    told = parser.parse_args()
    pythons = dict.fromkeys(OWN, sys.executable) | dict(peer.split("=", 1) for peer in told.peers)
    with TemporaryDirectory() as folder:
        rows = list(run(pythons, told.fits, Path(folder), told.eggs))
    what = "100 items, 10,000 triplets" if told.eggs is None else "30 eggs, 16,069 answers"
    show(f"{what}, one core; median of the fits", rows)
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
