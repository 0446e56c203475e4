"""Describe cycles of contradictory answers for the desk."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from resemblance.asking.question import Answer, QuestionType
from resemblance.graphs import SimilarityGraph
from resemblance.judgments import Triplets

Json = dict[str, Any]

MOST_CYCLES = 5
MOST_PEOPLE = 5  # largest number of people that are named for one comparison


def contradictions(answers: Sequence[Answer], n_items: int, asks: QuestionType) -> Json | None:
    """Return counts of contradictory comparisons, and the shortest cycles of majority answers.

    Returns
    -------
    dict or None
        The numbers ``comparisons``, ``both_ways`` (answered in both ways) and ``tied`` (equally
        often in both ways), and ``cycles``: for each a list of comparisons with ``near`` and
        ``far`` (pairs of indices of items), ``people`` (names), ``n`` answers and ``n_opposite``
        answers. None for questions without a head.
    """
    if not asks.heads or not answers:
        return None
    rows, people = _triplets(answers, asks)
    graph = SimilarityGraph(Triplets(rows, n_items))
    both_ways = graph.contradictions()
    heavier, lighter = graph.weights[both_ways].T
    opposite = dict(zip(both_ways[:, 0].tolist(), lighter.tolist(), strict=True))
    majority = graph.prune_contradictions("majority")
    edges = {tuple(edge): number for number, edge in enumerate(graph.edges.tolist())}
    cycles = [
        [edges[tuple(edge)] for edge in majority.edges[cycle].tolist()]
        for cycle in majority.cycles(MOST_CYCLES)
    ]
    return {
        "comparisons": graph.n_edges - len(both_ways),
        "both_ways": len(both_ways),
        "tied": int((heavier == lighter).sum()),
        "cycles": [
            [_comparison(graph, edge, people, opposite.get(edge, 0.0)) for edge in cycle]
            for cycle in cycles
        ],
    }


def _triplets(answers: Sequence[Answer], asks: QuestionType) -> tuple[np.ndarray, list[str]]:
    """Return the triplets (m, 3) of all answers, and the person of each triplet."""
    rows, people = [], []
    for answer in answers:
        asked = answer.question
        assert answer.chosen is not None
        for head, near, *others in asks.choices(asked.head, answer.chosen, asked.options):
            triplets = [(head, near, far) for far in others if far >= 0]
            rows += triplets
            people += [answer.observer] * len(triplets)
    return np.array(rows, np.int32), people


def _comparison(
    graph: SimilarityGraph, edge: int, people: Sequence[str], n_opposite: float
) -> Json:
    near, far = graph.pairs[graph.edges[edge]].tolist()
    named = dict.fromkeys(people[row] for row in graph.rows([edge]))
    return {
        "near": near,
        "far": far,
        "people": list(named)[:MOST_PEOPLE],
        "n": int(graph.weights[edge]),
        "n_opposite": int(n_opposite),
    }
