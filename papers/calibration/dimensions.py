"""Check the chosen model, the number of dimensions, and whether two dimensions are enough.

Items lie on a line, in a plane, in space, in five dimensions, on a ring, or in four clusters. The
model is chosen by log loss in two dimensions, then the dimensions by the one-standard-error rule,
as in `resemblance fit --dims auto`. "k" is false if the true number of dimensions is not k, "at
least k" if it is smaller. "Use the map in 2 dimensions" is false if a map in another number of
dimensions, fitted to the same answers, has a true error that is lower by more than .03.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row
from verdicts import PEOPLE, answers as answered, clusters, five, line, plane, ring, three
from worlds import CHOICES, KINDS, MODELS, OWN, World, scale

import resemblance as rs
from resemblance.analysis.advice import next_step

SIZES = 1000, 4000
WORLDS = {
    "line": (line, 1),
    "plane": (plane, 2),
    "space": (three, 3),
    "5-D": (five, 5),
    "ring": (ring, 2),
    "clusters": (clusters, 2),
}
TRIED = 1, 2, 3, 4, 5, 6
LIKE_T = ("tste", "ckl")  # equal in two dimensions except for the scale
RIGHT = {"softmax": ("ste",), "student": LIKE_T, "relative": LIKE_T}
LEFT = 0.03


def world(name: str, seed: int) -> tuple[World, list[rs.SpaceObserver]]:
    """Draw a world of people who see items alike."""
    shape, d = WORLDS[name]
    rng = np.random.default_rng([seed, d, 9])
    kind, lapse = KINDS[seed % 3], rng.uniform(0.0, 0.1)
    points = shape(rng)
    points = points * scale(points, kind, lapse, rng.uniform(0.7, 0.85))
    people = [
        rs.SpaceObserver(points, CHOICES[kind], lapse=lapse, random_state=seed + k)
        for k in range(PEOPLE)
    ]
    n = len(points)
    asked = np.array([rng.choice(n, 3, replace=False) for _ in range(4000)])
    return World(kind, people[0], asked, people[0].probability(asked)), people


def look(name: str, seed: int, m: int) -> dict[str, bool]:
    """Choose model and dimensions."""
    w, people = world(name, seed)
    answers = answered(w, people, m, np.random.default_rng([seed, m]))
    chosen = rs.compare_models(answers, cv=rs.GroupedKFold(10, random_state=0)).chosen
    model = {"ste": rs.STE, "tste": rs.TSTE, "ckl": rs.CKL}[chosen]
    curve = rs.select_dimension(model(penalty="auto", tol=1e-3, random_state=0), answers, TRIED)
    d = WORLDS[name][1]
    return {
        "model right": chosen in RIGHT[w.kind],
        "dimensions right": curve.chosen == d,
        "right by the test": curve.not_worse == d,
        "exact": curve.is_exact,
        "other": curve.chosen != d,
        "too many": curve.least > d,
    }


def enough(name: str, seed: int, m: int) -> dict[str, object]:
    """Judge a map in two dimensions, and see what others would have gained in truth."""
    w, people = world(name, seed)
    answers = answered(w, people, m, np.random.default_rng([seed, m, 1]))
    found = rs.analyse(answers, {"softmax": "ste"}.get(w.kind, "tste"), dims=2).as_dict()
    model = MODELS[w.kind](**OWN[w.kind], penalty="auto", tol=1e-3, random_state=0)
    errors = {d: w.error(model.set_params(n_components=d).fit(answers)) for d in TRIED}
    return {
        "said": found["next"]["code"],
        "without": next_step(found | {"another_dimension": None})["code"],
        "left": errors[2] - min(errors.values()),
        "next": errors[2] - errors[3],
    }


def table(n_worlds: int = 60, n_jobs: int = 2) -> pd.DataFrame:
    """Return how often each is right or false; worlds are of each shape."""
    rows = []
    for m in SIZES:
        everything = []
        for name in WORLDS:
            jobs = (delayed(look)(name, seed, m) for seed in range(n_worlds))
            found = pd.DataFrame(Parallel(n_jobs)(jobs))
            everything.append(found)
            for what in ("model right", "dimensions right", "right by the test"):
                rows.append(row(f"{name}, {m} answers", what, "", found[what], share=True))
        rows += counted(f"all, {m} answers", pd.concat(everything))
        jobs = (delayed(enough)(name, seed, m) for name in WORLDS for seed in range(n_worlds))
        rows += closed(f"all, {m} answers", pd.DataFrame(Parallel(n_jobs)(jobs)))
    return pd.DataFrame(rows)


def counted(about: str, found: pd.DataFrame) -> list[dict]:
    """Count how often "k" and "at least k" are said, and how often they are false."""
    exact = found["exact"]
    rows = [row(about, '"k" is said', "", exact, share=True)]
    for what, false in (
        ('"k"', found["other"][exact]),
        ('"at least k"', found["too many"][~exact]),
    ):
        if len(false):
            rows.append(row(about, f"{what} is false", "5 %", false, share=True))
    return rows


def closed(about: str, found: pd.DataFrame) -> list[dict]:
    """Count how often a map in two dimensions is called enough, and how often others gain."""
    rows = []
    for how, code in (("", "said"), (", other dimensions not asked", "without")):
        said = found[code] == "use_it"
        rows.append(row(about, f'"use the map" is said{how}', "", said, share=True))
        if said.any():
            gains = found["left"][said] > LEFT
            rows.append(row(about, f"... and more than {LEFT:g} is left{how}", "5 %", gains, True))
    said = found["said"] == "more_dimensions"
    rows.append(row(about, '"choose the number of dimensions" is said', "", said, share=True))
    if said.any():
        false = found["next"][said] <= 0
        rows.append(row(about, "... and one more does not err less", "5 %", false, share=True))
    return rows


if __name__ == "__main__":
    main(table, __doc__)
