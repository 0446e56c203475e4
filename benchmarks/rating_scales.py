"""Ratings by people who use a scale alike, and by people who do not: one likelihood or another.

``--before FOLDER`` is the source of a version whose ratings were binomial numbers of steps up the
scale, such as that of ``git worktree add FOLDER 1059fb1``, its folder ``src``.
"""

import argparse
import json
import os
import subprocess
import sys

import numpy as np
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist, squareform
from scipy.stats import binom
from tables import Row, show

import resemblance as rs

POINTS = 7
CROWD = np.array([-7.0, -5.0, -3.5, -2.3, -1.3, -0.5])  # log similarities
KINDS = "binomial", "alike", "shift", "stretch", "ends", "never above 4", "all of these"
TESTED = 40  # further ratings of each person
OTHERS = 20  # people who are not met


def thresholds(kind: str, n_people: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the thresholds of some people, (n_people, 6).

    "ends" and "never above 4" are a third of the people; the others have the crowd's.
    """
    own = np.tile(CROWD, (n_people, 1))
    every, third, middle = kind == "all of these", slice(n_people // 3), CROWD.mean()
    if kind == "shift" or every:
        own += 1.5 * rng.normal(size=(n_people, 1))
    if kind == "stretch" or every:
        own = middle + (own - middle) * np.exp(0.5 * rng.normal(size=(n_people, 1)))
    if kind == "ends" or every:
        own[third] = own[third].mean(axis=1, keepdims=True) + 0.15 * (own[third] - middle)
    if kind == "never above 4":
        own[third, 4:] += 5.0
    return own


def rated(
    kind: str, D: np.ndarray, own: np.ndarray, n_each: int, first: int, rng: np.random.Generator
) -> rs.Ratings:
    """Let everybody rate so many random pairs, whose squared distances are D."""
    a, b = np.triu_indices(len(D), 1)
    asked = rng.integers(0, len(a), n_each * len(own))
    a, b, who = a[asked], b[asked], np.repeat(np.arange(len(own)), n_each)
    if kind == "binomial":
        rating = 1 + rng.binomial(POINTS - 1, 0.05 + 0.9 * np.exp(-D[a, b] / 4.0))
    else:
        noisy = -D[a, b] + rng.logistic(size=len(a))
        rating = 1 + (noisy[:, None] > own[who]).sum(axis=1)
    names = [f"p{first + u:03d}" for u in who]
    return rs.Ratings(np.column_stack([a, b]), rating, POINTS, len(D), observer=names)


def world(
    seed: int, kind: str, n_items: int, n_people: int, n_each: int, alpha: float | None
) -> dict[str, Row]:
    """Fit one world in all ways that this version has, by STE or by t-STE."""
    rest = {"random_state": 0}
    estimator = rs.STE(2, **rest) if alpha is None else rs.TSTE(2, alpha=alpha, **rest)
    rng = np.random.default_rng(seed)
    X = 1.5 * rng.normal(size=(n_items, 2))
    D = squareform(pdist(X, "sqeuclidean"))
    own, other = (thresholds(kind, n, rng) for n in (n_people, OTHERS))
    train = rated(kind, D, own, n_each, 0, rng)
    tests = rated(kind, D, own, TESTED, 0, rng), rated(kind, D, other, TESTED, 500, rng)
    nobody = rs.Ratings(train.index, train.rating, POINTS, n_items)
    if not hasattr(rs.fitting, "Thresholds"):
        return {"binomial": scored(estimator.fit(nobody), X, tests)}
    found = {}
    for name, ratings in (("shared", nobody), ("own", train)):
        model = estimator.fit(ratings)
        found[name] = scored(model, X, tests)
        told = np.array([model.thresholds_.of(f"p{u:03d}") for u in range(n_people)])
        found[name]["thresholds"] = float(np.corrcoef(told.ravel(), own.ravel())[0, 1])
    return found


def scored(model: rs.STE | rs.TSTE, X: np.ndarray, tests: tuple[rs.Ratings, rs.Ratings]) -> Row:
    """Give the correlation of distances, and the log loss of a rating by those met and others."""
    losses = []
    for new in tests:
        p = model.predict_proba(new)
        if hasattr(model, "thresholds_"):
            losses.append(model.log_loss(new))
        else:
            losses.append(-binom.logpmf(new.rating - 1, POINTS - 1, p[:, 0]).mean())
    r = np.corrcoef(pdist(model.embedding_), pdist(X))[0, 1]
    return {"distances": float(r), "log loss": losses[0], "of others": losses[1]}


def means(found: list[dict[str, Row]]) -> dict[str, Row]:
    """Give the means over worlds of each way of fitting."""
    return {
        way: {name: float(np.mean([one[way][name] for one in found])) for name in found[0][way]}
        for way in found[0]
    }


def main() -> None:
    """Print a row for each kind of people and way of fitting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--items", type=int, default=25)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--ratings", type=int, nargs="*", default=[20, 80], help="of each person")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=KINDS, metavar="KIND")
    parser.add_argument("--alpha", type=float, help="t-STE of these degrees of freedom, not STE")
    parser.add_argument("--before", help="the source of a version with binomial ratings")
    parser.add_argument("--json", action="store_true", help="print numbers alone")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    cells = [(n, kind) for n in given.ratings for kind in given.kinds]
    ways = []
    for n, kind in cells:
        size = given.items, given.people, n, given.alpha
        tasks = (delayed(world)(seed, kind, *size) for seed in range(given.worlds))
        ways.append(means(Parallel(given.jobs)(tasks)))
    if given.json:
        print(json.dumps(ways))
        return
    if given.before:
        asked = [word for word in sys.argv[1:] if word not in ("--before", given.before)]
        told = subprocess.run(
            [sys.executable, __file__, *asked, "--json"],
            env=os.environ | {"PYTHONPATH": given.before},
            stdout=subprocess.PIPE,
            check=True,
        )
        ways = [before | now for before, now in zip(json.loads(told.stdout), ways, strict=True)]
    rows = [
        {"ratings each": n, "people": kind, "fit": way, **row}
        for (n, kind), found in zip(cells, ways, strict=True)
        for way, row in found.items()
    ]
    show("Ratings on a scale of 7 points", rows)
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
