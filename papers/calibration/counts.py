"""How often is "use the map" false of confusions and of ratings? With structure, and without.

`rs.evaluate` holds pairs out. What it says is false where the map, of all counts, gives a new trial
of a random pair no higher likelihood than a guess does that knows the share of errors of all, or
how often each person gives each rating. Where there is nothing to find, every pair is confused
alike, and people rate by habits of their own.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist
from scipy.special import xlogy
from table import main, row
from verdicts import WORLDS, clusters, five, heavy, line, plane, ring, three

import resemblance as rs

SHAPES = (plane, line, ring, clusters, heavy, three, five)
assert {one for one, *_ in WORLDS.values()} == set(SHAPES)
TRIALS = 4, 20, 80  # of a pair
EACH = 20, 60  # ratings of a person
N_PEOPLE, POINTS = 12, 7


def confused(seed: int, is_structured: bool, trials: int) -> dict[str, float | str]:
    """Hold what is said of confusions against the truth."""
    rng = np.random.default_rng([seed, trials, 5])
    X = SHAPES[seed % len(SHAPES)](rng)[:20]
    d = pdist(X)
    p = 0.5 * np.exp(-((1.5 * d / np.median(d)) ** 2)) if is_structured else np.full(len(d), 0.2)
    pairs = np.column_stack(np.triu_indices(len(X), 1))
    counts = rs.Confusions(pairs, rng.binomial(trials, p), trials, items=len(X))
    found = rs.evaluate(rs.STE(2, random_state=0), counts, cv=5, random_state=seed)
    mapped, share = (
        found.model.predict_proba(counts)[:, 0],
        counts.errors.sum() / counts.trials.sum(),
    )
    ours, guess = ((xlogy(p, q) + xlogy(1 - p, 1 - q)).mean() for q in (mapped, share))
    return {"code": found.as_dict()["next"]["code"], "gain": ours - guess}


def rated(seed: int, is_structured: bool, each: int) -> dict[str, float | str]:
    """Hold what is said of ratings against the truth."""
    rng = np.random.default_rng([seed, each, 6])
    X = SHAPES[seed % len(SHAPES)](rng)[:20]
    d = pdist(X)
    far = 4 * (d / np.median(d)) ** 2 if is_structured else np.zeros(len(d))
    own = np.sort(rng.normal(-3 if is_structured else 0, 2, (N_PEOPLE, POINTS - 1)), axis=1)
    pairs = np.column_stack(np.triu_indices(len(X), 1))

    def asked(n: int) -> rs.Ratings:
        row, who = rng.integers(len(d), size=n * N_PEOPLE), np.repeat(np.arange(N_PEOPLE), n)
        noisy = -far[row] + rng.logistic(size=len(row))
        rating = 1 + (noisy[:, None] > own[who]).sum(axis=1)
        names = [f"p{k:02d}" for k in who]
        return rs.Ratings(pairs[row], rating, POINTS, items=len(X), observer=names)

    told, new = asked(each), asked(2000)
    found = rs.evaluate(rs.STE(2, random_state=0), told, cv=5, random_state=seed)
    guess = new.guesses()["log_likelihood"].mean()
    return {"code": found.as_dict()["next"]["code"], "gain": -found.model.log_loss(new) - guess}


def table(n_worlds: int = 70, n_jobs: int = 2) -> pd.DataFrame:
    """Return what is said, and how often it is false, for each number of answers."""
    rows = []
    for look, sizes, words in (
        (confused, TRIALS, "{} trials of a pair"),
        (rated, EACH, "{} ratings of a person"),
    ):
        for is_structured in (True, False):
            for size in sizes:
                jobs = (delayed(look)(seed, is_structured, size) for seed in range(n_worlds))
                found = pd.DataFrame(Parallel(n_jobs)(jobs))
                about = words.format(size) + ("" if is_structured else ", nothing to find")
                said, false = found["code"] == "counts", found["gain"] <= 0
                rows.append(row(about, '"use the map" is said', "", said, share=True))
                if said.any():
                    rows.append(row(about, "and is false", "5 %", false[said], share=True))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
