"""Measure the test of groups, and the intervals of their weights, in dense and sparse studies.

Twenty people in each of two groups answer. A dimension has twice the weight in one group, or
weights are equal. Log weights and log temperatures of people vary within groups with standard
deviation .2. Dense: 20 to 40 items in a plane, 200 answers per person. Sparse: 100 to 300 items in
3 or 5 dimensions, with about 2 to 10 answers per item in each group. If groups do not differ,
p-values below .05 are false alarms.

Noise: dense studies with equal weights, in which the second group answers less clearly: it guesses
15 % of answers, chooses the first side in 60 %, has twice the temperature, or three times at the
end. Power: the verdicts, and how often a difference of groups is detected.

The true weight depends on the fitted axis: along a direction e of the true space it is e' M e, with
M the metric of the group.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.linalg import orthogonal_procrustes
from table import main, row
from worlds import scale, world

import resemblance as rs

N_PEOPLE, N_ANSWERS = 20, 200
RATIO, SPREAD = 2.0, 0.2
PERMUTATIONS, RESAMPLES = 199, 60


@dataclass(frozen=True)
class Study:
    """What two groups said, and what they see."""

    told: rs.Triplets
    groups: dict
    points: np.ndarray
    model: rs.fitting.OrdinalEmbedding


def asked_of_groups(person: rs.SpaceObserver, ratio: float, rows: np.ndarray, rng) -> tuple:
    """Let two groups answer rows of questions, as many each; return what they say, and groups."""
    n, d = person.points.shape
    names = [f"{side} {i:02d}" for side in ("a", "b") for i in range(N_PEOPLE)]
    weights = np.exp(SPREAD * rng.normal(size=(len(names), d)))
    weights[N_PEOPLE:, 0] *= ratio
    people = [
        rs.SpaceObserver(
            person.points,
            person.choice,
            temperature=t,
            weights=own,
            random_state=int(rng.integers(2**31)),
        )
        for t, own in zip(np.exp(SPREAD * rng.normal(size=len(names))), weights, strict=True)
    ]
    asked = rs.Triplets(rows, n, observer=np.repeat(names, len(rows) // len(names)))
    seed = int(rng.integers(2**31))
    told: rs.Triplets = rs.Crowd(people, names, random_state=seed).answer(asked)
    return told, {name: name[0] for name in names}


def answers(seed: int, ratio: float, n_answers: int = N_ANSWERS) -> tuple[rs.Triplets, dict]:
    """Let two groups answer in a dense world; return what they say, and who is in which."""
    w, rng = world(seed, lapse=0.0), np.random.default_rng([seed, 7])
    return asked_of_groups(w.person, ratio, w.random(2 * N_PEOPLE * n_answers, rng), rng)


def dense(seed: int, ratio: float, n_answers: int = N_ANSWERS) -> Study:
    """Draw a dense study in a plane."""
    w = world(seed, lapse=0.0)
    told, groups = answers(seed, ratio, n_answers)
    return Study(told, groups, w.person.points, w.model(penalty="auto"))


def sparse(seed: int, ratio: float, n_items: int, n_dims: int, per_item: int) -> Study:
    """Draw a study of many items; each group answers so many questions an item."""
    rng = np.random.default_rng([seed, n_items, n_dims, 9])
    points = rng.normal(size=(n_items, n_dims))
    points *= scale(points, "softmax", 0.0, rng.uniform(0.68, 0.85))
    m = per_item * n_items // N_PEOPLE * 2 * N_PEOPLE
    rows = np.array([rng.choice(n_items, 3, replace=False) for _ in range(m)])
    person = rs.SpaceObserver(points, rs.choice.Softmax())
    told, groups = asked_of_groups(person, ratio, rows, rng)
    model = rs.STE(n_dims, penalty="auto", tol=1e-3, random_state=0)
    return Study(told, groups, points, model)


STUDIES = {
    "20 to 40 items in a plane, 200 answers each": dense,
    "100 items in 3-D, 5 an item": lambda seed, ratio: sparse(seed, ratio, 100, 3, 5),
    "100 items in 3-D, 10 an item": lambda seed, ratio: sparse(seed, ratio, 100, 3, 10),
    "100 items in 5-D, 10 an item": lambda seed, ratio: sparse(seed, ratio, 100, 5, 10),
    "300 items in 3-D, 2 an item": lambda seed, ratio: sparse(seed, ratio, 300, 3, 2),
}


NOISE = {
    "guesses": {"lapse": 0.15},
    "one side": {"side": 0.6},
    "twice the temperature": {"temperature": 2.0},
    "tiring": {"end": 3.0},
}


def noisy(
    seed: int,
    *,
    ratio: float = 1.0,
    people: tuple[int, int] = (N_PEOPLE, N_PEOPLE),
    n_answers: int = N_ANSWERS,
    lapse: float = 0.0,
    side: float = 0.0,
    temperature: float = 1.0,
    end: float = 1.0,
) -> Study:
    """Draw a dense study whose second group answers more noisily."""
    w, rng = world(seed, lapse=0.0), np.random.default_rng([seed, 77])
    points, d = w.person.points, w.person.points.shape[1]
    rows, sides, who = [], [], []
    for number in range(sum(people)):
        is_second = number >= people[0]
        weights = np.exp(SPREAD * rng.normal(size=d))
        weights[0] *= ratio if is_second else 1.0
        own = np.exp(SPREAD * rng.normal()) * (temperature if is_second else 1.0)
        asked = w.random(n_answers, rng)
        swapped = rng.random(n_answers) < 0.5
        asked[swapped] = asked[swapped][:, [0, 2, 1]]
        p = np.empty(n_answers)
        for part in np.array_split(np.arange(n_answers), 10):
            tired = 1.0 + (end - 1.0) * is_second * part.mean() / n_answers
            one = rs.SpaceObserver(
                points, w.person.choice, lapse * is_second, temperature=own * tired, weights=weights
            )
            p[part] = one.probabilities(rs.Triplets(asked[part], len(points)))[:, 0]
        first = (rng.random(n_answers) < p) | (rng.random(n_answers) < side * is_second)
        rows.append(np.where(first[:, None], asked, asked[:, [0, 2, 1]]))
        sides.append(np.where(first, 0, 1))
        who += [f"{'ab'[is_second]} {number:02d}"] * n_answers
    told = rs.Triplets(
        np.concatenate(rows), len(points), observer=who, extra={"side": np.concatenate(sides)}
    )
    groups = {name: name[0] for name in who}
    return Study(told, groups, points, w.model(penalty="auto"))


def test_of(study: Study, seed: int) -> dict[str, float]:
    """Return both p-values of a study, and the power that is told."""
    found = rs.compare_groups(
        study.told,
        study.groups,
        study.model,
        n_permutations=PERMUTATIONS,
        n_resamples=10,
        random_state=seed,
    )
    power = {f"power {ratio:g}": power for ratio, power in found.power.items()}
    return {"weights": found.p_value, "clarity": found.p_clarity, **power}


def noise_table(n_worlds: int = 60, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each kind of noise, and for true differences beside their told power."""
    rows = []
    for name, kind in NOISE.items():
        for people in ((N_PEOPLE, N_PEOPLE), (8, 30)):
            found = tests_of(n_worlds, n_jobs, people=people, **kind)
            about = f"{name}, {people[0]} and {people[1]} people"
            rows.append(row(about, "weights: p below .05", "5 %", found["weights"] < 0.05, True))
            rows.append(row(about, "clarity: p below .05", "", found["clarity"] < 0.05, True))
    for ratio in rs.fitting.groups.RATIOS:
        found = tests_of(n_worlds, n_jobs, ratio=ratio)
        told = f"{found[f'power {ratio:g}'].mean():.0%}"
        rows.append(row(f"a factor of {ratio:g}", "found", told, found["weights"] < 0.05, True))
    return pd.DataFrame(rows)


def tests_of(n_worlds: int, n_jobs: int, **kind) -> pd.DataFrame:
    """Test as many worlds of a kind."""
    looks = (
        delayed(lambda s, k: test_of(noisy(s, **k), s))(seed, kind) for seed in range(n_worlds)
    )
    return pd.DataFrame(Parallel(n_jobs)(looks))


def true_logs(study: Study, positions: np.ndarray, ratio: float) -> np.ndarray:
    """Return the logarithms of clarity and relative weights of the second group, (1 + d,)."""
    centred = [points - points.mean(axis=0) for points in (positions, study.points)]
    axes = orthogonal_procrustes(*centred)[0]
    metric = np.ones(axes.shape[1])
    metric[0] = ratio
    logs = np.log(axes**2 @ metric) / 2
    return np.concatenate([[logs.mean()], logs - logs.mean()])


def look(seed: int, ratio: float, study: Study) -> dict[str, float]:
    """Test one world; see whether the intervals of clarity and weights hold the truth."""
    found = rs.compare_groups(
        study.told,
        study.groups,
        study.model,
        n_permutations=PERMUTATIONS,
        n_resamples=RESAMPLES,
        random_state=seed,
    )
    table = found.table[found.table["group"] == "b"]
    true = true_logs(study, found.space.embedding_, ratio)
    weight, low, high = (np.log(table[name].to_numpy()) for name in ("weight", "low", "high"))
    has = np.isfinite(weight)
    held, towards = (low <= true) & (true <= high), np.sign(true) * (weight - true)
    means = lambda x: x[1:][has[1:]].mean() if has[1:].any() else np.nan  # noqa: E731
    return {
        "p": found.p_value,
        "tells": has[1:].mean(),
        "clarity held": held[0] if has[0] else np.nan,
        "weights held": means(held),
        "bias": means(towards),
        "half": means((high - low) / 2),
    }


def table(n_worlds: int = 60, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each claim."""
    rows = []
    for name, study in STUDIES.items():
        for ratio in (1.0, RATIO):
            looks = (
                delayed(lambda s, r, make: look(s, r, make(s, r)))(seed, ratio, study)
                for seed in range(n_worlds)
            )
            found = pd.DataFrame(Parallel(n_jobs)(looks))
            about = f"{name}; a factor of {ratio:g}"
            claimed = "" if ratio != 1 else "5 %"
            rows.append(row(about, "p below .05", claimed, found["p"] < 0.05, share=True))
            rows.append(row(about, "weights that are told", "", found["tells"], share=True))
            for what in ("clarity held", "weights held"):
                rows.append(row(about, what, "95 %", found[what].dropna(), share=True))
            rows.append(row(about, "half an interval, in logs", "", found["half"].dropna()))
            if ratio != 1:
                rows.append(row(about, "away from 1, in logs: bias", "0", found["bias"].dropna()))
    return pd.concat([pd.DataFrame(rows), noise_table(n_worlds, n_jobs)], ignore_index=True)


if __name__ == "__main__":
    main(table, __doc__)
