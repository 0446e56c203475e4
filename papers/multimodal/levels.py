"""Reproduce table 5: the answers kept by each level of graph processing, and their predictions.

The data are the 20,086 raw answers about 30 alien eggs, and the music comparisons, whose
contradictions were removed before publication. Folds keep people, or responses, whole. The levels
are applied to training answers alone. Accuracy is for unprocessed held-out answers, and, as in the
paper, for those without direct contradictions.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from settings import Cell, command_line, fill, markdown, results_folder

import resemblance as rs

Graph = rs.SimilarityGraph
KEY = ["set", "level", "model", "fold"]
FOLDS = {"eggs": ("observer", 5), "music": ("response_id", 5)}
MODELS: dict[str, Callable[[], rs.fitting.OrdinalEmbedding]] = {
    "GNMDS": lambda: rs.GNMDS(2, n_init=3, random_state=0),
    "STE": lambda: rs.STE(2, n_init=3, random_state=0),
}
LEVELS: dict[str, Callable[[Graph, int], Graph]] = {
    "all answers": lambda graph, seed: graph,
    "contradictions removed": lambda graph, seed: graph.prune_contradictions(),
    "acyclic, greedy": lambda graph, seed: paper(graph, seed),
    "reduced, greedy": lambda graph, seed: paper(graph, seed).reduced(),
    "majorities": lambda graph, seed: graph.prune_contradictions("majority"),
    "acyclic, sifting": lambda graph, seed: ours(graph, seed),
    "reduced, sifting": lambda graph, seed: ours(graph, seed).reduced(),
}


def paper(graph: Graph, seed: int) -> Graph:
    """Clean as the paper does: both opposite comparisons go, then cycles by algorithm 1."""
    return graph.prune_contradictions().acyclic("greedy", random_state=seed)


def ours(graph: Graph, seed: int) -> Graph:
    """Clean as `rs.clean` does."""
    return graph.prune_contradictions("majority").acyclic(random_state=seed)


def answers(name: str, data: Path) -> rs.Triplets:
    """Read the answers of a set."""
    if name == "eggs":
        return rs.datasets.fetch_alien_eggs(data / "alien_eggs").judgments
    return rs.datasets.fetch_music_artists(data / "music", genres=False).judgments


def cell(name: str, level: str, model: str, fold: int, data: Path) -> list[Cell]:
    """Fit one level of one training set."""
    judgments, (by, n) = answers(name, data), FOLDS[name]
    folds = list(rs.GroupedKFold(n, by=by, random_state=0).split(judgments))
    train, test = (judgments[rows] for rows in folds[fold])
    graph = LEVELS[level](Graph(train), fold)
    start = perf_counter()
    fitted = MODELS[model]().fit(graph.judgments())
    found = {
        "rows": len(graph.rows()),
        "comparisons": graph.n_edges,
        "seconds": perf_counter() - start,
        "accuracy": fitted.score(test),
        "accuracy_pruned": fitted.score(Graph(test).prune_contradictions().judgments()),
    }
    return [{"set": name, "level": level, "model": model, "fold": fold, **found}]


def whole(name: str, data: Path, n_orders: int = 20) -> Iterator[list[str]]:
    """Count what the levels keep of a whole set, greedy as the mean of some orders."""
    graph = Graph(answers(name, data))
    yield ["level", "rows", "comparisons"]
    for level, process in LEVELS.items():
        orders = range(n_orders if "greedy" in level or "sifting" in level else 1)
        kept = [process(graph, seed) for seed in orders]
        rows, edges = (np.mean([len(k.rows()) for k in kept]), np.mean([k.n_edges for k in kept]))
        yield [level, f"{rows:,.0f}", f"{edges:,.0f}"]


def table(cells: pd.DataFrame) -> Iterator[list[str]]:
    """Give the mean of the folds and its standard error; the best of each column is bold."""
    columns = [(model, score) for model in MODELS for score in ("accuracy", "accuracy_pruned")]
    yield ["level", "rows", *(f"{model}, {words(score)}" for model, score in columns)]
    means = cells.groupby(["level", "model"])[["rows", "accuracy", "accuracy_pruned"]].mean()
    errors = cells.groupby(["level", "model"])[["accuracy", "accuracy_pruned"]].sem()
    best = {(m, s): means.xs(m, level="model")[s].round(3).max() for m, s in columns}
    for level in (name for name in LEVELS if name in means.index.unique("level")):
        line = [level, f"{means.loc[level, 'rows'].mean():,.0f}"]
        for model, score in columns:
            number = f"{means.loc[(level, model), score]:.3f}"
            number = f"**{number}**" if float(number) == best[model, score] else number
            line.append(f"{number} ± {errors.loc[(level, model), score]:.3f}")
        yield line


def words(score: str) -> str:
    """Say what a score is of."""
    return {"accuracy": "all held out", "accuracy_pruned": "held out without contradictions"}[score]


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill the cells; write the tables."""
    chosen = command_line(__doc__ or "").parse_args(arguments)
    out, text = results_folder(chosen), []
    names = [name for name in FOLDS if not chosen.quick or name == "eggs"]
    tasks = [
        (name, level, model, fold, chosen.data)
        for name in names
        for fold in range(1 if chosen.quick else FOLDS[name][1])
        for level in LEVELS
        for model in MODELS
    ]
    cells = fill(out / "levels.csv", KEY, tasks, cell, chosen.jobs)
    for name in names:
        text.append(markdown(f"Levels of {name}, all answers", whole(name, chosen.data)))
        found = cells[cells["set"] == name]
        text.append(markdown(f"Table 5 on {name}, mean of the folds", table(found)))
    (out / "levels.md").write_text("\n".join(text), encoding="utf-8")
    print("\n".join(text))


if __name__ == "__main__":
    main()
