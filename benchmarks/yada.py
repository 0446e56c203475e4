"""The tuning of Yada's column of table 1: every cell of the paper's grid, in five folds, six sets.

    python benchmarks/yada.py --jobs 2

Then ten folds with the chosen settings, as in papers/yada; and one fit of 2,000 stimuli and 50,000
near pairs, with a kernel of all stimuli and with one of 200 landmarks. The reference is a plain
NumPy evaluation of the objective and its gradient, descended by SciPy's L-BFGS-B, on some of the
cells.
"""

import argparse
import sys
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.optimize import minimize
from sklearn.model_selection import KFold, cross_val_score

import resemblance as rs

PAPERS = Path(__file__).parents[1] / "papers" / "yada"


def reference_fit(counts: rs.Confusions, p: int, bandwidth: float, mu: float) -> float:
    """Fit kernel Yada (equation 22) by NumPy and SciPy alone; give the objective reached."""
    X = counts.items.features
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / (2 * bandwidth**2))
    gap = K[counts.index[:, 0]] - K[counts.index[:, 1]]
    a, b = counts.errors, counts.trials - counts.errors

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        W = w.reshape(p, -1)
        z = gap @ W.T
        psi = 0.5 * np.exp(-(z**2).sum(axis=1))
        loss = -(a @ np.log(np.maximum(psi, 1e-300)) + b @ np.log1p(-psi))
        slope = 2.0 * (a - b * psi / (1.0 - psi))
        gradient = (slope[:, None] * z).T @ gap + 2.0 * mu * W @ K
        return loss + mu * np.trace(W @ K @ W.T), gradient.ravel()

    start = np.linalg.solve(K + mu * np.eye(len(K)), X).T
    found = minimize(
        objective, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 700}
    )
    return float(found.fun)


def tune(world, jobs: int) -> tuple[float, float]:
    """Tune and test on one set; give the mean held-out score of ten folds and the seconds."""
    counts, p = world.draw(0), world.n_components
    folds = list(KFold(10, shuffle=True, random_state=0).split(counts.index))
    began = perf_counter()
    search = rs.YadaCV(rs.Yada(p, random_state=0), n_jobs=jobs).fit(counts[folds[0][0]])
    best = {"penalty": search.best_penalty_, "bandwidth": search.best_bandwidth_, "random_state": 0}
    scores = cross_val_score(rs.Yada(p, **best), counts, cv=folds, n_jobs=jobs)
    return float(np.mean(scores)), perf_counter() - began


def against_reference(world, cells: list[tuple[float, float]]) -> tuple[float, float]:
    """Give the seconds of ours and of the reference on the same cells."""
    counts, p = world.draw(0), world.n_components
    began = perf_counter()
    for bandwidth, mu in cells:
        rs.Yada(p, bandwidth=bandwidth, penalty=mu, random_state=0).fit(counts)
    middle = perf_counter()
    for bandwidth, mu in cells:
        reference_fit(counts, p, bandwidth, mu)
    return middle - began, perf_counter() - middle


def crowded(n: int = 2000, m: int = 50_000) -> tuple[rs.Confusions, np.ndarray]:
    """Give counts of m pairs of n stimuli that lie near each other, and where these lie."""
    rng = np.random.default_rng(0)
    features = rng.uniform(-1, 1, size=(n, 2))
    u, v = features.T
    seen = np.column_stack([3 * np.tanh(u + v), 2 * v + u**2])
    pairs = np.unique(np.sort(rng.integers(n, size=(8 * m, 2)), axis=1), axis=0)
    gap = ((seen[pairs[:, 0]] - seen[pairs[:, 1]]) ** 2).sum(axis=1)
    near = (gap < 4.0) & (pairs[:, 0] != pairs[:, 1])
    some = rng.permutation(np.flatnonzero(near))[:m]
    errors = rng.binomial(50, rs.choice.Gaussian().error_probability(gap[some]))
    return rs.Confusions(pairs[some], errors, 50, rs.Items(features=features)), seen


def fit_crowded(**settings: int) -> str:
    """Fit them; tell the seconds and how far the truth is."""
    counts, seen = crowded()
    began = perf_counter()
    model = rs.Yada(2, bandwidth=0.5, random_state=0, **settings).fit(counts)
    seconds = perf_counter() - began
    apart = rs.procrustes_distance(seen, model.embedding_)
    return (
        f"{len(counts)} pairs of {counts.n_items} stimuli, {settings}: {seconds:.1f} s, {apart:.1e}"
    )


def main(arguments: list[str] | None = None) -> None:
    """Print the time of each set, and the ratio to the reference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="not used: the sets are generated")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(PAPERS))
    from worlds import synthetic

    sets, total = synthetic(), 0.0
    tune(sets[0], chosen.jobs)  # compiles, and starts the processes
    for world in sets:
        score, seconds = tune(world, chosen.jobs)
        total += seconds
        print(f"{world.name:8s} held-out {score:.3f}  {seconds:.2f} s")
    print(f"all six sets, {chosen.jobs} jobs: {total:.1f} s")
    for settings in ({}, {"landmarks": 200}):
        print(fit_crowded(**settings))
    cells = [(bandwidth, mu) for bandwidth in (0.5, 1.0, 2.0) for mu in (1e-4, 1e-2, 1.0)]
    for world in (sets[0], sets[4]):
        ours, theirs = against_reference(world, cells)
        print(f"{world.name}: reference / ours = {theirs / ours:.2f} on {len(cells)} cells")


if __name__ == "__main__":
    main()
