"""The ellipses of positions: how many items lie inside that of 95 %.

The map is held against the items as people see them, turned, moved and scaled to fit; a penalty
shrinks the map as a whole, and the ellipses do not speak of its scale.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.linalg import orthogonal_procrustes
from scipy.stats import chi2
from table import main, row
from worlds import world

from resemblance.fitting import PositionUncertainty

SIZES = 500, 1500, 3000


def look(seed: int, m: int, adaptive: bool) -> float:
    """Return the share of items that lie inside their ellipse."""
    w = world(seed)
    if adaptive:
        answers = w.study(m, seed).judgments("all")
    else:
        answers = w.answers(m, np.random.default_rng([seed, 5]))
    model = w.model(penalty="auto").fit(answers)
    uncertainty = PositionUncertainty.of_fit(model, answers)
    seen = w.person.points - w.person.points.mean(axis=0)
    found = model.embedding_ - model.embedding_.mean(axis=0)
    turned = seen @ orthogonal_procrustes(seen, found)[0]
    gap = (turned * found).sum() / (turned**2).sum() * turned - found
    inverse = np.linalg.inv(uncertainty.item_covariances)
    squared = np.einsum("ia,iab,ib->i", gap, inverse, gap)
    return float((squared < chi2.ppf(0.95, 2)).mean())


def table(n_worlds: int = 200, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each size and way of asking."""
    rows = []
    for m in SIZES:
        for adaptive in (False, True):
            jobs = (delayed(look)(seed, m, adaptive) for seed in range(n_worlds))
            inside = pd.Series(Parallel(n_jobs)(jobs))
            about = f"{m} answers, {'adaptive' if adaptive else 'random'}"
            rows.append(row(about, "items inside their 95 % ellipse", "95 %", inside, share=True))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
