"""Compare further answers to new questions, to random repeats, and to contradictions.

python papers/multimodal/contradictions.py [--worlds 40]

Simulated crowds see 20 items in a plane and answer 600 random triplets, some of them wrongly, then
300 more. To ask contradictions again is to repeat the lightest comparison of each shortest cycle.
For each share of wrong answers, the table has the comparisons that the cleaned graph keeps and the
error on random triplets of a map of all answers, each with its paired difference from random
repeats and an interval of 95 %.
"""

import argparse

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from scipy.stats import t

import resemblance as rs

N_ITEMS, FIRST, FURTHER, BATCH = 20, 600, 300, 10
MISTAKES = 0.1, 0.2, 0.3
MEASURES = "wrong", "right", "share wrong", "error of the map"


class Crowd:
    """People who compare true distances, and say the opposite with some probability."""

    def __init__(self, seed: int, mistakes: float) -> None:
        self.rng, self.mistakes = np.random.default_rng([seed, 11]), mistakes
        points = self.rng.normal(size=(N_ITEMS, 2))
        self.distance = cdist(points, points)

    def questions(self, n: int) -> list[np.ndarray]:
        return [self.rng.choice(N_ITEMS, 3, replace=False) for _ in range(n)]

    def answers(self, questions) -> list[list[int]]:
        rows = []
        for head, one, other in questions:
            is_one = self.distance[head, one] < self.distance[head, other]
            is_mistake = self.rng.random() < self.mistakes
            rows.append([head, one, other] if is_one ^ is_mistake else [head, other, one])
        return rows


def new_questions(crowd: Crowd, rows: list[list[int]]) -> list:
    return crowd.questions(BATCH)


def random_repeats(crowd: Crowd, rows: list[list[int]]) -> list:
    return [rows[i] for i in crowd.rng.integers(FIRST, size=BATCH)]


def contradictions(crowd: Crowd, rows: list[list[int]]) -> list:
    graph = rs.SimilarityGraph(rs.Triplets(rows, N_ITEMS))
    chosen = [rows[graph.rows([edge])[0]] for edge in graph.doubtful(BATCH)]
    return chosen + random_repeats(crowd, rows)[: BATCH - len(chosen)]


USES = {"new": new_questions, "random repeats": random_repeats, "contradictions": contradictions}


def measured(crowd: Crowd, rows: list[list[int]]) -> list[float]:
    """Return the measures of the answers, in the order of MEASURES."""
    answers = rs.Triplets(rows, N_ITEMS)
    graph = (
        rs.SimilarityGraph(answers).prune_contradictions(keep="majority").acyclic(random_state=0)
    )
    a, b = graph.pairs[graph.edges].transpose(2, 0, 1)
    near, far = crowd.distance[a, b].T
    wrong = int((near > far).sum())
    every = np.array(crowd.questions(5000))
    model = rs.STE(2, penalty="auto", random_state=0).fit(answers)
    learned = cdist(model.embedding_, model.embedding_)
    head, one, other = every.T
    agrees = (learned[head, one] < learned[head, other]) == (
        crowd.distance[head, one] < crowd.distance[head, other]
    )
    return [wrong, len(near) - wrong, wrong / len(near), 1 - agrees.mean()]


def world(seed: int, mistakes: float) -> dict[str, list[float]]:
    """Return the measures of each use in one world."""
    results = {}
    for name, choose in USES.items():
        crowd = Crowd(seed, mistakes)
        rows = crowd.answers(crowd.questions(FIRST))
        while len(rows) < FIRST + FURTHER:
            rows += crowd.answers(choose(crowd, rows))
        results[name] = measured(crowd, rows)
    return results


def table(n_worlds: int) -> pd.DataFrame:
    rows = []
    for mistakes in MISTAKES:
        worlds = [world(seed, mistakes) for seed in range(n_worlds)]
        for name in USES:
            values = np.array([results[name] for results in worlds])
            differences = values - np.array([results["random repeats"] for results in worlds])
            half = t.ppf(0.975, n_worlds - 1) * differences.std(axis=0, ddof=1) / n_worlds**0.5
            cells = {
                measure: f"{value:.3g} ({difference:+.3g} ± {width:.2g})"
                for measure, value, difference, width in zip(
                    MEASURES, values.mean(axis=0), differences.mean(axis=0), half, strict=True
                )
            }
            rows.append({"mistakes": mistakes, "300 more answers": name, **cells})
    return pd.DataFrame(rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=40)
    print(table(parser.parse_args().worlds).to_markdown(index=False))
