"""How far are features to be believed: is the share within its interval, and what is it worth?

Forty items (in one kind a hundred), six features that explain none, half or nearly all (.98) of
where the items lie, and random triplets, 4 or 15 an item. The worlds: a plane; answers with 15 %
lapses, or of Student-t people; three dimensions, of which two are fitted; clusters, and a ring,
which no feature explains. *Cost*: how much worse answers of the same people are foretold than
without features, in nats.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs

N, MANY, FEATURES = 40, 100, 6
KINDS = "plane", "hundred items", "lapses", "student", "three dimensions", "clusters", "ring"
SHARES = 0.0, 0.5, 0.98
ANSWERS = 4, 15  # an item


def own(kind: str, n_components: int, rng: np.random.Generator) -> np.ndarray:
    """Draw where items lie for reasons of their own, with a variance of about 1."""
    if kind == "clusters":
        centres = rng.normal(size=(5, n_components))
        return centres[rng.integers(5, size=N)] + 0.1 * rng.normal(size=(N, n_components))
    if kind == "ring":
        turn = rng.uniform(0, 2 * np.pi, N)
        return np.sqrt(2) * np.column_stack([np.cos(turn), np.sin(turn)])
    return rng.normal(size=(MANY if kind == "hundred items" else N, n_components))


def world(kind: str, share: float, seed: int) -> tuple[rs.SpaceObserver, np.ndarray]:
    """Draw a person, who sees the items somewhere, and their features."""
    rng = np.random.default_rng([seed, 33])
    n_components = 3 if kind == "three dimensions" else 2
    rest = own(kind, n_components, rng)
    features = rng.normal(size=(len(rest), FEATURES))
    mapped = features @ rng.normal(size=(FEATURES, n_components)) / np.sqrt(FEATURES)
    points = 1.3 * (np.sqrt(share) * mapped + np.sqrt(1 - share) * rest)
    choice = rs.choice.StudentT(1.0) if kind == "student" else rs.choice.Softmax()
    lapse = 0.15 if kind == "lapses" else 0.0
    return rs.SpaceObserver(points, choice, lapse=lapse, random_state=seed), features


def look(kind: str, share: float, answers: int, seed: int) -> dict[str, float]:
    """Fit with features and without; return what the share was said to be, and what it cost."""
    person, features = world(kind, share, seed)
    n = len(features)
    answers *= n
    rng = np.random.default_rng([seed, 34])
    rows = rng.permuted(np.tile(np.arange(n), (answers + 4000, 1)), axis=1)[:, :3]
    index = person.answer(rs.Triplets(rows, n)).index
    items = rs.Items([f"item {k}" for k in range(n)], features=features)
    settings = {"penalty": "auto", "random_state": 0}
    losses, form = [], None
    for of, prior in ((items, {"form": rs.FeaturePrior()}), (n, {})):
        model = rs.STE(2, **settings, **prior).fit(rs.Triplets(index[:answers], of))
        losses.append(model.log_loss(rs.Triplets(index[answers:], of)))
        form = form or model.form_
    low, high = form.interval
    return {
        "share": form.share,
        "low": low,
        "high": high,
        "within": low <= share <= high,
        "cost": losses[0] - losses[1],
    }


def make(n_worlds: int, n_jobs: int) -> pd.DataFrame:
    """Look at so many worlds of each kind, share and number of answers."""
    cells = [(kind, share, n) for n in ANSWERS for share in SHARES for kind in KINDS]
    tasks = [(*cell, seed) for cell in cells for seed in range(n_worlds)]
    found = iter(Parallel(n_jobs)(delayed(look)(*task) for task in tasks))
    rows = []
    for kind, share, n in cells:
        of = pd.DataFrame([next(found) for _ in range(n_worlds)])
        about = f"{kind}, {share:.0%} explained, {n} answers an item"
        rows += [
            row(about, "the share", f"{share}", of["share"]),
            row(about, "within its interval", "95 %", of["within"], share=True),
            row(about, "width of the interval", "", of["high"] - of["low"]),
            row(about, "cost", "0.003 at most" if not share else "", of["cost"]),
        ]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(make, __doc__)
