"""Sets of k picked of N: fitted as choices, as triplets, and by their exact probability."""

import argparse
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import resemblance as rs
from resemblance.picks import choices

Floats = NDArray[np.float64]
Set = tuple[int, tuple[int, ...], tuple[int, ...]]  # head, picked, options
PENALTY, ITEMS, OPTIONS, PICKS = 0.05, 20, 9, 3


def asked(rng: np.random.Generator, X: Floats, m: int) -> list[Set]:
    """Let a softmax person pick from m random grids."""
    sets = []
    for _ in range(m):
        head, *options = rng.choice(len(X), 1 + OPTIONS, replace=False).tolist()
        apart = ((X[head] - X[options]) ** 2).sum(axis=1)
        order = np.array(options)[np.argsort(apart - rng.gumbel(size=OPTIONS))]
        sets.append((head, tuple(order[:PICKS].tolist()), tuple(options)))
    return sets


def exact(sets: list[Set], starts: list[Floats]) -> Floats:
    r"""Fit by :math:`P = \sum_{T \subseteq S} (-1)^{|T|} U / (U + s_T)`, U of those left out."""
    heads, picked = (np.array([one[n] for one in sets]) for n in (0, 1))
    left = np.array([[o for o in options if o not in taken] for _, taken, options in sets])
    subsets = [list(one) for r in range(PICKS + 1) for one in combinations(range(PICKS), r)]

    def loss(x: Floats) -> tuple[float, Floats]:
        X = x.reshape(ITEMS, -1)
        to_picked, to_left = (X[heads][:, None] - X[which] for which in (picked, left))
        s, others = (np.exp(-(apart**2).sum(axis=2)) for apart in (to_picked, to_left))
        U, p = others.sum(axis=1), np.zeros(len(s))
        slope, slope_U = np.zeros_like(s), np.zeros(len(s))
        for one in subsets:
            T, sign = s[:, one].sum(axis=1), (-1) ** len(one)
            p += sign * U / (U + T)
            slope_U += sign * T / (U + T) ** 2
            slope[:, one] -= (sign * U / (U + T) ** 2)[:, None]
        p = np.maximum(p, 1e-12)
        gradient = 2.0 * PENALTY * X
        parts = (to_picked, slope * s, picked), (to_left, slope_U[:, None] * others, left)
        for apart, of_p, which in parts:
            step = 2.0 * apart * (of_p / p[:, None])[..., None]
            np.add.at(gradient, heads, step.sum(axis=1))
            np.add.at(gradient, which, -step)
        return float(-np.log(p).sum() + PENALTY * (X**2).sum()), gradient.ravel()

    fits = [minimize(loss, start.ravel(), jac=True, method="L-BFGS-B") for start in starts]
    return np.asarray(min(fits, key=lambda fit: fit.fun).x.reshape(ITEMS, -1))


def excess(E: Floats, X: Floats) -> float:
    """Return the expected error on new triplets above that of the truth."""
    rng = np.random.default_rng(1)
    tests = np.array([rng.choice(ITEMS, 3, replace=False) for _ in range(4000)])
    p = rs.SpaceObserver(X).probability(tests)
    says = rs.STE(2).set_positions(E).predict_proba(tests)[:, 0] > 0.5
    return float((np.where(says, 1.0 - p, p) - np.minimum(p, 1.0 - p)).mean())


def size(E: Floats, X: Floats) -> float:
    """Return how large a map is, 1 as the truth."""
    return float(np.sqrt(((E - E.mean(axis=0)) ** 2).sum() / ((X - X.mean(axis=0)) ** 2).sum()))


def world(seed: int, m: int) -> list[float]:
    """Return errors and sizes of the maps: exact, choices, triplets."""
    rng = np.random.default_rng(seed)
    X = 1.2 * rng.normal(size=(ITEMS, 2))
    sets = asked(rng, X, m)
    each = [(h, *row) for h, picked, options in sets for row in choices(picked, options, False)]
    rows = np.array(each)
    triplets = np.concatenate([rows[:, [0, 1, other]] for other in range(2, rows.shape[1])])
    as_choices = rs.Choices(rows[:, 0], rows[:, 1:], rows[:, 1], ITEMS)
    model = rs.STE(2, penalty=PENALTY, random_state=0)
    composite = model.fit(as_choices).embedding_
    thirds = model.fit(rs.Triplets(triplets, ITEMS)).embedding_
    starts = [composite, rng.normal(size=X.shape), rng.normal(size=X.shape)]
    maps = exact(sets, starts), composite, thirds
    return [*(excess(one, X) for one in maps), *(size(one, X) for one in maps)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, nargs="+", default=[60, 240])
    parser.add_argument("--worlds", type=int, default=16)
    given = parser.parse_args()
    for answers in given.answers:
        told = np.array([world(seed, answers) for seed in range(given.worlds)])
        error = told.std(axis=0) / np.sqrt(len(told))
        print(f"{answers} answers: errors above the truth, then sizes; exact, choices, triplets")
        print(
            "  ".join(f"{a:.4f} ± {b:.4f}" for a, b in zip(told.mean(axis=0), error, strict=True))
        )
