"""Compare cleaning with modelling: the hinge on cleaned answers, and likelihoods on all.

All fits use the same map of features and the same folds (a tenth of the answers is held out in
turn, uncleaned), with penalties chosen by inner folds.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from learning import BETAS
from music import study
from settings import Cell, command_line, fill, markdown, results_folder
from taxonomy import comparisons, kernels_of

import resemblance as rs

KEY = ["data", "method", "fold"]
FOLDS, DIMENSIONS = 10, 10
PENALTIES = 10.0 ** np.arange(-3, 2)
CLEANING = {
    "hinge, all": None,
    "hinge, no contradictions": "pruned",
    "hinge, consistent": {"contradictions": "majority"},
    "hinge, reduced": {"contradictions": "majority", "reduce": True},
}
MODELLING = {
    "softmax": rs.choice.Softmax(),
    "Student-t": rs.choice.StudentT(1.0),
    "relative": rs.choice.Relative(0.1),
}


def noisy_taxonomy(folder: Path) -> rs.Triplets:
    """Give the taxonomy of digits with every fifth answer turned around, said three times."""
    digits, kernels = kernels_of(folder, 0, 3)
    triplets = comparisons(digits, 0)
    rng, index = np.random.default_rng(0), np.repeat(triplets.index, 3, axis=0)
    wrong = rng.random(len(index)) < 0.2
    index[wrong] = index[wrong][:, [0, 2, 1]]
    order = rng.permutation(len(index))
    return rs.Triplets(index[order], rs.Items(features=kernels), response_id=(order // 3))


def music(folder: Path) -> rs.Triplets:
    """Give the answers on artists, whose direct contradictions were removed upstream."""
    triplets, kernels = study(folder)
    items = rs.Items(triplets.items.names, kernels)
    return rs.Triplets(triplets.index, items, response_id=triplets.response_id)


DATA: dict[str, Callable[[Path], rs.Triplets]] = {
    "digits, 20 % wrong": noisy_taxonomy,
    "music": music,
}


def hinge(train: rs.Triplets, cleaning: object, quick: bool) -> rs.MKPOE:
    """Clean, choose beta by folds of what is left, and fit."""
    if cleaning == "pruned":
        graph = rs.SimilarityGraph(train).prune_contradictions(keep="majority")
        train = graph.judgments()
    elif cleaning is not None:
        train = rs.clean(train, random_state=0, **cleaning)[0]
    model = rs.MKPOE(kernels="precomputed", tol=1e-2)
    betas = BETAS[4:6] if quick else BETAS[1:7]
    return rs.MKPOECV(model, betas=betas, cv=3).fit(train).best_estimator_


def likelihood(train: rs.Triplets, choice: rs.choice.ChoiceModel, quick: bool) -> object:
    """Choose the penalty by folds, and fit."""
    penalties = PENALTIES[2:4] if quick else PENALTIES
    form = rs.forms.MultiKernelMap("precomputed")
    settings = {"form": form, "random_state": 0, "max_iter": 300}
    make = lambda p: rs.fitting.OrdinalEmbedding(choice, DIMENSIONS, penalty=p, **settings)  # noqa: E731
    folds = rs.GroupedKFold(3, random_state=0)
    error = lambda p: rs.fitting.HeldOut.of_folds(make(p), train, folds).error  # noqa: E731
    return make(min(penalties, key=error)).fit(train)


def cell(data: str, method: str, fold: int, folder: Path, quick: bool) -> list[Cell]:
    """Do one cell: one method, one fold held out."""
    triplets = DATA[data](folder)
    split = list(rs.GroupedKFold(FOLDS, random_state=0).split(triplets))[fold]
    train, test = (triplets[rows] for rows in split)
    began = perf_counter()
    with rs.errors.quiet():
        if method in CLEANING:
            model = hinge(train, CLEANING[method], quick)
        else:
            model = likelihood(train, MODELLING[method], quick)
    accuracy, seconds = model.score(test), round(perf_counter() - began, 1)
    return [
        {"data": data, "method": method, "fold": fold, "accuracy": accuracy, "seconds": seconds}
    ]


def report(found: pd.DataFrame) -> str:
    """Write the accuracies, the mean and standard error of the folds."""
    table = found.groupby(["method", "data"])["accuracy"].agg(["mean", "sem"]).round(4)
    names = [name for name in DATA if name in table.index.unique("data")]
    rows = [["", *names]]
    for method in (*CLEANING, *MODELLING):
        if method in table.index.unique("method"):
            cells = [table.loc[(method, name)] for name in names if (method, name) in table.index]
            rows.append([method, *(f"{at['mean']:.3f} ± {at['sem']:.3f}" for at in cells)])
    return markdown("Held-out answers that the space agrees with", rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill the cells that are missing, and write the table."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--folds", type=int, default=FOLDS, help="of ten, how many are tested")
    chosen = parser.parse_args(arguments)
    out = results_folder(chosen)
    methods, names, folds = [*CLEANING, *MODELLING], list(DATA), chosen.folds
    if chosen.quick:
        methods, names, folds = ["hinge, consistent", "softmax"], names[:1], 1
    tasks = [
        (name, method, fold, chosen.data, chosen.quick)
        for fold in range(folds)
        for name in names
        for method in methods
    ]
    found = fill(out / "softer.csv", KEY, tasks, cell, chosen.jobs)
    text = report(found)
    (out / "softer.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
