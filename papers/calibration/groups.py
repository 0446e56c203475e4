"""The test of groups: how often it finds groups that differ, and groups that do not.

Twenty people in each of two groups answer 200 questions each; in one group a dimension weighs
twice as much as in the other. Log weights of people vary about those of their group by .2, and so
do log temperatures. Where no group differs, p-values below .05 are false alarms.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row
from worlds import world

import resemblance as rs

N_PEOPLE, N_ANSWERS = 20, 200
RATIO, SPREAD = 2.0, 0.2
PERMUTATIONS, RESAMPLES = 999, 40


def answers(seed: int, ratio: float, n_answers: int = N_ANSWERS) -> tuple[rs.Triplets, dict]:
    """Let two groups answer; return what they say, and who is in which."""
    w, rng = world(seed, lapse=0.0), np.random.default_rng([seed, 7])
    names = [f"{side} {i:02d}" for side in ("a", "b") for i in range(N_PEOPLE)]
    weights = np.exp(SPREAD * rng.normal(size=(len(names), w.person.points.shape[1])))
    weights[N_PEOPLE:, 0] *= ratio
    people = [
        rs.SpaceObserver(
            w.person.points,
            w.person.choice,
            temperature=t,
            weights=own,
            random_state=int(rng.integers(2**31)),
        )
        for t, own in zip(np.exp(SPREAD * rng.normal(size=len(names))), weights, strict=True)
    ]
    who = np.repeat(names, n_answers)
    asked = rs.Triplets(w.random(len(who), rng), w.n_items, observer=who)
    told: rs.Triplets = rs.Crowd(people, names, random_state=seed).answer(asked)
    return told, {name: name[0] for name in names}


def look(seed: int, ratio: float, n_answers: int = N_ANSWERS) -> dict[str, float]:
    """Test one world; where the groups differ, see whether the interval of the ratio holds it."""
    told, groups = answers(seed, ratio, n_answers)
    found = rs.compare_groups(
        told,
        groups,
        world(seed, lapse=0.0).model(penalty="auto"),
        n_permutations=PERMUTATIONS,
        n_resamples=RESAMPLES,
        random_state=seed,
    )
    told = found.table[(found.table["group"] == "b") & (found.table["dimension"] != "clarity")]
    most = told.loc[told["weight"].idxmax()]  # in the dimension that differs
    # ratio = (b's weight of this dimension over that of the other) over the same of a
    true = ratio ** (1 / 4)
    return {
        "p": found.p_value,
        "held": float(most["low"] <= true <= most["high"]),
        "bias": float(np.log(most["weight"] / true)),
    }


def table(n_worlds: int = 60, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each claim."""
    rows = []
    for ratio in (RATIO, 1.0):
        found = pd.DataFrame(
            Parallel(n_jobs)(delayed(look)(seed, ratio) for seed in range(n_worlds))
        )
        about = f"weights differ by a factor of {ratio:g}"
        claimed = "80 %" if ratio != 1 else "5 %"
        rows.append(row(about, "p below .05", claimed, found["p"] < 0.05, share=True))
        if ratio != 1:
            rows.append(row(about, "weight in its interval", "95 %", found["held"], share=True))
            rows.append(row(about, "logarithm of the weight: bias", "0", found["bias"]))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
