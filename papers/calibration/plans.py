"""Compare plans from a pilot, or from guesses, with the answers that studies need.

In each world a pilot of a few hundred random questions is answered. From the pilot, or with
``--guessed`` from the number of items and typical agreement, the planner forecasts the answers
needed for an error 0.04 above that of the truth ("above"), or for this error as a number
("target"). Studies are then run in the world. The answers that each needed are compared with the
band of the plan, and their median with the plan's median.
"""

import argparse
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
from forecasts import markdown
from joblib import Parallel, delayed
from worlds import world

import resemblance as rs

ABOVE, PILOT, FIRST = 0.04, 500, 2000


class Real(rs.asking.Worlds):
    """A world itself: the same items, another person each time."""

    def __init__(self, person: rs.SpaceObserver) -> None:
        self.person, self.n_items = person, len(person.points)

    def draw(self, seed: int) -> rs.SpaceObserver:
        """Give a person who sees it."""
        seen = self.person
        return rs.SpaceObserver(seen.points, seen.choice, lapse=seen.lapse, random_state=seed)


def planned(
    seed: int,
    chosen: bool,
    guessed: bool = False,
    per_item: int = 60,
    n_simulated: int = 12,
    n_studies: int = 4,
) -> list[dict]:
    """Plan from a pilot of one world, or guess; run studies in it; a row for each goal."""
    warnings.simplefilter("ignore")
    found = world(seed)
    settings = {"budget": per_item * found.n_items, "start_per_head": 5}
    if not chosen:
        settings |= {"strategies": rs.RandomQuestions()}
    real = rs.plan_study(
        Real(found.person), n_worlds=n_studies, random_state=1000, above=ABOVE, **settings
    )
    if guessed:
        worlds = rs.PriorSimulation(found.n_items)
    else:
        pilot = found.answers(PILOT, np.random.default_rng([seed, 6]))
        worlds = rs.PosteriorSimulation(rs.fitting.space_posterior(pilot))
    above = rs.plan_study(worlds, n_worlds=n_simulated, above=ABOVE, **settings)
    target = replace(above, above=None, target=float(real.ceiling[0]) + ABOVE)
    rows = []
    for goal, plan in {"above": above, "target": target}.items():
        middle, low, high = plan.needed_band()
        came = np.sort(real.needed)[(n_studies - 1) // 2]
        rows.append(
            {
                "world": seed,
                "kind": found.kind,
                "goal": goal,
                "foretold": middle,
                "low": low,
                "high": high,
                "came": came,
                "near": bool(abs(middle / came - 1) <= 0.3) if np.isfinite(came) else False,
                "inside": float(((low <= real.needed) & (real.needed <= high)).mean()),
                "ceiling": real.ceiling[0],
                "ceiling foretold": float(np.median(above.ceiling)),
                "lapse": found.person.lapse,
                "lapse foretold": np.nan if guessed else worlds.posterior.lapse,
            }
        )
    return rows


def table(
    n_worlds: int = 9, n_jobs: int = 1, chosen: bool = False, guessed: bool = False, **sizes: int
) -> pd.DataFrame:
    """Run the worlds, two goals in each."""
    jobs = (delayed(planned)(FIRST + k, chosen, guessed, **sizes) for k in range(n_worlds))
    found = Parallel(n_jobs=n_jobs)(jobs)
    return pd.DataFrame([row for rows in found for row in rows])


def summary(found: pd.DataFrame) -> pd.Series:
    """Say how near the plans were, and how wide their bands (as a ratio of the ends)."""
    shown = found[np.isfinite(found["high"])]
    return pd.Series(
        {
            "plans": len(found),
            "within 30 %": found["near"].mean(),
            "inside": found["inside"].mean(),
            "high / low": (shown["high"] / shown["low"]).median(),
            "without end": 1 - len(shown) / len(found),
        }
    )


def main(arguments: list[str] | None = None) -> None:
    """Print the table in Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worlds", type=int, default=9)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--chosen", action="store_true", help="adaptive studies; slow")
    parser.add_argument("--guessed", action="store_true", help="plans without a pilot")
    parser.add_argument("--all", action="store_true", help="each world too")
    chosen = parser.parse_args(arguments)
    found = table(chosen.worlds, chosen.jobs, chosen.chosen, chosen.guessed)
    if chosen.all:
        print(found.round(3).to_string(index=False))
    print(markdown({goal: summary(part) for goal, part in found.groupby("goal")}))


if __name__ == "__main__":
    main()
