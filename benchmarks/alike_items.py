"""Answers an item until a map is like that of all: python benchmarks/alike_items.py --data DATA.

Three sets whose items differ little: faces and alien eggs, about which people answered (each answer
is used once, and only questions with an answer left are asked), and rings of two parameters, drawn
anew for each replay with one simulated person, who sees them as points of a plane; their features
are those parameters, mixed. The correlation r is that of the distances between items, on the map of
the answers so far and on that of all answers (of 200 an item, for the rings), both fitted by the
model of studies in a plane. Means over replays; "reach" is where the mean is .9 first. Below, the
share of all answers that the map so far says otherwise, in per cent, less that of the map of all,
and after how many answers an item it is what random questions leave at the last mark, with an
interval of 95 % by resampling replays.

`--only music things`: people's answers about 400 artists, whose features are their 58 tags (a
plane), and the odd ones out of 1,854 objects, with the features of CLIP (STE in ten dimensions, as
in papers/things). Of these a part is never asked, another one in each replay (of artists all about
a fifth of the pairs that were said to be alike), and the error is the share of it that is foretold
wrongly; ± is a standard error of the last mark. `--ways random:5 features:.5,1` asks these ways to
these marks alone.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
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
from resemblance.asking.question import QuestionType, question_type
from resemblance.catalog import MODEL, models_of
from resemblance.errors import quiet
from resemblance.fitting import OrdinalEmbedding

Rows = NDArray[np.int32]
MARKS = (2, 3, 5, 8, 12, 16, 20, 30, 40)
OF_PARTS = {"music": (1, 2, 3, 4, 6, 8, 10), "things": (0.5, 1, 1.5, 2, 3, 4, 5)}
FILES = {"faces": "cfd36/triplets_derived.csv.gz", "eggs": "alien_eggs/triplets_n30_derived.csv"}
WAYS = ("random", "adaptive", "features")
N_RINGS, LAPSE, ENOUGH, ALIKE = 30, 0.1, 200, 0.9
DIMENSIONS, OFFERED, HELD_OUT = 10, 60_000, 20_000  # of objects; of the answers about them


@dataclass(frozen=True)
class Set:
    """Items, what may be asked of them, and what maps are held against."""

    judged: rs.Triplets | rs.OddOneOuts
    whole: OrdinalEmbedding | None = None  # the map of all answers, where they are judged
    offer: Rows | None = None  # a row for each answer, the one chosen first of the options
    person: rs.SpaceObserver | None = None
    features: NDArray[np.float64] | None = None

    @property
    def asks(self) -> QuestionType:
        """What a question asks."""
        odd = isinstance(self.judged, rs.OddOneOuts)
        return question_type(3 if odd else 2, odd)

    def model(self, informed: bool) -> OrdinalEmbedding:
        """Make the model of studies, of objects that of papers/things."""
        if not self.asks.heads:
            form = {"form": rs.FeaturePrior()} if informed else {}
            return rs.STE(DIMENSIONS, penalty="auto", tol=1e-3, random_state=0, **form)
        return models_of(MODEL, informed=informed)[MODEL].set_params(random_state=0)

    def answerer(self, seed: int) -> Callable[[tuple[int, ...]], int]:
        """Return what gives the item chosen of a question: somebody, or an answer that is left."""
        if self.person is not None:
            someone = self.person
            return lambda row: row[1 + int(someone.pick([row])[0])]
        left, asks = defaultdict(list), self.asks
        for row in np.random.default_rng(seed).permutation(self.offer).tolist():
            left[asks.key(row)].append(row[asks.heads])
        return lambda row: left[asks.key(row)].pop()

    def wrong(self, model: OrdinalEmbedding) -> float:
        """Return the share of what is judged that a map says otherwise, less that of the whole."""
        least = 1.0 if self.whole is None else self.whole.score(self.judged)
        return 100 * (least - model.score(self.judged))


def without_catches(rows: Rows) -> Rows:
    """Leave out questions whose head is among the options."""
    return rows[(rows[:, :1] != rows[:, 1:]).all(axis=1)]


def of_people(data: Path, name: str) -> Set:
    """Read what people answered."""
    table = pd.read_csv(data / FILES[name])
    rows = table[["head", "winner", "loser"]].to_numpy(np.int32)
    rows = without_catches(rows)
    told = rs.Triplets(rows)
    return Set(told, fitted(told), rows)


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
    return Set(told, fitted(told), person=person, features=features)


def artists(data: Path, seed: int) -> Set:
    """Read what people answered about artists, and keep a fifth of the pairs said to be alike."""
    table = pd.read_csv(data / "music" / "triplets_derived.csv")
    known = pd.read_csv(data / "music" / "artists_derived.csv").set_index("index1")
    asked = np.unique(table)
    rows = without_catches(np.searchsorted(asked, table.to_numpy()).astype(np.int32))
    tags = known["tags"].fillna("").str.get_dummies(";").loc[asked].to_numpy(float)
    pair = np.unique(rows[:, :2], axis=0, return_inverse=True)[1].ravel()
    kept = (np.random.default_rng(seed).random(pair.max() + 1) < 0.2)[pair]
    return Set(rs.Triplets(rows[kept], len(asked)), offer=rows[~kept], features=tags)


def objects(data: Path, seed: int) -> Set:
    """Read which of three objects is odd, the odd one first; offer a part, and keep another."""
    files = (data / "things" / f"odd_one_out_{part}.csv.gz" for part in ("train", "test"))
    table = pd.concat([pd.read_csv(file) for file in files])
    rows = table[["odd", "kept_a", "kept_b"]].to_numpy(np.int32)
    rows = np.random.default_rng(seed).permutation(rows)[: OFFERED + HELD_OUT]
    features = np.load(data / "things" / "clip_vit_b32.npy").astype(float)
    new = rows[OFFERED:]
    return Set(
        rs.OddOneOuts(new, new[:, 0], len(features)), offer=rows[:OFFERED], features=features
    )


def read(name: str, data: Path, seed: int) -> Set:
    """Read or draw a set."""
    if name in FILES:
        return of_people(data, name)
    return (
        rings(seed) if name == "rings" else {"music": artists, "things": objects}[name](data, seed)
    )


def fitted(answers: rs.Triplets) -> OrdinalEmbedding:
    """Fit the model of studies to all answers."""
    with quiet():
        return Set(answers).model(informed=False).fit(answers)


def replay(
    name: str, data: Path, way: str, seed: int, marks: Sequence[float]
) -> dict[tuple[str, float], float]:
    """Ask one study; give r, and the error, at each mark."""
    about, informed = read(name, data, seed), way == "features"
    items, asks = about.judged.items, about.asks
    if informed:
        items = rs.Items(items.names, features=about.features)
    session = Session(
        items,
        RandomQuestions() if way == "random" else PredictiveGain(),
        model=about.model(informed),
        n_options=asks.n_options,
        odd_one_out=not asks.heads,
        offer=about.offer,
        start_per_head=2,
        random_state=seed,
        keep_log=False,
    )
    answer, found = about.answerer(seed), {}
    for mark in marks:
        while len(session.answers) < mark * len(items):
            question = session.ask()
            session.tell(question, answer(question.row))
        with quiet():
            model = about.model(informed).fit(session.judgments("all"))
        if about.whole is not None:
            distances = [pdist(one.embedding_) for one in (model, about.whole)]
            found["r", mark] = float(np.corrcoef(distances)[0, 1])
        found["error", mark] = about.wrong(model)
    return found


def reached(errors: pd.DataFrame, random: pd.DataFrame) -> str:
    """Say after how many answers an item the error is that of random questions at the last mark."""
    rng, n = np.random.default_rng(0), len(errors)
    draws = [np.arange(n), *(rng.integers(n, size=n) for _ in range(500))]
    found = [needed(errors.iloc[d].mean(), random.iloc[d, -1].mean()) for d in draws]
    low, high = np.quantile(found[1:], [0.025, 0.975], method="nearest")
    return f"{found[0]:.1f} ({low:.1f} to {high:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--replays", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[*FILES, "rings"], help="also music, things")
    parser.add_argument("--ways", nargs="*", help="random first, with marks or not: random:2,5")
    told = parser.parse_args()
    for name in told.only:
        random = None
        for asked in told.ways or (WAYS if name not in FILES else WAYS[:2]):
            way, _, given = asked.partition(":")
            marks = [*map(float, given.split(","))] if given else OF_PARTS.get(name, MARKS)
            run = delayed(replay)
            replays = Parallel(told.jobs)(
                run(name, told.data, way, k, marks) for k in range(told.replays)
            )
            table = pd.DataFrame(replays)
            table.columns = pd.MultiIndex.from_tuples(table.columns)
            random = table["error"] if random is None else random
            show(name, way, table, random)


def show(name: str, way: str, table: pd.DataFrame, random: pd.DataFrame) -> None:
    """Print what a way of asking leaves."""
    print(f"{name:6} {way:9}", end="")
    if "r" in table:
        r = table["r"].mean()
        row = " ".join(f"{value:5.2f}" for value in r)
        print(f" {row}  reach .9 after {needed(1 - r, 1 - ALIKE):.1f}\n{'':16}", end="")
    row = " ".join(f"{value:5.2f}" for value in table["error"].mean())
    error = f"± {table['error'].iloc[:, -1].sem():.2f}"
    print(
        f" {row} {error}  as random ones at last after {reached(table['error'], random)}",
        flush=True,
    )


if __name__ == "__main__":
    main()
