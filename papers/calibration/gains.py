"""What people's own weights bring on answers held out: the gain, and its standard error.

Twenty-four people answer 100 or 200 questions each. They differ in weights, temperature and lapses,
or not at all. The truth is what weights learned from all these answers bring on 500 new answers of
each person.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from people import N_PEOPLE, crowd_of
from table import main, row
from worlds import world

import resemblance as rs

ANSWERS = 100, 200
NEW = 500  # answers of each person that tell the truth
STIFF = 1e6  # a strength at which all have the weights of the crowd


def look(seed: int, n: int, differ: bool) -> dict[str, float]:
    """Hold the gain that is told in one world against the truth."""
    drawn, rng = world(seed, lapse=0.0), np.random.default_rng([seed, n, 11])
    if differ:
        crowd = crowd_of(drawn.person.points, drawn.person.choice, rng)
    else:
        crowd = rs.Crowd([drawn.person] * N_PEOPLE, random_state=seed)

    def answers(n_each: int) -> rs.Triplets:
        who = np.repeat(crowd.names, n_each)
        asked = rs.Triplets(drawn.random(len(who), rng), drawn.n_items, observer=who)
        told: rs.Triplets = crowd.answer(asked)
        return told

    told, new = answers(n), answers(NEW)
    found = rs.IndividualSpaces(drawn.model(penalty="auto"), random_state=seed).fit(told)
    gain, error = found.gain_
    if not np.isfinite(found.strength_):  # what is told is of the strongest that was tried
        return {"chosen": 0.0, "gain": gain}
    model = drawn.model(penalty="auto")
    shared = rs.IndividualSpaces(model, strength=STIFF, cv=0).fit(told)
    truth = shared.log_loss(new) - found.log_loss(new)
    return {
        "chosen": 1.0,
        "gain": gain,
        "bias": gain - truth,
        "error": error,
        "covered": abs(gain - truth) <= 2 * error,
    }


def table(n_worlds: int = 40, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each claim."""
    rows = []
    for differ in (True, False):
        for n in ANSWERS:
            found = pd.DataFrame(
                Parallel(n_jobs)(delayed(look)(seed, n, differ) for seed in range(n_worlds))
            )
            about = f"{n} answers each, people {'differ' if differ else 'are alike'}"
            rows.append(row(about, "own weights are chosen", "", found["chosen"], share=True))
            if differ:
                known = found.dropna()
                rows.append(row(about, "gain, nats", "", known["gain"]))
                rows.append(row(about, "gain: bias", "0", known["bias"]))
                spread = known["bias"].std(ddof=1)
                rows.append(row(about, "standard error told", f"{spread:.4f}", known["error"]))
                rows.append(row(about, "two errors hold it", "95 %", known["covered"], share=True))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
