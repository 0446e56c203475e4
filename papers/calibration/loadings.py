"""Measure the spread of loadings and the reproducibility of sparse dimensions.

Each of sixty items has one or two of four dimensions. People choose the odd one of three by inner
products, with lapses or individual weights. Fitted dimensions are matched with true ones; those
with a correlation below .7 are spurious. In a plane there are no true dimensions, and fitted ones
are tiles.
"""

import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs

N_ITEMS, N_DIMS, N_PEOPLE = 60, 4, 20
STUDIES = {  # number of answers, lapse rate, standard deviation of log weights
    "1,200 answers": (1200, 0.0, 0.0),
    "3,000 answers": (3000, 0.0, 0.0),
    "3,000 answers, people differ by .5": (3000, 0.0, 0.5),
    "12,000 answers": (12_000, 0.0, 0.0),
    "12,000 answers, lapses of 10 %": (12_000, 0.1, 0.0),
}
N_REFITS = 30
TRUE = 0.7  # least correlation of a fitted dimension with a true one that it matches


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


def answers(
    X: np.ndarray, m: int, seed: int, lapse: float = 0.0, apart: float = 0.0
) -> rs.OddOneOuts:
    """Draw random triads, and let people pick the odd one of each."""
    rng = np.random.default_rng([seed, 2])
    shown = rng.random((m, len(X))).argpartition(3, axis=1)[:, :3]
    weights = np.exp(apart * rng.normal(size=(N_PEOPLE, X.shape[1])))
    people = [
        rs.SpaceObserver(X, rs.choice.Logistic(), lapse, weights=own, random_state=seed + k)
        for k, own in enumerate(weights)
    ]
    crowd = rs.Crowd(people, [f"p{k:02d}" for k in range(N_PEOPLE)], random_state=seed)
    picked: rs.OddOneOuts = crowd.answer(rs.OddOneOuts(shown, shown[:, 0], items=len(X)))
    return picked


def in_plane(m: int, seed: int) -> rs.OddOneOuts:
    """Draw random triads of items in a plane, and let a person pick the odd one of each."""
    rng = np.random.default_rng([seed, 3])
    shown = rng.random((m, N_ITEMS)).argpartition(3, axis=1)[:, :3]
    person = rs.SpaceObserver(1.5 * rng.normal(size=(N_ITEMS, 2)), random_state=seed)
    picked: rs.OddOneOuts = person.answer(rs.OddOneOuts(shown, shown[:, 0], items=N_ITEMS))
    return picked


def fitted(told: rs.OddOneOuts, seed: int) -> tuple[rs.SPoSE, rs.embeddings.Reproducibility]:
    """Fit dimensions, and find them again in splits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.errors.ResemblanceWarning)
        model = rs.SPoSE(3 * N_DIMS, random_state=seed).fit(told)
        return model, rs.reproducibility(model, told, n_seeds=0, random_state=seed)


def look(seed: int, m: int, lapse: float, apart: float, n_refits: int = N_REFITS) -> dict:
    """Count the loadings of one world within their spread, and the splits of each dimension."""
    X = truth(seed)
    told = answers(X, m, seed, lapse, apart)
    model, again = fitted(told, seed)
    spread = rs.loading_spread(model, told, n_refits=n_refits, random_state=seed)
    columns, _ = rs.scores.match_dimensions(X, spread.loadings)
    ends = (spread.lowest, spread.highest)
    lowest, highest = (np.pad(end, ((0, 0), (0, 1)))[:, columns] for end in ends)
    held = (lowest <= X) & (highest >= X)
    _, likeness = rs.scores.match_dimensions(spread.loadings, X)
    most = 2 * again.found_again > again.n_splits
    return {
        "all": held.mean(),
        "positive": held[X > 0].mean(),
        "found": len(most),
        "true": most[likeness >= TRUE].mean() if (likeness >= TRUE).any() else np.nan,
        "chance": most[likeness < TRUE].mean() if (likeness < TRUE).any() else np.nan,
    }


def plane(seed: int, m: int) -> dict:
    """Count the tiles of a plane, and those that are found again in most splits."""
    _, again = fitted(in_plane(m, seed), seed)
    return {"tiles": len(again.halves), "again": (2 * again.found_again > again.n_splits).mean()}


def table(n_worlds: int = 60, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each number."""
    rows = []
    for about, study in STUDIES.items():
        jobs = (delayed(look)(seed, *study) for seed in range(n_worlds))
        found = pd.DataFrame(Parallel(n_jobs)(jobs))
        for what, name in (("all", "loadings within their spread"), ("positive", "those above 0")):
            rows.append(row(about, name, "", found[what], share=True))
        rows.append(row(about, "dimensions, of 4", "", found["found"]))
        for what in ("true", "chance"):
            name = f"{what}: found again in most splits"
            rows.append(row(about, name, "", found[what].dropna(), share=True))
    found = pd.DataFrame(Parallel(n_jobs)(delayed(plane)(seed, 3000) for seed in range(n_worlds)))
    rows.append(row("a plane, 3,000 answers", "tiles", "", found["tiles"]))
    rows.append(row("a plane, 3,000 answers", "again in most splits", "", found["again"], True))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
