"""Draw figures 4 to 7: nearest neighbours and principal components of digits and eggs.

The hundred digits have 35 triples each, ten random and 25 adaptive, answered by the simulated
crowd. The thirty eggs have all 20,086 answers of people.
"""

import warnings
from pathlib import Path

import crowds
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from settings import command_line, results_folder

import resemblance as rs

TRIPLES, K = 35, 8


def neighbours(points: np.ndarray, k: int) -> np.ndarray:
    """Give the k nearest others of each item, nearest first."""
    distance = cdist(points, points)
    np.fill_diagonal(distance, np.inf)
    return np.argsort(distance, axis=1, kind="stable")[:, :k]


def same_digit(points: np.ndarray, digit: np.ndarray, k: int) -> float:
    """Give the share of the k nearest that show the digit of the head."""
    return float((digit[neighbours(points, k)] == digit[:, None]).mean())


def share_of_first(X: np.ndarray) -> float:
    """Give the first component's share of the variance."""
    return float(X[:, 0].var() / X.var(axis=0).sum())


def digits(out: Path, each: int, seed: int = 0) -> tuple[rs.CKL, dict[str, float]]:
    """Learn the digits; say how often a neighbour is of the same digit, where chance is 0.09."""
    items = crowds.digits(each, seed, out / "digits")
    session = crowds.digit_session(items, "adaptive", seed)
    crowds.hold(session, crowds.digit_crowd(items, seed), TRIPLES * len(items))
    model = crowds.crowd_kernel(session.judgments("all"))
    k = min(K, each - 1)
    return model, {
        f"of the {k} nearest, same digit": same_digit(model.embedding_, items.labels, k),
        "in the crowd's own space": same_digit(items.features, items.labels, k),
        "by chance": (each - 1) / (len(items) - 1),
    }


def eggs(data: Path, out: Path) -> tuple[rs.CKL, dict[str, float]]:
    """Learn the eggs; say how the first component and the neighbours follow smoothness."""
    answers, smoothness = crowds.eggs(data, out)
    model, rank = crowds.crowd_kernel(answers), np.arange(len(smoothness))
    X, apart = model.embedding_, np.abs(rank[:, None] - rank)
    return model, {
        "first component, share of variance": share_of_first(X),
        "its rank correlation with smoothness": abs(spearmanr(X[:, 0], smoothness).statistic),
        "two nearest, ranks apart": np.take_along_axis(apart, neighbours(X, 2), axis=1).mean(),
        "by chance": apart.sum() / apart[apart > 0].size,
    }


def draw(model: rs.CKL, heads: np.ndarray, name: str, out: Path) -> None:
    """Write the strips of some heads, the map, and the positions."""
    X, items = model.embedding_, model.items_
    named, first = [items.names[head] for head in heads], share_of_first(X)
    rs.plot_neighbours(model, heads=named, k=K).figure.savefig(out / f"neighbours-{name}.png")
    line = first > 0.95  # one axis explains nearly all variance
    figure, ax = plt.subplots(figsize=(12, 3.6 if line else 10.5), layout="constrained")
    rs.plot_map(X[:, :1] if line else X, items, ax=ax)
    if line:
        ax.set_xlabel(f"principal component 1 ({first:.1%} of the variance)")
    figure.savefig(out / f"map-{name}.png", dpi=75)
    plt.close(figure)
    table = pd.DataFrame(X, items.names, [f"component {c + 1}" for c in range(X.shape[1])])
    for rank, column in enumerate(neighbours(X, K).T, start=1):
        table[f"neighbour {rank}"] = np.array(items.names)[column]
    table.to_csv(out / f"map-{name}.csv", index_label="item", float_format="%.4f")


def main(arguments: list[str] | None = None) -> None:
    """Write tables and pictures of both sets; print what the pictures show."""
    chosen = command_line(__doc__ or "", needs_data=True).parse_args(arguments)
    warnings.simplefilter("ignore")
    chosen.out = results_folder(chosen)
    model, found = digits(chosen.out, 3 if chosen.quick else 10)
    first_of_each = np.unique(model.items_.labels, return_index=True)[1]
    draw(model, first_of_each, "digits", chosen.out)
    print(pd.Series(found, name="digits").round(3).to_string())
    model, found = eggs(chosen.data, chosen.out)
    draw(model, np.linspace(0, 29, 6).round().astype(int), "eggs", chosen.out)
    print(pd.Series(found, name="eggs").round(3).to_string())


if __name__ == "__main__":
    main()
