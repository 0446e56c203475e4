"""Reproduce tables 1, 2 and 3 by ten folds over pairs, and a fourth table of real confusions."""

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from report import report
from settings import command_line, fill, results_folder
from sklearn.model_selection import KFold
from techniques import TECHNIQUES, Fitter, Settings, Technique, log_likelihood
from worlds import World, all_worlds, distances

import resemblance as rs

KEY = ["world", "technique", "seed", "choice"]
Folds = list[tuple[rs.Confusions, rs.Confusions]]
Task = tuple[World, Technique, int]


@dataclass(frozen=True)
class Effort:
    """How thoroughly: folds that test, folds that tune, and every how many-th value of a grid."""

    folds: int = 10
    tuning_folds: int = 5
    step: int = 1


QUICK, QUICK_WORLDS = Effort(2, 2, 5), ("1D-exp", "2D-RBF", "Faces a")


@dataclass(frozen=True)
class Tuning:
    """What tuning sees: counts, and the splits of their rows."""

    counts: rs.Confusions
    splits: list[tuple[np.ndarray, np.ndarray]]

    @classmethod
    def of(cls, counts: rs.Confusions, n_folds: int, seed: int) -> "Tuning":
        """Split counts into folds."""
        folds = KFold(n_folds, shuffle=True, random_state=seed).split(counts.index)
        return cls(counts, list(folds))

    @cached_property
    def folds(self) -> Folds:
        """Give what to fit, and what to hold out; the same objects whenever they are asked for."""
        return [(self.counts[train], self.counts[test]) for train, test in self.splits]


def cut(counts: rs.Confusions, n_folds: int, seed: int) -> Folds:
    """Cut the pairs into folds: what to fit, and what to hold out."""
    return Tuning.of(counts, n_folds, seed).folds


def scores(
    fitter: Fitter,
    folds: Folds,
    choice: rs.choice.Decay,
    settings: Settings,
    truth: np.ndarray | None = None,
) -> dict[str, float]:
    """Give equation 41 per trial and, where the truth is known, equation 43; means over folds."""
    likelihoods, errors = [], []
    for train, test in folds:
        X = fitter.positions(train, choice, settings)
        likelihoods.append(log_likelihood(X, test, choice))
        if truth is not None:
            gap = distances(truth, test.index) - distances(X, test.index)
            errors.append(np.mean(gap**2))
    recovery = float(np.mean(errors)) if errors else np.nan
    return {"log_likelihood": float(np.mean(likelihoods)), "recovery": recovery}


def held_out(fitter: Fitter, folds: Folds, choice: rs.choice.Decay, settings: Settings) -> float:
    """Give the log-likelihood of what is held out; -inf if a fit is refused."""
    try:
        return scores(fitter, folds, choice, settings)["log_likelihood"]
    except rs.errors.ResemblanceError:  # such as a threshold that leaves one kind of pairs
        return -np.inf


def tuned(fitter: Fitter, tuning: Tuning, choice: rs.choice.Decay) -> Settings:
    """Give the settings of highest held-out log-likelihood, stage by stage."""
    technique, chosen = fitter.technique, ()
    if technique.search is not None:
        (grid,) = technique.stages
        counts, splits = tuning.counts, tuning.splits
        return technique.search(counts, splits, fitter.n_components, choice, grid)
    for stage in technique.stages:
        chosen = max(
            technique.candidates(stage, chosen),
            key=lambda settings: held_out(fitter, tuning.folds, choice, settings),
        )
    return chosen


def thinned(technique: Technique, step: int) -> Technique:
    """Take every step-th value of each grid."""
    some = slice(step // 2, None, step)
    stages = ({name: v[some] for name, v in grid.items()} for grid in technique.stages)
    return replace(technique, stages=tuple(stages))


def cells(world: World, technique: Technique, seed: int, effort: Effort) -> list[dict[str, Any]]:
    """Tune within the first training set, then test on every fold; by each choice model."""
    warnings.simplefilter("ignore", rs.errors.ResemblanceWarning)
    fitter = Fitter(thinned(technique, effort.step), world.n_components)
    counts = world.draw(seed)
    folds = cut(counts, effort.folds, seed)
    tuning = Tuning.of(folds[0][0], effort.tuning_folds, seed)
    rows = []
    for name, choice in world.choices.items():
        started = perf_counter()
        settings = tuned(fitter, tuning, choice)
        row = dict(zip(KEY, (world.name, technique.name, seed, name), strict=True))
        row |= scores(fitter, folds, choice, settings, world.points)
        row |= {"seconds": round(perf_counter() - started, 2)}
        rows.append({**row, "settings": json.dumps(dict(settings))})
    return rows


def settings_of(
    found: pd.DataFrame, world: str, technique: str, choice: str = "gaussian", seed: int = 0
) -> Settings:
    """Give the settings that a cell was tested with."""
    row = found[(found[KEY] == [world, technique, seed, choice]).all(axis=1)].iloc[0]
    return tuple(json.loads(row["settings"]).items())


def filled(path: Path, tasks: Sequence[Task], effort: Effort, jobs: int) -> pd.DataFrame:
    """Do what the file lacks; give all that it holds then."""
    named = [(task[0].name, task[1].name, task[2], *task, effort) for task in tasks]
    return fill(path, KEY[:3], named, cells_of, jobs)


def cells_of(_world: str, _technique: str, _seed: int, *task: Any) -> list[dict[str, Any]]:
    """Give the cells of a task that is named by what comes before it."""
    return cells(*task)


def plan(
    worlds: Sequence[World], names: Sequence[str], seeds: int, baseline_seeds: int
) -> Iterator[Task]:
    """Give all cells, Yada's first; people's counts are cut into folds by one seed only."""
    fixed = {world.name for world in worlds if world.points is None}
    for name in names:
        for seed in range(seeds if name == "Yada" else baseline_seeds):
            for world in worlds:
                if seed == 0 or world.name not in fixed:
                    yield world, TECHNIQUES[name], seed


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill the tables; `--quick` takes three worlds, two folds and every fifth setting."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--seeds", type=int, default=10, help="data seeds of Yada's column")
    parser.add_argument("--baseline-seeds", type=int, default=3, help="data seeds of the others")
    parser.add_argument("--worlds", nargs="+", help="names of worlds; default: all")
    parser.add_argument("--techniques", nargs="+", choices=TECHNIQUES, default=list(TECHNIQUES))
    chosen = parser.parse_args(arguments)
    out, effort = results_folder(chosen), Effort()
    worlds = [w for w in all_worlds(chosen.data) if not chosen.worlds or w.name in chosen.worlds]
    seeds = chosen.seeds, chosen.baseline_seeds
    if chosen.quick:
        effort, seeds = QUICK, (1, 1)
        worlds = [w for w in worlds if w.name in QUICK_WORLDS]
    tasks = list(plan(worlds, chosen.techniques, *seeds))
    found = filled(out / "cells.csv", tasks, effort, chosen.jobs)
    text = report(found, out)
    (out / "tables.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
