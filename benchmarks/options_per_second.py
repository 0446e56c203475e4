"""Which questions tell most a second: of how many options, and is one picked, or are all ranked?

People in simulated spaces are asked which of N options is the most similar to a head ("4"), or to
rank them ("4r"); an answer takes a + b N seconds, and c more for each further pick. Questions are
chosen by what they tell of other answers. "mixed" takes, after each fit, the kind whose questions
tell most a second; "first 4r" chooses rankings by what their first pick tells, "random 4r" draws
them, and "infotuple 4r" takes, for each head, the ranking of 40 that the InfoTuple rule prefers
(--code: the body_metrics.py of Canal et al. 2020; distances vary by their spread, three draws).

Told is the share of triplets that the map orders otherwise than the truth, after so many seconds
of people's time: early, 8 to 16 triplets an item long, and late, 20 to 29; and how much it is above
that of triplets in the same worlds, with its standard error.

    python benchmarks/options_per_second.py --worlds 0 8 --paces 2,1.5,2 2,.7,3 --out kinds.jsonl
"""

import argparse
import builtins
import importlib.util
import json
import warnings
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist

import resemblance as rs
from resemblance.asking.belief import Belief
from resemblance.asking.predictive import GreedyChoice, candidate_rows
from resemblance.asking.question import MostSimilar
from resemblance.fitting import PositionUncertainty

N_ITEMS, N_TARGETS, N_CANDIDATES = 30, 256, 384
KINDS = {f"{n}": MostSimilar(n) for n in (2, 3, 4, 6, 8)}
KINDS |= {f"{n}r": MostSimilar(n, picks=n - 1) for n in (3, 4, 6)}
WIDEST = MostSimilar(8)
WAYS = "mixed", "2", "4", "8", "3r", "4r", "6r", "first 4r", "first 6r", "random 4r", "random 6r"
START, BATCH, LAST = 5.0, 1.5, 30.0  # an item, in the seconds that a triplet takes
MARKS = {"early": (8, 16), "late": (20, 29)}
Pace = tuple[float, float, float]


def plane(rng: np.random.Generator) -> np.ndarray:
    """Draw items of a plane."""
    return rng.normal(size=(N_ITEMS, 2))


def clusters(rng: np.random.Generator) -> np.ndarray:
    """Draw items of five kinds."""
    middles = 2 * rng.normal(size=(5, 2))
    return middles[rng.integers(5, size=N_ITEMS)] + 0.4 * rng.normal(size=(N_ITEMS, 2))


def seconds(kind: MostSimilar, pace: Pace) -> float:
    """Say how long an answer takes."""
    return pace[0] + pace[1] * kind.n_options + pace[2] * (kind.picks - 1)


def answered(person: rs.SpaceObserver, rows: np.ndarray, kind: MostSimilar) -> np.ndarray:
    """Let a person pick one option after the other; return choices of one, in the widest rows."""
    choices = []
    for _ in range(kind.picks):
        told = person.answer(MostSimilar(rows.shape[1] - 1).judgments(rows, N_ITEMS)).index
        gap = WIDEST.width - told.shape[1]
        choices.append(np.pad(told, ((0, 0), (0, gap)), constant_values=-1))
        rows = np.delete(told, 1, axis=1)
    return np.vstack(choices)


def proposed(
    model: rs.TSTE, answers: np.ndarray, kind: MostSimilar, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Return the n best questions of a kind, and what they tell together."""
    belief, triplet = Belief(model.embedding_, model.choice_, asks=kind), MostSimilar(2)
    rows = kind.random(rng, N_CANDIDATES, N_ITEMS)
    targets = triplet.random(np.random.default_rng(5), N_TARGETS, N_ITEMS)
    known = PositionUncertainty(belief.points, belief.choice, WIDEST.told(answers))
    J, per = candidate_rows(belief, known, rows)
    J_t = known.information_rows(triplet.asked(targets))
    greedy = GreedyChoice(known.covariance, J, J_t, per)
    taken, gain = [], 0.0
    for _ in range(n):
        gain += float(greedy.gain().max())
        taken.append(greedy.take())
    return rows[taken], gain


def by_infotuple(code: Any, X: np.ndarray, kind: MostSimilar, n: int, rng: Any) -> np.ndarray:
    """Return n rankings, one head after the other, that the rule of InfoTuple prefers."""
    spread, rows = float(np.std(pdist(X))), []
    for turn in range(n):
        heads = np.full(40, turn % N_ITEMS, np.int32)
        offers = kind.random(rng, len(heads), N_ITEMS, heads)
        told = [
            code.mutual_information(X, row[0], row[1:].tolist(), 3, spread, 0.05) for row in offers
        ]
        rows.append(offers[np.argmax(told)])
    return np.array(rows)


def course(
    make: Callable[..., np.ndarray], seed: int, pace: Pace, way: str, code: Any
) -> Iterator[tuple[float, float, str]]:
    """Ask, fit, ask again; yield the seconds used, in triplets an item, the error, and the kind."""
    rng = np.random.default_rng([seed, 1])
    X = make(rng)
    person = rs.SpaceObserver(X, temperature=0.5, lapse=0.03, random_state=seed)
    tests = MostSimilar(2).random(np.random.default_rng(77), 6000, N_ITEMS)
    unit = N_ITEMS * seconds(KINDS["2"], pace)
    rule, name = way.split() if " " in way else ("", way)
    kinds = KINDS if name == "mixed" else {name: KINDS[name]}
    answers, used, batches = np.empty((0, WIDEST.width), np.int32), 0.0, []
    for name, kind in kinds.items():  # an equal share of the start each
        n = int(np.ceil(START * unit / seconds(kind, pace) / len(kinds)))
        batches.append((name, kind.random(rng, n, N_ITEMS)))
    while True:
        for name, rows in batches:
            answers = np.vstack([answers, answered(person, rows, KINDS[name])])
            used += len(rows) * seconds(KINDS[name], pace)
        judgments = rs.Choices(answers[:, 0], answers[:, 1:], answers[:, 1], N_ITEMS)
        model = rs.TSTE(2, penalty="auto", random_state=0, n_init=3).fit(judgments)
        wrong = side(model.embedding_, tests) != side(X, tests)
        yield used / unit, float(wrong.mean()), name
        if used >= LAST * unit:
            return
        offers = {}
        for name, kind in kinds.items():
            n, gain = max(2, int(BATCH * unit / seconds(kind, pace))), 1.0
            if rule == "random":
                rows = kind.random(rng, n, N_ITEMS)
            elif rule == "infotuple":
                rows = by_infotuple(code, model.embedding_, kind, n, rng)
            else:
                weighed = MostSimilar(kind.n_options) if rule == "first" else kind
                rows, gain = proposed(model, answers, weighed, n, rng)
            offers[gain / (n * seconds(kind, pace))] = name, rows
        batches = [offers[max(offers)]]


def side(X: np.ndarray, triplets: np.ndarray) -> np.ndarray:
    """Say which of two is nearer to the head."""
    head, one, other = (X[column] for column in triplets.T)
    return np.sign(((head - one) ** 2).sum(axis=1) - ((head - other) ** 2).sum(axis=1))


def read_code(path: Path) -> Any:
    """Import the rule of InfoTuple, which was written for Python 2."""
    spec = importlib.util.spec_from_file_location("infotuple", path)
    module = importlib.util.module_from_spec(spec)
    vars(builtins).setdefault("reduce", reduce)
    spec.loader.exec_module(module)
    return module


def summary(courses: pd.DataFrame) -> pd.DataFrame:
    """Return the mean error of each way, and that above triplets, ± one standard error."""
    errors = courses.set_index(["pace", "way", "space", "seed"])[[*MARKS]]
    above = errors - errors.xs("2", level="way").reindex(errors.droplevel("way").index).to_numpy()
    of = [errors.columns, ["mean", "above", "se"]]
    ways = {"mean": errors, "above": above}
    told = pd.concat({name: f.groupby(level=[0, 1]).mean() for name, f in ways.items()}, axis=1)
    told = told.join(pd.concat({"se": above.groupby(level=[0, 1]).sem()}, axis=1))
    return told.swaplevel(axis=1)[pd.MultiIndex.from_product(of)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, nargs="+", default=[0, 4], help="first and last")
    parser.add_argument("--paces", nargs="+", default=["2,1.5,2"], help="a,b,c of each")
    parser.add_argument("--ways", nargs="+", default=WAYS)
    parser.add_argument("--code", type=Path, help="body_metrics.py of InfoTuple")
    parser.add_argument("--out", type=Path, default=Path("kinds.jsonl"), help="one line a course")
    parser.add_argument("--sum", type=Path, nargs="+", help="only sum up such files")
    args = parser.parse_args()
    warnings.simplefilter("ignore", rs.errors.ResemblanceWarning)
    code = None if args.code is None else read_code(args.code)
    if args.sum is None:
        worlds = product(range(*args.worlds), (plane, clusters), args.paces, args.ways)
        for seed, make, pace, way in worlds:
            a, b, c = map(float, pace.split(","))
            done = pd.DataFrame(
                course(make, seed, (a, b, c), way, code), columns=["used", "error", "kind"]
            )
            line = {"pace": pace, "space": make.__name__, "seed": seed, "way": way}
            for mark, ends in MARKS.items():
                line[mark] = float(done.error[done.used.between(*ends)].mean())
            line["kinds"] = done.kind[1:].value_counts().to_dict()
            with args.out.open("a") as out:
                out.write(json.dumps(line) + "\n")
    files = args.sum or [args.out]
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    print(summary(pd.DataFrame(lines)).round(4).to_string())
