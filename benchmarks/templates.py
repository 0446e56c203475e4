"""Templates of many images: 100,000 trials of 1,024 pixels, as a memory map.

    python benchmarks/templates.py

The Gaussian prototypes with diagonal masks are found in a fresh process; time on the clock,
processor time, and the peak of its memory beside the size of the data.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from tables import Row, show

import resemblance as rs

BLOCK = 5000


def write(folder: Path, n_trials: int, side: int) -> tuple[Path, Path]:
    """Write images of the four-square task in noise, and the answers of an exemplar observer."""
    folder.mkdir(parents=True, exist_ok=True)
    images, labels = folder / f"squares-{n_trials}.npy", folder / f"answers-{n_trials}.npy"
    if images.exists() and labels.exists():
        return images, labels
    task = rs.stimuli.FourSquares(side)
    person = rs.TemplateObserver(task.signals, task.labels, lapse=0.02, random_state=0)
    shape = (n_trials, *task.image_shape)
    stored = np.lib.format.open_memmap(images, "w+", np.float32, shape)
    random, answers = np.random.RandomState(0), np.empty(n_trials, dtype=np.int8)
    for first in range(0, n_trials, BLOCK):
        rows = slice(first, min(first + BLOCK, n_trials))
        places = random.randint(4, size=rows.stop - first)
        block = task.draw(places, 2.0 / side, random)
        stored[rows], answers[rows] = block, person.pick(block)
    stored.flush()
    np.save(labels, answers)
    return images, labels


def fit(images: Path, labels: Path) -> Row:
    """Find the prototypes in this process."""
    began, worked = perf_counter(), process_time()
    trials = rs.Classifications(np.load(images, mmap_mode="r"), np.load(labels))
    model = rs.TemplateClassifier(random_state=0).fit(trials)
    return {
        "seconds": round(perf_counter() - began, 1),
        "cpu_seconds": round(process_time() - worked, 1),
        "prototypes": len(model.labels_),
        "rounds": model.n_rounds_,
        "peak_mb": round(peak()),
        "data_mb": round(images.stat().st_size / 2**20),
    }


def peak() -> float:
    """Give the most memory that this process has held, in MiB, pages of the map included."""
    with open("/proc/self/status", encoding="ascii") as status:  # Linux
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 2**10


def run(folder: Path, n_trials: int = 100_000, side: int = 16, threads: int = 1) -> list[Row]:
    """Write the data, then fit in a fresh process."""
    files = write(folder, n_trials, side)
    command = [sys.executable, __file__, "--fit", *map(str, files)]
    threaded = os.environ | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    said = subprocess.run(command, check=True, capture_output=True, text=True, env=threaded)
    return [{"trials": n_trials, "pixels": (2 * side) ** 2, **json.loads(said.stdout)}]


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="not used: the images are generated")
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks"))
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--side", type=int, default=16)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--fit", type=Path, nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.fit:
        print(json.dumps(fit(*chosen.fit)))
    else:
        show("templates", run(chosen.out, chosen.trials, chosen.side, chosen.threads))


if __name__ == "__main__":
    main()
