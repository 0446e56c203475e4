"""A linear map of many features: 100,000 items on disk, a million triplets, 32 dimensions.

    OMP_NUM_THREADS=2 python benchmarks/maps.py
    OMP_NUM_THREADS=2 python benchmarks/maps.py --batch-size 8192

The features are generated: 512 of them, correlated, whose variances fall as 1/k. People see 32
directions of the features, all alike, among the 200 that vary most; they answer as STE says. The
error of raw distance, of the truth, and of the fit is that on triplets that no fit has seen. Memory
is the peak of the process, the mapped file included as far as it is held in memory.
"""

import argparse
import json
import resource
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np

import resemblance as rs

SEEN, AMONG, SIZE = 32, 200, 0.35  # directions; among so many; their standard deviation
ROWS = 10_000


def write_features(path: Path, n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Write features (n, d) as a file of single precision; give where people see the items."""
    spread = 1.0 / np.sqrt(1.0 + np.arange(d))
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    seen = rng.choice(min(AMONG, d), SEEN, replace=False)
    features = np.lib.format.open_memmap(path, "w+", np.float32, (n, d))
    space = np.empty((n, SEEN))
    for first in range(0, n, ROWS):
        hidden = rng.normal(size=(min(ROWS, n - first), d)) * spread
        features[first : first + ROWS] = hidden @ turn.T
        space[first : first + ROWS] = SIZE * (hidden / spread)[:, seen]
    features.flush()
    return space


def answers(space: np.ndarray, m: int, rng: np.random.Generator) -> np.ndarray:
    """Give m triplets of random items, answered as STE says."""
    rows = rng.integers(len(space), size=(m, 3))
    rows = rows[(rows[:, 0] != rows[:, 1]) & (rows[:, 0] != rows[:, 2])]
    rows = rows[rows[:, 1] != rows[:, 2]]
    gap = [((space[rows[:, 0]] - space[rows[:, k]]) ** 2).sum(axis=1) for k in (1, 2)]
    flip = rng.random(len(rows)) > rs.choice.Softmax().probability(*gap)
    rows[flip] = rows[flip][:, [0, 2, 1]]
    return rows


def measure(folder: Path, chosen: argparse.Namespace) -> dict[str, float]:
    """Fit, find neighbours, and score."""
    rng = np.random.default_rng(0)
    space = write_features(folder / "features.npy", chosen.items, chosen.features, rng)
    rows, unseen = answers(space, chosen.triplets, rng), answers(space, 50_000, rng)
    features = np.load(folder / "features.npy", mmap_mode="r")
    items = rs.Items(features=features)
    train, test = rs.Triplets(rows, items), rs.Triplets(unseen, items)
    model = rs.STE(
        SEEN, form=rs.LinearMap(), batch_size=chosen.batch_size, max_iter=100, random_state=0
    )
    before, began, worked = peak(), perf_counter(), process_time()
    model.fit(train)
    fitted = {"seconds": perf_counter() - began, "cpu_seconds": process_time() - worked}
    fitted |= {"passes" if chosen.batch_size else "iterations": model.n_iter_}
    fitted |= {"loss": model.loss_, "peak_mb": peak(), "peak_mb_before_fit": before}
    began, worked = perf_counter(), process_time()
    rs.nearest_items(model, k=10)
    fitted["neighbours_seconds"] = perf_counter() - began
    fitted["neighbours_cpu_seconds"] = process_time() - worked
    places = {"truth": space, "fit": model.embedding_, "raw": features}
    return fitted | {f"error_{name}": rs.triplet_error(at, test) for name, at in places.items()}


def peak() -> float:
    """Give the most memory that the process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(arguments: list[str] | None = None) -> None:
    """Print what was measured, as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="not used: the features are generated")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=512)
    parser.add_argument("--triplets", type=int, default=1_000_000)
    parser.add_argument("--batch-size", type=int)
    chosen = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        found = measure(Path(folder), chosen)
    settings = {name: value for name, value in vars(chosen).items() if name != "data"}
    rounded = {name: float(f"{value:.4g}") for name, value in found.items()}
    print(json.dumps(settings | rounded, indent=1))


if __name__ == "__main__":
    main()
