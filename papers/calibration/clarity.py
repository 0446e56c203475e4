"""People who differ in how clearly they answer alone, in what they look at alone, or in both.

Twelve people answer 200 questions each about 24 items in a plane, by softmax: what
`IndividualSpaces` says of their weights, `reliability` and `relative_gain_`, in each kind of world.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs

N_ITEMS, N_PEOPLE, N_EACH = 24, 12, 200
KINDS = {"clarity": (0.7, 0.0), "weights": (0.0, 0.7), "both": (0.5, 0.5), "alike": (0.0, 0.0)}


def answers(seed: int, kind: str) -> rs.Triplets:
    """Draw people of one kind, and what they answer."""
    rng, (clear, apart) = np.random.default_rng([seed, 41]), KINDS[kind]
    points = 1.2 * rng.normal(size=(N_ITEMS, 2))
    logs = apart * rng.normal(size=N_PEOPLE)[:, None] * [1.0, -1.0]
    weights = np.exp(clear * rng.normal(size=(N_PEOPLE, 1)) + logs)
    people = [rs.SpaceObserver(points, weights=w, random_state=seed) for w in weights]
    names = [f"p{k:02d}" for k in range(N_PEOPLE)]
    asked = np.argsort(rng.random((N_PEOPLE * N_EACH, N_ITEMS)), axis=1)[:, :3]
    rows = rs.Triplets(asked, items=N_ITEMS, observer=np.repeat(names, N_EACH))
    told: rs.Triplets = rs.Crowd(people, names, random_state=seed).answer(rows)
    return told


def look(seed: int, kind: str) -> dict[str, float]:
    """Tell what is said of one world."""
    told = answers(seed, kind)
    found = rs.IndividualSpaces(random_state=seed).fit(told)
    gain, error = found.relative_gain_
    stiff = rs.IndividualSpaces(strength=3.0, cv=0, random_state=seed).fit(told)
    return {
        "own": float(np.isfinite(found.strength_)),
        "gain": found.gain_[0],
        "relative gain": gain,
        "differ": float(np.isfinite(found.strength_) and gain > 2 * error),
        "reliability": float(np.nan_to_num(found.reliability(told, seed)).mean()),
        "at 3": float(stiff.reliability(told, seed).mean()),
    }


def table(n_worlds: int = 40, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each measure and kind of world."""
    rows = []
    for kind in KINDS:
        whole = pd.DataFrame(
            Parallel(n_jobs)(delayed(look)(seed, kind) for seed in range(n_worlds))
        )
        rows += [
            row(kind, "own weights are chosen", "", whole["own"], share=True),
            row(kind, "two errors above clarity alone", "", whole["differ"], share=True),
            row(kind, "gain over shared, nats", "", whole["gain"]),
            row(kind, "gain over clarity alone", "", whole["relative gain"]),
            row(kind, "reliability, 0 where none are chosen", "", whole["reliability"]),
            row(kind, "reliability where the strength is 3", "", whole["at 3"]),
        ]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
