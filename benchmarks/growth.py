"""Measure how the cost of one evaluation grows: python growth.py.

The loss and gradient of triplets by t-STE with one degree of freedom are computed on one thread.
Printed are the processor nanoseconds per row (the minimum of several evaluations) by rows, items
and dimensions, and the bytes of positions that a pass sends and returns.
"""

import argparse
import time
from statistics import median

import numpy as np

from resemblance.choice import Softmax, StudentT
from resemblance.fitting.objective.objective import Batch, Objective
from resemblance.forms import Coordinates
from resemblance.judgments.base import TWO_PAIRS

MODELS = {"t-STE": StudentT(1.0), "STE": Softmax()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    told = parser.parse_args()
    print("| model | rows | items | dimensions | ns a row, least | median | MB of positions |")
    print("|---|---|---|---|---|---|---|")
    for name, choice in MODELS.items():
        for m in (10**5, 10**6, 10**7):
            row(name, choice, m, 10**4, 2, told.repeats)
        for n in (10**3, 10**5, 10**6):
            row(name, choice, 4 * 10**6, n, 2, told.repeats)
        for d in (1, 3, 5, 10, 20):
            row(name, choice, 10**6, 10**4, d, told.repeats)


def row(name: str, choice, m: int, n: int, d: int, repeats: int) -> None:
    rng = np.random.default_rng(0)
    head, near, far = rng.integers(n, size=(3, m), dtype=np.int32)
    batch = Batch([(head, near), (head, far)], np.empty(0), TWO_PAIRS)
    objective = Objective([batch], choice, Coordinates())
    X = rng.normal(size=(n, d))
    objective(X)
    seconds = []
    for _ in range(repeats):
        clock = time.process_time()
        objective(X)
        seconds.append((time.process_time() - clock) / m * 1e9)
    least, middle = min(seconds), median(seconds)
    print(f"| {name} | {m:,} | {n:,} | {d} | {least:.0f} | {middle:.0f} | {8e-6 * n * d:.2g} |")


if __name__ == "__main__":
    main()
