"""Count how often a second map is found where a tenth of the items have two places, and where none.

Worlds have 40 to 60 items, in clusters or spread evenly, in two or three dimensions. People compare
similarities that fall as a Gaussian or as Student's t of the distance. Two people agree on 70 to
82 % of random questions, and 5 % of answers are guesses. An item with two places has half of its
similarity from each, or the larger of both. Worlds without such items are maps of the fitted or of
one more dimension, and those of twenty people who weigh the dimensions a little differently (log
weights have a standard deviation of .2). The choice model is the one with the lower held-out loss.

A second map is found if the verdict is "yes", most of the items listed have two places, and at
least half of the items with two places are listed.
"""

import argparse
import time
from dataclasses import dataclass

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.special import logsumexp

import resemblance as rs

SIZES = 40, 80, 160  # questions per item
N_PEOPLE, SPREAD, LAPSE = 20, 0.2, 0.05
MODELS = rs.STE, rs.TSTE


@dataclass(frozen=True)
class World:
    """Items at one or two places, and how similarity falls with distance."""

    places: np.ndarray  # (n, 2, d)
    two: np.ndarray  # items with two places
    gaussian: bool
    nearest: bool
    agreement: float
    fitted: int  # dimensions of the fit

    def similarity(self, scale: float, weights: np.ndarray) -> np.ndarray:
        """Return the log similarities of all pairs for a person with these weights."""
        n, _, d = self.places.shape
        X = self.places.reshape(-1, d) * weights
        squares = ((X[:, None] - X) ** 2).sum(axis=2) * scale**2
        s = -squares if self.gaussian else -np.log1p(squares)
        s = s.reshape(n, 2, n, 2)
        return s.max(axis=(1, 3)) if self.nearest else logsumexp(s, axis=(1, 3))

    def shares(self, rows: np.ndarray, scale: float, weights: np.ndarray) -> np.ndarray:
        """Return the probability of the second column of each question."""
        s = self.similarity(scale, weights)
        gap = s[rows[:, 0], rows[:, 1]] - s[rows[:, 0], rows[:, 2]]
        return LAPSE / 2 + (1 - LAPSE) / (1 + np.exp(-gap))


def draw_world(seed: int, kind: str) -> World:
    """Draw a world with items in two places ("two places"), or without."""
    rng = np.random.default_rng([seed, len(kind), 3])
    n, d = int(rng.choice([40, 50, 60])), int(rng.integers(2, 4))
    fitted = d
    if kind == "one dimension more":
        fitted = d = 2
        d += 1
    if rng.random() < 0.5:
        centres = rng.normal(size=(6, d))
        first = centres[rng.integers(6, size=n)] + 0.25 * rng.normal(size=(n, d))
    else:
        first = rng.normal(size=(n, d))
        radius = 1.6 * rng.random((n, 1)) ** (1 / d)
        first *= radius / np.linalg.norm(first, axis=1, keepdims=True)
    two = rng.choice(n, n // 10, replace=False) if kind == "two places" else np.empty(0, int)
    second = first.copy()
    for item in two:
        apart = np.linalg.norm(first - first[item], axis=1)
        other = rng.choice(np.flatnonzero(apart > np.median(apart)))
        second[item] = first[other] + 0.25 * rng.normal(size=d)
    gaussian, nearest = rng.random(2) < 0.5
    places = np.stack([first, second], axis=1)
    return World(places, two, bool(gaussian), bool(nearest), rng.uniform(0.7, 0.82), fitted)


def scale_of(world: World, rows: np.ndarray) -> float:
    """Return the scale at which two people agree as often as they should, by bisection."""
    low, high = np.log(0.02), np.log(200.0)
    for _ in range(30):
        middle = (low + high) / 2
        p = world.shares(rows, np.exp(middle), np.ones(world.places.shape[2]))
        agree = (p**2 + (1 - p) ** 2).mean()
        low, high = (middle, high) if agree < world.agreement else (low, middle)
    return float(np.exp((low + high) / 2))


def answers_in(world: World, per_item: int, seed: int, differ: bool) -> rs.Triplets:
    """Let people answer random questions."""
    rng = np.random.default_rng([seed, 4])
    n, _, d = world.places.shape
    rows = np.array([rng.choice(n, 3, replace=False) for _ in range(per_item * n)])
    scale, who = scale_of(world, rows), rng.integers(N_PEOPLE, size=len(rows))
    weights = np.exp((SPREAD if differ else 0.0) * rng.normal(size=(N_PEOPLE, d)))
    for person in range(N_PEOPLE):
        own = np.flatnonzero(who == person)
        swapped = own[rng.random(len(own)) > world.shares(rows[own], scale, weights[person])]
        rows[swapped] = rows[swapped][:, [0, 2, 1]]
    return rs.Triplets(rows, items=n, observer=[f"person {person}" for person in who])


def verdict(seed: int, kind: str, per_item: int) -> dict:
    """Draw a world, let people answer, and ask for a second map."""
    start, world = time.perf_counter(), draw_world(seed, kind)
    answers = answers_in(world, per_item, seed, kind == "people differ")
    models = [model(world.fitted, penalty="auto", random_state=0) for model in MODELS]
    best = min(models, key=lambda model: model.fit(answers).penalty_losses_.mean())
    result = rs.analysis.second_map(answers, best)
    listed = set(result.model.several_.tolist())
    right = len(listed & set(world.two.tolist()))
    two = len(world.two)
    found = result.verdict == "yes" and 2 * right > len(listed) and 2 * right >= two > 0
    print(
        seed, kind, per_item, result.verdict, f"{right} of {two}, {len(listed)} listed", flush=True
    )
    return {
        "worlds": kind,
        "questions per item": per_item,
        **{name: result.verdict == name for name in ("yes", "no", "unknown")},
        "found": found,
        "right": right,
        "listed": len(listed),
        "two places": two,
        "seconds": time.perf_counter() - start,
    }


def main() -> None:
    """Print the table, and write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=10, help="how many worlds of each kind")
    parser.add_argument("--first", type=int, default=1000, help="seed of the first world")
    parser.add_argument("--per-item", type=int, nargs="*", default=SIZES, help="questions per item")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    chosen = parser.parse_args()
    kinds = "two places", "one place", "one dimension more", "people differ"
    tasks = [
        delayed(verdict)(seed, kind, per_item)
        for per_item in chosen.per_item
        for kind in kinds
        for seed in range(chosen.first, chosen.first + chosen.worlds)
    ]
    table = pd.DataFrame(Parallel(chosen.jobs)(tasks))
    by = table.groupby(["questions per item", "worlds"], sort=False)
    counts = by.sum(numeric_only=True).drop(columns="seconds").astype(int)
    counts["seconds each"] = by["seconds"].mean().round()
    print(counts.to_string())


if __name__ == "__main__":
    main()
