"""What choosing the model costs beside t-STE alone: `fit` with and without `--model tste`.

Both fit, choose the penalty and hold out ten folds; processor seconds, by turns in one run.
"""

import argparse
import time

import numpy as np

import resemblance as rs

SIZES = (30, 2, 600), (40, 2, 1500), (80, 2, 6000), (100, 3, 20000)


def answers(n: int, d: int, m: int, seed: int = 0) -> rs.Triplets:
    """Return random answers of a person to whom items are normal."""
    rng = np.random.default_rng(seed)
    person = rs.SpaceObserver(2 * rng.normal(size=(n, d)), random_state=seed)
    return person.answer([rng.choice(n, 3, replace=False) for _ in range(m)])


def seconds(told: rs.Triplets, model: str, dims: int) -> float:
    """Return the processor seconds of an analysis."""
    began = time.process_time()
    rs.analyse(told, model, dims=dims)
    return time.process_time() - began


def main() -> None:
    """Print a row for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    for n, d, m in SIZES:
        for dims in (2, 3):
            told = answers(n, d, m)
            seconds(told[:300], "auto", dims)
            pairs = [[seconds(told, name, dims) for name in ("tste", "auto")] for _ in range(runs)]
            alone, chosen = np.transpose(pairs)
            least, middle, most = np.quantile(chosen / alone, [0, 0.5, 1])
            print(
                f"{n} items, {m} answers, map in {dims}: t-STE {np.median(alone):.2f} s, auto "
                f"{np.median(chosen):.2f} s, ratio {middle:.2f} ({least:.2f} to {most:.2f})"
            )


if __name__ == "__main__":
    main()
