"""Count how often `model_recovery` is wrong when it says that the best model is distinguished.

In each world four models of 20 items differ by random amounts. Ten people, with slightly different
spaces and some lapses, follow one of them. They answer 100, 400 or 1,600 random odd-one-out
questions, or 100 on which the models disagree. *False* counts "told" for a model that they do not
follow.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs
from resemblance.asking import Belief
from resemblance.asking.question import OddOneOut

N, MODELS, PEOPLE, ANSWERS = 20, 4, 10, (100, 400, 1600)
CHOSEN = "100 controversial"


def look(seed: int, numbers: tuple[int, ...] = ANSWERS) -> dict[str, float]:
    """Return what was said in one world, after each number of answers."""
    rng = np.random.default_rng(seed)
    base = 1.2 * rng.normal(size=(N, int(rng.choice([2, 3, 5]))))
    spaces = [base + rng.uniform(0.1, 1.0) * rng.normal(size=base.shape) for _ in range(MODELS)]
    truth, differ = int(rng.integers(MODELS)), rng.choice([0.0, 0.5])
    people = [
        rs.ModelObserver(
            spaces[truth] + differ * rng.normal(size=base.shape),
            "euclidean",
            lapse=0.05,
            random_state=person + seed,
        )
        for person in range(PEOPLE)
    ]

    def answered(rows: np.ndarray) -> np.ndarray:
        for person, observer in enumerate(people):
            mine = np.arange(len(rows)) % PEOPLE == person
            rows[mine] = observer.answer(rs.OddOneOuts(rows[mine], rows[mine][:, 0], N)).index
        return rows

    models = {str(k): rs.ModelObserver(one, "euclidean") for k, one in enumerate(spaces)}
    asked = answered(rng.permuted(np.tile(np.arange(N), (max(numbers), 1)), axis=1)[:, :3])
    told = {str(n): asked[:n] for n in numbers} | {CHOSEN: controversial(models, answered, rng)}
    found: dict[str, float] = {}
    for name, rows in told.items():
        who = np.arange(len(rows)) % PEOPLE
        answers = rs.OddOneOuts(rows, rows[:, 0], N, observer=who)
        recovery = rs.model_recovery(models, answers, n_simulations=80, random_state=seed)
        is_told, right = recovery.verdict == "told", recovery.best == str(truth)
        found |= {f"told {name}": is_told, f"right {name}": right}
        found[f"false {name}"] = is_told and not right
    return found


def controversial(models, answered, rng, n: int = 100) -> np.ndarray:
    """Ask n questions about which models disagree, ten at a time, one of each person."""
    strategy = rs.ControversialQuestions(models, max_candidates=1024)
    belief = Belief(np.zeros((N, 1)), asks=OddOneOut(3), answered=np.empty((0, 3), np.int32))
    while len(belief.answered) < n:
        rows = np.concatenate([belief.answered, answered(strategy.propose(belief, PEOPLE, rng))])
        belief = replace(belief, answered=rows)
    return belief.answered


def make(n_worlds: int, n_jobs: int) -> pd.DataFrame:
    """Look at the worlds; say how often the best is the true one, is told, and falsely so."""
    found = pd.DataFrame(Parallel(n_jobs)(delayed(look)(seed) for seed in range(n_worlds)))
    rows = []
    for n in (*map(str, ANSWERS), CHOSEN):
        about = f"four models, {n} answers"
        rows += [
            row(about, "the best is the true one", "", found[f"right {n}"], share=True),
            row(about, "told", "", found[f"told {n}"], share=True),
            row(about, "told, and false", "5 % at most", found[f"false {n}"], share=True),
        ]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(make, __doc__)
