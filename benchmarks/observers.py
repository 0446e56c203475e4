"""How long it takes to learn what people are like: `fit_observers` of simulated crowds.

python observers.py --people 24 200 --answers 200 100
"""

import argparse
import time

import numpy as np

import resemblance as rs

N_ITEMS, SPREAD, LAPSES = 30, 0.4, (0.0, 0.3)


def crowd_of(n_people: int, rng: np.random.Generator) -> tuple[np.ndarray, rs.Crowd]:
    """Draw a space in a plane, and people who see it in ways of their own."""
    points = 1.2 * rng.normal(size=(N_ITEMS, 2))
    people = [
        rs.SpaceObserver(
            points,
            lapse=rng.uniform(*LAPSES),
            temperature=np.exp(SPREAD * rng.normal()),
            weights=np.exp(SPREAD * rng.normal(size=2)),
            random_state=int(rng.integers(2**31)),
        )
        for _ in range(n_people)
    ]
    return points, rs.Crowd(people, random_state=0)


def seconds(n_people: int, n_answers: int) -> float:
    """Time one fit."""
    rng = np.random.default_rng(0)
    points, crowd = crowd_of(n_people, rng)
    n = n_people * n_answers
    asked = np.array([rng.choice(N_ITEMS, 3, replace=False) for _ in range(n)])
    who = np.repeat(crowd.names, n_answers)
    answers = crowd.answer(rs.Triplets(asked, N_ITEMS, observer=who))
    model = rs.STE(2).set_positions(points)
    began = time.perf_counter()
    rs.fit_observers(model, answers)
    return time.perf_counter() - began


def main() -> None:
    """Print a line for each crowd."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=[24, 24, 200, 1000])
    parser.add_argument("--answers", type=int, nargs="+", default=[50, 200, 100, 100])
    given = parser.parse_args()
    seconds(3, 20)  # compiles
    for people, answers in zip(given.people, given.answers, strict=True):
        print(f"{people} people, {answers} answers each: {seconds(people, answers):.2f} s")


if __name__ == "__main__":
    main()
