"""The intervals of loadings on sparse dimensions: how many hold the truth.

Sixty items have one dimension or two, of four; people pick the odd one out of three by inner
products, some by chance. The dimensions that are found are matched with the true ones.
"""

import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs

N_ITEMS, N_DIMS = 60, 4
SIZES = 3000, 12_000
LAPSES = 0.0, 0.1
N_DRAWS = 30


def truth(seed: int) -> np.ndarray:
    """Draw loadings: each item has one dimension of its own, some a second."""
    rng = np.random.default_rng([seed, 1])
    X = np.zeros((N_ITEMS, N_DIMS))
    own = np.arange(N_ITEMS) % N_DIMS
    X[np.arange(N_ITEMS), own] = rng.uniform(1.0, 2.0, N_ITEMS)
    second = np.flatnonzero(rng.random(N_ITEMS) < 0.4)
    other = (own[second] + rng.integers(1, N_DIMS, len(second))) % N_DIMS
    X[second, other] = rng.uniform(0.5, 1.0, len(second))
    return X


def answers(X: np.ndarray, m: int, seed: int, lapse: float = 0.0) -> rs.OddOneOuts:
    """Draw random triads, and let a person pick the odd one of each."""
    rng = np.random.default_rng([seed, 2])
    shown = rng.random((m, len(X))).argpartition(3, axis=1)[:, :3]
    person = rs.SpaceObserver(X, rs.choice.Logistic(), lapse, random_state=seed)
    picked: rs.OddOneOuts = person.answer(rs.OddOneOuts(shown, shown[:, 0], items=len(X)))
    return picked


def look(seed: int, m: int, lapse: float, n_draws: int = N_DRAWS) -> dict[str, float]:
    """Count the intervals of one world that hold the truth."""
    X = truth(seed)
    told = answers(X, m, seed, lapse)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.errors.ResemblanceWarning)
        model = rs.SPoSE(3 * N_DIMS, random_state=seed).fit(told)
        found = rs.loading_intervals(model, told, n_draws=n_draws, random_state=seed)
    columns, correlations = rs.scores.match_dimensions(X, found.loadings)
    low, high = (np.pad(end, ((0, 0), (0, 1)))[:, columns] for end in (found.low, found.high))
    held = (low <= X) & (high >= X)
    return {
        "all": held.mean(),
        "positive": held[X > 0].mean(),
        "dimensions": float(found.loadings.shape[1] - N_DIMS),
        "correlation": correlations.mean(),
    }


def table(n_worlds: int = 60, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each claim, size and share of lapses."""
    rows = []
    for m in SIZES:
        for lapse in LAPSES:
            jobs = (delayed(look)(seed, m, lapse) for seed in range(n_worlds))
            found = pd.DataFrame(Parallel(n_jobs)(jobs))
            about = f"{m} answers, lapses {lapse:.0%}"
            rows += [
                row(about, "loadings in their interval", "95 %", found["all"], share=True),
                row(about, "those above 0", "95 %", found["positive"], share=True),
                row(about, "dimensions too many", "0", found["dimensions"]),
                row(about, "correlation with the true ones", "1", found["correlation"]),
            ]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
