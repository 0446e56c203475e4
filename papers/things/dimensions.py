"""Fit sparse dimensions (SPoSE), test their number and reproducibility; fit squared distances."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from settings import Run, command_line

import resemblance as rs

SEEDS = 3
L1_RATIOS = 0.1, 0.25
TOL = 1e-5  # small, because unneeded dimensions vanish slowly
ALIKE = 0.8  # least correlation of a reproduced dimension
DISTANCES = 5, 10, 15, 20, 30


def sparse(run: Run) -> pd.DataFrame:
    """Fit SPoSE from several random starts, and match the dimensions of each pair of fits."""
    found = []
    for l1_ratio in L1_RATIOS:
        found += starts(run, l1_ratio)
        table = run.write("sparse", found)
    return table


def starts(run: Run, l1_ratio: float) -> list[dict[str, float]]:
    """Fit SPoSE from several starts, of which the first chooses the penalty."""
    train, test = run.answers("train"), run.answers("test")
    d = 8 if run.quick else 60
    settings = {"n_components": d, "l1_ratio": l1_ratio, "tol": TOL}
    first = rs.SPoSE(**settings, random_state=0).fit(train)
    settings |= {"penalty": first.penalty_, "scale": first.scale_, "init": "random"}
    fits = [first]
    fits += [rs.SPoSE(**settings, random_state=k).fit(train) for k in range(1, SEEDS)]
    found = []
    for seed, model in enumerate(fits):
        X = model.embedding_
        others = [came_back(X, other.embedding_) for other in fits if other is not model]
        row = {"l1_ratio": l1_ratio, "seed": seed, "accuracy": model.score(test)}
        row |= {"log loss": model.log_loss(test), "penalty": model.penalty_}
        row |= {"dimensions": X.shape[1], "zeros": (X == 0).mean()}
        found.append(row | {"came back": np.mean(others)})
    return found


def came_back(X: np.ndarray, Y: np.ndarray) -> float:
    """Return the share of the dimensions of X that correlate by .8 or more with one of Y."""
    R = np.corrcoef(X.T, Y.T)[: X.shape[1], X.shape[1] :]
    return float((R.max(axis=1) >= ALIKE).mean())


def distances(run: Run) -> pd.DataFrame:
    """Fit squared distances in ever more dimensions, without features and with a prior."""
    train, test, found = run.answers("train"), run.answers("test"), []
    for d in DISTANCES[:1] if run.quick else DISTANCES:
        for name, share in (("no features", 0.0), ("prior", 0.12)):
            form = rs.FeaturePrior(share=share)
            model = rs.STE(d, form=form, penalty="auto", random_state=0).fit(train)
            row = {"dimensions": d, "model": name, "penalty": model.penalty_}
            row |= {"accuracy": model.score(test), "log loss": model.log_loss(test)}
            found.append(row)
            table = run.write("distances", found)
    return table


def draw(table: pd.DataFrame, run: Run) -> None:
    """Draw accuracy against dimensions."""
    figure, axis = plt.subplots(figsize=(4.5, 3.5), layout="constrained")
    for name, part in table.groupby("model", sort=False):
        axis.plot(part["dimensions"], part["accuracy"], "o-", label=name)
    axis.set(xlabel="dimensions", ylabel="accuracy of new answers")
    axis.legend(frameon=False)
    figure.savefig(run.out / "distances.png", dpi=150)
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the tables and the figure."""
    run = Run.of(command_line(__doc__ or "").parse_args(arguments))
    sparse(run)
    draw(distances(run), run)


if __name__ == "__main__":
    main()
