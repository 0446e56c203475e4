"""Compare the compiled loop of triplets with the same loop in C, by number of dimensions.

python benchmarks/limit.py [--rows 1000000] [--items 10000] [--turns 15]

Needs gcc. Both run alternately on one thread; the ratio is the median over the turns.
"""

import argparse
import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from resemblance.choice import StudentT
from resemblance.forms._loops import triplet_gradient

SOURCE = Path(__file__).with_suffix(".c")
MODEL = StudentT(alpha=1.0).code
NO_WEIGHT = np.empty(0)  # all rows have weight 1


def build(folder: str) -> Callable[..., float]:
    library = Path(folder) / "limit.so"
    flags = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, "-o", library, SOURCE, "-lm"], check=True)
    evaluate = ctypes.CDLL(str(library)).evaluate
    evaluate.restype = ctypes.c_double
    pointer = ctypes.c_void_p
    evaluate.argtypes = [*[pointer] * 4, ctypes.c_long, ctypes.c_int, pointer]
    return lambda X, columns, out: evaluate(
        X.ctypes.data,
        *(c.ctypes.data for c in columns),
        len(columns[0]),
        X.shape[1],
        out.ctypes.data,
    )


def ours(X: np.ndarray, columns: tuple[np.ndarray, ...], out: np.ndarray) -> float:
    return float(triplet_gradient(X, columns, NO_WEIGHT, MODEL, out))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=15)
    asked = parser.parse_args()
    rng = np.random.default_rng(0)
    columns = tuple(rng.integers(asked.items, size=(3, asked.rows), dtype=np.int32))
    print("| dimensions | C, ns a row | ours, ns a row | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        loops = build(folder), ours
        for n in (2, 3, 5, 10, 20, 49):
            X = rng.normal(size=(asked.items, n))
            first = [(loop(X, columns, out), out) for loop in loops for out in [np.zeros_like(X)]]
            np.testing.assert_allclose(first[0][0], first[1][0])
            np.testing.assert_allclose(first[0][1], first[1][1], atol=1e-9)
            times = np.array(
                [[timed(loop, X, columns) for loop in loops] for _ in range(asked.turns)]
            )
            least, ratio = times.min(axis=0) / asked.rows, np.median(times[:, 1] / times[:, 0])
            print(f"| {n} | {least[0]:.1f} | {least[1]:.1f} | {ratio:.2f} |", flush=True)


def timed(loop: Callable[..., float], X: np.ndarray, columns: tuple[np.ndarray, ...]) -> int:
    out, start = np.zeros_like(X), time.perf_counter_ns()
    loop(X, columns, out)
    return time.perf_counter_ns() - start


if __name__ == "__main__":
    main()
