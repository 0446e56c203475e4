"""Dimensions of a study that grows: from how many answers on they are right, and where names go.

Items have about a third of some properties, as strongly as it comes; people pick the odd one out of
three random ones by inner products. Fits are made where a study makes them.
"""

import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from loadings import answers
from table import main, row

import resemblance as rs
from resemblance.study.dimensions import SAME
from resemblance.study.refits import GROWTH_OF_DIMENSIONS

SIZES = {12: 3, 30: 4, 60: 6}  # items, and their properties
PER_ITEM = 10, 20, 40, 80
FIRST, FITS = 20, 4  # answers for each item before the first fit of a study, and its fits
RIGHT = 0.8  # the correlation with a property from which a dimension is one


def truth(n: int, seed: int) -> np.ndarray:
    """Draw how much of each property the items have."""
    rng = np.random.default_rng([seed, n])
    d = SIZES[n]
    return (rng.random((n, d)) < 0.35) * rng.uniform(1.0, 2.0, (n, d))


def look(seed: int, n: int, per_item: int) -> dict[str, float]:
    """Say how right the dimensions of one world are, and whether they look it."""
    X = truth(n, seed)
    told = answers(X, per_item * n, seed)
    model = fitted(told, seed)
    again = rs.reproducibility(model, told, n_seeds=0, n_splits=1, random_state=seed)
    return {
        "correlation": alike(X, model.embedding_).max(axis=1).mean(),
        "again": np.mean(again.found_again),
    }


def follow(seed: int, n: int) -> list[dict[str, float]]:
    """Match the dimensions of each fit of a study with those of every later one."""
    X = truth(n, seed)
    sizes = [int(FIRST * n * (1 + GROWTH_OF_DIMENSIONS) ** k) for k in range(FITS)]
    told = answers(X, sizes[-1], seed)
    fits = [fitted(told[:m], seed).embedding_ for m in sizes]
    pairs = [(one, later) for k, one in enumerate(fits) for later in fits[k + 1 :]]
    return [found for pair in pairs for found in matched(X, *pair)]


def matched(X: np.ndarray, one: np.ndarray, later: np.ndarray) -> Iterator[dict[str, float]]:
    """Yield whether a name would go on, by whether both dimensions are a property."""
    columns, correlations = rs.scores.match_dimensions(one, later)
    before, now = alike(X, one).max(axis=0), alike(X, later).max(axis=0)
    for k, (column, r) in enumerate(zip(columns, correlations, strict=True)):
        if column >= 0:
            yield {"right": min(before[k], now[column]) > RIGHT, "follows": r >= SAME}


def fitted(told: rs.OddOneOuts, seed: int) -> rs.SPoSE:
    """Fit as a study does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.errors.ResemblanceWarning)
        return rs.SPoSE(random_state=seed).fit(told)


def alike(X: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Return the correlations of properties and dimensions."""
    d = X.shape[1]
    correlations: np.ndarray = np.corrcoef(X.T, found.T)[:d, d:]
    return correlations


def table(n_worlds: int = 12, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each claim and size."""
    rows, run = [], Parallel(n_jobs)
    for n in SIZES:
        for per_item in PER_ITEM:
            found = pd.DataFrame(run(delayed(look)(seed, n, per_item) for seed in range(n_worlds)))
            about = f"{n} items, {per_item} answers for each"
            rows.append(row(about, "correlation with the properties", "1", found["correlation"]))
            rows.append(row(about, "dimensions found again", "", found["again"], share=True))
        worlds = run(delayed(follow)(seed, n) for seed in range(n_worlds))
        pairs = pd.DataFrame([pair for world in worlds for pair in world])
        for right, follows in pairs.groupby("right")["follows"]:
            about = f"{n} items, {'properties' if right else 'others'}"
            rows.append(row(about, "names that go on", "", follows.astype(float), share=True))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
