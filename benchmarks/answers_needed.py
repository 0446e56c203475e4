"""Compare the answers that ways of asking need.

    python benchmarks/answers_needed.py [--ways "random;default"]

People answer in the worlds of papers/calibration: softmax, Student-t and relative models, 20 to 40
items, lapses up to .1. All ways use the same worlds and people. At several numbers of answers per
item the model of studies is fitted to all answers, including held-out ones. Its *excess* is its
true error on random questions minus that of the true space, in per cent of questions. *Needed* is
the number of answers per item for the excess that random questions have after 40, with a 95 %
interval by resampling worlds; *of them* is its ratio to that of `--against` (the default way).
Differences are from that way at several numbers of answers, and from random questions at 14 to 22
answers by kind of people, with standard errors.

`--keep` appends each session to a file, from which a later run continues; `--worlds 0` only
summarises this file. `--out N` asks N questions at a time before they are answered.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from resemblance import Items, SpaceObserver
from resemblance.asking import PredictiveGain, RandomQuestions, Session
from resemblance.catalog import MODEL, models_of
from resemblance.errors import quiet

CALIBRATION = Path(__file__).parents[1] / "papers" / "calibration"
MARKS = (2, 4, 6, 10, 14, 18, 22, 26, 30, 34, 40)
EARLIER, MIDDLE = [*range(10, 31, 4)], [14, 18, 22]
STRETCHES = {"10-14": [10, 14], "18-22": [18, 22], "26-30": [26, 30]}


def informed(told: float, start: int = 2) -> Callable[[Any], dict[str, Any]]:
    """Ask by default after ``start`` random questions per item, with features of the items."""
    return lambda world: {
        "strategies": PredictiveGain(),
        "start_per_head": start,
        "features": world.features(told),
    }


WAYS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "random": lambda world: {"strategies": RandomQuestions()},
    "default": lambda world: {"strategies": PredictiveGain(), "start_per_head": 10},
    "start 5": lambda world: {"strategies": PredictiveGain(), "start_per_head": 5},
    "start 2": lambda world: {"strategies": PredictiveGain(), "start_per_head": 2},
    "features that tell .98": informed(0.98),
    "features that tell .5": informed(0.5),
    "features that tell nothing": informed(0.0),
}


def study(
    seed: int,
    way: str,
    marks: tuple[int, ...] = MARKS,
    drawn: Any = None,
    out: int = 1,
) -> dict[str, Any]:
    """Run a session in a world; return the excess at each mark, and the seconds."""
    from worlds import world

    drawn = world(seed) if drawn is None else drawn
    n, seen = drawn.n_items, drawn.person
    person = SpaceObserver(seen.points, seen.choice, lapse=seen.lapse, random_state=seed + 1000)
    settings = {"model": models_of(MODEL)[MODEL], "random_state": seed, "keep_log": False} | WAYS[
        way
    ](drawn)
    known, items = settings.pop("features", None), Items(n)
    if known is not None:
        del settings["model"]  # sessions with features choose the model
        items = Items(n, features=known)
    session, seconds, excess = Session(items, **settings), 0.0, {}
    for mark in marks:
        began = time.process_time()
        _answer(session, person, mark * n, out)
        seconds += time.process_time() - began
        model = models_of(MODEL, informed=known is not None)[MODEL].set_params(random_state=seed)
        with quiet():
            model.fit(session.judgments("all"))
            excess[mark] = drawn.error(model) - drawn.best
    return {"way": way, "seed": seed, "kind": drawn.kind, "seconds": seconds, "excess": excess}


def _answer(session: Session, person: SpaceObserver, until: int, out: int) -> None:
    while (left := until - len(session.answers)) > 0:
        for question in [session.ask() for _ in range(min(out, left))]:
            session.tell(question, question.answered_by(person))


def needed(errors: pd.Series, target: float) -> float:
    """Return the number of answers at which a curve first reaches a target; inf if never."""
    below = np.flatnonzero(errors.to_numpy() <= target)
    if not below.size or below[0] == 0:
        return float(errors.index[0]) if below.size else np.inf
    before, after = (errors.iloc[below[0] - k] for k in (1, 0))
    start, end = (errors.index[below[0] - k] for k in (1, 0))
    return float(start + (before - target) / (before - after) * (end - start))


def summary(sessions: pd.DataFrame, against: str = "default") -> pd.DataFrame:
    """Summarise sessions (way, seed, and a column for each mark) in a row for each way."""
    by_way = {way: t.set_index("seed") for way, t in sessions.groupby("way", sort=False)}
    rows, reached = {}, {}
    for way, table in by_way.items():
        marks = [m for m in MARKS if m in table and table[m].notna().all()]
        row = {"worlds": len(table), "s": table["seconds"].median()}
        row |= {str(m): f"{100 * table[m].mean():.2f}" for m in marks}
        if way != "random" and "random" in by_way:
            reached[way] = _needed(table[marks], by_way["random"])
            row["needed"] = _told(reached[way])
            row |= _by_kind(table, by_way["random"])
        if way not in ("random", against) and against in by_way:
            if against in reached and set(table.index) == set(by_way[against].index):
                with np.errstate(invalid="ignore"):  # neither may reach it
                    row["of them"] = _told(reached[way] / reached[against], 2)
            apart = _apart(table, by_way[against])
            row |= {name: _mean(apart[marks].mean(axis=1)) for name, marks in STRETCHES.items()}
        rows[way] = row
    return pd.DataFrame.from_dict(rows, orient="index")


def draw(table: pd.DataFrame, path: Path) -> None:
    figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    for way, row in table.iterrows():
        curve = row[[str(m) for m in MARKS if str(m) in row]].dropna().astype(float)
        ax.plot(curve.index.astype(int), curve, marker=".", label=str(way))
    ax.set(xlabel="answers an item", ylabel="error above the least possible, %")
    ax.legend(frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _needed(table: pd.DataFrame, random: pd.DataFrame) -> np.ndarray:
    """Return the answers per item for the last excess of random questions, and resamples."""
    both = table.join(random[MARKS[-1]].rename("target"), how="inner").sort_index()
    rng = np.random.default_rng(0)
    draws = [both, *(both.iloc[rng.integers(len(both), size=len(both))] for _ in range(500))]
    return np.array([needed(d.drop(columns="target").mean(), d["target"].mean()) for d in draws])


def _told(found: np.ndarray, digits: int = 1) -> str:
    """Format a number and its interval over the resamples that have a value."""
    draws = found[1:][~np.isnan(found[1:])]
    if not draws.size:
        return ""
    low, high = np.quantile(draws, [0.025, 0.975], method="nearest")
    return f"{found[0]:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def _apart(table: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    seeds = table.index.intersection(other.index)
    return 100 * (table.reindex(seeds, columns=EARLIER) - other.reindex(seeds, columns=EARLIER))


def _by_kind(table: pd.DataFrame, random: pd.DataFrame) -> dict[str, str]:
    apart = _apart(table, random)[MIDDLE].mean(axis=1)
    return {f"{kind} - random": _mean(d) for kind, d in apart.groupby(table["kind"])}


def _mean(differences: pd.Series) -> str:
    return f"{differences.mean():+.2f} ± {differences.sem():.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ways", default="random;default;start 5", help="; ".join(WAYS))
    parser.add_argument("--first", type=int, default=0, help="seed of the first world")
    parser.add_argument("--worlds", type=int, default=24)
    parser.add_argument("--against", default="default", help="the way that others are held against")
    parser.add_argument("--out", type=int, default=1, help="questions that are out at a time")
    parser.add_argument("--keep", type=Path, help="a file of sessions, a line each")
    parser.add_argument("--picture", type=Path, help="where the curves are drawn")
    told = parser.parse_args()
    sys.path.insert(0, str(CALIBRATION))
    lines = told.keep.read_text().splitlines() if told.keep and told.keep.exists() else []
    kept = [json.loads(line) for line in lines]
    done = {(session["way"], session["seed"]) for session in kept}
    for seed in range(told.first, told.first + told.worlds):
        for way in told.ways.split(";"):
            if (way, seed) not in done:
                kept.append(study(seed, way, out=told.out))
                if told.keep:
                    with told.keep.open("a") as file:
                        file.write(json.dumps(kept[-1]) + "\n")
    table = pd.DataFrame([s | {int(m): e for m, e in s["excess"].items()} for s in kept])
    means = summary(table, told.against)
    print(means.to_string(float_format="{:.2f}".format, na_rep=""))
    if told.picture:
        draw(means, told.picture)


if __name__ == "__main__":
    main()
