"""Machines among people: who is flagged, where it is known who is none.

python machines.py --worlds 40 --jobs 2              people are simulated
python machines.py --folds 0 --people 10             as a study does, and few of them
python machines.py --data FOLDER --repeats 10        real people, and machines in the place of some
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from screening import crowd_of
from table import markdown
from worlds import World, world

import resemblance as rs

ANSWERS = (50, 100, 200)
PEOPLE = 40  # in a simulated study
FOLDS = 5
MACHINES = ("network", "published space")  # which the researcher thought of
SHARE = 12  # one of so many people is replaced by a machine of each kind, one at least


@dataclass(frozen=True)
class Study:
    """What people answered, and what is known of the items.

    Attributes
    ----------
    answers : judgments
        As many of each person, in their order.
    model : OrdinalEmbedding
        To be fitted to them.
    network : array (n, d)
        Features that the researcher has, by which a machine may answer.
    published : array (n, d)
        The best space there is: what a machine that knows the literature answers by.
    similarity : str
        How vectors are compared.
    """

    answers: rs.Triplets | rs.OddOneOuts
    model: rs.OrdinalEmbedding
    network: np.ndarray
    published: np.ndarray
    similarity: str


def simulated(seed: int, n: int, size: int = PEOPLE) -> Study:
    """People who differ in a plane, and a network that sees half of what they see."""
    drawn, rng = world(seed, lapse=0.0), np.random.default_rng([seed, n])
    crowd, kinds = crowd_of(drawn, "careless", rng)
    look = [one for one, kind in zip(crowd.observers, kinds, strict=True) if "honest" in kind]
    people = [look[i % len(look)] for i in range(size)]
    crowd = rs.Crowd(people, random_state=seed)
    questions = rs.Triplets(
        drawn.random(n * size, rng), drawn.n_items, observer=np.repeat(crowd.names, n)
    )
    return _study_of(drawn, crowd.answer(questions), rng)


def _study_of(drawn: World, answers: rs.Triplets, rng: np.random.Generator) -> Study:
    points = drawn.person.points / drawn.person.points.std()
    network = np.hstack([points, rng.normal(size=(len(points), 2))])
    return Study(answers, drawn.model(penalty="auto"), network, points, "euclidean")


def real(name: str, data: Path, n: int, seed: int) -> Study:
    """Give n answers in a row of each person who gave so many."""
    rng = np.random.default_rng([seed, n])
    if name == "things":
        rows = pd.read_csv(data / "things" / "odd_one_out_people.csv.gz")
        columns, n_items = ["kept_a", "kept_b", "odd"], 1854
        network = np.load(data / "things" / "clip_vit_b32.npy").astype(float)
        network /= np.linalg.norm(network, axis=1, keepdims=True)
        published = np.load(data / "things" / "spose49.npy").astype(float)
    else:
        rows = pd.read_csv(data / "cfd36" / "triplets_derived.csv.gz")
        rows = rows[rows["sampleAlg"] == "random"]
        columns, n_items = ["head", "winner", "loser"], 36
        published = rs.STE(5, penalty="auto", random_state=0).fit(rows[columns].to_numpy())
        published = published.embedding_
        network = np.hstack([published, published.std() * rng.normal(size=published.shape)])
    answered = rows.groupby("person").size()
    first = {who: rng.integers(m - n + 1) for who, m in answered[answered >= n].items()}
    start, place = rows["person"].map(first), rows.groupby("person").cumcount()
    rows = rows[(place >= start) & (place < start + n)]  # none of who gave fewer
    index, who = rows[columns].to_numpy(), rows["person"].astype(str).to_numpy()
    if name == "things":
        answers = rs.OddOneOuts(index, index[:, 2], n_items, observer=who)
        model = rs.SPoSE(20, penalty=0.5, tol=1e-2, random_state=0)
        return Study(answers, model, network, published, "dot")
    answers = rs.Triplets(index, n_items, observer=who)
    model = rs.STE(5, penalty="auto", tol=1e-3, random_state=0)
    return Study(answers, model, network, published, "euclidean")


def people(study: Study, n: int, seed: int, folds: int = FOLDS) -> pd.DataFrame:
    """Put machines in the place of some people, and look for them; 0 folds: all are fitted."""
    rng = np.random.default_rng([seed, n, 1])
    names, who = np.unique(study.answers.observer, return_inverse=True)
    half = study.published.copy()
    half[:, ::2] = rng.permutation(half[:, ::2])
    bots = {
        "network": _bot(study, study.network, rng),
        "published space": _bot(study, study.published, rng),
        "half-right space": _bot(study, half, rng),
        "guesses from the middle on": rs.InattentiveObserver(int(rng.integers(2**31))),
    }
    each = max(1, len(names) // SHARE // len(bots))
    kinds = np.array(["person"] * len(names), dtype=object)
    kinds[rng.permutation(len(names))[: each * len(bots)]] = np.repeat(list(bots), each)
    index = study.answers.index.copy()
    place = np.argsort(np.argsort(who, kind="stable")) % n  # within the person
    for name, bot in bots.items():
        rows = kinds[who] == name
        if isinstance(bot, rs.InattentiveObserver):
            rows &= place >= n // 2
        index[rows] = bot.answer(study.answers[rows]).index
    answers = _with(study.answers, index)
    machines = {name: bots[name] for name in MACHINES}
    model = study.model if folds else study.model.fit(answers)
    table = rs.machine_likeness(answers, model, machines, folds=folds or None)
    return table.assign(who=kinds, n=n, seed=seed)


def _bot(study: Study, vectors: np.ndarray, rng: np.random.Generator) -> rs.ModelObserver:
    return rs.ModelObserver(
        vectors, study.similarity, temperature=1e-6, random_state=int(rng.integers(2**31))
    )


def _with(answers, index: np.ndarray):
    """Give the same questions with other answers."""
    if isinstance(answers, rs.OddOneOuts):
        return rs.OddOneOuts(index, index[:, 0], answers.items, observer=answers.observer)
    return rs.Triplets(index, answers.items, observer=answers.observer)


def table(found: list[pd.DataFrame]) -> pd.DataFrame:
    """Tell how many of each kind are flagged, by a model and by guesses."""
    everybody = pd.concat(found)
    everybody["by a model"] = everybody["machine"] > 4
    everybody["by guesses"] = everybody["flagged"] & ~everybody["by a model"]
    rows = everybody.groupby(["n", "who"])
    shares = rows[["flagged", "by a model", "by guesses"]].mean()
    return shares.assign(people=rows.size()).reset_index()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--people", type=int, default=PEOPLE, help="in a simulated study")
    parser.add_argument("--folds", type=int, default=FOLDS, help="0: the map of all answers")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data", type=Path, help="folder with things/ and cfd36/")
    given = parser.parse_args()
    run = Parallel(given.jobs)
    if given.data is None:
        drawn = [(seed, n) for seed in range(given.worlds) for n in ANSWERS]
        found = run(
            delayed(lambda s, n: people(simulated(s, n, given.people), n, s, given.folds))(s, n)
            for s, n in drawn
        )
        print(markdown(table(found)))
        return
    for name in ("things", "cfd36"):
        drawn = [(seed, n) for seed in range(given.repeats) for n in ANSWERS]
        found = run(
            delayed(lambda s, n, at=name: people(real(at, given.data, n, s), n, s, given.folds))(
                s, n
            )
            for s, n in drawn
        )
        print(f"\n{name}\n\n{markdown(table(found))}", flush=True)


if __name__ == "__main__":
    main()
