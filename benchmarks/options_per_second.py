"""How many options should a question have, where an answer takes longer the more there are?

People in simulated spaces are asked which of N options is the most similar to a head; an answer
takes a + b N seconds. Questions are chosen by what they tell of other answers; "mixed" takes, after
each fit, the N whose questions tell most a second. Told is the share of triplets that the map
orders otherwise than the truth, after so many seconds of people's time.

    python benchmarks/options_per_second.py --worlds 4 --paces 1,1.5 2,.7 4,.3
"""

import argparse
import warnings
from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

import resemblance as rs
from resemblance.asking.predictive import GreedyChoice
from resemblance.asking.question import MostSimilar
from resemblance.fitting import PositionUncertainty

N_ITEMS, N_TARGETS, N_CANDIDATES = 30, 256, 512
SIZES = 2, 3, 4, 6, 8
WIDTH = 1 + max(SIZES)
WAYS = "mixed", 2, 3, 4, 8
START, BATCH, LAST = 5.0, 1.5, 30.0  # an item, in the seconds that a triplet takes
MARKS = 8, 12, 16, 20, 25, 29


def plane(rng: np.random.Generator) -> np.ndarray:
    """Draw items of a plane."""
    return rng.normal(size=(N_ITEMS, 2))


def clusters(rng: np.random.Generator) -> np.ndarray:
    """Draw items of five kinds."""
    middles = 2 * rng.normal(size=(5, 2))
    return middles[rng.integers(5, size=N_ITEMS)] + 0.4 * rng.normal(size=(N_ITEMS, 2))


def padded(rows: np.ndarray) -> np.ndarray:
    """Give rows as many columns as the widest question has."""
    return np.pad(rows, ((0, 0), (0, WIDTH - rows.shape[1])), constant_values=-1)


def proposed(
    model: rs.TSTE, answered: np.ndarray, size: int, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Return the n best questions of a size, and what they tell together."""
    asks, triplet, X = MostSimilar(size), MostSimilar(2), model.embedding_
    rows = asks.random(rng, N_CANDIDATES, N_ITEMS)
    targets = triplet.random(np.random.default_rng(5), N_TARGETS, N_ITEMS)
    told = MostSimilar(WIDTH - 1).told(answered)
    uncertainty = PositionUncertainty(X, model.choice_, told)
    J, J_t = (
        uncertainty.information_rows(part) for part in (asks.asked(rows), triplet.asked(targets))
    )
    greedy = GreedyChoice(uncertainty.covariance, J, J_t, 1 if size == 2 else size)
    taken, gain = [], 0.0
    for _ in range(n):
        gain += float(greedy.gain().max())
        taken.append(greedy.take())
    return rows[taken], gain


def course(
    make: object, seed: int, pace: tuple[float, float], way: str | int
) -> Iterator[tuple[float, float, int]]:
    """Ask, fit, ask again; yield the seconds used, in triplets an item, the error, and N."""
    rng = np.random.default_rng([seed, 1])
    X = make(rng)
    person = rs.SpaceObserver(X, temperature=0.5, lapse=0.03, random_state=seed)
    tests = MostSimilar(2).random(np.random.default_rng(77), 6000, N_ITEMS)
    answers, used, unit = np.empty((0, WIDTH), np.int32), 0.0, N_ITEMS * (pace[0] + 2 * pace[1])

    def seconds(size: int) -> float:
        return pace[0] + pace[1] * size

    size = 4 if way == "mixed" else int(way)
    asked = MostSimilar(size).random(rng, int(np.ceil(START * unit / seconds(size))), N_ITEMS)
    while True:
        size = asked.shape[1] - 1
        told = person.answer(MostSimilar(size).judgments(asked, N_ITEMS)).index
        answers, used = np.vstack([answers, padded(told)]), used + len(told) * seconds(size)
        judgments = rs.Choices(answers[:, 0], answers[:, 1:], answers[:, 1], N_ITEMS)
        model = rs.TSTE(2, penalty="auto", random_state=0, n_init=3).fit(judgments)
        yield used / unit, float((side(model.embedding_, tests) != side(X, tests)).mean()), size
        if used >= LAST * unit:
            return
        offers = {}
        for size in SIZES if way == "mixed" else [int(way)]:
            n = max(2, int(BATCH * unit / seconds(size)))
            rows, gain = proposed(model, answers, size, n, rng)
            offers[gain / (n * seconds(size))] = rows
        asked = offers[max(offers)]


def side(X: np.ndarray, triplets: np.ndarray) -> np.ndarray:
    """Say which of two is nearer to the head."""
    head, one, other = (X[column] for column in triplets.T)
    return np.sign(((head - one) ** 2).sum(axis=1) - ((head - other) ** 2).sum(axis=1))


def table(n_worlds: int, paces: list[tuple[float, float]]) -> pd.DataFrame:
    """Return the mean error of each way at each mark."""
    rows = []
    for pace, make, seed, way in product(paces, (plane, clusters), range(n_worlds), WAYS):
        done = pd.DataFrame(course(make, seed, pace, way), columns=["used", "error", "options"])
        at = [done.error[(done.used - mark).abs() < 1.2].mean() for mark in MARKS]
        about = {"seconds": f"{pace[0]:g} + {pace[1]:g} N", "space": make.__name__, "options": way}
        rows.append({**about, **dict(zip(MARKS, at, strict=True)), "mean N": done.options.mean()})
        print(rows[-1], flush=True)
    return pd.DataFrame(rows).groupby(["seconds", "space", "options"], sort=False).mean()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=4, help="how many of each kind")
    parser.add_argument("--paces", nargs="+", default=["1,1.5", "2,.7", "4,.3"], help="a,b of each")
    told = parser.parse_args()
    warnings.simplefilter("ignore", rs.errors.ResemblanceWarning)
    pairs = [tuple(float(x) for x in pace.split(",")) for pace in told.paces]
    print(table(told.worlds, pairs).round(3).to_string())
