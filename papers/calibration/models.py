"""A study whose model is "auto", beside one that fits t-STE, and one that knows how people choose.

In each world the same person answers the questions of three adaptive studies; their last fits are
held against the truth on all random questions.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row
from worlds import KINDS, world

from resemblance.catalog import AUTO_MODEL, models_of
from resemblance.scores import calibration_slope

SIZES = 400, 1200
NAMES = {"softmax": "ste", "student": "tste", "relative": "ckl"}
LIKE_T = ("tste", "ckl")  # one model in two dimensions, but for the scale
STUDIES = ("t-STE", "auto", "right")


def look(seed: int, m: int, study: str) -> dict[str, float]:
    """Tell the error, the log loss above the least possible, and the slope of one study."""
    w = world(seed)
    name = {"t-STE": "tste", "auto": AUTO_MODEL, "right": NAMES[w.kind]}[study]
    session = w.study(m, seed, model=models_of(name))
    session.refit()
    p = np.clip(session.model_.predict_proba(w.questions)[:, 0], 1e-9, 1 - 1e-9)
    q = np.clip(w.probability, 1e-9, 1 - 1e-9)
    excess = q * np.log(q / p) + (1 - q) * np.log((1 - q) / (1 - p))
    both = np.concatenate([np.column_stack([p, 1 - p]), np.column_stack([1 - p, p])])
    slope = calibration_slope(both, np.append(q, 1 - q))[0]
    return {
        "kind": w.kind,
        "error": w.error(session.model_) - w.best,
        "excess": excess.mean(),
        "slope": np.nan if slope is None else slope,
        "honest": slope is not None and 0.8 <= slope <= 1.25,
        "right": (session.chosen.name in LIKE_T) == (w.kind != "softmax"),
    }


def table(n_worlds: int = 24, n_jobs: int = 2, sizes: tuple[int, ...] = SIZES) -> pd.DataFrame:
    """Return a row for each measure, kind of people, size and study."""
    rows = []
    for m in sizes:
        for study in STUDIES:
            jobs = (delayed(look)(seed, m, study) for seed in range(n_worlds))
            whole = pd.DataFrame(Parallel(n_jobs)(jobs))
            for kind in KINDS:
                found = whole[whole["kind"] == kind]
                if not len(found):
                    continue
                about = f"{m} answers, {kind} people, {study}"
                rows += [
                    row(about, "error above the least", "", found["error"]),
                    row(about, "log loss above the least", "", found["excess"]),
                    row(about, "slope in truth", "1", found["slope"].dropna()),
                    row(about, "slope from .8 to 1.25", "", found["honest"], share=True),
                ]
                if study == "auto":
                    rows.append(row(about, "right model", "", found["right"], share=True))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
