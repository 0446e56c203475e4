"""Several views of features: which are believed, and what do useless ones beside them cost?

Forty items in a plane, two views of six features each: one that explains .98 of where items lie and
one of noise; two that explain half of that each; two of noise. Random triplets, 5 or 15 an item,
with the form that sessions and studies take. *Cost* is log loss on new answers of the same person
less that with the first view alone, with all features as one array, and without any.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs
from resemblance.catalog import PRIOR

N, FEATURES, NEW = 40, 6, 4000
KINDS = {"a good view, one of noise": (0.98, 0.0), "two halves": (0.49, 0.49), "noise": (0.0, 0.0)}
ANSWERS = 5, 15  # an item


def look(kind: str, answers: int, seed: int) -> dict[str, float]:
    """Fit with both views, with the first one, with one array of both, and without."""
    rng = np.random.default_rng([seed, 35])
    first, second = rng.normal(size=(2, N, FEATURES))
    points = np.sqrt(1 - sum(KINDS[kind])) * rng.normal(size=(N, 2))
    for view, share in zip((first, second), KINDS[kind], strict=True):
        points += np.sqrt(share / FEATURES) * view @ rng.normal(size=(FEATURES, 2))
    m = answers * N
    rows = rng.permuted(np.tile(np.arange(N), (m + NEW, 1)), axis=1)[:, :3]
    index = rs.SpaceObserver(1.3 * points, random_state=seed).answer(rs.Triplets(rows, N)).index
    given = {
        "views": {"first": first, "second": second},
        "first": first,
        "array": np.hstack([first, second]),
        "none": None,
    }
    losses, shares = {}, {}
    for name, features in given.items():
        items = rs.Items([f"item {k}" for k in range(N)], features=features)
        form = "coordinates" if features is None else PRIOR.make()
        model = rs.STE(2, form=form, penalty="auto", random_state=0)
        losses[name] = model.fit(rs.Triplets(index[:m], items)).log_loss(
            rs.Triplets(index[m:], items)
        )
        shares = shares or model.form_.shares
    costs = {f"cost against {name}": losses["views"] - losses[name] for name in list(given)[1:]}
    return {f"share of the {view}": share for view, share in shares.items()} | costs


def make(n_worlds: int, n_jobs: int) -> pd.DataFrame:
    """Look at so many worlds of each kind and number of answers."""
    cells = [(kind, n) for kind in KINDS for n in ANSWERS]
    tasks = [(*cell, seed) for cell in cells for seed in range(n_worlds)]
    found = iter(Parallel(n_jobs)(delayed(look)(*task) for task in tasks))
    rows = []
    for kind, n in cells:
        of = pd.DataFrame([next(found) for _ in range(n_worlds)])
        rows += [row(f"{kind}, {n} answers an item", what, "", of[what]) for what in of]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(make, __doc__)
