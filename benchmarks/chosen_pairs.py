"""Pairs to rate, chosen by `rs.next_pairs` or at random: how well distances are known.

As in a study: three random ratings an item, then pairs chosen anew whenever a tenth more ratings
are there. People rate on 7 points, with thresholds of the squared distance and logistic noise.
"""

import argparse
import json

import numpy as np
from joblib import Parallel, delayed
from rating_scales import CROWD, POINTS
from scipy.spatial.distance import pdist, squareform
from tables import show

import resemblance as rs

START, MOST = 3, 15  # ratings an item
AT = 5, 7, 10, MOST
STRANGE = 0.1  # of ratings are lapses, in worlds with lapses


def plane(rng, n):
    """Items of a plane."""
    return rng.normal(size=(n, 2))


def clusters(rng, n):
    """Five clusters."""
    return 1.5 * rng.normal(size=(5, 2))[rng.integers(5, size=n)] + 0.3 * rng.normal(size=(n, 2))


def line(rng, n):
    """A line, hardly bent."""
    return np.column_stack([np.linspace(-2, 2, n), 0.05 * rng.normal(size=n)])


def ring(rng, n):
    """A ring."""
    angle = rng.uniform(0, 2 * np.pi, n)
    return 1.5 * np.column_stack([np.cos(angle), np.sin(angle)])


def heavy(rng, n):
    """Heavy tails."""
    return rng.standard_t(2.5, size=(n, 2))


def five(rng, n):
    """Five dimensions, of which two are fitted."""
    return rng.normal(size=(n, 5))


WORLDS = {
    **{"plane": plane, "plane, 10 % lapses": plane, "clusters": clusters, "line": line},
    **{"ring": ring, "heavy tails": heavy, "5-D": five},
}


def world(name: str, seed: int, n: int) -> dict[str, list[float]]:
    """Let one crowd rate by either rule; give the correlation of distances at each number."""
    X = WORLDS[name](np.random.default_rng([seed, 1]), n)
    D = squareform(pdist(X, "sqeuclidean"))
    D *= 4.0 / np.median(D[D > 0])
    every = np.column_stack(np.triu_indices(n, 1))
    found = {}
    for rule in ("random", "chosen"):
        rng = np.random.default_rng([seed, 2])
        pairs, reached = every[rng.permutation(len(every))[: START * n]], []
        rating = rated(D, pairs, rng, "lapses" in name)
        while True:
            told = rs.Ratings(pairs, rating, POINTS, n)
            model = rs.STE(2, random_state=0).fit(told)
            if len(pairs) in [n * at for at in AT]:
                reached.append(float(np.corrcoef(pdist(model.embedding_), pdist(X))[0, 1]))
            if len(pairs) == MOST * n:
                break
            next_look = min(n * at for at in AT if n * at > len(pairs))
            wanted = min(max(1, len(pairs) // 10), next_look - len(pairs))
            drawn = every[rng.integers(len(every), size=wanted)]
            more = drawn if rule == "random" else rs.next_pairs(model, told, wanted)
            pairs = np.concatenate([pairs, more])
            rating = np.concatenate([rating, rated(D, more, rng, "lapses" in name)])
        found[rule] = reached
    return found


def rated(D: np.ndarray, pairs: np.ndarray, rng: np.random.Generator, lapses: bool) -> np.ndarray:
    """Rate pairs, of squared distances D."""
    noisy = -D[tuple(pairs.T)] + rng.logistic(size=len(pairs))
    rating = 1 + (noisy[:, None] > CROWD).sum(axis=1)
    lapse = lapses & (rng.random(len(pairs)) < STRANGE)
    return np.where(lapse, rng.integers(1, POINTS + 1, size=len(pairs)), rating)


def needed(random: np.ndarray, chosen: np.ndarray) -> float:
    """Return the share of 15 ratings an item with which chosen pairs reach what random ones do."""
    return float(np.interp(random[-1], np.maximum.accumulate(chosen), AT, right=np.inf)) / MOST


def main() -> None:
    """Print a row for each kind of world."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=16)
    parser.add_argument("--items", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    rows = []
    for name in WORLDS:
        tasks = (delayed(world)(name, seed, given.items) for seed in range(given.worlds))
        found = Parallel(given.jobs)(tasks)
        random, chosen = (np.array([one[rule] for one in found]) for rule in ("random", "chosen"))
        gain = chosen - random
        means = zip(AT, random.mean(axis=0), chosen.mean(axis=0), strict=True)
        row = {"world": name} | {f"{at} an item": f"{a:.3f} / {b:.3f}" for at, a, b in means}
        row["gain at 10"] = f"{gain[:, 2].mean():.3f} ± {gain[:, 2].std() / len(gain) ** 0.5:.3f}"
        row["needed"] = f"{needed(random.mean(axis=0), chosen.mean(axis=0)):.0%}"
        rows.append(row)
    show("Correlation of distances with the true ones, random / chosen pairs", rows)
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
