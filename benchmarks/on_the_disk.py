"""Fit triplets that stay on disk: python on_the_disk.py FOLDER --rows 1e8 --items 1e5.

Simulated people see a plane (standard normal positions) and answer by t-STE with one degree of
freedom. The rows are written to FOLDER as Parquet, in files of 5 million, unless they exist. They
are scanned and fitted, except for one in a hundred, which are scored under the fit and the truth.
--memory also reads the same rows into memory, computes their loss at the fit, and continues the fit
from there with the same tolerance.
"""

import argparse
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd

import resemblance as rs
from resemblance.fitting.objective.objective import Objective, batches
from resemblance.forms import Coordinates

FILE_ROWS = 5_000_000
SHARE = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--items", type=float, default=1e5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tol", type=float, default=1e-4)
    parser.add_argument("--memory", action="store_true")
    told = parser.parse_args()
    n = int(told.items)
    truth = np.random.default_rng(0).normal(size=(n, 2))
    if not told.folder.is_dir():
        write(told.folder, truth, int(told.rows))
    clock = Clock()
    stored = rs.scan_triplets(told.folder, items=n)
    clock.tell(f"scan of {len(stored):,} rows")
    train, test = stored.split(SHARE)
    model = rs.TSTE(2, random_state=0, n_jobs=told.jobs, tol=told.tol).fit(train)
    clock.tell(f"fit, {model.n_iter_} iterations, loss {model.loss_:.6f}")
    known = rs.TSTE(2).set_positions(truth, stored.items)
    for name, one in (("fit", model), ("truth", known)):
        print(
            f"{name}: held-out error {1 - one.score(test):.4f}, log loss {one.log_loss(test):.4f}"
        )
    clock.tell("all")
    if told.memory:
        rows = train.sample(len(train))
        whole = Objective(batches(rows), model.choice_, Coordinates())
        loss = whole(model.embedding_)[0]
        clock.tell(f"in memory, the same positions, loss {loss:.6f}")
        print(f"relative difference {abs(loss / model.loss_ - 1):.1e}")
        model = rs.TSTE(2, init=model.embedding_, n_jobs=told.jobs, tol=told.tol).fit(rows)
        clock.tell(f"in memory from there, loss {model.loss_:.6f}")


class Clock:
    """A clock of seconds since its creation, with processor seconds and peak memory."""

    def __init__(self) -> None:
        self.wall, self.processor = time.perf_counter(), time.process_time()

    def tell(self, what: str) -> None:
        wall, used = time.perf_counter() - self.wall, time.process_time() - self.processor
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{what}: {wall:.0f} s, {used:.0f} of the processor, {most:.2f} GB", flush=True)


def write(folder: Path, truth: np.ndarray, n_rows: int) -> None:
    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    for number, first in enumerate(range(0, n_rows, FILE_ROWS)):
        rows = answers(truth, min(FILE_ROWS, n_rows - first), rng)
        frame = pd.DataFrame(rows, columns=["head", "near", "far"])
        frame.to_parquet(folder / f"part-{number:04d}.parquet")


def answers(truth: np.ndarray, m: int, rng: np.random.Generator) -> np.ndarray:
    rows = rng.integers(len(truth), size=(m, 3), dtype=np.int32)
    while (same := (rows == np.roll(rows, 1, axis=1)).any(axis=1)).any():
        rows[same] = rng.integers(len(truth), size=(int(same.sum()), 3), dtype=np.int32)
    head, one, other = (truth[column] for column in rows.T)
    near, far = (1 / (1 + ((head - option) ** 2).sum(axis=1)) for option in (one, other))
    swap = rng.random(m) > near / (near + far)
    rows[swap] = rows[swap][:, [0, 2, 1]]
    return rows


if __name__ == "__main__":
    main()
