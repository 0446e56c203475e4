"""Draw figure 2: twenty questions after random and adaptive training, in generated mixed worlds.

There are 225 objects of three kinds, 75 of each in a cluster of unit spread, and people who follow
the relative model with mu = 0.05. The distance of clusters is such that two people agree on 66.5 %
of random triples (the paper: 65 to 68 %): on 82 % if exactly one option is of the head's kind, on
60 % within a kind. Each object has ten random triples first, then up to 35; the fit has three
dimensions. The paper's ties, tiles and flags are not public.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.optimize import brentq
from settings import command_line, results_folder

import resemblance as rs

KINDS, EACH, AGREEMENT, MU = 3, 75, 0.665, 0.05
START, MARKS = 10, (10, 16, 22, 28, 35)
STRATEGIES = {
    "random": rs.RandomQuestions,
    "adaptive": rs.PredictiveGain,
    "paper's rule": rs.InformationGain,
}


def mixed_world(seed: int, each: int = EACH) -> tuple[np.ndarray, rs.choice.Relative]:
    """Give the positions of the objects, and the relative model with the agreement wanted."""
    rng = np.random.default_rng(seed)
    centres = np.repeat(np.linalg.qr(rng.normal(size=(3, 3)))[0], each, axis=0)
    within, choice = rng.normal(size=(KINDS * each, 3)), rs.choice.Relative(MU)
    triples = np.array([rng.choice(len(within), 3, replace=False) for _ in range(20000)])

    def excess(apart: float) -> float:
        X = apart * centres + within
        near, far = (((X[triples[:, 0]] - X[triples[:, c]]) ** 2).sum(axis=1) for c in (1, 2))
        p = choice.probability(near, far)
        return float(np.mean(p**2 + (1 - p) ** 2) - AGREEMENT)

    return brentq(excess, 0.0, 100.0) * centres + within, choice


def train(
    name: str, seed: int, each: int, marks: tuple[int, ...]
) -> list[tuple[int, float, float]]:
    """Train on a world; give triples an object, mean log rank by random and adaptive questions."""
    warnings.simplefilter("ignore")
    X, choice = mixed_world(seed, each)
    n = len(X)
    crowd = rs.SpaceObserver(X, choice, random_state=seed)
    model = rs.TSTE(3, alpha=1.0, penalty=0.03, tol=1e-3)
    session = rs.Session(
        n, STRATEGIES[name](), model=model, start_per_head=START, held_out=0.0, random_state=seed
    )
    targets = np.random.default_rng(seed).choice(n, min(n, 75), replace=False)
    found = []
    for asked in range(1, max(marks) * n + 1):
        question = session.ask()
        session.tell(question, question.answered_by(crowd))
        if asked in [mark * n for mark in marks]:
            game = {
                adaptive: rs.asking.twenty_questions(
                    session.model_,
                    rs.SpaceObserver(X, choice, random_state=seed),
                    targets,
                    adaptive=adaptive,
                    random_state=seed,
                ).mean()
                for adaptive in (False, True)
            }
            found.append((asked // n, game[False], game[True]))
    return found


def main(arguments: list[str] | None = None) -> None:
    """Train on every world by every strategy; write the table and the two panels."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--worlds", type=int, default=10)
    parser.add_argument("--strategies", nargs="+", choices=STRATEGIES, default=list(STRATEGIES))
    chosen = parser.parse_args(arguments)
    chosen.out = results_folder(chosen)
    each, marks, worlds = (6, (10, 12), 1) if chosen.quick else (EACH, MARKS, chosen.worlds)
    tasks = [(name, seed) for seed in range(worlds) for name in chosen.strategies]
    runs = Parallel(n_jobs=chosen.jobs, verbose=5)(
        delayed(train)(name, seed, each, marks) for name, seed in tasks
    )
    table = pd.DataFrame(
        [(*task, *row) for task, run in zip(tasks, runs, strict=True) for row in run],
        columns=["strategy", "world", "triples", "random questions", "adaptive questions"],
    )
    table.to_csv(chosen.out / "twenty.csv", index=False)
    panels = ["random questions", "adaptive questions"]
    means = table.groupby(["strategy", "triples"])[panels].agg(["mean", "sem"])
    print(means.round(3).to_string())
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
    for ax, panel in zip(axes, panels, strict=True):
        for name, rows in means[panel].groupby("strategy"):
            by = rows.droplevel("strategy")
            ax.errorbar(by.index, by["mean"], 2 * by["sem"], label=name, capsize=2)
        ax.set(title=f"20 {panel}", xlabel="triples an object", ylabel="mean log rank")
    axes[0].legend(frameon=False)
    figure.savefig(chosen.out / "twenty.png", dpi=110)


if __name__ == "__main__":
    main()
