"""Compare adaptively chosen pairs with all near pairs (the open question of section 6).

In the three two-dimensional sets, 80 of the 158 near pairs are tested ten times each. Then batches
of 24 pairs get ten trials each; they are chosen by ``next_pairs`` among all 630 pairs, with near
pairs as targets, or at random among near pairs. The recovery error (equation 43) is for near pairs.
The reference is a fit to 50 trials of each of the 158 pairs, 7,900 in all, whose settings of Yada,
chosen by cross-validation, are used for all fits.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from settings import command_line, results_folder
from worlds import GAUSSIAN, World, distances, errors_at, synthetic

import resemblance as rs

FIRST, TRIALS, BATCH, WHOLE = 80, 10, 24, 7900
RULES = ("adaptive", "random near pairs")


class Study:
    """Counts of pairs that are tested as they are asked for."""

    def __init__(self, world: World, items: rs.Items, rng: np.random.Generator) -> None:
        self.pairs = np.column_stack(np.triu_indices(len(items), 1)).astype(np.int32)
        self.p = errors_at(world.points, self.pairs, GAUSSIAN)
        self.errors, self.trials = np.zeros((2, len(self.pairs)), int)
        self.items, self.rng = items, rng

    def test(self, pairs: np.ndarray) -> None:
        """Test some pairs."""
        n = len(self.items)
        rows = np.searchsorted(self.pairs[:, 0] * n + self.pairs[:, 1], pairs @ [n, 1])
        self.errors[rows] += self.rng.binomial(TRIALS, self.p[rows])
        self.trials[rows] += TRIALS

    @property
    def counts(self) -> rs.Confusions:
        """What was found so far."""
        some = self.trials > 0
        return rs.Confusions(self.pairs[some], self.errors[some], self.trials[some], self.items)


def curve(world: World, rule: str, seed: int, most: float) -> list[tuple[int, float, float]]:
    """Run one study; give trials, recovery error, and that of the reference."""
    warnings.simplefilter("ignore")
    reference = world.draw(seed)
    near, true = reference.index, distances(world.points, reference.index)
    search = rs.YadaCV(rs.Yada(2, random_state=0), random_state=seed).fit(reference)
    best = {"penalty": search.best_penalty_, "bandwidth": search.best_bandwidth_}
    settings = {**best, "random_state": 0}

    def error(counts: rs.Confusions) -> float:
        found = rs.Yada(2, **settings).fit(counts).embedding_
        return float(((distances(found, near) - true) ** 2).mean())

    aim, rng = error(reference), np.random.default_rng([seed, 1])
    study, found = Study(world, reference.items, rng), []
    study.test(near[rng.choice(len(near), FIRST, replace=False)])
    while study.trials.sum() < most * WHOLE:
        counts = study.counts
        if rule == "adaptive":
            yada = rs.Yada(2, **settings).fit(counts)
            chosen = rs.asking.next_pairs(yada, counts, BATCH, TRIALS, targets=near)
        else:
            chosen = near[rng.choice(len(near), BATCH, replace=False)]
        study.test(chosen)
        found.append((int(study.trials.sum()), error(study.counts), aim))
    return found


def needed(rows: pd.DataFrame) -> float:
    """Give the trials after which the error stays at or below that of the reference."""
    above = np.flatnonzero((rows["error"] > rows["reference"]).to_numpy())
    after = 0 if not len(above) else above[-1] + 1
    return float(rows["trials"].iloc[after]) if after < len(rows) else float("inf")


def main(arguments: list[str] | None = None) -> None:
    """Run all studies; write the curves, the trials needed and a picture."""
    parser = command_line((__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    chosen = parser.parse_args(arguments)
    folder = results_folder(chosen)
    worlds = [world for world in synthetic() if world.n_components == 2]
    seeds, most = (1, 0.17) if chosen.quick else (chosen.seeds, 1.0)
    worlds = worlds[:1] if chosen.quick else worlds
    tasks = [(world, rule, seed) for world in worlds for rule in RULES for seed in range(seeds)]
    runs = Parallel(n_jobs=chosen.jobs, verbose=5)(delayed(curve)(*task, most) for task in tasks)
    table = pd.DataFrame(
        [
            (world.name, rule, seed, *row)
            for (world, rule, seed), run in zip(tasks, runs, strict=True)
            for row in run
        ],
        columns=["set", "rule", "seed", "trials", "error", "reference"],
    )
    table.to_csv(folder / "adaptive.csv", index=False)
    mean = table.groupby(["set", "rule", "trials"], sort=False)[["error", "reference"]].mean()
    for (name, rule), rows in mean.reset_index().groupby(["set", "rule"], sort=False):
        each = table[(table["set"] == name) & (table["rule"] == rule)].groupby("seed").apply(needed)
        middle = "of the seeds " + " ".join(f"{value / WHOLE:.0%}" for value in sorted(each))
        print(f"{name}, {rule}: {needed(rows) / WHOLE:.0%} of the trials on average; {middle}")
    draw(mean.reset_index(), folder / "adaptive.png")


def draw(mean: pd.DataFrame, path: object) -> None:
    """Draw the mean recovery error against trials, one panel for each set."""
    names = mean["set"].unique()
    figure, axes = plt.subplots(1, len(names), figsize=(4 * len(names), 3.2), layout="constrained")
    for ax, name in zip(np.atleast_1d(axes), names, strict=True):
        rows = mean[mean["set"] == name]
        for rule, part in rows.groupby("rule"):
            ax.plot(part["trials"], part["error"], label=rule)
        ax.axhline(rows["reference"].mean(), color="0.5", lw=1, ls=":", label="158 pairs x 50")
        ax.set(title=name, xlabel="trials", ylabel="recovery error", yscale="log")
    np.atleast_1d(axes)[0].legend(frameon=False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
