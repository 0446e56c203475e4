"""Sets to sort into piles, chosen by what they are expected to tell, or at random.

As a study asks: twelve of thirty items a set, four sets of each person, pairs seldom seen together.
*Chosen* takes, of sixty sets, those that lower the summed variance of distances most; *weighed*
counts of each pair what "together or not" can tell at its distance.
"""

import argparse
from itertools import combinations
from random import Random

import numpy as np
from chosen_pairs import WORLDS
from joblib import Parallel, delayed
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.linear_model import LogisticRegression
from tables import show

import resemblance as rs
from resemblance.asking.pairs import _OfRatings
from resemblance.asking.predictive import GreedyChoice
from resemblance.study.kinds import KINDS
from resemblance.study.kinds.arrangement import seldom_together

N, SIZE, OF_ONE, SETS = 30, 12, 4, 60
AT = 6, 12, 24  # answers
RULES = "random", "chosen", "weighed"
KIND = KINDS["piles"]


def told_of(answers: list[tuple[list[int], list[int]]]) -> rs.Ratings:
    """Take sorted sets as the ratings that a study makes of them."""
    rows = [
        (pair, 2 if p == q else 1, k)
        for k, (items, piles) in enumerate(answers)
        for pair, (p, q) in zip(combinations(items, 2), combinations(piles, 2), strict=True)
    ]
    pairs, rating, of = zip(*rows, strict=True)
    who = [f"person {k // OF_ONE}" for k in of]
    return rs.Ratings(pairs, rating, 2, N, response_id=of, observer=who)


def chosen(model, told, n, rng, weighed):
    """Choose n sets by the gain of all their pairs."""
    known, D = _OfRatings(model, told), squareform(pdist(model.embedding_, "sqeuclidean"))
    sets = [rng.permutation(N)[:SIZE].tolist() for _ in range(SETS)]
    pairs = np.array([pair for one in sets for pair in combinations(one, 2)])
    J, together = known.information_rows(pairs), told.rating == 2
    if weighed and 0 < together.mean() < 1:
        odds = LogisticRegression(C=10).fit(D[tuple(told.index.T)][:, None], together)

        def root(rows):
            p = odds.predict_proba(D[tuple(rows.T)][:, None])[:, 1]
            return sparse.diags(2 * np.sqrt(p * (1 - p)))

        seen = root(told.index) @ known.information_rows(told.index)
        known.covariance = np.linalg.inv((seen.T @ seen).toarray() + np.eye(known.X.size))
        J = sparse.csr_array(root(pairs) @ J)
    every = np.column_stack(np.triu_indices(N, 1))
    greedy = GreedyChoice(known.covariance, J, known.distance_rows(every), SIZE * (SIZE - 1) // 2)
    return [sets[greedy.take()] for _ in range(n)]


def world(name: str, seed: int, rule: str) -> list[float]:
    """Let people sort; give the correlation of distances at each number of answers."""
    X = WORLDS[name](np.random.default_rng([seed, 1]), N)
    X = (X - X.mean(axis=0)) * np.sqrt(2 / ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean())
    rng, chance = np.random.default_rng([seed, 2]), Random(seed)
    answers, reached, pool, history = [], [], [], []
    while len(answers) < AT[-1]:
        history = history if len(answers) % OF_ONE else []
        items = pool.pop(0) if pool else seldom_together(range(N), SIZE, history, chance)
        piles = KIND.imagined({}, [tuple(X[item]) for item in items], chance, 1.0)["piles"]
        answers.append((items, piles))
        history.append(({"options": items}, {"piles": piles}))
        if len(answers) in AT or (rule != "random" and not pool and len(answers) > 1):
            told = told_of(answers)
            model = rs.STE(2, random_state=0).fit(told)
            if rule != "random":
                n = max(1, len(answers) // 3)
                pool = pool or chosen(model, told, n, rng, rule == "weighed")
        if len(answers) in AT:
            reached.append(float(np.corrcoef(pdist(model.embedding_), pdist(X))[0, 1]))
    return reached


def main() -> None:
    """Print a row for each kind of world and rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=8)
    parser.add_argument("--kinds", default="plane;clusters")
    parser.add_argument("--jobs", type=int, default=1)
    given, rows = parser.parse_args(), []
    for name in given.kinds.split(";"):
        found = {}
        for rule in RULES:
            tasks = (delayed(world)(name, seed, rule) for seed in range(given.worlds))
            found[rule] = np.array(Parallel(given.jobs)(tasks))
            gain = found[rule] - found["random"]
            error = gain.std(axis=0) / len(gain) ** 0.5
            told = zip(AT, found[rule].mean(axis=0), gain.mean(axis=0), error, strict=True)
            of = {f"{at} answers": f"{r:.3f} ({g:+.3f} ± {e:.3f})" for at, r, g, e in told}
            rows.append({"world": name, "sets": rule} | of)
    show("Correlation of distances with the true ones, and its gain over random sets", rows)


if __name__ == "__main__":
    main()
