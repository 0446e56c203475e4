"""Ask questions again whose answers contradict each other."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from resemblance.arrays import Ints
from resemblance.asking.strategies import Belief, Strategy
from resemblance.choice import ChoiceModel
from resemblance.graphs import SimilarityGraph
from resemblance.judgments import Triplets
from resemblance.ranges import integers, setting


@dataclass(eq=False, repr=False)
class ContradictingAnswers(Strategy):
    """Ask questions again whose answers contradict other answers.

    First come questions that were answered equally often in opposite ways. Then comes the
    comparison with the lowest weight in each shortest cycle of comparisons
    (:meth:`SimilarityGraph.doubtful`). Compared with random repeats, these repeats leave fewer
    wrong comparisons in the cleaned graph and give a better map. New questions improve the map
    about as much (papers/multimodal).

    Parameters
    ----------
    max_questions : int
        The maximum number of questions after each fit.

    Examples
    --------
    >>> answered = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2]], np.int32)
    >>> belief = Belief(points=np.zeros((4, 2)), answered=answered)
    >>> ContradictingAnswers().propose(belief, 5, np.random.default_rng(0))
    array([[0, 1, 2]], dtype=int32)
    """

    needs_head = True
    max_questions: int = setting(integers(1), default=64)

    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        answered = belief.answered
        row, place = np.nonzero(answered[:, 2:] >= 0)
        if not len(row):
            return
        others = answered[row, 2 + place]
        triplets = Triplets(np.column_stack([answered[row, :2], others]), belief.n_items)
        graph = SimilarityGraph(triplets)
        first = [row[graph.rows([edge])[0]] for edge in graph.doubtful(self.max_questions)]
        questions = answered[first]
        questions = questions[(questions >= 0).all(axis=1)]
        taken = set(belief.keys(belief.pending).tolist())
        if belief.offer is not None:
            offered = belief.candidates(rng, len(belief.offer), repeats=True)
            taken |= set(belief.keys(questions).tolist()) - set(belief.keys(offered).tolist())
        for question, key in zip(questions, belief.keys(questions).tolist(), strict=True):
            if key not in taken:
                taken.add(key)
                yield question

    def check(self, choice: ChoiceModel) -> None:
        """Accept any choice model."""
