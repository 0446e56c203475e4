"""Plot errors against the number of dimensions, like figure 2."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from studies import Study

import resemblance as rs

PANELS = {
    "error": "held-out error",
    "neighbour_error": "neighbour error",
    "balanced_error": "balanced neighbour error",
}
COLOURS = {
    "GNMDS": "#2b6cb0",
    "CKL": "#2f9e5b",
    "STE": "#d1495b",
    "t-STE": "#111111",
    "SOE": "#d08c1d",
}


def draw_errors(table: pd.DataFrame, study: Study, path: Path) -> None:
    """Draw one row of panels for each kind of folds; bars are one standard error."""
    splits = [s for s in study.splits if s in table.index.unique("split")]
    figure, grid = plt.subplots(
        len(splits), len(PANELS), figsize=(12, 3.6 * len(splits)), squeeze=False, sharex=True,
        layout="constrained",
    )  # fmt: skip
    for split, row in zip(splits, grid, strict=True):
        for column, ax in zip(PANELS, row, strict=True):
            draw_curves(ax, table.loc[split], column)
            draw_baseline(ax, study, column)
            ax.set(title=f"{PANELS[column]}, {split} folds", xlabel="dimensions")
            ax.title.set_fontsize(10)
            ax.spines[["top", "right"]].set_visible(False)
    figure.legend(
        *grid[0, 0].get_legend_handles_labels(), loc="outside right center", frameon=False
    )
    figure.savefig(path, dpi=110)
    plt.close(figure)


def draw_curves(ax: Axes, table: pd.DataFrame, column: str) -> None:
    """Draw one curve for each technique; Gram matrices are dashed."""
    for technique, curve in table.groupby("technique", sort=False):
        name = str(technique)
        family = name.removesuffix("-X").removesuffix("-K")
        ax.errorbar(
            curve.index.get_level_values("dims"), curve[f"{column}_mean"],
            curve[f"{column}_sem"].fillna(0.0), label=name, color=COLOURS[family],
            ls="--" if name.endswith("-K") else "-", marker="o", ms=3, lw=1.3,
        )  # fmt: skip


def draw_baseline(ax: Axes, study: Study, column: str) -> None:
    """Mark the error of always naming the largest class."""
    labels = study.judgments.items.labels
    level = {
        "neighbour_error": rs.scores.majority_error(labels),
        "balanced_error": 1.0 - 1.0 / len(set(labels)),
    }.get(column)
    if level is not None:
        ax.axhline(level, color="#999999", lw=0.8, ls=":")
        ax.annotate("largest class", (1, level), xycoords=("axes fraction", "data"), ha="right",
                    va="bottom", fontsize=7, color="#777777")  # fmt: skip
