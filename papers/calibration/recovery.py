"""How often is `model_recovery` wrong when it says that the best of some models is told apart?

In each world four models of 20 items differ by random amounts, and ten people, who see the items
each a little differently and sometimes answer by chance, follow one of them. They answer 100, 400
or 1,600 random odd-one-out questions. *False* is "told" of a model that they do not follow.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs

N, MODELS, PEOPLE, ANSWERS = 20, 4, 10, (100, 400, 1600)


def look(seed: int, numbers: tuple[int, ...] = ANSWERS) -> dict[str, float]:
    """Return what was said in one world, after each number of answers."""
    rng = np.random.default_rng(seed)
    base = 1.2 * rng.normal(size=(N, int(rng.choice([2, 3, 5]))))
    spaces = [base + rng.uniform(0.1, 1.0) * rng.normal(size=base.shape) for _ in range(MODELS)]
    truth, differ = int(rng.integers(MODELS)), rng.choice([0.0, 0.5])
    asked = rng.permuted(np.tile(np.arange(N), (max(numbers), 1)), axis=1)[:, :3]
    who = np.arange(len(asked)) % PEOPLE
    for person in range(PEOPLE):
        seen = spaces[truth] + differ * rng.normal(size=base.shape)
        observer = rs.ModelObserver(seen, "euclidean", lapse=0.05, random_state=person + seed)
        mine = np.flatnonzero(who == person)
        asked[mine] = observer.answer(rs.OddOneOuts(asked[mine], asked[mine][:, 0], N)).index
    models = {str(k): rs.ModelObserver(one, "euclidean") for k, one in enumerate(spaces)}
    found: dict[str, float] = {}
    for n in numbers:
        answers = rs.OddOneOuts(asked[:n], asked[:n, 0], N, observer=who[:n])
        recovery = rs.model_recovery(models, answers, n_simulations=80, random_state=seed)
        told, right = recovery.verdict == "told", recovery.best == str(truth)
        found |= {f"told {n}": told, f"right {n}": right, f"false {n}": told and not right}
    return found


def make(n_worlds: int, n_jobs: int) -> pd.DataFrame:
    """Look at the worlds; say how often the best is the true one, is told, and falsely so."""
    found = pd.DataFrame(Parallel(n_jobs)(delayed(look)(seed) for seed in range(n_worlds)))
    rows = []
    for n in ANSWERS:
        about = f"four models, {n:,} answers"
        rows += [
            row(about, "the best is the true one", "", found[f"right {n}"], share=True),
            row(about, "told", "", found[f"told {n}"], share=True),
            row(about, "told, and false", "5 % at most", found[f"false {n}"], share=True),
        ]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(make, __doc__)
