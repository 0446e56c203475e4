"""What is learned of single people: how much of it is true, and how often intervals hold it.

python people.py --worlds 9 --jobs 2
"""

import argparse

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import markdown
from worlds import world

import resemblance as rs

N_PEOPLE = 24
SPREAD, LAPSES = 0.4, (0.0, 0.3)  # of log temperatures and weights; lapses are drawn evenly
ANSWERS = (50, 100, 200, 500)
SPACES = ("true", "fitted")  # fitted: to as many other answers of the same people
ASKED = {"random": SPACES, "own": ("true",)}  # own: chosen for each person by ObserverSession
VALUES = ("temperature", "lapse", "weight_1")


def table(n_worlds: int, n_jobs: int = 1, answers: tuple[int, ...] = ANSWERS) -> pd.DataFrame:
    """Tell coverage and reliability, by value, way of asking, space and number of answers."""
    drawn = Parallel(n_jobs)(
        delayed(people)(seed, n, space, asked)
        for seed in range(n_worlds)
        for n in answers
        for asked, spaces in ASKED.items()
        for space in spaces
    )
    found = pd.concat(drawn)
    by = ["value", "asked", "space", "answers", "measure"]
    groups = found.groupby(by, sort=False)
    rows = [
        dict(zip(by, name, strict=True))
        | {
            "claimed": group["claimed"].mean(),
            "found": group["found"].mean(),
            "se": group["found"].std() / np.sqrt(len(group)),
        }
        for name, group in groups
    ]
    return pd.DataFrame(rows).sort_values(["measure", "value", "asked", "space", "answers"])


def people(seed: int, n: int, space: str, asked: str = "random") -> pd.DataFrame:
    """Learn the people of one world from n answers each, and compare them with the truth."""
    drawn, rng = world(seed, lapse=0.0), np.random.default_rng([seed, n])
    crowd = crowd_of(drawn, rng)
    who = np.repeat(crowd.names, n)
    first, second = (
        crowd.answer(rs.Triplets(drawn.random(len(who), rng), drawn.n_items, observer=who))
        for _ in range(2)
    )
    model = drawn.model(penalty="auto")
    model = model.set_positions(drawn.person.points) if space == "true" else model.fit(first)
    if asked == "own":
        second = own_questions(model, crowd, n, seed)
    learned = rs.fit_observers(model, second)
    # the axes of a fitted space are others than those that people weigh
    values = VALUES if space == "true" else VALUES[:2]
    rows = [row for value in values for row in compared(value, space, crowd.table, learned)]
    return pd.DataFrame(rows).assign(asked=asked, space=space, answers=n)


def own_questions(model, crowd: rs.Crowd, n: int, seed: int) -> rs.Triplets:
    """Let each person answer n questions that are chosen by the answers before."""
    rows, who = [], np.repeat(crowd.names, n)
    for number, name in enumerate(crowd.names):
        session = rs.ObserverSession(model, name, random_state=[seed, number])
        for _ in range(n):
            question = session.ask()
            asked = rs.Triplets([question.row], len(model.embedding_), observer=[name])
            session.tell(question, int(crowd.answer(asked).index[0, 1]))
        rows.append(session.judgments().index)
    return rs.Triplets(np.concatenate(rows), len(model.embedding_), observer=who)


def compared(value: str, space: str, truth: pd.DataFrame, learned) -> list[dict]:
    """Tell coverage, and the share of the variance of the truth that the estimates explain."""
    found, true = learned.table, truth[value].to_numpy()
    own = [found[value]]
    if value + "_low" in found:
        own += [found[value + "_low"], found[value + "_high"]]
    if value != "lapse":
        true, own = np.log(true), [np.log(x) for x in own]
    if value != "lapse":  # relative to the crowd, whose scale is that of the space
        true = true - true.mean() + own[0].mean()
    explained = np.corrcoef(true, own[0])[0, 1]
    rmse = np.sqrt(np.mean((own[0] - true) ** 2))
    rows = [{"measure": "correlation", "claimed": np.nan, "found": explained}]
    rows += [{"measure": "error, of the spread", "claimed": np.nan, "found": rmse / true.std()}]
    if len(own) > 1:
        held = np.mean((own[1] <= true) & (true <= own[2]))
        rows.append({"measure": "coverage", "claimed": 0.95, "found": held})
        told = learned.reliability[value]
        rows.append({"measure": "reliability", "claimed": told, "found": explained**2})
    return [row | {"value": value} for row in rows]


def crowd_of(drawn, rng: np.random.Generator) -> rs.Crowd:
    """Draw people who differ in temperature, lapse and weights."""
    d = drawn.person.points.shape[1]
    log_weights = SPREAD * rng.normal(size=(N_PEOPLE, d))
    log_weights -= log_weights.mean(axis=1, keepdims=True)
    return rs.Crowd(
        [
            rs.SpaceObserver(
                drawn.person.points,
                drawn.person.choice,
                rng.uniform(*LAPSES),
                temperature=np.exp(SPREAD * rng.normal()),
                weights=np.exp(weights),
                random_state=int(rng.integers(2**31)),
            )
            for weights in log_weights
        ],
        random_state=int(rng.integers(2**31)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=9)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    print(markdown(table(given.worlds, given.jobs)))


if __name__ == "__main__":
    main()
