"""Fit sparse dimensions to millions of odd ones out: sparse.py --data FOLDER --rows 4700000

Answers to random triads are drawn from a published space (spose49.npy in FOLDER/things) by the
softmax of inner products. The fit is compared with that space on 50,000 further triads.
"""

import argparse
import resource
import time
from pathlib import Path

import numpy as np

import resemblance as rs

N_TEST = 50_000


def triads(space: np.ndarray, m: int, seed: int) -> rs.OddOneOuts:
    rng, n = np.random.default_rng(seed), len(space)
    shown = rng.integers(n, size=(m, 3), dtype=np.int32)
    while (twice := (shown == np.roll(shown, 1, axis=1)).any(axis=1)).any():
        shown[twice] = rng.integers(n, size=(int(twice.sum()), 3), dtype=np.int32)
    K = space @ space.T
    a, b, c = shown.T
    utilities = np.stack([K[b, c], K[a, c], K[a, b]], axis=1)
    odd = (utilities + rng.gumbel(size=utilities.shape)).argmax(axis=1)
    return rs.OddOneOuts(shown, shown[np.arange(m), odd], items=n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=float, default=4.7e6)
    parser.add_argument("--dims", type=int, default=60)
    told = parser.parse_args()
    space = np.load(told.data / "things" / "spose49.npy").astype(float)
    answers = triads(space, int(told.rows), 0)
    clock, processor = time.perf_counter(), time.process_time()
    model = rs.SPoSE(told.dims, random_state=0).fit(answers)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{len(answers):,} rows: {clock:.0f} s, of the processor {processor:.0f}, {memory:.2f} GB"
    )
    print(f"dimensions {model.embedding_.shape[1]}, zeros {(model.embedding_ == 0).mean():.2f}")
    new = triads(space, N_TEST, 1)
    truth = rs.SPoSE(space.shape[1]).set_positions(space)
    for name, one in (("truth", truth), ("fit", model)):
        print(f"{name}: right {one.score(new):.4f}, log loss {one.log_loss(new):.4f}")
    found = rs.scores.match_dimensions(space, model.embedding_)[1]
    print(f"matched correlation: median {np.median(found):.3f}, above .9 {(found > 0.9).sum()}")


if __name__ == "__main__":
    main()
