"""Which choice model, and how many dimensions: as `resemblance fit --model auto --dims auto`.

Items lie on a line, in a plane or in space; 2,000 random questions are answered. The model is
chosen by log loss in two dimensions, then the dimensions by the one-standard-error rule.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row
from worlds import CHOICES, KINDS, scale

import resemblance as rs

M = 2000
LIKE_T = ("tste", "ckl")  # one model in two dimensions, but for the scale
RIGHT = {"softmax": ("ste",), "student": LIKE_T, "relative": LIKE_T}


def look(seed: int, d: int) -> dict[str, bool]:
    """Say whether model and dimensions were found."""
    rng = np.random.default_rng([seed, d, 9])
    kind, n, lapse = KINDS[seed % 3], int(rng.integers(20, 41)), rng.uniform(0.0, 0.1)
    points = rng.normal(size=(n, d))
    points = scale(points, kind, lapse, rng.uniform(0.7, 0.85)) * points
    person = rs.SpaceObserver(points, CHOICES[kind], lapse=lapse, random_state=seed)
    asked = [rng.choice(n, 3, replace=False) for _ in range(M)]
    answers = rs.Triplets(person.answer(asked).index, items=n)
    cv = rs.GroupedKFold(10, random_state=0)
    chosen = rs.compare_models(answers, cv=cv).chosen
    model = {"ste": rs.STE, "tste": rs.TSTE, "ckl": rs.CKL}[chosen]
    estimator = model(penalty="auto", tol=1e-3, random_state=0)
    curve = rs.select_dimension(estimator, answers, [1, 2, 3, 4], cv=cv)
    return {
        "model": chosen in RIGHT[kind],
        "dimensions": curve.chosen == d,
        "dimensions by the test": curve.not_worse == d,
    }


def table(n_worlds: int = 60, n_jobs: int = 2) -> pd.DataFrame:
    """Return how often model and dimensions are right, for each true number of dimensions."""
    rows, everything = [], []
    for d in (1, 2, 3):
        found = pd.DataFrame(Parallel(n_jobs)(delayed(look)(seed, d) for seed in range(n_worlds)))
        everything.append(found)
        for what in found:
            rows.append(row(f"{d} in truth", f"{what} right", "", found[what], share=True))
    whole = pd.concat(everything)
    for what, claim in (("model", ""), ("dimensions", "80 %"), ("dimensions by the test", "80 %")):
        rows.append(row("all", f"{what} right", claim, whole[what], share=True))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
