"""Compute figure 2: held-out and nearest-neighbour error by the number of dimensions."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from errors_figure import draw_errors
from joblib import Parallel, delayed
from settings import HERE, Ledger, command_line, results_folder
from sklearn.model_selection import KFold
from studies import STUDIES, Study
from techniques import TECHNIQUES

import resemblance as rs

TUNED_AT = (2, 10, 30)  # dimensions with a tuned penalty; others use that of the nearest
KEY = ("stage", "split", "technique", "strength", "fold", "dims")
ERRORS = ("error", "neighbour_error", "balanced_error")


@dataclass(frozen=True)
class Task:
    """One fit, and the numbers of dimensions that it is scored at."""

    stage: str
    split: str
    technique: str
    strength: float
    fold: int
    dims: tuple[int, ...]
    train: np.ndarray
    test: np.ndarray

    def cells(self) -> list[dict[str, Any]]:
        """Give the cells of the ledger that the fit fills."""
        key = {column: getattr(self, column) for column in KEY}
        return [{**key, "dims": d} for d in self.dims]


def folds(split: str, judgments: rs.Triplets, n_splits: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Give the rows to fit and to hold out, of random rows or of whole responses."""
    if split == "random":
        return list(KFold(n_splits, shuffle=True, random_state=0).split(judgments.index))
    return list(rs.GroupedKFold(n_splits, random_state=0).split(judgments))


def fit_and_score(judgments: rs.Triplets, task: Task) -> list[dict[str, Any]]:
    """Fit once; score the held-out rows and the neighbours at each number of dimensions."""
    train, test = judgments[task.train], judgments[task.test]
    started = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.errors.ResemblanceWarning)
        model = TECHNIQUES[task.technique].fit(train, max(task.dims), task.strength)
    fit = {
        "loss": model.loss_,
        "seconds": round(perf_counter() - started, 2),
        "converged": model.converged_,
    }
    return [
        {**cell, **scores(model.embedding_[:, : cell["dims"]], test), **fit}
        for cell in task.cells()
    ]


def scores(embedding: np.ndarray, held_out: rs.Triplets) -> dict[str, float]:
    """Give the share of held-out rows that are wrong, and of items whose neighbour is."""
    labels = held_out.items.labels
    found = (
        rs.triplet_error(embedding, held_out),
        rs.neighbour_error(embedding, labels),
        rs.neighbour_error(embedding, labels, balanced=True),
    )
    return dict(zip(ERRORS, found, strict=True))


def fits_of(technique: str, strengths: dict[int, float]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Give the fits that fill dimensions: one for each, or one Gram matrix for each strength."""
    if not TECHNIQUES[technique].gram:
        yield from ((strength, (d,)) for d, strength in strengths.items())
        return
    for strength in dict.fromkeys(strengths.values()):
        yield strength, tuple(d for d, its in strengths.items() if its == strength)


def tuning_tasks(study: Study, split: str, names: Sequence[str]) -> Iterator[Task]:
    """Give the fits that choose strengths, all within the training rows of the first fold."""
    outer, _ = folds(split, study.judgments, 10)[0]
    inner = folds(split, study.judgments[outer], 5)
    dims = [d for d in TUNED_AT if d <= max(study.dims)]
    for name in names:
        technique = TECHNIQUES[name]
        n_inner = study.gram_tuning_folds if technique.gram else study.tuning_folds
        if len(technique.strengths) == 1:
            continue
        for strength in technique.strengths:
            for scored, at in fits_of(name, dict.fromkeys(dims, strength)):
                for fold in range(n_inner):
                    train, test = (outer[rows] for rows in inner[fold])
                    yield Task("tune", split, name, scored, fold, at, train, test)


def chosen_strengths(ledger: Ledger, study: Study, split: str, name: str) -> dict[int, float]:
    """Give each number of dimensions the strength of least held-out error on inner folds."""
    if len(TECHNIQUES[name].strengths) == 1:
        return dict.fromkeys(study.dims, TECHNIQUES[name].strengths[0])
    tried = (task.cells() for task in tuning_tasks(study, split, [name]))
    table = ledger.rows(cell for cells in tried for cell in cells)
    means = table.groupby(["dims", "strength"])["error"].mean()
    best = {int(d): float(means[d].idxmin()) for d in means.index.unique("dims")}
    return {d: best[min(best, key=lambda at: abs(np.log(at / d)))] for d in study.dims}


def testing_tasks(ledger: Ledger, study: Study, split: str, names: Sequence[str]) -> Iterator[Task]:
    """Give the fits of the figure."""
    outer = folds(split, study.judgments, 10)
    for name in names:
        strengths = chosen_strengths(ledger, study, split, name)
        for fold in range(study.gram_folds if TECHNIQUES[name].gram else study.folds):
            for strength, dims in fits_of(name, strengths):
                yield Task("test", split, name, strength, fold, dims, *outer[fold])


def finish(ledger: Ledger, study: Study, tasks: Sequence[Task], jobs: int) -> None:
    """Do what the ledger lacks; keep and print each result as it comes."""
    open_tasks = [t for t in tasks if not all(cell in ledger for cell in t.cells())]
    runs = Parallel(n_jobs=jobs, return_as="generator_unordered")(
        delayed(fit_and_score)(study.judgments, task) for task in open_tasks
    )
    ledger.finish(runs, len(open_tasks))


def run_study(study: Study, out: Path, names: Sequence[str], jobs: int = 1) -> pd.DataFrame:
    """Tune and test the techniques on a study; give the table of means and standard errors."""
    ledger = Ledger(HERE, out / f"{study.name}_cells.csv", KEY)
    names = [name for name in names if study.gram_folds or not TECHNIQUES[name].gram]
    tests: list[Task] = []
    for split in study.splits:
        finish(ledger, study, list(tuning_tasks(study, split, names)), jobs)
        tests += testing_tasks(ledger, study, split, names)
        finish(ledger, study, tests, jobs)
    table = summary(ledger.rows(cell for task in tests for cell in task.cells()))
    table.assign(code=ledger.code).to_csv(out / f"{study.name}_errors.csv")
    draw_errors(table, study, out / f"{study.name}_errors.png")
    return table


def summary(cells: pd.DataFrame) -> pd.DataFrame:
    """Give mean and standard error over folds of each error."""
    by = ["split", "technique", "dims"]
    found = cells.groupby(by)[list(ERRORS)].agg(["mean", "sem", "count"])
    found.columns = ["_".join(column) for column in found.columns]
    return found.rename(columns={"error_count": "folds"}).drop(
        columns=["neighbour_error_count", "balanced_error_count"]
    )


def quick(study: Study) -> Study:
    """Give a small version of a study: two folds, two numbers of dimensions."""
    return replace(study, dims=(2, 3), folds=2, gram_folds=0, tuning_folds=1, splits=("random",))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the studies that are asked for."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--studies", nargs="+", choices=STUDIES, default=list(STUDIES))
    parser.add_argument("--techniques", nargs="+", choices=TECHNIQUES, default=list(TECHNIQUES))
    parser.add_argument("--dims", nargs="+", type=int, help="in place of the study's")
    parser.add_argument("--splits", nargs="+", choices=("random", "grouped"))
    chosen = parser.parse_args(arguments)
    out = results_folder(chosen)
    for name in chosen.studies:
        study = STUDIES[name](chosen.data)
        study = replace(
            quick(study) if chosen.quick else study,
            **{k: tuple(v) for k in ("dims", "splits") if (v := getattr(chosen, k))},
        )
        table = run_study(study, out, chosen.techniques, chosen.jobs)
        print(table.round(3).to_string(), flush=True)


if __name__ == "__main__":
    main()
