"""Answers an item until a map is like that of all: python benchmarks/alike_items.py --data DATA.

Three sets whose items differ little: faces and alien eggs, about which people answered (each answer
is used once, and only questions with an answer left are asked), and rings of two parameters, drawn
anew for each replay with one simulated person, who sees them as points of a plane; their features
are those parameters, mixed. The correlation r is that of the distances between items, on the map of
the answers so far and on that of all answers (of 200 an item, for the rings), both fitted by the
model of studies in a plane. Means over replays; "reach" is where the mean is .9 first. Below, the
share of all answers that the map so far says otherwise, in per cent, less that of the map of all.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from answers_needed import needed
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

import resemblance as rs
from resemblance.asking import PredictiveGain, RandomQuestions, Session
from resemblance.catalog import default_model
from resemblance.errors import quiet
from resemblance.fitting import OrdinalEmbedding

Rows = NDArray[np.int32]
MARKS = (2, 3, 5, 8, 12, 16, 20, 30, 40)
FILES = {"faces": "cfd36/triplets_derived.csv.gz", "eggs": "alien_eggs/triplets_n30_derived.csv"}
WAYS = ("random", "adaptive", "features")
N_RINGS, LAPSE, ENOUGH, ALIKE = 30, 0.1, 200, 0.9


@dataclass(frozen=True)
class Set:
    """Items, what may be asked of them, and what all answers say."""

    whole: OrdinalEmbedding  # the map of all answers
    judged: rs.Triplets  # all of them
    offer: Rows | None = None  # a row for each answer, the one chosen second; None: any question
    person: rs.SpaceObserver | None = None
    features: NDArray[np.float64] | None = None

    def answerer(self, seed: int) -> Callable[[tuple[int, ...]], int]:
        """Return what gives the item chosen of a question: somebody, or an answer that is left."""
        if self.person is not None:
            someone = self.person
            return lambda row: row[1 + int(someone.pick([row])[0])]
        left = defaultdict(list)
        for head, near, far in np.random.default_rng(seed).permutation(self.offer).tolist():
            left[head, *sorted((near, far))].append(near)
        return lambda row: left[row[0], *sorted(row[1:])].pop()


def of_people(data: Path, name: str) -> Set:
    """Read what people answered."""
    table = pd.read_csv(data / FILES[name])
    rows = table[["head", "winner", "loser"]].to_numpy(np.int32)
    rows = rows[(rows[:, :1] != rows[:, 1:]).all(axis=1)]  # the others are catch trials
    told = rs.Triplets(rows)
    return Set(fitted(told), told, rows)


def rings(seed: int) -> Set:
    """Draw rings, of two parameters, and somebody who sees them with some noise."""
    rng = np.random.default_rng([seed, 9])
    parameters = rng.uniform(-1, 1, size=(N_RINGS, 2))
    seen = 1.5 * parameters + 0.1 * rng.normal(size=parameters.shape)
    person = rs.SpaceObserver(seen, lapse=LAPSE, random_state=seed)
    questions = np.array(
        [rng.choice(N_RINGS, 3, replace=False) for _ in range(ENOUGH * N_RINGS)], np.int32
    )
    told = person.answer(questions)
    features = parameters @ rng.normal(size=(2, 4))
    return Set(fitted(told), told, person=person, features=features)


def fitted(answers: rs.Triplets) -> OrdinalEmbedding:
    """Fit the model of studies."""
    with quiet():
        return default_model(2).set_params(random_state=0).fit(answers)


def replay(name: str, data: Path, way: str, seed: int) -> dict[tuple[str, int], float]:
    """Ask one study; give r, and the error above the least, at each mark."""
    about = rings(seed) if name == "rings" else of_people(data, name)
    items = about.judged.items
    if way == "features":
        items = rs.Items(items.names, features=about.features)
    strategy = RandomQuestions() if way == "random" else PredictiveGain()
    session = Session(
        items, strategy, offer=about.offer, start_per_head=2, random_state=seed, keep_log=False
    )
    answer, found = about.answerer(seed), {}
    for mark in MARKS:
        while len(session.answers) < mark * len(items):
            question = session.ask()
            session.tell(question, answer(question.row))
        if way == "features":
            with quiet():
                session.refit()
            model = session.model_
        else:
            model = fitted(session.judgments("all"))
        distances = [pdist(one.embedding_) for one in (model, about.whole)]
        right = [one.score(about.judged) for one in (model, about.whole)]
        found["r", mark] = float(np.corrcoef(distances)[0, 1])
        found["error", mark] = 100 * (right[1] - right[0])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--replays", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[*FILES, "rings"], help="faces, eggs, rings")
    told = parser.parse_args()
    kinds = [(n, w) for n in told.only for w in WAYS if n == "rings" or w != "features"]
    for name, way in kinds:
        run = delayed(replay)
        replays = Parallel(told.jobs)(run(name, told.data, way, k) for k in range(told.replays))
        means = pd.DataFrame(replays).mean()
        means.index = pd.MultiIndex.from_tuples(means.index)
        r, row = means["r"], " ".join(f"{value:5.2f}" for value in means["r"])
        print(f"{name:6} {way:9} {row}  reach .9 after {needed(1 - r, 1 - ALIKE):.1f}")
        print(" " * 16, " ".join(f"{value:5.2f}" for value in means["error"]), flush=True)


if __name__ == "__main__":
    main()
