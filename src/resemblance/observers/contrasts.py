"""What an observer compares in each question: distances, and the utilities they give options."""

import numpy as np
from scipy.special import softmax

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import JudgmentError
from resemblance.judgments import Judgments, Layout


class Contrasts:
    r"""The distance of every option of every row, kept apart by dimension.

    d = sum_j w_j c_j, where c_j is (x_aj - x_bj)^2, or x_aj x_bj for inner products; so all
    weights w of the dimensions are served by one table of c.

    Parameters
    ----------
    points : array (n_items, d)
    judgments : Judgments
    choice : ChoiceModel
    """

    def __init__(self, points: Floats, judgments: Judgments, choice: ChoiceModel) -> None:
        if judgments.n_items > len(points):
            raise JudgmentError(
                f"the judgments have {judgments.n_items} items, but there are positions of "
                f"{len(points)}: give a position to each item."
            )
        self.choice = choice
        self.blocks = [
            (
                compared,
                np.stack([self._parts(points[a], points[b]) for a, b in compared.pairs]),
            )
            for compared in judgments.comparisons()
        ]
        most = max((compared.n_options for compared, _ in self.blocks), default=2)
        self.shape = len(judgments), most

    def _parts(self, a: Floats, b: Floats) -> Floats:
        """Return the share of each dimension in the distance of a and b."""
        return a * b if self.choice.reads == "inner" else (a - b) ** 2

    def utilities(self, weights: Floats) -> Floats:
        """Return the utility of each option, (m, K): its log odds, up to a constant of the row.

        An option that a row does not have is -inf.
        """
        out = np.full(self.shape, -np.inf)
        for compared, parts in self.blocks:
            distances = parts @ weights
            if self.choice.reads == "plain":
                distances = np.sqrt(distances)
            out[compared.rows, : compared.n_options] = self._utilities(distances, compared.layout)
        return out

    def _utilities(self, distances: Floats, layout: Layout) -> Floats:
        """Return the utility of each option (columns) from the distances of the pairs (rows)."""
        if len(distances) > 2:
            return layout.of_options(self.choice.log_similarity(distances)).T
        near, far = distances
        odds = self.choice.loss(far, near) - self.choice.loss(near, far)
        return np.column_stack([odds, np.zeros_like(odds)])


def answer_shares(utilities: Floats, temperature: float, lapse: float) -> Floats:
    """P_k = (1 - lapse) exp(u_k / T) / sum of exp(u / T) + lapse / N, for N options a row."""
    there = utilities > -np.inf
    chance = there / there.sum(axis=1, keepdims=True)
    return np.asarray((1 - lapse) * softmax(utilities / temperature, axis=1) + lapse * chance)
