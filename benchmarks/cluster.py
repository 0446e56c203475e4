"""Measure how much faster two workers of a cluster sum an objective: python benchmarks/cluster.py.

Workers are processes of one thread on this machine. The same objective is evaluated alternately on
running clusters of one, two and four workers, and on one thread in memory; ratios are of adjacent
evaluations. Communication (sending positions and returning gradients) is timed with a thousand rows
of the same items. ``--fit`` also times fits. Set ``OPENBLAS_NUM_THREADS=1`` to limit threads of
linear algebra.
"""

import argparse
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from tables import Row, show, spread


def written(folder: Path, n_items: int, n_rows: int) -> Path:
    """Write triplets in a plane, answered without noise."""
    path = folder / f"cluster-{n_items}-{n_rows}.npy"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_items, 2)).astype(np.float32)
    whole = np.lib.format.open_memmap(path, "w+", np.int32, (n_rows, 3))
    for first in range(0, n_rows, 1_000_000):
        size = min(1_000_000, n_rows - first)
        head = rng.integers(n_items, size=size)
        one = (head + rng.integers(1, n_items, size=size)) % n_items
        other = (head + rng.integers(1, n_items - 1, size=size)) % n_items
        other = np.where(other == one, (head + n_items - 1) % n_items, other)
        other = np.where(other == one, (head + 1) % n_items, other)
        near, far = (((X[head] - X[k]) ** 2).sum(axis=1) for k in (one, other))
        swap = near > far
        one[swap], other[swap] = other[swap], one[swap]
        whole[first : first + size] = np.column_stack([head, one, other])
    return path


def clients(numbers: list[int], stack: ExitStack) -> dict[int, Any]:
    from dask.distributed import Client, LocalCluster

    found = {}
    for n in numbers:
        settings = {"n_workers": n, "threads_per_worker": 1, "memory_limit": 0}
        cluster = stack.enter_context(LocalCluster(**settings, dashboard_address=":0"))
        found[n] = stack.enter_context(Client(cluster, set_as_default=False))
    return found


def evaluations(path: Path, options: argparse.Namespace) -> list[Row]:
    """Time the objective in memory and on each cluster, alternately."""
    import resemblance as rs
    from resemblance.choice import Softmax
    from resemblance.fitting.objective.objective import Objective, batches
    from resemblance.fitting.objective.stored import DaskObjective
    from resemblance.forms import Coordinates

    stored = rs.scan_triplets(path, options.items)
    few = stored.sample(1000, 0)
    memory = Objective(batches(stored.sample(len(stored))), Softmax(), Coordinates())
    X = np.random.default_rng(0).normal(size=(options.items, options.dims))
    known, seconds, cpu = memory(X), {}, {}
    with ExitStack() as stack:
        ways: dict[str, Any] = {"memory": memory}
        for n, client in clients(options.workers, stack).items():
            rows = rs.distribute(stored, client)
            thin = rs.distribute(few, client, n_parts=len(rows.parts))
            ways[f"{n} workers"] = DaskObjective(memory, rows)
            ways[f"{n} workers, 1,000 rows"] = DaskObjective(memory, thin)
        for _ in range(options.repeats):
            for name, objective in ways.items():
                before, start = spent(objective), time.perf_counter()
                value = objective(X)[0]
                seconds.setdefault(name, []).append(time.perf_counter() - start)
                cpu.setdefault(name, []).append(spent(objective) - before)
                if "1,000" not in name:
                    assert abs(value / known[0] - 1.0) < 1e-10
    one = seconds[f"{options.workers[0]} workers"]
    return [_row(name, seconds[name], cpu[name], one) for name in ways]


def spent(objective: Any) -> Any:
    """Return the processor seconds so far, of this process and of each worker."""
    here = time.process_time()
    if not hasattr(objective, "rows"):
        return np.array([here])
    far = objective.rows.cluster.client.run(time.process_time)
    return np.array([time.process_time(), *(far[worker] for worker in sorted(far))])


def _row(name: str, took: list[float], cpu: list[Any], one: list[float]) -> Row:
    """Compare one way with a single worker, without the first two turns."""
    ratios = [a / b for a, b in zip(one, took, strict=True)]
    here, *far = np.median(cpu[2:], axis=0)
    row: Row = {"objective": name}
    row |= spread("s", took[2:]) | spread("times faster than one worker", ratios[2:])
    return row | {"cpu s, busiest worker": max(far, default=np.nan), "cpu s, here": here}


def fits(path: Path, options: argparse.Namespace) -> list[Row]:
    import resemblance as rs

    stored, rows = rs.scan_triplets(path, options.items), []
    with ExitStack() as stack:
        found = clients(options.workers, stack)
        far = {n: rs.distribute(stored, client) for n, client in found.items()}
        for n, judgments in far.items():
            start = time.perf_counter()
            model = rs.STE(options.dims, random_state=0, max_iter=30).fit(judgments)
            took = time.perf_counter() - start
            rows.append({"fit": f"{n} workers", "s": took, "loss": repr(model.loss_)})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks"))
    parser.add_argument("--triplets", type=int, default=20_000_000)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--dims", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=12)
    parser.add_argument("--workers", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--fit", action="store_true", help="whole fits, of 30 iterations")
    parser.set_defaults(workers=[1, 2, 4])
    options = parser.parse_args()
    path = written(options.out, options.items, options.triplets)
    title = f"{options.triplets:,} triplets of {options.items:,} items, d = {options.dims}"
    show(title, (fits if options.fit else evaluations)(path, options))


if __name__ == "__main__":
    main()
