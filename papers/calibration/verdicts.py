"""Count how often a sentence of a report is false, in worlds mostly not used for tuning.

In each world people answer random questions, some of them several times, and `rs.evaluate` of a
plane gives advice and a verdict on calibration. "Use the map" is false if the true error is more
than .05 above the least possible, "collect more answers" if it is not above it. "Honest" is false
if the true slope of the probabilities is not from .8 to 1.25, "too sure" if it is 1 or more, and
"not sure enough" if it is 1 or less. The interval for people like them is compared with the error
for very many other people, also for crowds of 6 and 20.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row
from worlds import CHOICES, World, scale

import resemblance as rs
from resemblance.scores import calibration_slope

SIZES = 300, 1000, 3000
N_ITEMS, PEOPLE, SHARED = 30, 8, 0.15  # SHARED: share of answers to repeated questions
TIMES = 3  # number of answers to a repeated question
CROWDS, STRANGERS = (6, 20), 100  # numbers of people who answer, and of others for the test


def plane(rng):
    return rng.normal(size=(N_ITEMS, 2))


def line(rng):
    return rng.normal(size=(N_ITEMS, 1))


def ring(rng):
    angle = rng.uniform(0, 2 * np.pi, N_ITEMS)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def clusters(rng):
    return 3 * rng.normal(size=(4, 2))[rng.integers(4, size=N_ITEMS)] + plane(rng) / 3


def heavy(rng):
    return rng.standard_t(2, size=(N_ITEMS, 2))


def three(rng):
    return rng.normal(size=(N_ITEMS, 3))


def five(rng):
    return rng.normal(size=(N_ITEMS, 5))


# shape, choice model, lapse rate, standard deviation of log weights
WORLDS = {
    "plane": (plane, "softmax", 0.0, 0.0),
    "line": (line, "softmax", 0.0, 0.0),
    "ring": (ring, "softmax", 0.0, 0.0),
    "clusters": (clusters, "softmax", 0.0, 0.0),
    "heavy tails": (heavy, "softmax", 0.0, 0.0),
    "3-D": (three, "softmax", 0.0, 0.0),
    "5-D": (five, "softmax", 0.0, 0.0),
    "lapses": (plane, "softmax", 0.15, 0.0),
    "wrong model": (plane, "student", 0.0, 0.0),
    "people differ": (plane, "softmax", 0.0, 0.7),
}


def world(
    name: str, seed: int, n_people: int = PEOPLE
) -> tuple[World, list[rs.SpaceObserver], World]:
    """Draw a world, whose probabilities are the mean of its people's; then those of many others."""
    shape, kind, lapse, differ = WORLDS[name]
    rng = np.random.default_rng([seed, 78])
    points = shape(rng)
    points = points * scale(points, kind, lapse, rng.uniform(0.68, 0.85))
    near, far = np.triu_indices(N_ITEMS, 1)
    heads = range(N_ITEMS)
    questions = np.array(
        [(h, a, b) for h in heads for a, b in zip(near, far, strict=True) if h not in (a, b)]
    )

    def crowd(n: int) -> tuple[World, list[rs.SpaceObserver]]:
        weights = np.exp(differ * rng.normal(size=(n, points.shape[1])))
        people = [
            rs.SpaceObserver(
                points * np.sqrt(own), CHOICES[kind], lapse=lapse, random_state=seed + k
            )
            for k, own in enumerate(weights)
        ]
        p = np.mean([one.probability(questions) for one in people], axis=0)
        return World(kind, people[0], questions, p), people

    asked, people = crowd(n_people)
    return asked, people, crowd(STRANGERS)[0] if differ else asked


def answers(w: World, people: list, m: int, rng: np.random.Generator) -> rs.Triplets:
    """Let people in turn answer random questions, some of which several of them get."""
    shared = w.random(int(SHARED * m / TIMES), rng)
    asked = np.concatenate([np.repeat(shared, TIMES, axis=0), w.random(m, rng)])[:m]
    who = np.arange(m) % len(people)
    told = np.empty_like(asked)
    for k, one in enumerate(people):
        told[who == k] = one.answer(asked[who == k]).index
    return rs.Triplets(told, N_ITEMS, observer=[f"p{k}" for k in who])


def look(name: str, seed: int, m: int, n_people: int = PEOPLE) -> dict[str, float | str]:
    """Hold what is said of one study against the truth."""
    w, people, others = world(name, seed, n_people)
    told = answers(w, people, m, np.random.default_rng([seed, m]))
    found = rs.evaluate(rs.STE(2, penalty="auto", random_state=0), told, cv=10, random_state=seed)
    p = np.clip(found.model.predict_proba(w.questions)[:, 0], 1e-9, 1 - 1e-9)
    both = np.concatenate([np.column_stack([p, 1 - p]), np.column_stack([1 - p, p])])
    slope = calibration_slope(both, np.append(w.probability, 1 - w.probability))[0]
    plain = found.as_dict()
    held, ceiling, truth = found.held_out, plain["noise_ceiling"], w.error(found.model)
    unasked = others.error(found.model)
    return {
        "world": name,
        "code": plain["next"]["code"],
        "excess": truth - w.best,
        "calibration": held.calibration or "not told",
        "slope": np.nan if slope is None else slope,
        "these": _holds(held.interval, truth),
        "others": _holds(held.people_interval, unasked),
        "others by that of these": _holds(held.interval, unasked),
        "least": _holds(ceiling.get("interval"), w.best),
    }


def _holds(interval, truth: float) -> float:
    return np.nan if interval is None else float(interval[0] <= truth <= interval[1])


def table(n_worlds: int = 200, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each sentence and size; worlds are shared out among the shapes."""
    rows = []
    for m in SIZES:
        jobs = (delayed(look)(list(WORLDS)[k % len(WORLDS)], k, m) for k in range(n_worlds))
        found = pd.DataFrame(Parallel(n_jobs)(jobs))
        rows += said(f"{m} answers", found)
        for n in CROWDS:
            jobs = (delayed(look)("people differ", k, m, n) for k in range(n_worlds))
            rows += covered(
                f"{m} answers, {n} people who differ", pd.DataFrame(Parallel(n_jobs)(jobs))
            )
    return pd.DataFrame(rows)


def said(about: str, found: pd.DataFrame) -> list[dict]:
    """Count how often each sentence is said, and how often it is false."""
    code, slope, excess = found["code"], found["slope"], found["excess"]
    wrong = {
        "use_it": excess > 0.05,
        "more_answers": excess <= 0,
        "honest": ~slope.between(0.8, 1.25),
        "too sure": slope >= 1,
        "not sure enough": slope <= 1,
    }
    rows = []
    for name, is_false in wrong.items():
        is_said = (code == name) | (found["calibration"] == name)
        rows.append(row(about, f'"{name}" is said', "", is_said, share=True))
        if is_said.any():
            rows.append(row(about, f'"{name}" is false', "5 %", is_false[is_said], share=True))
    return rows + covered(about, found)


def covered(about: str, found: pd.DataFrame) -> list[dict]:
    """Count how often each interval holds the truth."""
    return [
        row(about, f"interval, {name}: covers", "95 %", found[name].dropna(), True)
        for name in ("these", "others", "others by that of these", "least")
        if found[name].notna().any()
    ]


if __name__ == "__main__":
    main(table, __doc__)
