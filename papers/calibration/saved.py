"""Is it true how many answers to random questions would have made as good a map?

In each world of ``forecasts.py`` two studies choose 8 to 25 answers an item, and
``rs.asking.answers_at_random`` says how many random questions would have needed. Other studies of
the same people ask these: their mean true error, over what the truth errs, is that of the study
after so many answers as it did need. Studies ask for the nearer of two, or for the odd one out.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from forecasts import ask, drawn, markdown
from joblib import Parallel, delayed
from worlds import World

import resemblance as rs
from resemblance.asking import answers_at_random
from resemblance.errors import quiet

FIRST = 61_000  # other worlds than those by which the interval was found
FEWEST, MOST = 8, 25  # answers an item
MARKS = np.geomspace(0.5, 6.0, 9)  # of the answers of a study
N_STUDIES = 2
WAYS = ("nearer", "odd")


def sessions(seed: int, way: str) -> tuple[World, Callable[..., rs.Session], list]:
    """Draw a world; give it, what makes its sessions, and its people."""
    found, people, model = drawn(seed)
    asks = {"odd_one_out": True, "n_options": 3} if way == "odd" else {}

    def made(number: int, **more: Any) -> rs.Session:
        settings = {"model": model, "random_state": seed + number, "keep_log": False}
        return rs.Session(found.n_items, **settings, **asks, **more)

    return found, made, people


def studied(seed: int, way: str, n: int = 0) -> list[dict]:
    """Say how many answers random questions would need in some studies, and see."""
    found, made, people = sessions(seed, way)
    rng = np.random.default_rng([seed, 5])
    n = n or int(found.n_items * np.exp(rng.uniform(np.log(FEWEST), np.log(MOST))))
    marks = (n * MARKS).astype(int)
    random = {"strategies": rs.RandomQuestions(), "refit_every": 10**6}
    curve, rows = np.zeros(len(marks)), []
    with quiet():
        for number in range(N_STUDIES):
            session = made(1000 * number + 77, **random)
            for k, mark in enumerate(marks):
                ask(session, people, mark)
                curve[k] += (found.error(session.model_) - found.best) / N_STUDIES
        for number in range(N_STUDIES):
            session = made(1000 * number)
            ask(session, people, n)
            belief = session.belief()
            told, (low, high) = answers_at_random(belief, np.random.default_rng(seed))
            needed = crossing(marks, curve, found.error(session.model_) - found.best)
            kind = found.kind if seed % 2 == 0 else "other shapes"
            row = {"world": seed, "kind": kind, "way": way, "answers": n, "needed": needed}
            rows.append(row | {"told": told, "low": low, "high": high})
    return rows


def crossing(marks: np.ndarray, curve: np.ndarray, level: float) -> float:
    """Return where a curve that falls, made monotone, first is at a level, over log and log."""
    falling = np.log(np.maximum(np.minimum.accumulate(curve), 1e-6))
    at = np.log(max(level, 1e-6))
    if at < falling[-1]:
        return np.inf
    return float(np.exp(np.interp(-at, -falling, np.log(marks))))


def table(n_worlds: int = 40, n_jobs: int = 1, first: int = FIRST) -> pd.DataFrame:
    """Run the studies of each world."""
    todo = [(first + k, WAYS[k // 2 % 2]) for k in range(n_worlds)]
    found = Parallel(n_jobs=n_jobs)(delayed(studied)(*which) for which in todo)
    return pd.DataFrame([row for rows in found for row in rows])


def summary(found: pd.DataFrame) -> pd.Series:
    """Say how near the numbers told were."""
    inside = (found["low"] <= found["needed"]) & (found["needed"] <= found["high"])
    times = {name: found[name] / found["answers"] for name in ("told", "needed")}
    return pd.Series(
        {
            "studies": len(found),
            **{f"{name}: times the answers": one.median() for name, one in times.items()},
            "inside": inside.mean(),
            "fewer needed": (found["needed"] < found["low"]).mean(),
            "correlation of logs": np.log(times["told"]).corr(
                np.log(times["needed"].clip(upper=MARKS[-1]))
            ),
        }
    )


def main(arguments: list[str] | None = None) -> None:
    """Print the table in Markdown, all and by kind of study."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args(arguments)
    found = table(chosen.worlds, chosen.jobs, chosen.first)
    parts = {"all": summary(found)}
    for column in ("kind", "way"):
        parts |= {str(of): summary(part) for of, part in found.groupby(column)}
    print(markdown(parts))


if __name__ == "__main__":
    main()
