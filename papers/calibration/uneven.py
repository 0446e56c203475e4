"""`penalty="auto"` that may shrink long dimensions less, beside one that shrinks all alike.

Random questions about 20 to 300 items, 6 to 100 answers an item, triplets or odd ones out of three;
people answer by the softmax of squared distances or with heavy tails, with lapses to .15, and may
differ in weights; the map has 2 to 10 dimensions, whatever the world has.
"""

import time

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs
from resemblance.errors import quiet

DIMENSIONS = {
    "plane": 2,
    "line": 1,
    "ring": 2,
    "3-D": 3,
    "5-D": 5,
    "10-D": 10,
    "clusters": 3,
    "heavy tails": 2,
    "people differ": 3,
}
NEW, PEOPLE = 8000, 12


def points(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw items, from .8 to 3 long in the mean square root."""
    d = DIMENSIONS[kind]
    if kind == "clusters":
        X = 2 * rng.normal(size=(8, d))[rng.integers(8, size=n)] + 0.3 * rng.normal(size=(n, d))
    elif kind == "heavy tails":
        X = rng.standard_t(2, size=(n, d))
    elif kind == "ring":
        angle = rng.uniform(0, 2 * np.pi, n)
        X = np.column_stack([np.cos(angle), np.sin(angle)])
    else:
        X = rng.normal(size=(n, d))
    return rng.uniform(0.8, 3) * X / np.sqrt(X.var(axis=0).sum())


def look(seed: int) -> dict[str, object]:
    """Fit both ways in a world; return what the first gains on new answers."""
    rng = np.random.default_rng([seed, 4])
    kind, n = list(DIMENSIONS)[seed % len(DIMENSIONS)], int(rng.choice([20, 30, 60, 120, 300]))
    m = n * int(rng.choice([6, 12, 25, 50, 100]))
    odd, heavy = bool(rng.integers(2)), bool(rng.integers(2))
    lapse, dims = rng.choice([0.0, 0.05, 0.15]), int(rng.choice([2, 3, 5, 10]))
    X = points(kind, n, rng)
    rows = np.argsort(rng.random((m + NEW, n)), axis=1)[:, :3]
    weights = np.ones((len(rows), X.shape[1]))
    if kind == "people differ":
        own = np.exp(0.8 * rng.normal(size=(PEOPLE, X.shape[1])))
        weights = own[rng.integers(PEOPLE, size=len(rows))]
    pairs = ((1, 2), (0, 2), (0, 1)) if odd else ((0, 1), (0, 2))
    apart = [(weights * (X[rows[:, a]] - X[rows[:, b]]) ** 2).sum(axis=1) for a, b in pairs]
    near = np.stack([-1.5 * np.log1p(4 * d) if heavy else -d for d in apart], axis=1)
    picked = (near + rng.gumbel(size=near.shape)).argmax(axis=1)
    guess = rng.random(len(rows)) < lapse
    picked = np.where(guess, rng.integers(len(pairs), size=len(rows)), picked)
    if odd:
        answers = rs.OddOneOuts(rows, odd=rows[np.arange(len(rows)), picked], items=n)
    else:
        answers = rs.Triplets(np.where(picked[:, None] == 0, rows, rows[:, [0, 2, 1]]), items=n)
    model = [rs.STE, rs.TSTE][int(rng.integers(2))]
    fits, seconds = [], []
    for form in ("coordinates", rs.forms.Coordinates()):
        began = time.process_time()
        with quiet():
            fit = model(dims, form=form, penalty="auto", random_state=0).fit(answers[:m])
        seconds.append(time.process_time() - began)
        fits.append(fit)
    new = answers[m:]
    return {
        "kind": kind,
        "dims": dims,
        "log loss": fits[0].log_loss(new) - fits[1].log_loss(new),
        "accuracy": fits[0].score(new) - fits[1].score(new),
        "uneven": fits[0].extent_ is not None,
        "seconds": seconds[0] / seconds[1],
    }


def table(n_worlds: int = 108, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each measure, of all worlds."""
    whole = pd.DataFrame(Parallel(n_jobs)(delayed(look)(seed) for seed in range(n_worlds)))
    rows = [
        row("all", "long dimensions are shrunk less", "", whole["uneven"], share=True),
        row("all", "log loss, less that of all alike", "below 0", whole["log loss"]),
        row("all", "more by .01", "0", whole["log loss"] > 0.01, share=True),
        row("all", "accuracy, less that of all alike", "above 0", whole["accuracy"]),
        row("all", "times as long", "", whole["seconds"]),
    ]
    for dims, part in whole.groupby("dims"):
        rows.append(row(f"{dims} dimensions", "log loss", "", part["log loss"]))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
