"""How far people differ in the thresholds of their ratings: what a fit tells beside what is true.

Twenty people rate pairs of items on seven points. Items lie as in ``verdicts.py``: in a plane, on a
line or a ring, in clusters, with heavy tails, in three and five dimensions. The crowd's thresholds
lie where pairs are spread evenly over the points; those of a person are moved together, are drawn
apart by a factor, both, or neither. Told are standard deviations in nats: of all of somebody's
thresholds together, and of the last against the first; true are those of the people who rated.
"""

import numpy as np
import pandas as pd
import verdicts
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist
from table import main, row

import resemblance as rs

SHAPES = tuple(
    dict.fromkeys(shape for shape, kind, *_ in verdicts.WORLDS.values() if kind == "softmax")
)
POINTS, PEOPLE = 7, 20
SIZES = 20, 80  # ratings of each person
SPREAD = 6.0  # the mean squared distance, in nats of log similarity
DIFFER = {  # the deviation of the shift, in nats, and of the logarithm of the stretch
    "alike": (0.0, 0.0),
    "shifts": (1.0, 0.0),
    "stretches": (0.0, 0.4),
    "both": (1.0, 0.4),
}


def rated(seed: int, kind: str, n_each: int) -> tuple[np.ndarray, rs.Ratings, int]:
    """Draw the thresholds of people, and their ratings; say in how many dimensions items lie."""
    rng = np.random.default_rng([seed, 8])
    X = SHAPES[seed % len(SHAPES)](rng)
    X = X * np.sqrt(SPREAD / pdist(X, "sqeuclidean").mean())
    crowd = np.quantile(-pdist(X, "sqeuclidean"), np.arange(1, POINTS) / POINTS)
    shift, stretch = (d * rng.normal(size=(PEOPLE, 1)) for d in DIFFER[kind])
    own = crowd.mean() + shift + np.exp(stretch) * (crowd - crowd.mean())
    pairs, parts = np.column_stack(np.triu_indices(len(X), 1)), []
    for k, thresholds in enumerate(own):
        asked = pairs[rng.integers(len(pairs), size=n_each)]
        person = rs.SpaceObserver(X, thresholds=thresholds, random_state=int(rng.integers(2**31)))
        ratings = person.rate(asked, POINTS)
        names = [f"p{k:02d}"] * n_each
        parts.append(rs.Ratings(ratings.index, ratings.rating, POINTS, len(X), observer=names))
    return own, rs.join_judgments(parts), X.shape[1]


def look(seed: int, kind: str, n_each: int) -> dict[str, float]:
    """Fit one world; return what is true and told of its people."""
    own, ratings, n_dims = rated(seed, kind, n_each)
    (scale,) = rs.STE(n_dims, random_state=0).fit(ratings).thresholds_.scales
    return {
        "shift": own.mean(axis=1).std(ddof=1),
        "stretch": (own[:, -1] - own[:, 0]).std(ddof=1),
        "shift told": scale.shift,
        "stretch told": scale.stretch,
    }


def table(n_worlds: int = 42, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each kind of people, number of ratings and deviation."""
    rows = []
    for kind in DIFFER:
        for n_each in SIZES:
            jobs = (delayed(look)(seed, kind, n_each) for seed in range(n_worlds))
            found = pd.DataFrame(Parallel(n_jobs)(jobs))
            about = f"{kind}, {n_each} ratings each"
            for what in ("shift", "stretch"):
                rows.append(row(about, f"{what}: true", "", found[what]))
                rows.append(row(about, f"{what}: told", "", found[f"{what} told"]))
                if found[what].mean() > 1e-9:
                    ratio = found[f"{what} told"] / found[what]
                    rows.append(row(about, f"{what}: told over true", "1", ratio))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
