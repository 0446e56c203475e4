"""How often is `rdm_recovery` wrong when it says that the best of some models is told apart?

In each world four models of some items differ by random amounts, and some people, who weigh the
dimensions differently and err, see as one of them does; their dissimilarities are those of the
model, or their square roots. *False* is "told" of a model that they are not like.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs

MODELS = 4
SIZES = (5, 12), (8, 30), (20, 12), (20, 30)  # people, items


def look(seed: int, n_people: int, n_items: int, method: str = "spearman") -> dict[str, float]:
    """Return what was said in one world."""
    rng = np.random.default_rng([seed, n_people, n_items])
    base = rng.normal(size=(n_items, int(rng.choice([2, 3, 5]))))
    far = 10 ** rng.uniform(-1.5, 0.0)
    spaces = [base + far * rng.normal(size=base.shape) for _ in range(MODELS)]
    truth, differ = int(rng.integers(MODELS)), rng.choice([0.0, 0.3])
    noise, bent = rng.uniform(0.5, 3.0), rng.choice([0.5, 1.0])
    weights = np.exp(differ * rng.normal(size=(n_people, base.shape[1])))
    seen = np.array([rs.rdm(spaces[truth] * w).dissimilarities[0] ** bent for w in weights])
    told = rs.RDMs(seen + noise * seen.std() * rng.normal(size=seen.shape))
    of = rs.RDMs([rs.rdm(one).dissimilarities[0] for one in spaces])
    found = rs.rdm_recovery(told, of, method, n_simulations=80, random_state=seed)
    is_told, right = found.verdict == "told", found.best == str(truth)
    return {"told": is_told, "right": right, "false": is_told and not right}


def make(n_worlds: int, n_jobs: int) -> pd.DataFrame:
    """Look at the worlds; say how often the best is the true one, is told, and falsely so."""
    rows = []
    for n_people, n_items in SIZES:
        for method in ("spearman", "cosine"):
            worlds = (delayed(look)(seed, n_people, n_items, method) for seed in range(n_worlds))
            found = pd.DataFrame(Parallel(n_jobs)(worlds))
            about = f"{n_people} people, {n_items} items, {method}"
            rows += [
                row(about, "the best is the true one", "", found["right"], share=True),
                row(about, "told", "", found["told"], share=True),
                row(about, "told, and false", "5 % at most", found["false"], share=True),
            ]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(make, __doc__)
