"""Does `unsupervised_alignment` keep its level, find what agrees, and match whom it says it does?

In each world two clouds of 14 points are drawn alike, on their own or, where the structures agree,
one of them from the other with an error; names are shuffled. *Dissimilarities* are distances in
three dimensions told with an error. *Found* is p at .05 or below, of 39 draws.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist
from table import main, row

import resemblance as rs

N, STARTS, DRAWS, ERROR = 14, 15, 39, 0.2
KINDS = {
    "plane": lambda rng: rng.normal(size=(N, 2)),
    "five dimensions": lambda rng: rng.normal(size=(N, 5)) * [2.0, 1.5, 1.0, 0.7, 0.5],
    "square": lambda rng: rng.random((N, 2)),
    "heavy tails": lambda rng: rng.standard_t(3, size=(N, 2)),
    "four clusters": lambda rng: (
        rng.normal(size=(4, 3))[rng.integers(4, size=N)] + 0.25 * rng.normal(size=(N, 3))
    ),
    "dissimilarities": lambda rng: rng.normal(size=(N, 3)),
}


def look(seed: int, kind: str, agree: bool, draws: int = DRAWS) -> dict[str, float]:
    """Return what is said of one world."""
    rng = np.random.default_rng([seed, 71])
    one, other = KINDS[kind](rng), KINDS[kind](rng)
    if agree:
        other = one + ERROR * one.std() * rng.normal(size=one.shape)
    names, order = [f"i{k}" for k in range(N)], rng.permutation(N)
    spaces = []
    for points, rows in ((one, np.arange(N)), (other, order)):
        distances = pdist(points[rows])
        if kind == "dissimilarities":
            distances = np.abs(distances + 0.1 * distances.mean() * rng.normal(size=len(distances)))
        spaces.append(rs.RDMs(distances, [names[k] for k in rows]))
    found = rs.unsupervised_alignment(*spaces, n_starts=STARTS, n_draws=draws, random_state=seed)
    right = order[found.matches] == np.arange(N)
    return {
        "found": float(found.p_value <= 0.05),
        "matched": float(found.verdict == "matched"),
        "right": float(right.mean()),
        "top 3": found.matching_rate(3),
        "sure": float(found.sure.mean()),
        "right of sure": float((right & found.sure).sum()),
    }


def table(n_worlds: int = 40, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each measure and kind of world."""
    rows = []
    for kind in KINDS:
        for agree in (False, True):
            seen = pd.DataFrame(
                Parallel(n_jobs)(delayed(look)(seed, kind, agree) for seed in range(n_worlds))
            )
            about = f"{kind}, {'agree' if agree else 'on their own'}"
            rows.append(row(about, "found", "" if agree else "5 %", seen["found"], share=True))
            rows.append(row(about, "matched", "", seen["matched"], share=True))
            if agree:
                rows.append(row(about, "matches that are right", "", seen["right"], share=True))
                rows.append(row(about, "own among the likeliest 3", "", seen["top 3"], share=True))
                rows.append(row(about, "matches that are sure", "", seen["sure"], share=True))
                worlds = seen[seen["sure"] > 0]
                of_sure = worlds["right of sure"] / (N * worlds["sure"])
                rows.append(row(about, "right of those", "80 %", of_sure, share=True))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
