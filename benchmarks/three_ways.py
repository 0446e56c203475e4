"""One space from triplets, ratings and arrangements, beside a space from each kind alone."""

import argparse
import json

import numpy as np
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist
from tables import Row, show

import resemblance as rs

KINDS = "triplets", "ratings", "arrangements"
PLACED = 8  # items of an arrangement, each of which is taken as an answer
POINTS = 7


def world(seed: int, n_items: int, answers: int, thresholds: bool) -> dict[str, float]:
    """Give the correlation of the distances with the true ones: of each kind alone, and of all.

    Each kind alone has all the answers; together each has a third of them ("of each a third"), or
    all of them ("everything").
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_items, 2))
    person = rs.SpaceObserver(X, random_state=seed)
    told = {kind: asked(person, kind, answers, rng, thresholds) for kind in KINDS}
    third = [part[: len(part) // len(KINDS)] for part in told.values()]
    fits = {**told, "of each a third": third, "everything": list(told.values())}
    truth = pdist(X)
    return {
        name: float(np.corrcoef(truth, pdist(fitted(part)))[0, 1]) for name, part in fits.items()
    }


def asked(
    person: rs.SpaceObserver, kind: str, answers: int, rng: np.random.Generator, thresholds: bool
) -> rs.Triplets | rs.Ratings | rs.Arrangements:
    """Ask at random: so many answers of a kind."""
    n = len(person.points)
    draw = lambda m, k: np.array([rng.permutation(n)[:k] for _ in range(m)])  # noqa: E731
    if kind == "triplets":
        return person.answer(rs.Triplets(draw(answers, 3), n))
    if kind == "arrangements":
        return person.arrange(draw(answers // PLACED, PLACED), n)
    pairs = draw(answers, 2)
    return own_scale(person, pairs, rng) if thresholds else person.rate(pairs, POINTS, n)


def own_scale(person: rs.SpaceObserver, pairs: np.ndarray, rng: np.random.Generator) -> rs.Ratings:
    """Rate by thresholds of one's own on the distance, with noise: not as the likelihood has it."""
    X = person.points
    d = np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1) + 0.3 * rng.normal(size=len(pairs))
    cuts = np.sort(rng.uniform(0.2, 4.0, POINTS - 1))
    return rs.Ratings(pairs, POINTS - np.searchsorted(cuts, d), POINTS, len(X))


def fitted(judgments: object) -> np.ndarray:
    """Fit a plane."""
    return rs.STE(2, random_state=0).fit(judgments).embedding_  # type: ignore[arg-type]


def summed(found: list[dict[str, float]], name: str) -> Row:
    """Give means, and how often all together are no worse than the best kind alone."""
    best = [max(one[kind] for kind in KINDS) for one in found]
    row: Row = {"ratings": name, **{key: np.mean([one[key] for one in found]) for key in found[0]}}
    for key in ("of each a third", "everything"):
        gaps = [one[key] - most for one, most in zip(found, best, strict=True)]
        row[f"{key}: no worse"] = f"{sum(gap >= -0.001 for gap in gaps)} of {len(gaps)}"
        row[f"{key}: least gap"] = min(gaps)
    return row


def main() -> None:
    """Print a row for ratings as the likelihood has them, and one for thresholds of one's own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--items", type=int, default=30)
    parser.add_argument("--answers", type=int, nargs="*", default=[400, 1200])
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    rows = []
    for answers in given.answers:
        for name, own in (("as modelled", False), ("own thresholds", True)):
            tasks = (delayed(world)(s, given.items, answers, own) for s in range(given.worlds))
            rows.append({"answers": answers} | summed(Parallel(given.jobs)(tasks), name))
    show("Correlation of distances with the true ones", rows)
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
