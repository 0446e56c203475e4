"""Count how often "a is nearer to b than to c" is true, by its posterior probability.

The probability is the share of draws from the posterior in which the statement is true.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs

BINS = (0.5, 0.7), (0.7, 0.9), (0.9, 0.97), (0.97, 0.995), (0.995, 1.01)
CHOICES = rs.choice.Softmax(), rs.choice.StudentT(1)
N_STATEMENTS, N_DRAWS = 200, 300


def look(seed: int) -> pd.DataFrame:
    """Return the probabilities of statements in one world, and whether they are true."""
    rng = np.random.default_rng([seed, 83])
    n = int(rng.choice([10, 16, 24]))
    truth = rng.choice([1.0, 2.0, 3.0]) * rng.normal(size=(n, 2))
    person = rs.SpaceObserver(truth, CHOICES[seed % 2], lapse=0.05, random_state=seed)
    asked = [rng.choice(n, 3, replace=False) for _ in range(n * int(rng.choice([20, 40])))]
    posterior = rs.fitting.space_posterior(person.answer(rs.Triplets(asked, n)))
    maps = np.array([posterior.sample(rng)[0] for _ in range(N_DRAWS)])
    a, b, c = np.array([rng.choice(n, 3, replace=False) for _ in range(N_STATEMENTS)]).T
    share = np.mean([is_nearer(drawn, a, b, c) for drawn in maps], axis=0)
    right = np.where(share > 0.5, is_nearer(truth, a, b, c), ~is_nearer(truth, a, b, c))
    return pd.DataFrame({"probability": np.maximum(share, 1 - share), "right": right})


def is_nearer(X: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return whether items a lie nearer to b than to c."""
    return np.linalg.norm(X[a] - X[b], axis=1) < np.linalg.norm(X[a] - X[c], axis=1)


def table(n_worlds: int = 40, n_jobs: int = 2) -> pd.DataFrame:
    """Return, for statements of like probability, how many are true."""
    worlds = Parallel(n_jobs)(delayed(look)(seed) for seed in range(n_worlds))
    rows = []
    for low, high in BINS:
        means = [w[w["probability"].between(low, high, inclusive="left")].mean() for w in worlds]
        held = pd.DataFrame(means).dropna()
        about = f"{low:g} to {min(high, 1):g}"
        claimed = f"{held['probability'].mean():.1%}"
        rows.append(row(about, "statements that are true", claimed, held["right"], share=True))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
