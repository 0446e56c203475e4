"""Errors of maps of very many items, after questions that were chosen and after random ones.

Both ways go on from one start, and answer as the same simulated person.
"""

import argparse
import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from asking_at_scale import STRATEGIES
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from resemblance import TSTE, SpaceObserver, Triplets
from resemblance.asking import Belief, RandomQuestions, Strategy
from resemblance.asking.choosing import start_rows
from resemblance.asking.learning import FitJob
from resemblance.asking.question import MostSimilar, random_rows
from resemblance.asking.session import SHARE
from resemblance.asking.state import FOLLOWED
from resemblance.asking.worlds import PriorSimulation
from resemblance.choice import StudentT

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Row = dict[str, Any]
ASKS = MostSimilar(2)
CLUSTERS, TESTED = 20, 100_000


def world(name: str, n_items: int, seed: int) -> SpaceObserver:
    """Draw a person: who agrees with others on .75 or .85 of triplets, Student-t's, or clusters."""
    rng = np.random.default_rng([seed, 1])
    if name == "student":
        return SpaceObserver(3.0 * rng.normal(size=(n_items, 2)), StudentT(1.0), random_state=seed)
    if name == "clusters":
        centres = 2.0 * rng.normal(size=(CLUSTERS, 2))
        X = centres[rng.integers(CLUSTERS, size=n_items)] + 0.3 * rng.normal(size=(n_items, 2))
        return SpaceObserver(X, lapse=0.05, random_state=seed)
    return PriorSimulation(n_items, 2, agreement=float(name)).draw(seed)


@threadpool_limits.wrap(limits=1)
def errors(
    name: str, n_items: int, seed: int, ways: list[str], start: int, stops: list[int]
) -> Iterator[Row]:
    """Give the error of each way's map after so many answers an item."""
    person = world(name, n_items, seed)
    rng = np.random.default_rng([seed, 2])
    begun = _answered(np.array([*start_rows(rng, n_items, ASKS, start, None)]), person, rng)
    for way in ways:
        strategy = RandomQuestions() if way == "random" else STRATEGIES[way]()
        course = Course(strategy, person, begun, seed)
        row: Row = {"world": name, "items": n_items, "seed": seed, "way": way}
        row |= {"error": {start: course.error()}, "followed": {}}
        for stop in stops:
            course.go_on(stop * n_items)
            row["followed"][stop] = _error(course.sure.points, person.points)
            course.fit()
            row["error"][stop] = course.error()
        yield row


class Course:
    """Questions, answers and fits as a session has them, without its log and held-out questions."""

    def __init__(self, strategy: Strategy, person: SpaceObserver, begun: Ints, seed: int) -> None:
        self.strategy, self.person, self.answers, self.seed = strategy, person, begun, seed
        self.rng = np.random.default_rng([seed, 3])
        self.penalty: float | str = "auto"
        self.n_fits, self.positions = 0, None
        self.fit()

    def fit(self) -> None:
        """Fit all answers."""
        n = len(self.person.points)
        model = TSTE(2, alpha=1.0, penalty=self.penalty, random_state=self.seed)
        told = Triplets(self.answers, n)
        job = FitJob(model, told, told[:0], self.positions, self.n_fits, len(self.answers))
        result = job.run()
        assert result.sure is not None
        assert result.penalty is not None
        self.model, self.sure, self.penalty = result.model, result.sure, result.penalty
        self.positions, self.n_fits = result.model.embedding_, self.n_fits + 1
        self.next = int((1.0 + SHARE) * len(self.answers))
        X, choice = self.sure.points, self.model.choice_
        belief = Belief(X, choice, self.answers, penalty=self.penalty, sure=self.sure)
        self.questions = self.strategy.questions(belief, self.rng)

    def go_on(self, until: int) -> None:
        """Ask and answer, positions following, with fits when it is time."""
        while (lacking := until - len(self.answers)) > 0:
            if len(self.answers) >= self.next:
                self.fit()
            rows = np.array([*islice(self.questions, min(FOLLOWED, lacking))])
            new = _answered(rows, self.person, self.rng)
            self.sure.follow(ASKS.asked(new))
            self.answers = np.concatenate([self.answers, new])

    def error(self) -> float:
        """Return the error of the last fit."""
        return _error(self.model.embedding_, self.person.points)


def _answered(rows: Ints, person: SpaceObserver, rng: np.random.Generator) -> Ints:
    """Put the chosen option of each question first."""
    first = rng.random(len(rows)) < person.probability(rows)
    return np.where(first[:, None], rows, rows[:, [0, 2, 1]])


def _error(X: Floats, truth: Floats) -> float:
    """Return the share of random triplets that two maps order differently."""
    head, one, other = random_rows(np.random.default_rng(0), TESTED, len(X), 2).T

    def nearer(Z: Floats) -> NDArray[np.bool_]:
        return ((Z[head] - Z[one]) ** 2).sum(1) < ((Z[head] - Z[other]) ** 2).sum(1)

    return float((nearer(X) != nearer(truth)).mean())


def main() -> None:
    """Print a line for each world, seed and way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--start", type=int, default=10)
    parser.add_argument("--stops", default="12,15,20", help="answers an item")
    parser.add_argument("--worlds", default="0.75,0.85,student,clusters")
    parser.add_argument("--ways", default="random,PredictiveGain")
    parser.add_argument("--seeds", default="0,1,2")
    given = parser.parse_args()
    stops = [int(stop) for stop in given.stops.split(",")]
    for seed in map(int, given.seeds.split(",")):
        for name in given.worlds.split(","):
            told = name, given.items, seed, given.ways.split(","), given.start, stops
            for row in errors(*told):
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
