"""Fit a machine's answers beside people's: effects' intervals, and answers that are saved.

20 to 40 items in a plane; people agree on 68 to 85 % of random questions, and lapse in 0 to 10 %.
A machine answers 200 questions an item; the distances that it sees correlate with people's at .9
(*good*), .5 (*half*) or about 0 (*random*), or it gives the answer that people do not
(*adversarial*). *Covered* are distances of 12 pairs, a correlation of .6 with a model, and the
differences of two groups of people, of whom one sees the first axis .7 times as long. *Answers* is
people's answers as a share of those that they need without the machine for the same true error.
"""

import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.spatial.distance import pdist, squareform
from table import main, row
from worlds import scale

import resemblance as rs
from resemblance.analysis import estimate_effects

MACHINES = "good", "half", "random", "adversarial"
CORRELATIONS = {"good": 0.9, "half": 0.5}
ANSWERS = 5, 10, 20, 40  # people's answers per item
LEAST = 15  # smallest number of answers per item for effects
CURVE = 5, 10, 20, 30, 60, 120  # for the error without a machine
PEOPLE = 20
OF_MACHINE = 200
N_PAIRS = 12
NARROWER = 0.7  # length of the first axis for the second group, relative to the first
TESTED = 6000
FIRST = 1000  # the first world, after those on which the estimate was tuned


def draw(n: int, m: int, rng: np.random.Generator) -> np.ndarray:
    """Draw m random questions: a head and two others."""
    return np.argsort(rng.random((m, n)), axis=1)[:, :3]


def like(X: np.ndarray, r: float, rng: np.random.Generator) -> np.ndarray:
    """Return positions whose distances correlate with those of X at r."""
    noise, low, high = rng.normal(size=X.shape), 0.0, 1.0
    for _ in range(30):
        share = (low + high) / 2
        mixed = share * X + np.sqrt(1 - share**2) * noise
        low, high = (share, high) if np.corrcoef(pdist(X), pdist(mixed))[0, 1] < r else (low, share)
    return mixed


class World:
    """Items as people see them, people in two groups, and machines."""

    def __init__(self, seed: int):
        self.rng = rng = np.random.default_rng([seed, 91])
        self.n = n = int(rng.integers(20, 41))
        self.names = [f"item {k}" for k in range(n)]
        self.X, self.lapse = rng.normal(size=(n, 2)), rng.uniform(0.0, 0.1)
        self.scale = scale(self.X, "softmax", self.lapse, rng.uniform(0.68, 0.85))
        self.person = self.observer(self.X, seed)
        self.second = self.observer(self.X * [NARROWER, 1.0], seed + 1)
        self.tested = draw(n, TESTED, rng)
        self.p = self.person.probability(self.tested)

    def observer(self, X: np.ndarray, seed: int) -> rs.SpaceObserver:
        """Make an observer who sees items there."""
        return rs.SpaceObserver(self.scale * X, lapse=self.lapse, random_state=seed)

    def people(self, per_item: int, two_groups: bool = False) -> rs.Triplets:
        """Let people answer random questions."""
        questions, m = draw(self.n, per_item * self.n, self.rng), per_item * self.n
        who = np.arange(m) % PEOPLE
        rows = self.person.answer(questions).index
        if two_groups:
            rows = np.where((who % 2 == 1)[:, None], self.second.answer(questions).index, rows)
        return rs.Triplets(rows, self.names, observer=[f"person {k}" for k in who])

    def machine(self, kind: str) -> rs.Triplets:
        """Let a machine answer."""
        questions = draw(self.n, OF_MACHINE * self.n, self.rng)
        if kind == "adversarial":
            return rs.Triplets(self.person.answer(questions).index[:, [0, 2, 1]], self.names)
        X = self.rng.normal(size=self.X.shape)
        if kind in CORRELATIONS:
            X = like(self.X, CORRELATIONS[kind], self.rng)
        seed = int(self.rng.integers(2**31))
        return rs.Triplets(self.observer(X, seed).answer(questions).index, self.names)

    def excess(self, model: rs.STE) -> float:
        """Return the true error of a map above the least possible error."""
        says = model.predict_proba(rs.Triplets(self.tested, self.names))[:, 0]
        wrong = np.where(says > 0.5, 1 - self.p, self.p)
        return float(wrong.mean() - np.minimum(self.p, 1 - self.p).mean())


def covered(table: pd.DataFrame, truth: np.ndarray) -> np.ndarray:
    """Return whether each interval contains the truth."""
    return ((table["low"] <= truth) & (truth <= table["high"])).to_numpy()


def effects_of(X: np.ndarray, pairs: np.ndarray, model: np.ndarray) -> np.ndarray:
    """Return the true squared distances and correlation."""
    squared = squareform(pdist(X, "sqeuclidean"))
    distances = squared[pairs[:, 0], pairs[:, 1]] / squareform(squared).mean()
    return np.append(distances, np.corrcoef(pdist(X), squareform(model))[0, 1])


def look(seed: int, per_item: int, machines: tuple[str, ...] = MACHINES) -> list[dict[str, object]]:
    """Fit with each machine; return what is covered, the errors and the weight."""
    world, curve, rows = World(seed), {}, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for m in CURVE:
            alone = rs.STE(2, penalty="auto", random_state=0).fit(world.people(m))
            curve[m] = world.excess(alone)
        answers, of_effects = world.people(per_item), Asked(world, per_item)
        for machine in ("none", *machines):
            given = None if machine == "none" else world.machine(machine)
            analysis = rs.analyse(answers, "ste", machine=given)
            weight = 0.0 if given is None else analysis.machine.weight
            if not weight and rows:
                rows.append(rows[0] | {"machine": machine})  # the fit without a machine
                continue
            row = {"machine": machine, "weight": weight, "excess": world.excess(analysis.model)}
            row |= {"error": holds(analysis, world)}
            rows.append(row | (of_effects.covered(analysis, given) if per_item >= LEAST else {}))
    curve[per_item] = rows[0]["excess"]
    without = needed(curve, rows[0]["excess"])
    return [row | {"answers": without / needed(curve, row["excess"])} for row in rows]


class Asked:
    """The effects that are asked for, and their true values."""

    def __init__(self, world: World, per_item: int):
        n, rng, names = world.n, world.rng, world.names
        pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(N_PAIRS)])
        rdm = squareform(pdist(like(world.X, 0.6, rng)))
        self.settings = {
            "distances": [(names[a], names[b]) for a, b in pairs],
            "rdms": {"model": rdm},
        }
        first, second = (effects_of(X, pairs, rdm) for X in (world.X, world.X * [NARROWER, 1.0]))
        z = np.arctanh(first[-1]) - np.arctanh(second[-1])
        self.truth = np.append(np.sqrt(first[:-1]), first[-1])
        self.change = np.append(first[:-1] - second[:-1], z)
        self.grouped = world.people(2 * per_item, two_groups=True)
        self.groups = {f"person {k}": "AB"[k % 2] for k in range(PEOPLE)}

    def covered(self, analysis: rs.analysis.Analysis, machine: rs.Triplets | None) -> dict:
        """Return the share of covered effects, and the width of intervals."""
        table = estimate_effects(analysis, **self.settings).table
        both = rs.analyse(self.grouped, "ste", machine=machine)
        three = estimate_effects(both, groups=self.groups, **self.settings).table
        differ = three[three["group"] == "A - B"]
        hits, changes = covered(table, self.truth), covered(differ, self.change)
        return {
            "distances": hits[:-1].mean(),
            "correlation": hits[-1],
            "differences": changes[:-1].mean(),
            "difference of correlations": changes[-1],
            "width": (table["high"] - table["low"])[:-1].mean(),
        }


def needed(curve: dict[int, float], excess: float) -> float:
    """Return the number of answers without a machine that lead to the same excess error."""
    answers = sorted(curve)
    falling = np.minimum.accumulate([np.log(curve[m]) for m in answers])
    return float(np.exp(np.interp(-np.log(excess), -falling, np.log(answers))))


def holds(analysis: rs.analysis.Analysis, world: World) -> bool:
    """Return whether the interval of the held-out error contains the true error."""
    low, high = analysis.held_out.widest
    least = np.minimum(world.p, 1 - world.p).mean()
    return low <= world.excess(analysis.model) + least <= high


def make(n_worlds: int, n_jobs: int) -> pd.DataFrame:
    """Look at so many worlds for each number of answers."""
    tasks = [(seed, m) for m in ANSWERS for seed in range(FIRST, FIRST + n_worlds)]
    looks = iter(Parallel(n_jobs)(delayed(look)(*task) for task in tasks))
    rows = []
    for m in ANSWERS:
        of = pd.DataFrame([entry for _ in range(n_worlds) for entry in next(looks)])
        for machine in ("none", *MACHINES):
            part, about = of[of["machine"] == machine], f"{machine}, {m} answers an item"
            names = ("distances", "correlation", "differences", "difference of correlations")
            for name in names if m >= LEAST else ():
                rows.append(row(about, f"{name} covered", "95 %", part[name], share=True))
            rows.append(row(about, "error covered", "95 %", part["error"], share=True))
            rows.append(row(about, "used", "", part["weight"] > 0, share=True))
            rows.append(row(about, "excess error", "", part["excess"]))
            rows.append(row(about, "log answers", "", np.log(part["answers"])))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(make, __doc__)
