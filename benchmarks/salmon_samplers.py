"""Answers that Salmon's samplers need beside ours, about 30 alien eggs.

    python benchmarks/salmon_samplers.py --data FOLDER --salmon PYTHON

PYTHON is the interpreter of an environment with Salmon (pip install salmon-triplets). A simulated
person sees the eggs where they lie, on one axis, and answers as the people did: how far apart eggs
are for them, and how often they guess, is fitted to the 20,086 answers. Salmon fits anew after each
30 answers. At some numbers of answers an egg our model is fitted to the answers of each way; its
excess is its error on all questions less that of the truth. All ways meet the same people.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from answers_needed import needed
from scipy.optimize import minimize
from scipy.special import expit
from workers import PEERS

import resemblance as rs
from resemblance.asking import RandomQuestions, Session
from resemblance.catalog import default_model
from resemblance.errors import quiet

MARKS = (5, 8, 11, 14, 18, 22, 26, 30, 40)  # answers an egg
SAMPLERS = "ARR", "TSTE"
Ints = np.ndarray


class Person:
    """Who sees the eggs on their axis: p(near) = lapse / 2 + (1 - lapse) expit(far^2 - near^2)."""

    def __init__(self, eggs: Any) -> None:
        axis = np.asarray(eggs.truth, dtype=float)
        self.axis = (axis - axis.mean()) / axis.std()
        rows = np.asarray(eggs.judgments.index)
        found = minimize(lambda at: -np.log(self.near(rows, *at)).mean(), [0.0, -2.0])
        self.at = tuple(found.x)

    def near(self, rows: Ints, log_scale: float, lapse: float) -> np.ndarray:
        """Return how probable the answers are."""
        head, near, far = np.exp(log_scale) * self.axis[rows.T]
        gone = expit(lapse)
        return gone / 2 + (1 - gone) * expit((head - far) ** 2 - (head - near) ** 2)

    def answer(self, rows: Ints, rng: np.random.Generator) -> Ints:
        """Return rows with the nearer one second."""
        keep = rng.random(len(rows)) < self.near(rows, *self.at)
        return np.where(keep[:, None], rows, rows[:, [0, 2, 1]])

    def excess(self, rows: Ints) -> float:
        """Return the error of our model on all questions, less that of the truth."""
        n = len(self.axis)
        every = np.array([(h, a, b) for h in range(n) for a in range(n) for b in range(a)])
        every = every[(every[:, 0] != every[:, 1]) & (every[:, 0] != every[:, 2])]
        with quiet():
            model = default_model(2).set_params(random_state=0)
            points = model.fit(rs.Triplets(rows, items=n)).embedding_
        head, one, other = (points[column] for column in every.T)
        nearer = ((head - one) ** 2).sum(axis=1) < ((head - other) ** 2).sum(axis=1)
        p = self.near(every, *self.at)
        return float(np.mean(np.where(nearer, 1 - p, p) - np.minimum(p, 1 - p)))


def of_session(person: Person, seed: int, strategies: Any = None) -> Iterator[Ints]:
    """Give the answers of our session, 30 at a time."""
    rng, n = np.random.default_rng(seed), len(person.axis)
    settings = {} if strategies is None else {"strategies": strategies}
    session = Session(n, model=default_model(2), random_state=seed, keep_log=False, **settings)
    while True:
        rows = []
        for _ in range(n):
            question = session.ask()
            shown = np.array([[question.head, *question.options]])
            rows.append(person.answer(shown, rng)[0])
            session.tell(question, int(rows[-1][1]))
        yield np.array(rows)


def of_salmon(person: Person, seed: int, peer: Any, sampler: str) -> Iterator[Ints]:
    """Give the answers that a sampler of Salmon asks for, 30 at a time."""
    rng = np.random.default_rng(seed)
    told: dict[str, Any] = {"sampler": sampler, "n_items": len(person.axis), "seed": seed}
    while True:
        peer.stdin.write(json.dumps(told) + "\n")
        peer.stdin.flush()
        rows = person.answer(np.array(json.loads(peer.stdout.readline())), rng)
        yield rows
        told = {"answers": rows.tolist()}


def course(person: Person, rounds: Iterator[Ints]) -> dict[int, float]:
    """Return the excess at each mark."""
    rows, found = [next(rounds)], {}
    for mark in MARKS:
        rows += [next(rounds) for _ in range(mark - len(rows))]
        found[mark] = person.excess(np.concatenate(rows))
    return found


def ways(person: Person, peer: Any) -> dict[str, Callable[[int], Iterator[Ints]]]:
    """Name the ways of asking."""
    return {
        "random": lambda seed: of_session(person, seed, RandomQuestions()),
        "resemblance": lambda seed: of_session(person, seed),
    } | {f"Salmon's {s}": lambda seed, s=s: of_salmon(person, seed, peer, s) for s in SAMPLERS}


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Sum up in per cent of questions.

    With the answers an egg that reach random's last excess, and the mean difference from random
    between 14 and 30 answers an egg, with its standard error over people.
    """
    means = 100 * table.groupby("way", sort=False)[list(MARKS)].mean()
    target = means.loc["random", MARKS[-1]]
    at = {way: needed(means.loc[way], target) for way in means.index}
    late = 100 * table.set_index(["way", "person"])[[m for m in MARKS if 14 <= m <= 30]].mean(
        axis=1
    )
    apart = {way: late[way] - late["random"] for way in means.index}
    said = {way: f"{one.mean():+.2f} ± {one.sem():.2f}" for way, one in apart.items()}
    sessions = table.groupby("way", sort=False)["seconds"].median()
    return means.round(2).assign(
        needed=pd.Series(at).round(1), apart=pd.Series(said), seconds=sessions.round()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with alien_eggs")
    parser.add_argument("--salmon", default=sys.executable, help="an interpreter that has Salmon")
    parser.add_argument("--people", type=int, default=10)
    told = parser.parse_args()
    person = Person(rs.datasets.fetch_alien_eggs(told.data / "alien_eggs"))
    print(f"scale {np.exp(person.at[0]):.2f}, guesses {expit(person.at[1]):.0%}", flush=True)
    command = [told.salmon, "-W", "ignore", str(PEERS / "salmon_sampler_worker.py")]
    pipe: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    found = []
    with subprocess.Popen(command, **pipe) as peer:
        for seed in range(told.people):
            for way, begin in ways(person, peer).items():
                began = time.perf_counter()
                row = course(person, begin(seed))
                found.append(
                    {"way": way, "person": seed, "seconds": time.perf_counter() - began, **row}
                )
            print(summary(pd.DataFrame(found)).to_string(), flush=True)
        assert peer.stdin is not None
        peer.stdin.close()


if __name__ == "__main__":
    main()
