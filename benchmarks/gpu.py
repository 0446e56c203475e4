"""Time the loss and its gradient, and whole fits, on a GPU and on the processor.

python benchmarks/gpu.py [--rows 100000000] [--items 100000] [--large] [--cblearn]

Needs the extra ``gpu`` and an NVIDIA card. ``--large`` adds a billion rows of a million items
(45 GB of memory), and ``--cblearn`` the torch backend of cblearn on the first million rows.
"""

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from numba import njit, prange

import resemblance as rs
from resemblance.choice import Softmax, StudentT
from resemblance.fitting.objective.card import Card, CardPart, CardRows
from resemblance.fitting.objective.objective import Part, batches
from resemblance.forms import Form

SIZES = (2, 10_000_000, 100_000), (3, 10_000_000, 100_000), (10, 10_000_000, 10_000)
FEW = 1_000_000  # rows for one thread of the processor


@njit(parallel=True, cache=True)
def answer(X: np.ndarray, rows: np.ndarray, noise: np.ndarray) -> None:
    for r in prange(len(rows)):
        head, near, far = rows[r]
        gap = 0.0
        for c in range(X.shape[1]):
            to_near, to_far = X[head, c] - X[near, c], X[head, c] - X[far, c]
            gap += to_near * to_near - to_far * to_far
        if gap > noise[r]:
            rows[r, 1], rows[r, 2] = far, near


def world(n: int, n_rows: int, n_items: int) -> tuple[np.ndarray, rs.Triplets]:
    """Make positions and triplets, answered with logistic noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_items, n))
    rows = np.empty((n_rows, 3), dtype=np.int32)
    rows[:, 0] = rng.integers(n_items, size=n_rows)
    near, far = rng.integers(1, [[n_items], [n_items - 1]], size=(2, n_rows))
    far += far >= near
    rows[:, 1], rows[:, 2] = (rows[:, 0] + near) % n_items, (rows[:, 0] + far) % n_items
    answer(X, rows, rng.logistic(size=n_rows))
    return X, rs.Triplets(rows, n_items)


def seconds(do: Callable[[], object], turns: int) -> float:
    do()
    taken = []
    for _ in range(turns):
        start = time.perf_counter()
        do()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


def passes(card: Card) -> None:
    """Print the time per row of one pass over all rows, including copies of the state."""
    print(
        "| dimensions | items | rows | card, ns a row | one thread, ns a row |\n" + "|---" * 5 + "|"
    )
    for n, n_rows, n_items in SIZES:
        X, triplets = world(n, n_rows, n_items)
        line(card, X, batches(triplets), batches(triplets[:FEW]), StudentT(1.0))
    X = np.random.default_rng(0).gamma(0.5, size=(1854, 49))
    odd = odd_ones_out(X, 4_700_000)
    line(card, X, batches(odd), batches(odd[:FEW]), Softmax())


def line(card: Card, X: np.ndarray, data: list, few: list, choice: StudentT | Softmax) -> None:
    part, beside = CardPart(CardRows.in_memory(card, data), choice), Part(few, choice, Form())
    (loss, slopes), (again, same) = part(X), part(X)
    assert loss == again
    assert (slopes == same).all()
    on_card, on_processor = seconds(lambda: part(X), 7), seconds(lambda: beside(X), 3)
    n_rows = len(data[0])
    print(
        f"| {X.shape[1]} | {len(X):,} | {n_rows:,} | {on_card / n_rows * 1e9:.3f} | "
        f"{on_processor / len(few[0]) * 1e9:.1f} |",
        flush=True,
    )


def odd_ones_out(X: np.ndarray, n_rows: int) -> rs.OddOneOuts:
    rng = np.random.default_rng(1)
    rows = np.argsort(rng.random((n_rows, 8)), axis=1)[:, :3] * 200 + rng.integers(
        200, size=(n_rows, 3)
    )
    return rs.OddOneOuts(rows, rows[np.arange(n_rows), rng.integers(3, size=n_rows)], len(X))


def fits(n_rows: int, n_items: int) -> None:
    """Print seconds and held-out error of a whole fit, from random positions."""
    _, triplets = world(2, n_rows + FEW, n_items)
    start = time.perf_counter()
    model = rs.TSTE(2, device="cuda", init="random", random_state=0).fit(triplets[:n_rows])
    took = time.perf_counter() - start
    error = 1.0 - model.score(triplets[n_rows:])
    print(
        f"t-STE, {n_rows:,} rows of {n_items:,} items: {took:.1f} s, error {error:.4f}", flush=True
    )


def against_cblearn(n_items: int) -> None:
    from cblearn.embedding import STE

    _, triplets = world(2, 2 * FEW, n_items)
    for name, fit in {
        "cblearn": lambda rows: STE(2, backend="torch", device="cuda").fit(rows).embedding_,
        "resemblance": lambda rows: rs.STE(2, device="cuda").fit(rows).embedding_,
    }.items():
        start = time.perf_counter()
        X = fit(triplets.index[:FEW])
        took = time.perf_counter() - start
        error = rs.triplet_error(X, triplets[FEW:])
        print(f"STE of {name}, {FEW:,} rows: {took:.1f} s, error {error:.4f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--cblearn", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    passes(Card("cuda"))
    fits(asked.rows, asked.items)
    if asked.large:
        fits(1_000_000_000, 1_000_000)
    if asked.cblearn:
        against_cblearn(1000)


if __name__ == "__main__":
    main()
