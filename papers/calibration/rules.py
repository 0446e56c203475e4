"""Count how often a rule on the error, checked repeatedly, pauses a study too early.

A study of random questions is checked from 300 answers on, whenever a tenth of the answers is new.
The rule pauses if the upper end of the error's interval is below a bound, the true error of a map
of 1,200 answers. *Too early* is a pause at a map whose true error is above the bound.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row
from worlds import world

import resemblance as rs
from resemblance.errors import quiet

FIRST, LAST, GROWTH, BOUND = 300, 2500, 1.1, 1200


def look(seed: int) -> dict[str, float]:
    """Let a study grow until its rule pauses it; say when, and how far off its map was."""
    w, rng = world(seed), np.random.default_rng(seed)
    answers = w.answers(LAST, rng)
    n = FIRST
    with quiet():
        bound = w.error(w.model(penalty="auto").fit(answers[:BOUND]))
        while n <= LAST:
            model = w.model(penalty="auto")
            _, high = rs.analyse(answers[:n], model).held_out.interval
            if high < bound:
                off = w.error(model.fit(answers[:n])) - bound
                return {"paused": 1.0, "answers": n, "early": off > 0, "off": off}
            n = int(n * GROWTH)
    return {"paused": 0.0, "answers": np.nan, "early": False, "off": np.nan}


def make(n_worlds: int, n_jobs: int) -> pd.DataFrame:
    """Look at the studies; say how many were paused, how many too early, and how far off."""
    found = pd.DataFrame(Parallel(n_jobs)(delayed(look)(seed) for seed in range(n_worlds)))
    paused = found[found["paused"] > 0]
    about = "random, 300 to 2,500 answers"
    rows = [
        row(about, "paused", "", found["paused"], share=True),
        row(about, "answers when paused", "", paused["answers"]),
        row(about, "too early, of all studies", "2.5 % at one look", found["early"], share=True),
        row(about, "error above the bound when paused", "", paused["off"]),
    ]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(make, __doc__)
