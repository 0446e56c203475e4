"""Compare plans from a pilot of 500 answers with the answers that studies need.

There are ten worlds of 30 items that are not normal (clusters, rings, squares, ellipses, heavy
tails), with people of the softmax or the Student-t model and lapses of up to 20 %. From 500 answers
to random questions the planner forecasts the judgments that an adaptive study needs for an error
0.04 above that of the truth ("above"), or for this error as a number ("target"). Then five studies
are run in the world; the answers needed are their median.
"""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from settings import command_line, results_folder

import resemblance as rs
from resemblance.asking import Worlds

N_ITEMS, PILOT, ABOVE, START = 30, 500, 0.04, 5


class World(Worlds):
    """One world, seen by a person with a new seed each time."""

    def __init__(self, seed: int) -> None:
        rng, self.n_items = np.random.default_rng([11, seed]), N_ITEMS
        angle = rng.uniform(0, 2 * np.pi, N_ITEMS)
        shapes = {
            "clusters": 1.5 * rng.normal(size=(4, 2))[rng.integers(4, size=N_ITEMS)]
            + 0.4 * rng.normal(size=(N_ITEMS, 2)),
            "ring": 1.3 * np.column_stack([np.cos(angle), np.sin(angle)])
            + 0.1 * rng.normal(size=(N_ITEMS, 2)),
            "square": rng.uniform(-2, 2, (N_ITEMS, 2)),
            "ellipse": rng.normal(size=(N_ITEMS, 2)) * [1.5, 0.5],
            "heavy tails": rng.standard_t(3, size=(N_ITEMS, 2)),
        }
        self.shape = list(shapes)[seed % len(shapes)]
        self.choice = rs.choice.StudentT(1.0) if rng.random() < 0.3 else rs.choice.Softmax()
        scale = rng.uniform(0.7, 1.5) * (2.0 if isinstance(self.choice, rs.choice.StudentT) else 1)
        self.points, self.lapse = scale * shapes[self.shape], rng.uniform(0.0, 0.2)

    def draw(self, seed: int) -> rs.SpaceObserver:
        """Give a person who sees it."""
        return rs.SpaceObserver(self.points, self.choice, lapse=self.lapse, random_state=seed)


def compare(seed: int, n_worlds: int, n_studies: int, budget: int) -> dict[str, object]:
    """Plan from a pilot of one world, run studies in it, give what was foretold and needed."""
    warnings.simplefilter("ignore")
    world, rng = World(seed), np.random.default_rng([12, seed])
    pilot = world.draw(seed).answer(
        np.array([rng.choice(N_ITEMS, 3, replace=False) for _ in range(PILOT)])
    )
    settings = {"budget": budget, "start_per_head": START, "above": ABOVE}
    real = rs.plan_study(world, n_worlds=n_studies, random_state=1000, **settings)
    posterior = rs.fitting.space_posterior(pilot)
    plan = rs.plan_study(rs.PosteriorSimulation(posterior), n_worlds=n_worlds, **settings)
    target = float(real.ceiling[0] + ABOVE)
    absolute = replace(plan, target=target, above=None)
    return {
        "world": seed,
        "shape": world.shape,
        "choice": type(world.choice).__name__,
        "choice found": type(posterior.parts[0].choice).__name__,
        "lapse": world.lapse,
        "lapse found": posterior.lapse,
        "ceiling": float(real.ceiling[0]),
        "ceiling foretold": float(np.median(plan.ceiling)),
        "needed": float(np.median(real.needed)),
        "above": float(np.median(plan.needed)),
        "target": float(np.median(absolute.needed)),
    }


def main(arguments: list[str] | None = None) -> None:
    """Run all worlds; write the table."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--worlds", type=int, default=10)
    chosen = parser.parse_args(arguments)
    chosen.out = results_folder(chosen)
    worlds, sizes = (1, (1, 1, 300)) if chosen.quick else (chosen.worlds, (8, 5, 2500))
    rows = Parallel(n_jobs=chosen.jobs, verbose=5)(
        delayed(compare)(seed, *sizes) for seed in range(worlds)
    )
    table = pd.DataFrame(rows)
    for name in ("above", "target"):
        table[f"{name} ratio"] = table[name] / table["needed"]
    table.to_csv(chosen.out / "plan.csv", index=False)
    print(table.round(3).to_string(index=False))
    for name in ("above ratio", "target ratio"):
        within = table[name].between(0.7, 1.3).sum()
        print(f"{name}: within 30 % in {within} of {len(table)} worlds")


if __name__ == "__main__":
    main()
