"""Measure the chosen share of features, and its gain.

Six features of forty items explain none, half or nearly all (.98) of the positions. There are 5, 15
or 50 random triplets per item, fitted with the form of sessions and studies. No setting was chosen
on these worlds: five clusters; a line, and a ring that no feature explains, in a plane; five
dimensions; items with heavy tails; eight people who differ in weights, temperature and lapses.
*Cost* is the loss on further answers of the same people minus that without features, in nats.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs
from resemblance.catalog import PRIOR

N, FEATURES, PEOPLE = 40, 6, 8
DIMENSIONS = {"line": 1, "five dimensions": 5}  # true dimensions; 2 in other worlds
FITTED = {"five dimensions": 5}
KINDS = "clusters", "line", "ring", "five dimensions", "heavy tails", "people differ"
SHARES = 0.0, 0.5, 0.98
ANSWERS = 5, 15, 50  # number of answers per item
NEW = 4000


def own(kind: str, n_components: int, rng: np.random.Generator) -> np.ndarray:
    """Draw where items lie for reasons of their own, with a variance of about 1."""
    if kind == "clusters":
        centres = rng.normal(size=(5, n_components))
        return centres[rng.integers(5, size=N)] + 0.1 * rng.normal(size=(N, n_components))
    if kind == "ring":
        turn = rng.uniform(0, 2 * np.pi, N)
        return np.sqrt(2) * np.column_stack([np.cos(turn), np.sin(turn)])
    if kind == "heavy tails":
        return rng.standard_t(3, size=(N, n_components)) / np.sqrt(3)
    return rng.normal(size=(N, n_components))


def world(kind: str, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw where items lie, and their features."""
    rng = np.random.default_rng([seed, 33])
    n_components = DIMENSIONS.get(kind, 2)
    rest = np.sqrt(1 - share) * own(kind, n_components, rng)
    features = rng.normal(size=(N, FEATURES))
    mapped = features @ rng.normal(size=(FEATURES, n_components)) / np.sqrt(FEATURES)
    mapped *= np.sqrt(share)
    return 1.3 * (mapped + rest), features


def answered(kind: str, points: np.ndarray, m: int, seed: int) -> np.ndarray:
    """Let people answer m random questions about different items."""
    rng = np.random.default_rng([seed, 34])
    rows = rng.permuted(np.tile(np.arange(N), (m, 1)), axis=1)[:, :3]
    if kind != "people differ":
        return rs.SpaceObserver(points, random_state=seed).answer(rs.Triplets(rows, N)).index
    logs = 0.7 * rng.normal(size=(PEOPLE, points.shape[1]))
    weights = np.exp(logs - logs.mean(axis=1, keepdims=True))
    temperatures, lapses = np.exp(0.4 * rng.normal(size=PEOPLE)), rng.uniform(0, 0.15, PEOPLE)
    index = np.empty_like(rows)
    for k in range(PEOPLE):
        settings = {"temperature": temperatures[k], "weights": weights[k]}
        person = rs.SpaceObserver(points, lapse=lapses[k], random_state=8 * seed + k, **settings)
        index[k::PEOPLE] = person.answer(rs.Triplets(rows[k::PEOPLE], N)).index
    return index


def look(kind: str, share: float, answers: int, seed: int) -> dict[str, float]:
    """Fit with features and without; return what the share was said to be, and what it cost."""
    points, features = world(kind, share, seed)
    m = answers * N
    index = answered(kind, points, m + NEW, seed)
    items = rs.Items([f"item {k}" for k in range(N)], features=features)
    settings = {"penalty": "auto", "random_state": 0}
    losses, form = [], None
    for of, prior in ((items, {"form": PRIOR.make()}), (N, {})):
        model = rs.STE(FITTED.get(kind, 2), **settings, **prior).fit(rs.Triplets(index[:m], of))
        losses.append(model.log_loss(rs.Triplets(index[m:], of)))
        form = form or model.form_
    return {"share": form.share, "without": losses[1], "cost": losses[0] - losses[1]}


def told(about: str, share: float, of: pd.DataFrame) -> list[dict[str, object]]:
    """Return the rows of some worlds."""
    return [
        row(about, "the share", f"{share}", of["share"]),
        row(about, "log loss without", "", of["without"]),
        row(about, "cost", "0.003 at most" if not share else "", of["cost"]),
        row(about, "cost above 0.01", "", of["cost"] > 0.01, share=True),
    ]


def make(n_worlds: int, n_jobs: int) -> pd.DataFrame:
    """Look at so many worlds of each kind, share and number of answers."""
    cells = [(kind, share, n) for n in ANSWERS for share in SHARES for kind in KINDS]
    tasks = [(*cell, seed) for cell in cells for seed in range(n_worlds)]
    found = iter(Parallel(n_jobs)(delayed(look)(*task) for task in tasks))
    of = {cell: pd.DataFrame([next(found) for _ in range(n_worlds)]) for cell in cells}
    rows = []
    for n in ANSWERS:
        for share in SHARES:
            about = f"{share:.0%} explained, {n} answers an item"
            rows += told(f"all kinds, {about}", share, pd.concat([of[k, share, n] for k in KINDS]))
            for kind in KINDS:
                rows += told(f"{kind}, {about}", share, of[kind, share, n])
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(make, __doc__)
