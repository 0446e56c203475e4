"""Count how often `model_recovery` is wrong about fitted choice models when it says "told".

In each world ten people answer random triplets about 10 to 20 items in a plane by one of two choice
models, with equal or slightly different spaces and some lapses. STE and t-STE are fitted in two
dimensions with chosen penalties. *False* counts "told" for the model that people do not follow. The
table also counts how often `compare_models` chooses this model, and how often it is ahead there by
two standard errors.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs
from resemblance.choice import Softmax, StudentT
from resemblance.errors import quiet

PEOPLE, ANSWERS = 10, (200, 600)
KINDS = {"ste": Softmax(), "tste": StudentT(1.0)}
FITTED = {"ste": rs.STE, "tste": rs.TSTE}


def look(seed: int, n_answers: int, n_simulations: int = 80) -> dict[str, float]:
    """Return what was said in one world."""
    rng = np.random.default_rng([seed, n_answers])
    truth, n = list(KINDS)[seed % 2], int(rng.integers(10, 21))
    points = rng.uniform(0.6, 2.0) * rng.normal(size=(n, 2))
    differ, lapse = rng.choice([0.0, 0.3]), rng.uniform(0.0, 0.1)
    rows, who = [], np.arange(n_answers) % PEOPLE
    for person in range(PEOPLE):
        seen = points + differ * rng.normal(size=points.shape)
        observer = rs.SpaceObserver(seen, KINDS[truth], lapse=lapse, random_state=seed + person)
        asked = [rng.choice(n, 3, replace=False) for _ in range((who == person).sum())]
        rows.append(observer.answer(asked).index)
    answers = rs.Triplets(np.concatenate(rows), items=n, observer=np.sort(who))
    models = {name: kind(2, penalty="auto", random_state=0) for name, kind in FITTED.items()}
    with quiet():
        compared = rs.compare_models(answers, models)
        found = rs.model_recovery(models, answers, n_simulations=n_simulations, random_state=seed)
    behind = compared.to_pandas().iloc[1]
    clearly = behind["behind"] > 2 * behind["standard_error"]
    told, right = found.verdict == "told", found.best == truth
    return {
        "told": told,
        "right": right,
        "false": told and not right,
        "chosen": compared.chosen != truth,
        "clearly": clearly and compared.to_pandas().index[0] != truth,
    }


def make(n_worlds: int, n_jobs: int, sizes: tuple[int, ...] = ANSWERS) -> pd.DataFrame:
    """Look at the worlds; say how often the best is the true one, is told, and falsely so."""
    rows = []
    for size in sizes:
        worlds = Parallel(n_jobs)(delayed(look)(seed, size) for seed in range(n_worlds))
        found, about = pd.DataFrame(worlds), f"{size} answers"
        rows += [
            row(about, "the best is the true one", "", found["right"], share=True),
            row(about, "told", "", found["told"], share=True),
            row(about, "told, and false", "5 % at most", found["false"], share=True),
            row(about, "compare_models chooses the wrong one", "", found["chosen"], share=True),
            row(about, "the wrong one ahead by two errors", "", found["clearly"], share=True),
        ]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(make, __doc__)
