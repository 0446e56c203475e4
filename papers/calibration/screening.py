"""Count whom screening rejects and who differs, in worlds where attention is known.

python screening.py --worlds 12 --jobs 2
python screening.py --quick
"""

import argparse
import warnings
from itertools import product

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import markdown
from worlds import World, world

import resemblance as rs
from resemblance.errors import ResemblanceWarning

CARELESS = (0.0, 0.1, 0.2, 0.3, 0.4)  # lapse rates of honest people, in turn
CROWDS = ("careless", "other space", "one dimension", "alone")
EVIDENCE = ("model", "gold", "repeats", "both")
N_HONEST, N_OTHER = 20, 5  # honest people in a study, and how many of these see another space
CHECK_SHARE = 0.2  # share of answers to gold questions, and of repeats
FOLDS = 5
ANSWERS = (60, 200)
CLAIMS = {"guesser": {200: ">= .90"}, "always one side": {60: ">= .90", 200: ">= .90"}}


def table(studies: list[tuple[int, int, str, str]], n_jobs: int = 1) -> pd.DataFrame:
    """Tell who is rejected and who differs: a row for each crowd, kind of person and evidence."""
    everybody = pd.concat(Parallel(n_jobs)(delayed(people)(*study) for study in studies))
    rows = [
        {
            "crowd": crowd,
            "who": who,
            "answers": n,
            "evidence": evidence,
            "claimed": CLAIMS.get(who, {}).get(
                n, "" if "guess" in who or "side" in who else "<= .05"
            ),
            "rejected": found["rejected"].mean(),
            "se": _error(found),
            "differs": found["differs"].mean(),
            "people": len(found),
        }
        for (crowd, who, n, evidence), found in everybody.groupby(
            ["crowd", "who", "answers", "evidence"], sort=False
        )
    ]
    return pd.DataFrame(rows)


def people(seed: int, n: int, crowd: str = "careless", evidence: str = "gold") -> pd.DataFrame:
    """Screen one study of n answers each: who everybody is, and what is said of them."""
    drawn, rng = world(seed, lapse=0.0), np.random.default_rng([seed, n, CROWDS.index(crowd)])
    observers, kinds = crowd_of(drawn, crowd, rng)
    n_gold = round(CHECK_SHARE * n) if evidence in ("gold", "both") else 0
    n_again = round(CHECK_SHARE * n) if evidence in ("repeats", "both") else 0
    sure = np.argsort(-np.abs(drawn.probability - 0.5))[: 10 * round(CHECK_SHARE * n)]
    gold = drawn.questions[rng.choice(sure, 2 * round(CHECK_SHARE * n), replace=False)]
    first = drawn.person.probability(gold)[:, None] > 0.5
    gold = rs.Triplets(np.where(first, gold, gold[:, [0, 2, 1]]), items=drawn.n_items)
    asked = []
    for _ in observers.names:
        own = drawn.random(n - n_gold - n_again, rng)
        asked += [rng.permutation(gold.index)[:n_gold], own, own[:n_again]]
    questions = rs.Triplets(
        np.vstack(asked), items=drawn.n_items, observer=np.repeat(observers.names, n)
    )
    answers = observers.answer(questions)
    model = drawn.model(penalty="auto").fit(answers)
    with warnings.catch_warnings(action="ignore", category=ResemblanceWarning):  # bad gold
        scores = rs.score_participants(answers, gold if n_gold else None, model, folds=FOLDS)
    said = {"who": kinds, "answers": n, "crowd": crowd, "evidence": evidence, "world": seed}
    columns = [name for name in ("rejected", "differs") if name in scores]
    return pd.DataFrame(said).join(scores[columns]).reindex(columns=[*said, "rejected", "differs"])


def crowd_of(drawn: World, crowd: str, rng: np.random.Generator) -> tuple[rs.Crowd, list[str]]:
    """Draw honest people, some of whom may see another space, and people who do not look."""
    points, d = drawn.person.points, drawn.person.points.shape[1]
    other = rng.permutation(points)
    if crowd == "one dimension":
        other[:, 0] = points[:, 0]
    n_other = {"careless": 0, "alone": 1}.get(crowd, N_OTHER)
    lapses = np.resize(CARELESS if crowd == "careless" else [0.05], N_HONEST)
    people, kinds = [], []
    for number, lapse in enumerate(lapses):
        is_other = number >= N_HONEST - n_other
        kinds.append("sees otherwise" if is_other else f"honest, lapse {lapse:g}")
        people.append(
            rs.SpaceObserver(
                other if is_other else points,
                drawn.person.choice,
                lapse,
                temperature=np.exp(0.3 * rng.normal()),
                weights=np.exp(0.3 * rng.normal(size=d)),
                random_state=int(rng.integers(2**31)),
            )
        )
    kinds += ["guesser", "guesser", "always one side", "mostly one side", "guesses nine of ten"]
    seeds = rng.integers(2**31, size=4)
    people += [rs.observers.InattentiveObserver(int(seed)) for seed in seeds[:2]]
    people += [
        rs.observers.PositionBiasObserver(0),
        rs.observers.PositionBiasObserver(1, 0.8, int(seeds[2])),
        rs.SpaceObserver(points, drawn.person.choice, 0.9, random_state=int(seeds[3])),
    ]
    return rs.Crowd(people, random_state=int(rng.integers(2**31))), kinds


def _error(found: pd.DataFrame) -> float:
    """Give the standard error of a share; people of one world are not independent."""
    means = found.groupby("world")["rejected"].mean()
    return float(means.std() / np.sqrt(len(means)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--answers", type=int, nargs="+", default=ANSWERS)
    parser.add_argument("--crowds", nargs="+", default=CROWDS, choices=CROWDS)
    parser.add_argument("--evidence", nargs="+", default=EVIDENCE, choices=EVIDENCE)
    parser.add_argument("--quick", action="store_true", help="two worlds of two designs")
    given = parser.parse_args()
    designs = product(range(given.worlds), given.answers, given.crowds, given.evidence)
    if given.quick:
        designs = product(range(2), (200,), ("other space", "one dimension"), ("model", "repeats"))
    print(markdown(table(list(designs), given.jobs)))


if __name__ == "__main__":
    main()
