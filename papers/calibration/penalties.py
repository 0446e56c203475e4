"""`penalty="auto"` where answers are few, beside the best of a grid of penalties, and guessing.

Random questions about 100 to 800 items, 2 to 16 answers an item: triplets, or odd ones out of
three, by the softmax of squared distances with 5 % lapses; the map may have too many dimensions or
too few.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs
from resemblance.errors import quiet
from resemblance.fitting.choosing.penalty import strongest_penalty
from resemblance.fitting.objective.objective import batches

KINDS = "plane", "5-D", "10-D", "clusters", "heavy tails", "line", "nothing to see"
DIMENSIONS = {"plane": 2, "5-D": 5, "10-D": 10, "line": 1, "nothing to see": 2}
SHARES = 0.6, 0.5, 0.4, 0.32, 0.25, 0.2, 0.15, 0.1, 0.06, 0.03, 0.01, 0.003  # of the strongest
NEW, LAPSE = 6000, 0.05


def points(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw items of one kind, from 1 to 2.5 long in the mean square."""
    if kind == "clusters":
        X = 2 * rng.normal(size=(8, 3))[rng.integers(8, size=n)] + 0.3 * rng.normal(size=(n, 3))
    elif kind == "heavy tails":
        X = rng.standard_t(2, size=(n, 3))
    else:
        X = rng.normal(size=(n, DIMENSIONS[kind]))
    size = 0.0 if kind == "nothing to see" else rng.uniform(1, 2.5)
    return size * X / np.sqrt(X.var(axis=0).sum())


def answered(X: np.ndarray, m: int, odd: bool, rng: np.random.Generator) -> rs.judgments.Judgments:
    """Let people answer m random questions."""
    rows = np.argsort(rng.random((m, len(X))), axis=1)[:, :3]
    pairs = ((1, 2), (0, 2), (0, 1)) if odd else ((0, 1), (0, 2))
    near = np.stack([-((X[rows[:, a]] - X[rows[:, b]]) ** 2).sum(axis=1) for a, b in pairs], 1)
    picked = (near + rng.gumbel(size=near.shape)).argmax(axis=1)
    picked = np.where(rng.random(m) < LAPSE, rng.integers(len(pairs), size=m), picked)
    if odd:
        return rs.OddOneOuts(rows, odd=rows[np.arange(m), picked], items=len(X))
    return rs.Triplets(np.where(picked[:, None] == 0, rows, rows[:, [0, 2, 1]]), items=len(X))


def look(seed: int) -> dict[str, object]:
    """Tell the log loss of new answers over that of guessing, and over the best of the grid."""
    rng = np.random.default_rng([seed, 4242])
    kind, n = KINDS[seed % len(KINDS)], int(rng.choice([100, 200, 400, 800]))
    each, dims, odd = int(rng.choice([2, 4, 8, 16])), int(rng.choice([2, 5, 12])), seed % 2 == 0
    kind_of_model = [rs.STE, rs.TSTE][rng.integers(2)]
    both = answered(points(kind, n, rng), n * each + NEW, odd, rng)
    told, new = both[: n * each], both[n * each :]

    def loss(penalty: float | str) -> float:
        with quiet():
            fit = kind_of_model(dims, penalty=penalty, random_state=0).fit(told)
        return float(fit.log_loss(new))

    first = strongest_penalty(batches(told), kind_of_model(dims)._choice(), n)
    chosen, best = loss("auto"), min(loss(share * first) for share in SHARES)
    guess = np.log(3 if odd else 2)
    return {
        "kind": kind,
        "answers each": each,
        "over best": chosen / best - 1,
        "over guess": chosen / guess - 1,
    }


def table(n_worlds: int = 98, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each measure, of all worlds."""
    whole = pd.DataFrame(Parallel(n_jobs)(delayed(look)(seed) for seed in range(n_worlds)))
    return pd.DataFrame(
        [
            row("all", "log loss over the best of a grid", "", whole["over best"]),
            row("all", "over it by 2 %", "0", whole["over best"] > 0.02, share=True),
            row("all", "log loss over guessing", "below 0", whole["over guess"]),
            row("all", "over guessing by 1 %", "0", whole["over guess"] > 0.01, share=True),
        ]
    )


if __name__ == "__main__":
    main(table, __doc__)
