"""Draw figure 1: the gradients of one triplet at its near and far item, for four techniques."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from settings import command_line, results_folder

import resemblance as rs

MODELS = {
    "GNMDS": rs.choice.Hinge(),
    "CKL": rs.choice.Relative(mu=0.05),
    "STE": rs.choice.Softmax(),
    "t-STE": rs.choice.StudentT(alpha=1.0),
}
REACH = 10.0


OBJECTIVES = ("loss", "probability")


def field(
    model: rs.choice.ChoiceModel, distances: np.ndarray, objective: str
) -> tuple[np.ndarray, np.ndarray]:
    """Give the force on the near and on the far item, towards the head.

    The loss l of squared distances has the slope 2 d dl/d(d^2) along a plain distance d. Forces
    descend it, or with p = exp(-l) they climb p, whose slope is p times as large. They are scaled
    to a largest strength of one over both items.
    """
    near, far = np.meshgrid(distances, distances)
    slope_near, slope_far = model.slopes(near**2, far**2)
    share = model.probability(near**2, far**2) if objective == "probability" else 1.0
    pull, push = 2.0 * near * slope_near * share, 2.0 * far * slope_far * share
    largest = max(np.abs(pull).max(), np.abs(push).max())
    return pull / largest, push / largest


def fields_table(n_steps: int) -> pd.DataFrame:
    """Give the forces of all techniques on a grid of distances."""
    distances = np.linspace(0.0, REACH, n_steps)
    near, far = (grid.ravel() for grid in np.meshgrid(distances, distances))
    parts = []
    for objective, (name, model) in product(OBJECTIVES, MODELS.items()):
        if objective == "probability" and not model.one_of_many:
            continue  # the hinge defines no probability
        pull, push = (force.ravel() for force in field(model, distances, objective))
        columns = {"near": near, "far": far, "force_on_near": pull, "force_on_far": push}
        parts.append(pd.DataFrame({"objective": objective, "technique": name, **columns}))
    return pd.concat(parts, ignore_index=True)


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw the near item's force above, the far item's below; red pulls, blue pushes."""
    figure, grid = plt.subplots(
        2, table["technique"].nunique(), figsize=(11, 5.4), sharex=True, sharey=True,
        layout="constrained",
    )  # fmt: skip
    for column, (name, part) in enumerate(table.groupby("technique", sort=False)):
        for row, force in enumerate(("force_on_near", "force_on_far")):
            ax = grid[row, column]
            image = part.pivot(index="far", columns="near", values=force)
            shown = ax.imshow(
                image, origin="lower", extent=(0, REACH, 0, REACH), cmap="RdBu_r", vmin=-1, vmax=1
            )
            ax.plot([0, REACH], [0, REACH], color="#888888", lw=0.6)
            ax.set(title=name if row == 0 else "", xticks=(0, 5, 10), yticks=(0, 5, 10))
    for ax, item in zip(grid[:, 0], ("near", "far"), strict=True):
        ax.set_ylabel(f"force on the {item} item\ndistance head to far")
    for ax in grid[1]:
        ax.set_xlabel("distance head to near")
    figure.colorbar(shown, ax=grid, label="push  ←   → pull", shrink=0.8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def satisfied_and_violated(table: pd.DataFrame) -> pd.DataFrame:
    """Give the mean force on the near item where the answer holds, and where it is contradicted."""
    gap = table["far"] - table["near"]
    place = np.select([gap > 2.0, gap < -2.0], ["satisfied", "violated"], "undecided")
    mean = table.groupby(["objective", "technique", place], sort=False)["force_on_near"].mean()
    return mean.unstack()[["satisfied", "undecided", "violated"]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the table and the figure."""
    chosen = command_line(__doc__ or "").parse_args(arguments)
    out = results_folder(chosen)
    table = fields_table(21 if chosen.quick else 101)
    table.to_csv(out / "gradient_fields.csv", index=False, float_format="%.5g")
    for objective, part in table.groupby("objective"):
        draw(part, out / f"gradient_fields_{objective}.png")
    print(satisfied_and_violated(table).round(3).to_string())


if __name__ == "__main__":
    main()
