"""Count how often "use the map" is false of confusions and ratings, with and without structure.

`rs.evaluate` holds out pairs. "Use the map" is false if the map of all counts predicts a new trial
of a random pair no better than a guess: for confusions the overall share of errors, for ratings the
same model with all items in one place. Without structure, all pairs are confused equally often, and
people rate by individual habits.

For each kind of judgment, the program also counts this advice if all answers are random.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist
from scipy.special import xlogy
from table import main, row
from verdicts import WORLDS, clusters, five, heavy, line, plane, ring, three

import resemblance as rs

SHAPES = (plane, line, ring, clusters, heavy, three, five)
assert {one for one, *_ in WORLDS.values()} == set(SHAPES)
TRIALS = 4, 20, 80  # trials of each pair
EACH = 20, 60  # ratings of each person
N_PEOPLE, POINTS = 12, 7
KINDS = (
    *("triplets", "quadruplets", "choices", "odd_one_outs", "ratings", "two points"),
    *("confusions", "arrangements"),
)
USE = "counts", "more_trials", "use_it", "probabilities"  # the map, says the report


def confused(seed: int, is_structured: bool, trials: int) -> dict[str, float | str]:
    """Hold what is said of confusions against the truth."""
    rng = np.random.default_rng([seed, trials, 5])
    X = SHAPES[seed % len(SHAPES)](rng)[:20]
    d = pdist(X)
    p = 0.5 * np.exp(-((1.5 * d / np.median(d)) ** 2)) if is_structured else np.full(len(d), 0.2)
    pairs = np.column_stack(np.triu_indices(len(X), 1))
    counts = rs.Confusions(pairs, rng.binomial(trials, p), trials, items=len(X))
    found = rs.evaluate(rs.STE(2, random_state=0), counts, cv=5, random_state=seed)
    mapped, share = (
        found.model.predict_proba(counts)[:, 0],
        counts.errors.sum() / counts.trials.sum(),
    )
    ours, guess = ((xlogy(p, q) + xlogy(1 - p, 1 - q)).mean() for q in (mapped, share))
    return {"code": found.as_dict()["next"]["code"], "gain": ours - guess}


def rated(seed: int, is_structured: bool, each: int) -> dict[str, float | str]:
    """Hold what is said of ratings against the truth."""
    rng = np.random.default_rng([seed, each, 6])
    X = SHAPES[seed % len(SHAPES)](rng)[:20]
    d = pdist(X)
    far = 4 * (d / np.median(d)) ** 2 if is_structured else np.zeros(len(d))
    own = np.sort(rng.normal(-3 if is_structured else 0, 2, (N_PEOPLE, POINTS - 1)), axis=1)
    pairs = np.column_stack(np.triu_indices(len(X), 1))

    def asked(n: int) -> rs.Ratings:
        row, who = rng.integers(len(d), size=n * N_PEOPLE), np.repeat(np.arange(N_PEOPLE), n)
        noisy = -far[row] + rng.logistic(size=len(row))
        rating = 1 + (noisy[:, None] > own[who]).sum(axis=1)
        names = [f"p{k:02d}" for k in who]
        return rs.Ratings(pairs[row], rating, POINTS, items=len(X), observer=names)

    told, new = asked(each), asked(2000)
    found = rs.evaluate(rs.STE(2, random_state=0), told, cv=5, random_state=seed)
    guess = new.losses(found.model._space_in_one_place).mean()
    return {"code": found.as_dict()["next"]["code"], "gain": guess - found.model.log_loss(new)}


def of_noise(kind: str, seed: int, n: int = 800, n_people: int = 40) -> rs.judgments.OneKind:
    """Draw answers to random questions about 12 items, which say nothing of any of them."""
    rng, names = np.random.default_rng([seed, *kind.encode()]), [f"item {k}" for k in range(12)]
    asked = np.array([rng.choice(12, 4, replace=False) for _ in range(n)])
    asked[: n // 3] = asked[n // 3 : 2 * (n // 3)]  # by other people, in another order
    asked[:, 1:] = rng.permuted(asked[:, 1:], axis=1)
    people = {"observer": [f"p{k % n_people:02d}" for k in range(n)]}
    pairs = np.column_stack(np.triu_indices(12, 1))
    drawn = {
        "triplets": lambda: rs.Triplets(asked[:, :3], names, **people),
        "quadruplets": lambda: rs.Quadruplets(rng.permuted(asked, axis=1), names, **people),
        "choices": lambda: rs.Choices(asked[:, 0], asked[:, 1:], asked[:, 1], names, **people),
        "odd_one_outs": lambda: rs.OddOneOuts(asked, rng.permuted(asked, axis=1)[:, 0], names),
        "ratings": lambda: rs.Ratings(asked[:, :2], rng.integers(1, 10, n), 9, names, **people),
        "two points": lambda: rs.Ratings(asked[:, :2], rng.integers(1, 3, n), 2, names),
        "confusions": lambda: rs.Confusions(pairs, rng.binomial(20, 0.3, len(pairs)), 20, names),
        "arrangements": lambda: rs.Arrangements(
            np.array([rng.permutation(12)[:8] for _ in range(n_people)]),
            rng.uniform(size=(n_people, 8, 2)),
            names,
        ),
    }
    return drawn[kind]()


def trusted(seed: int, kind: str) -> dict[str, bool]:
    """Say whether a map of noise is to be used."""
    found = rs.evaluate(rs.STE(2, random_state=0), of_noise(kind, seed), cv=5, random_state=seed)
    return {"used": found.as_dict()["next"]["code"] in USE}


def table(n_worlds: int = 70, n_jobs: int = 2) -> pd.DataFrame:
    """Return what is said, and how often it is false, for each number of answers."""
    rows = []
    for look, sizes, words in (
        (confused, TRIALS, "{} trials of a pair"),
        (rated, EACH, "{} ratings of a person"),
    ):
        for is_structured in (True, False):
            for size in sizes:
                jobs = (delayed(look)(seed, is_structured, size) for seed in range(n_worlds))
                found = pd.DataFrame(Parallel(n_jobs)(jobs))
                about = words.format(size) + ("" if is_structured else ", nothing to find")
                said, false = found["code"] == "counts", found["gain"] <= 0
                rows.append(row(about, '"use the map" is said', "", said, share=True))
                if said.any():
                    rows.append(row(about, "and is false", "5 %", false[said], share=True))
    for kind in KINDS:
        jobs = (delayed(trusted)(seed, kind) for seed in range(n_worlds))
        used = pd.DataFrame(Parallel(n_jobs)(jobs))["used"]
        rows.append(row(f"{kind} of noise", "the map is to be used", "", used, share=True))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
