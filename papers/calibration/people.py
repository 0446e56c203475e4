"""What is learned of single people: how much of it is true, and how often intervals hold it.

python people.py --worlds 9 --jobs 2
python people.py --other --worlds 4 --jobs 2
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
# others than the nine: dimensions, deviation of log weights and temperatures, model
OTHER = ((3, 0.15, rs.STE), (3, 0.8, rs.STE), (2, 0.8, rs.TSTE), (5, 0.4, rs.STE), (3, 0.0, rs.STE))
OTHER_ASKED = ((True, 50), (False, 50), (False, 200))  # whether questions are their own, how many
OTHER_PEOPLE, OTHER_ITEMS, FAR_APART = 12, 30, 1.2


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
    crowd = crowd_of(drawn.person.points, drawn.person.choice, rng)
    who = np.repeat(crowd.names, n)
    first, second = (
        crowd.answer(rs.Triplets(drawn.random(len(who), rng), drawn.n_items, observer=who))
        for _ in range(2)
    )
    model = drawn.model(penalty="auto")
    model = model.set_positions(drawn.person.points) if space == "true" else model.fit(first)
    if asked == "own":
        second, _ = own_questions(model, crowd, n, seed)
    learned = rs.fit_observers(model, second)
    # the axes of a fitted space are others than those that people weigh
    values = VALUES if space == "true" else VALUES[:2]
    rows = [row for value in values for row in compared(value, space, crowd.table, learned)]
    return pd.DataFrame(rows).assign(asked=asked, space=space, answers=n)


def other_table(n_worlds: int, n_jobs: int = 1) -> pd.DataFrame:
    """Tell what is found in other worlds, by the sessions themselves and by `fit_observers`."""
    drawn = Parallel(n_jobs)(
        delayed(other)(seed, *world, *asked)
        for world in OTHER
        for asked in OTHER_ASKED
        for seed in range(n_worlds)
    )
    return pd.DataFrame(drawn).groupby(["world", "questions"], sort=False).mean().reset_index()


def other(seed: int, n_dims: int, spread: float, kind: type, own: bool, n: int) -> dict:
    """Learn the people of another world from n answers each."""
    rng = np.random.default_rng([seed, n_dims, int(100 * spread)])
    points = FAR_APART * rng.normal(size=(OTHER_ITEMS, n_dims))
    model = kind(n_dims).set_positions(points)
    crowd = crowd_of(points, model.choice_, rng, OTHER_PEOPLE, spread)
    answers, of_sessions = own_questions(model, crowd, n, seed, adaptive=own)
    learned = rs.fit_observers(model, answers)
    names = [f"weight_{j + 1}" for j in range(n_dims)]
    found, low, high = (
        np.log(learned.table[[name + end for name in names]].to_numpy())
        for end in ("", "_low", "_high")
    )
    truth = np.log(crowd.table[names].to_numpy())
    truth_there = truth - 2 * np.log((learned.points / points).mean(axis=0))  # 1 is the crowd's
    told, warm = learned.table, crowd.table["temperature"]
    held = (told["temperature_low"] <= warm) & (warm <= told["temperature_high"])
    return {
        "world": f"{n_dims}-D, {kind.__name__}, {spread}",
        "questions": f"{n} {'of their own' if own else 'random'}",
        "sessions": explained(of_sessions, truth) if spread else np.nan,
        "fit_observers": explained(found, truth) if spread else np.nan,
        "weights covered": np.mean((low <= truth_there) & (truth_there <= high)),
        "temperatures covered": np.mean(held),
    }


def explained(found: np.ndarray, truth: np.ndarray) -> float:
    """Return the share of the variance between people that is found, a mean over dimensions."""
    return np.mean([np.corrcoef(*both)[0, 1] ** 2 for both in zip(found.T, truth.T, strict=True)])


def own_questions(
    model, crowd: rs.Crowd, n: int, seed: int, *, adaptive: bool = True
) -> tuple[rs.Triplets, np.ndarray]:
    """Let each person answer n questions chosen for them; give the log weights found so, too."""
    answers, found = [], []
    for number, name in enumerate(crowd.names):
        session = rs.ObserverSession(model, name, adaptive=adaptive, random_state=[seed, number])
        for _ in range(n):
            question = session.ask()
            asked = rs.Triplets([question.row], len(model.embedding_), observer=[name])
            session.tell(question, int(crowd.answer(asked).index[0, 1]))
        answers.append(session.judgments())
        found.append(np.log(session.weights))
    return rs.join_judgments(answers), np.array(found)


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


def crowd_of(
    points: np.ndarray,
    choice,
    rng: np.random.Generator,
    n_people: int = N_PEOPLE,
    spread: float = SPREAD,
) -> rs.Crowd:
    """Draw people who differ in temperature, lapse and weights."""
    log_weights = spread * rng.normal(size=(n_people, points.shape[1]))
    log_weights -= log_weights.mean(axis=1, keepdims=True)
    return rs.Crowd(
        [
            rs.SpaceObserver(
                points,
                choice,
                rng.uniform(*LAPSES),
                temperature=np.exp(spread * rng.normal()),
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
    parser.add_argument("--other", action="store_true", help="worlds in other dimensions")
    given = parser.parse_args()
    print(markdown((other_table if given.other else table)(given.worlds, given.jobs)))


if __name__ == "__main__":
    main()
