"""Compare estimates of the error, its interval, the noise ceiling and the slope with the truth.

In each world a person answers random questions, or those of an adaptive session. The right choice
model is fitted with a chosen penalty, and the result of `rs.evaluate` is compared with the truth.
Items may have six features, of which two explain .98 of the positions, either of the right items or
permuted. With features two random questions per item come first, otherwise ten.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row
from worlds import world

import resemblance as rs
from resemblance.catalog import PRIOR
from resemblance.scores import calibration_slope

SIZES = 500, 1000, 3000
GOOD, SHUFFLED = "adaptive, features", "adaptive, shuffled features"
ASKED = "random", "adaptive", GOOD, SHUFFLED
LEAST = 25  # least number of repeated questions for a ceiling


def look(seed: int, m: int, asked: str) -> dict[str, float]:
    """Hold what is said of one study against the truth."""
    w, settings, believed = world(seed), {}, {}
    if asked in (GOOD, SHUFFLED):
        features = w.features(0.98)
        if asked == SHUFFLED:
            features = np.random.default_rng([seed, 6]).permutation(features)
        settings, believed = {"features": features, "start_per_head": 2}, {"form": PRIOR.make()}
    if asked == "random":
        answers = w.answers(m, np.random.default_rng([seed, 5]))
    else:
        answers = w.study(m, seed, **settings).judgments("all")
    model = w.model(penalty="auto", **believed)
    found = rs.evaluate(model, answers, cv=10, random_state=seed)
    held, (low, high) = found.held_out, found.held_out.interval
    truth = w.error(found.model)
    p = np.clip(found.model.predict_proba(w.questions)[:, 0], 1e-9, 1 - 1e-9)
    both = np.concatenate([np.column_stack([p, 1 - p]), np.column_stack([1 - p, p])])
    slope = calibration_slope(both, np.append(w.probability, 1 - w.probability))[0]
    told = {
        "bias": held.error - truth,
        "covered": low <= truth <= high,
        "width": high - low,
        "slope": np.nan if slope is None else slope,
        "slope told": np.nan if held.slope is None else held.slope,
    }
    ceiling = found.ceiling
    if ceiling is not None and ceiling.n_questions >= LEAST:
        least, most = 1 - ceiling.interval[1], 1 - ceiling.interval[0]
        told["ceiling bias"] = ceiling.error - w.best
        told["ceiling covered"] = least <= w.best <= most
    return told


def table(n_worlds: int = 200, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each claim, size and way of asking."""
    rows = []
    for m in SIZES:
        for asked in ASKED:
            jobs = (delayed(look)(seed, m, asked) for seed in range(n_worlds))
            found = pd.DataFrame(Parallel(n_jobs)(jobs))
            about = f"{m} answers, {asked}"
            rows += [
                row(about, "error: bias", "0 ± .005", found["bias"]),
                row(about, "error: interval covers", "95 %", found["covered"], share=True),
                row(about, "error: width of the interval", "", found["width"]),
                row(about, "calibration slope in truth", "1", found["slope"].dropna()),
                row(about, "calibration slope told", "1", found["slope told"].dropna()),
            ]
            if "ceiling bias" in found and found["ceiling bias"].count() > 1:
                covered = found["ceiling covered"].dropna().astype(float)
                rows += [
                    row(about, "ceiling: bias", "0 ± .01", found["ceiling bias"].dropna()),
                    row(about, "ceiling: interval covers", "95 %", covered, share=True),
                ]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
