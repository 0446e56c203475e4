"""Measure the coverage of intervals of difference scales.

The scale of ten stimuli is linear, convex, or flat at first; its range is 3 to 9 times the noise.
Trials are distinct triads (head in the middle) or quadruples (intervals that do not overlap); a
trial repeats only after all others.
"""

from itertools import combinations

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs

N_ITEMS, DRAWS = 10, 400
SIZES = (120, 300, 900)
SHAPES = (lambda x: x, lambda x: x**2, lambda x: np.clip(x - 0.3, 0.0, None) / 0.7)
# shapes for estimated lapses, on which no setting was chosen
OTHERS = (np.sqrt, lambda x: (3.0 - 2.0 * x) * x**2, lambda x: (x > 0.25) / 3 + 2 * x / 3)


def observer(seed: int, shapes: tuple = SHAPES) -> rs.MLDS:
    """Draw the scale of an observer."""
    rng = np.random.default_rng([seed, 1])
    shape = shapes[seed % len(shapes)](np.linspace(0.0, 1.0, N_ITEMS))
    return rs.MLDS().set_scale(rng.uniform(3.0, 9.0) * shape)


def answers(
    seed: int, kind: str, n: int, lapses: float = 0.0, shapes: tuple = SHAPES
) -> rs.Triplets | rs.Quadruplets:
    """Let the observer answer so many trials."""
    rng = np.random.default_rng([seed, 2])
    if kind == "triads":
        every = np.array([(b, a, c) for a, b, c in combinations(range(N_ITEMS), 3)])
    else:
        every = np.array(list(combinations(range(N_ITEMS), 4)))
    rows = np.concatenate([rng.permutation(len(every)) for _ in range(1 + n // len(every))])[:n]
    make = rs.Triplets if kind == "triads" else rs.Quadruplets
    asked = make(every[rows], items=N_ITEMS)
    p = (1.0 - lapses) * observer(seed, shapes).predict_proba(asked)[:, 0] + 0.5 * lapses
    return asked.answered(rng.random(n) < p)


def look(seed: int, kind: str, n: int) -> dict[str, float]:
    """Fit one world; see what its intervals hold."""
    true, told = observer(seed), answers(seed, kind, n)
    model = rs.MLDS().fit(told)
    found = {"bias of sigma": np.log(model.sigma_ / true.sigma_)}
    for normalised, method in ((False, "bca"), (False, "percentile"), (True, "bca")):
        truth = true.normalised() if normalised else true.scale_
        sure = rs.scale_intervals(
            *(model, told),
            **{"normalised": normalised, "method": method},
            **{"n_draws": DRAWS, "random_state": seed},
        )
        held = (sure.low <= truth) & (truth <= sure.high)
        unit = "0 to 1" if normalised else "in units of the noise"
        found[f"{unit}, {method}"] = held[1 : -1 if normalised else None].mean()
        if not normalised:
            found[f"sigma, {method}"] = held[-1]
    return found


def lapsed(seed: int, kind: str, n: int, lapses: float) -> dict[str, float]:
    """Fit one world whose observer lapses, with lapses estimated and left out."""
    true, told = observer(seed, OTHERS), answers(seed, kind, n, lapses, OTHERS)
    found = {}
    for way, lapse in (("estimated", "auto"), ("left out", 0.0)):
        model = rs.MLDS(lapse=lapse).fit(told)
        sure = rs.scale_intervals(model, told, n_draws=DRAWS, random_state=seed)
        held = (sure.low <= true.scale_) & (true.scale_ <= sure.high)
        found[f"lapses {way}"] = held[1:].mean()
    return found


def table(n_worlds: int = 200, n_jobs: int = 2, sizes: tuple[int, ...] = SIZES) -> pd.DataFrame:
    """Return a row for each claim."""
    rows = []
    run = Parallel(n_jobs)
    for kind in ("triads", "quadruples"):
        for n in sizes:
            found = pd.DataFrame(run(delayed(look)(seed, kind, n) for seed in range(n_worlds)))
            about = f"{n} {kind}"
            rows.append(row(about, "logarithm of sigma: bias", "0", found.pop("bias of sigma")))
            rows += [row(about, f"in its interval: {x}", "95 %", found[x], True) for x in found]
            for lapses in (0.0, 0.05):
                seen = pd.DataFrame(
                    run(delayed(lapsed)(seed, kind, n, lapses) for seed in range(n_worlds))
                )
                what = f"lapses of {lapses:g}, in its interval"
                rows += [row(about, f"{what}: {x}", "95 %", seen[x], True) for x in seen]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
