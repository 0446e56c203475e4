"""Which choice model, as `resemblance fit` chooses it: by the folds of the penalty.

Random answers of people of three kinds, about items on a line to those in five dimensions, are
mapped in a plane. What is lost is the log loss of new answers above that of the best of t-STE, STE
and CKL, each with its penalty chosen: under the model chosen, under that of ten folds, and under
t-STE, whatever the answers.
"""

from functools import partial

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row
from worlds import CHOICES, KINDS, scale

import resemblance as rs
from resemblance.errors import quiet

MODELS = {
    "tste": rs.TSTE,
    "tste alpha=3": partial(rs.TSTE, alpha=3.0),
    "tste alpha=10": partial(rs.TSTE, alpha=10.0),
    "ste": rs.STE,
    "ckl": rs.CKL,
}
NEW = 6000


def look(seed: int) -> dict[str, float]:
    """Tell what each way of choosing loses in one world."""
    rng = np.random.default_rng([seed, 77])
    kind, n, d = KINDS[seed % 3], int(rng.integers(20, 90)), int(rng.choice([1, 2, 3, 5]))
    m, lapse = int(10 ** rng.uniform(2.4, 3.8)), rng.uniform(0.0, 0.1)
    points = rng.normal(size=(n, d))
    points = scale(points, kind, lapse, rng.uniform(0.7, 0.85)) * points
    person = rs.SpaceObserver(points, CHOICES[kind], lapse=lapse, random_state=seed)

    def answers(size: int) -> rs.Triplets:
        asked = [rng.choice(n, 3, replace=False) for _ in range(size)]
        return rs.Triplets(person.answer(asked).index, items=n)

    told, new = answers(m), answers(NEW)
    models = {name: kind(2, penalty="auto", random_state=0) for name, kind in MODELS.items()}
    with quiet():
        losses = {name: model.fit(told).log_loss(new) for name, model in models.items()}
        by_default = rs.compare_models(told).chosen
        cv = rs.GroupedKFold(10, random_state=0)
        by_folds = rs.compare_models(told, models, cv=cv).chosen
    least = min(losses.values())
    return {
        "chosen": losses[by_default] - least,
        "chosen by ten folds": losses[by_folds] - least,
        "t-STE": losses["tste"] - least,
        "the same": float(by_default == by_folds),
    }


def table(n_worlds: int = 90, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each way of choosing."""
    whole = pd.DataFrame(Parallel(n_jobs)(delayed(look)(seed) for seed in range(n_worlds)))
    rows = [row("all", f"lost, nats: {name}", "0", whole[name]) for name in whole.columns[:3]]
    rows.append(row("all", "both ways choose the same", "", whole["the same"], share=True))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
