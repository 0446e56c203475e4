"""Count how often reports are right about the designs of real studies.

People judge 30 items by the softmax of squared distances or by Student-t similarities; two of them
agree on 68 to 85 % of random questions. In the designs, everybody answers the same list of
questions, or a few people give most of the answers, see two different spaces, see a tree (with real
ties), or sometimes guess. `rs.analyse` analyses the answers. Random questions then test its
statements: the error for these people and for people like them, the least possible error, "use the
map", "collect more answers", and the calibration of probabilities.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import markdown, row
from worlds import CHOICES, scale

import resemblance as rs
from resemblance.choice import StudentT
from resemblance.scores import calibration_slope

N_ITEMS, N_QUESTIONS, STRANGERS = 30, 4000, 40
SHARED, TIMES = 0.2, 3  # share of answers to questions that several people get, and how many get it
NEAR = 0.05  # largest excess over the least possible error for "use the map"
CHOICES = CHOICES | {"student 3": StudentT(3.0)}


def plane(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(N_ITEMS, 2))


def torus(rng: np.random.Generator) -> np.ndarray:
    angles = rng.uniform(0, 2 * np.pi, size=(2, N_ITEMS))
    return np.column_stack([f(angle) for angle in angles for f in (np.cos, np.sin)])


def tree(rng: np.random.Generator) -> np.ndarray:
    """Place leaves so that the squared distance of two counts the branches that part them."""
    branches = [np.arange(N_ITEMS) // size for size in (16, 8, 4, 2)]
    lengths = rng.uniform(0.5, 1.5, size=len(branches))
    parts = zip(branches, lengths, strict=True)
    return np.hstack([length * np.eye(of.max() + 1)[of] for of, length in parts])


@dataclass(frozen=True)
class Design:
    """How many people answer which questions about which items.

    Attributes
    ----------
    shape : callable
        Draws the points of items.
    choice : str
        How distances become answers.
    n_people, n_answers : int
    n_listed : int
        How many questions the list has that all people answer; 0: each gets random ones.
    differ : float
        The deviation of people's log weights of the dimensions.
    most : float
        The share of the answers that three people give; 0: all give as many.
    spaces : int
        How many spaces there are, each for as many people.
    lapse : float
        How often people guess.
    """

    shape: Callable[[np.random.Generator], np.ndarray] = plane
    choice: str = "softmax"
    n_people: int = 12
    n_answers: int = 1440
    n_listed: int = 0
    differ: float = 0.0
    most: float = 0.0
    spaces: int = 1
    lapse: float = 0.0


DESIGNS = {
    "random questions": Design(),
    "a list of 60": Design(n_listed=60),
    "a list of 240": Design(n_listed=240),
    "a list of 60, people differ": Design(n_listed=60, differ=0.7),
    "few give most": Design(n_people=20, differ=0.7, most=0.75),
    "a tree": Design(shape=tree),
    "two groups": Design(spaces=2),
    "Student-t, alpha 3": Design(choice="student 3"),
    "a torus": Design(shape=torus),
    "lapses": Design(lapse=0.15),
}
QUICK = "random questions", "a list of 60", "few give most", "a tree"


@dataclass(frozen=True)
class World:
    """People who answer, others like them, and what both answer to random questions."""

    design: Design
    people: list[rs.SpaceObserver]
    others: list[rs.SpaceObserver]
    shares: np.ndarray
    questions: np.ndarray

    @classmethod
    def of(cls, design: Design, seed: int) -> "World":
        rng = np.random.default_rng([seed, 79])
        points = [design.shape(rng) for _ in range(design.spaces)]
        choice = CHOICES[design.choice]
        kind = "softmax" if design.choice == "softmax" else "student"
        size = scale(points[0], kind, design.lapse, rng.uniform(0.68, 0.85))

        def crowd(n: int) -> list[rs.SpaceObserver]:
            weights = np.exp(design.differ * rng.normal(size=(n, points[0].shape[1])))
            return [
                rs.SpaceObserver(
                    size * points[k % design.spaces] * np.sqrt(own),
                    choice,
                    lapse=design.lapse,
                    random_state=int(rng.integers(2**31)),
                )
                for k, own in enumerate(weights)
            ]

        shares = np.full(design.n_people, 1 / design.n_people)
        if design.most:
            shares[:3], shares[3:] = design.most / 3, (1 - design.most) / (design.n_people - 3)
        people, others = crowd(design.n_people), crowd(STRANGERS)
        return cls(design, people, others, shares, random_questions(N_QUESTIONS, rng))

    def probabilities(self, people: list[rs.SpaceObserver], shares: np.ndarray) -> np.ndarray:
        """Return how probable the first option is, of people who answer so often."""
        return shares @ [one.probability(self.questions) for one in people]

    def answers(self, rng: np.random.Generator) -> rs.Triplets:
        """Let all people answer."""
        design, n_people = self.design, len(self.people)
        if design.n_listed:
            asked = np.tile(random_questions(design.n_listed, rng), (n_people, 1))
            who = np.repeat(np.arange(n_people), design.n_listed)
        else:
            m = design.n_answers
            shared = random_questions(int(SHARED * m / TIMES), rng)
            asked = np.concatenate([np.repeat(shared, TIMES, axis=0), random_questions(m, rng)])[:m]
            who = rng.permutation(np.repeat(np.arange(n_people), self._counts(m)))
        told = np.empty_like(asked)
        for k, one in enumerate(self.people):
            if (who == k).any():
                told[who == k] = one.answer(asked[who == k]).index
        return rs.Triplets(told, N_ITEMS, observer=[f"p{k:02d}" for k in who])

    def _counts(self, m: int) -> np.ndarray:
        """Return how many of m answers each gives."""
        counts = np.floor(self.shares * m).astype(int)
        counts[: m - counts.sum()] += 1
        return counts


def random_questions(m: int, rng: np.random.Generator) -> np.ndarray:
    return rng.random((m, N_ITEMS)).argsort(axis=1)[:, :3].astype(np.int32)


def error(says: np.ndarray, p: np.ndarray) -> float:
    """Return how often a model is wrong that gives the first option so much; a tie one half."""
    wrong = np.where(says > 0.5, 1 - p, p)
    return float(np.where(says == 0.5, 0.5, wrong).mean())


def look(name: str, seed: int) -> dict[str, float | str]:
    """Hold what is said of one study against the truth."""
    world = World.of(DESIGNS[name], seed)
    analysis = rs.analyse(world.answers(np.random.default_rng([seed, 80])), random_state=seed)
    said, held = analysis.as_dict(), analysis.held_out
    p = world.probabilities(world.people, world.shares)
    unasked = world.probabilities(world.others, np.full(STRANGERS, 1 / STRANGERS))
    says = np.clip(analysis.model.predict_proba(world.questions)[:, 0], 1e-9, 1 - 1e-9)
    both = np.concatenate([np.column_stack([says, 1 - says]), np.column_stack([1 - says, says])])
    slope = calibration_slope(both, np.append(p, 1 - p))[0]
    truth, least = error(says, p), float(np.minimum(p, 1 - p).mean())
    return {
        "model": said["model"]["name"],
        "of": held.of,
        "told": held.error,
        "truth": truth,
        "interval": _holds(held.interval, truth),
        "for people like them": _holds(held.people_interval, error(says, unasked)),
        "least possible": _holds(said["noise_ceiling"].get("interval"), least),
        "place": place_of(analysis.model.predict_proba(world.questions))
        - place_of(np.column_stack([p, 1 - p])),
        "use it": _false(said["next"]["code"] == "use_it", truth - least > NEAR),
        "more answers": _false(said["next"]["code"] == "more_answers", truth <= least),
        "code": said["next"]["code"],
        "slope": np.nan if slope is None else slope,
        "slope told": np.nan if held.slope is None else held.slope,
        "honest": _false(held.calibration == "honest", not 0.8 <= (slope or 0.0) <= 1.25),
        "not honest": _false(
            held.calibration in ("too sure", "not sure enough"),
            ((slope or 0.0) < 1) != (held.calibration == "too sure"),
        ),
    }


def place_of(p: np.ndarray) -> float:
    """Return where the least error lies between the bounds that agreement gives it, from 0 to 1."""
    agreement = (p**2).sum(axis=1).mean()
    least, most = (1 - np.sqrt(2 * agreement - 1)) / 2, 1 - agreement
    return float((1 - p.max(axis=1).mean() - least) / (most - least))


def _holds(interval: tuple[float, float] | None, truth: float) -> float:
    """Say whether an interval that is told holds the truth."""
    return np.nan if interval is None else float(interval[0] <= truth <= interval[1])


def _false(said: bool, is_false: bool) -> float:
    """Say whether a sentence is false that was said."""
    return float(is_false) if said else np.nan


INTERVALS = "interval", "for people like them", "least possible"
SENTENCES = "use it", "more answers", "honest", "not honest"


def table(names: list[str], n_worlds: int, n_jobs: int) -> pd.DataFrame:
    """Return a row for each interval and sentence of each design."""
    tasks = [delayed(look)(name, seed) for name in names for seed in range(n_worlds)]
    looks = Parallel(n_jobs)(tasks)
    rows = []
    for at, name in enumerate(names):
        of = pd.DataFrame(looks[at * n_worlds : (at + 1) * n_worlds])
        rows.append(row(name, "error told less the true one", "0", of["told"] - of["truth"]))
        rows.append(
            row(name, "place of the ceiling by the model less the true one", "", of["place"])
        )
        for what in INTERVALS:
            if len(held := of[what].dropna()):
                rows.append(row(name, f"{what}: holds", "90 to 98 %", held, share=True))
        for what in SENTENCES:
            if said := int(of[what].notna().sum()):
                false = of[what].fillna(0.0)
                rows.append(row(name, f"{what}: said in {said}, false", "at most 5 %", false, True))
    return pd.DataFrame(rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=20, help="how many of each design")
    parser.add_argument("--quick", action="store_true", help="four designs, eight worlds each")
    parser.add_argument("--only", nargs="+", choices=DESIGNS, help="these designs alone")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    told = parser.parse_args()
    names = told.only or list(QUICK if told.quick else DESIGNS)
    n_worlds = min(told.worlds, 8) if told.quick else told.worlds
    print(markdown(table(names, n_worlds, told.jobs)))


if __name__ == "__main__":
    main()
