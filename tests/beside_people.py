"""Simulate people, and machines that answer the same questions."""

import numpy as np

import resemblance as rs

N, NAMES = 12, [f"item {k}" for k in range(12)]


def line(rng):
    """Draw positions: far apart on the first axis, close on the second."""
    return np.column_stack([2.0 * rng.permutation(N) / N * 3, rng.normal(size=N)])


def draw(m, rng):
    return np.argsort(rng.random((m, N)), axis=1)[:, :3]


def answers(X, m, seed, who=None, turned=False):
    """Let somebody who sees items at X answer m random questions."""
    observer = rs.SpaceObserver(X, random_state=seed)
    rows = observer.answer(draw(m, np.random.default_rng([seed, 3]))).index
    rows = rows[:, [0, 2, 1]] if turned else rows
    people = None if who is None else [f"person {k % who}" for k in range(m)]
    return rs.Triplets(rows, NAMES, observer=people)


def world(seed=0, people=150):
    """Return positions, answers of people, and those of a machine that sees as people do."""
    X = line(np.random.default_rng(seed))
    return X, answers(X, people, seed, who=12), answers(X, 1200, seed + 100)
