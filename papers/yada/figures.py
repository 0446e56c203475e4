"""Draw figures 3 and 4 (worlds), 5 (counts), 9 and 10 (learned maps) and 11 (inverse map)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.linalg import orthogonal_procrustes
from settings import command_line, results_folder
from tables import QUICK, QUICK_WORLDS, Effort, filled, settings_of
from techniques import TECHNIQUES, Fitter
from worlds import GAUSSIAN, World, human, synthetic

import resemblance as rs

Maps = Mapping[tuple[str, str], np.ndarray]


def colours(features: np.ndarray) -> np.ndarray:
    """Give each stimulus a colour that changes smoothly with its features, from -1 to 1."""
    share = np.clip((features + 1.0) / 2.0, 0.0, 1.0)
    if share.shape[1] == 1:
        return plt.get_cmap("viridis")(0.95 * share[:, 0])
    return np.stack([0.9 * share[:, 0], np.full(len(share), 0.35), 0.9 * share[:, 1]], axis=1)


def panels(rows: int, columns: int, size: float = 2.4) -> tuple[Figure, np.ndarray]:
    """Give a figure of square panels."""
    shape = (size * columns, size * rows)
    return plt.subplots(rows, columns, figsize=shape, layout="constrained", squeeze=False)


def save(figure: Figure, path: Path) -> None:
    """Write a figure."""
    figure.savefig(path, dpi=110)
    plt.close(figure)


def dots(ax: Axes, points: np.ndarray, features: np.ndarray, title: str = "") -> None:
    """Draw stimuli in a plane, or on a line against what they are."""
    if points.shape[1] == 1:
        ax.scatter(features[:, 0], points[:, 0], c=colours(features), s=22)
    else:
        ax.scatter(*points.T, c=colours(features), s=14)
        ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(title, fontsize=10)
    ax.tick_params(labelsize=7)
    ax.spines[["top", "right"]].set_visible(False)


def lying_upon(truth: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Turn, mirror and shift points to lie upon the truth; their unit is kept."""
    centred = points - points.mean(axis=0)
    rotation, _ = orthogonal_procrustes(centred, truth - truth.mean(axis=0))
    return centred @ rotation + truth.mean(axis=0)


def draw_worlds(worlds: Sequence[World], path: Path) -> None:
    """Draw the stimuli, then where each world puts them."""
    figure, axes = panels(1, 1 + len(worlds))
    features = worlds[0].draw(0).items.features
    dots(axes[0, 0], features, features, "stimuli")
    for ax, world in zip(axes[0, 1:], worlds, strict=True):
        dots(ax, world.points, features, world.name)
    save(figure, path)


def draw_counts(worlds: Sequence[World], path: Path) -> None:
    """Draw the matrices of errors."""
    figure, axes = panels(1, len(worlds), 3.4)
    for ax, world in zip(axes[0], worlds, strict=True):
        counts = world.draw(0)
        matrix = np.full((counts.n_items,) * 2, np.nan)
        for a, b in (counts.index.T, counts.index.T[::-1]):
            matrix[a, b] = counts.errors
        figure.colorbar(ax.imshow(matrix, cmap="Greys"), ax=ax, shrink=0.8)
        ax.set(xticks=[], yticks=[])
        ax.set_title(f"{world.name}, {counts.trials[0]} trials a pair", fontsize=10)
    save(figure, path)


def draw_maps(worlds: Sequence[World], maps: Maps, path: Path) -> None:
    """Draw where each technique puts the stimuli of a world, a row each; the truth is first."""
    figure, axes = panels(len(worlds), 1 + len(TECHNIQUES), 2.1)
    for row, world in zip(axes, worlds, strict=True):
        features = world.draw(0).items.features
        dots(row[0], world.points, features, "truth")
        row[0].set_ylabel(world.name)
        for ax, name in zip(row[1:], TECHNIQUES, strict=True):
            dots(ax, lying_upon(world.points, maps[world.name, name]), features, name)
            if world.n_components == 1:
                ax.plot(features[:, 0], world.points[:, 0], color="#bbbbbb", lw=0.8, zorder=0)
    save(figure, path)


def learned_maps(worlds: Sequence[World], found: pd.DataFrame) -> Maps:
    """Fit every technique to all counts of a world, with the settings that the folds chose."""
    maps = {}
    for world in worlds:
        for name, technique in TECHNIQUES.items():
            settings = settings_of(found, world.name, name)
            fitter = Fitter(technique, world.n_components)
            maps[world.name, name] = fitter.positions(world.draw(0), GAUSSIAN, settings)
    return maps


def draw_backwards(
    worlds: Sequence[World], found: pd.DataFrame, path: Path, nodes: int, step: int
) -> None:
    """Draw stimuli mapped there and back, an even grid in the space, and the stimuli that it is.

    There and back go those at every step-th place.
    Hollow nodes are out of reach: no stimulus in the range of those known lies there.
    """
    figure, axes = panels(len(worlds), 3, 2.8)
    for row, world in zip(axes, worlds, strict=True):
        settings = dict(settings_of(found, world.name, "Yada"))
        model = rs.Yada(2, **settings, random_state=0).fit(world.draw(0))
        features = model.items_.features
        there = model.embedding_[::step]
        back = model.inverse_transform(there)
        dots(row[0], back, features[::step], f"{world.name}: there and back")
        missed = np.abs(model.transform(back) - there).max()
        print(f"{world.name}: {missed:.1e} at most between a stimulus and its image's image")
        grid = model.perceptual_grid((nodes, nodes))
        met, reached = grid.reachable, grid.features[grid.reachable]
        print(f"{world.name}: {met.sum()} of {len(met)} nodes are in reach")
        row[1].scatter(*grid.points[~met].T, s=10, facecolors="none", edgecolors="#bbbbbb")
        row[2].scatter(*features.T, s=6, color="#dddddd")
        if met.any():
            dots(row[1], grid.points[met], reached, "an even grid in the space")
            dots(row[2], reached, reached, "the stimuli of its nodes")
    save(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw all figures; settings that `tables.py` has not tuned yet are tuned first."""
    chosen = command_line(__doc__ or "").parse_args(arguments)
    out, worlds = results_folder(chosen), synthetic()
    draw_worlds(worlds[:3], out / "figure3.png")
    draw_worlds(worlds[3:], out / "figure4.png")
    draw_counts([worlds[2], human()[0]], out / "figure5.png")
    if chosen.quick:
        worlds = [world for world in worlds if world.name in QUICK_WORLDS]
    tasks = [(world, technique, 0) for world in worlds for technique in TECHNIQUES.values()]
    effort = QUICK if chosen.quick else Effort()
    found = filled(out / "cells.csv", tasks, effort, chosen.jobs)
    maps = learned_maps(worlds, found)
    lines, planes = ([w for w in worlds if w.n_components == p] for p in (1, 2))
    draw_maps(lines, maps, out / "figure9.png")
    draw_maps(planes, maps, out / "figure10.png")
    shown, nodes, step = (planes[-1:], 2, 6) if chosen.quick else (planes[-2:], 9, 1)
    draw_backwards(shown, found, out / "figure11.png", nodes, step)


if __name__ == "__main__":
    main()
