"""Screening: whom it rejects, in worlds where it is known who looks.

python screening.py --worlds 30 --jobs 2
"""

import argparse

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import markdown
from worlds import World, world

import resemblance as rs

CROWDS = (((0.0, 0.1, 0.2, 0.3, 0.4), 5), ((0.05, 0.05, 0.05, 0.4), 2))  # lapses, guessers
N_HONEST, N_CLICKERS = 20, 2  # in each study, with lapses in turn
GOLD_SHARE = 0.2
FOLDS = 5
ANSWERS = (50, 200)
CLEAR = 0.765  # two people agree so often in the middle of all worlds
CLAIMS = {"guesser": {50: ">= .90", 200: ">= .99"}, "clicker": {50: ">= .90", 200: ">= .99"}}


def table(n_worlds: int, n_jobs: int = 1) -> pd.DataFrame:
    """Tell who is rejected: a row for each kind of person, answers, and noise of the world."""
    drawn = Parallel(n_jobs)(delayed(people)(seed, n) for seed in range(n_worlds) for n in ANSWERS)
    everybody = pd.concat(drawn)
    both = pd.concat([everybody, everybody.assign(worlds="all")])
    rows = [
        {
            "who": who,
            "answers": n,
            "worlds": noise,
            "claimed": CLAIMS.get(who, {}).get(n, "<= .05"),
            "rejected": found["rejected"].mean(),
            "se": _error(found),
            "people": len(found),
        }
        for (who, n, noise), found in _groups(both)
    ]
    return pd.DataFrame(rows)


def people(seed: int, n: int) -> pd.DataFrame:
    """Screen one study of n answers each: who everybody is, and whether they are rejected."""
    drawn, rng = world(seed, lapse=0.0), np.random.default_rng([seed, n])
    crowd, kinds = crowd_of(drawn, *CROWDS[seed // 3 % 2], rng)
    n_gold = round(GOLD_SHARE * n)
    sure = np.argsort(-np.abs(drawn.probability - 0.5))[: 10 * n_gold]
    gold = drawn.questions[rng.choice(sure, 2 * n_gold, replace=False)]
    first = drawn.person.probability(gold)[:, None] > 0.5
    gold = rs.Triplets(np.where(first, gold, gold[:, [0, 2, 1]]), items=drawn.n_items)
    asked = [
        np.vstack([rng.permutation(gold.index)[:n_gold], drawn.random(n - n_gold, rng)])
        for _ in crowd.names
    ]
    questions = rs.Triplets(
        np.vstack(asked), items=drawn.n_items, observer=np.repeat(crowd.names, n)
    )
    answers = crowd.answer(questions)
    model = drawn.model(penalty="auto").fit(answers)
    scores = rs.score_participants(answers, gold, model, folds=FOLDS)
    agreement = np.mean(drawn.probability**2 + (1 - drawn.probability) ** 2)
    return pd.DataFrame(
        {
            "who": kinds,
            "rejected": scores["rejected"],
            "answers": n,
            "worlds": "clear" if agreement > CLEAR else "noisy",
            "world": seed,
        }
    )


def crowd_of(
    drawn: World, lapses: tuple[float, ...], n_guessers: int, rng: np.random.Generator
) -> tuple[rs.Crowd, list[str]]:
    """Draw honest people who differ, guessers, and some who stay on one side."""
    person, d = drawn.person, drawn.person.points.shape[1]
    honest = [
        rs.SpaceObserver(
            person.points,
            person.choice,
            lapse,
            temperature=np.exp(0.3 * rng.normal()),
            weights=np.exp(0.3 * rng.normal(size=d)),
            random_state=int(rng.integers(2**31)),
        )
        for lapse in np.resize(lapses, N_HONEST)
    ]
    guessers = [rs.InattentiveObserver(int(rng.integers(2**31))) for _ in range(n_guessers)]
    clickers = [rs.PositionBiasObserver(i % 2) for i in range(N_CLICKERS)]
    kinds = [f"honest, lapse {one.lapse:g}" for one in honest]
    kinds += ["guesser"] * n_guessers + ["clicker"] * N_CLICKERS
    return rs.Crowd([*honest, *guessers, *clickers], random_state=int(rng.integers(2**31))), kinds


def _groups(everybody: pd.DataFrame):
    """Group by kind of person, and all honest people together besides."""
    honest = everybody[everybody["who"].str.startswith("honest")].assign(who="honest, all")
    return pd.concat([everybody, honest]).groupby(["who", "answers", "worlds"])


def _error(found: pd.DataFrame) -> float:
    """Give the standard error of a share; people of one world are not independent."""
    means = found.groupby("world")["rejected"].mean()
    return float(means.std() / np.sqrt(len(means)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    print(markdown(table(given.worlds, given.jobs)))


if __name__ == "__main__":
    main()
