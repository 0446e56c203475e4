"""What a space says of answers: distances of judged pairs, and the probabilities of answers."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import JudgmentError
from resemblance.fitting.objective import refuse_pairing
from resemblance.forms import READS, Coordinates
from resemblance.judgments import Comparison, CountedPairs, Judgments, Layout
from resemblance.judgments.layout import Pair
from resemblance.scores.agreement import TIE


def answer_probabilities(
    points: Floats, judgments: Judgments | CountedPairs, choice: ChoiceModel
) -> Floats:
    """Return the probability of every possible answer to each row; column 0 is the answer given.

    Of confusions, column 0 is an error and column 1 a right answer; of ratings, column 0 is a step
    up the scale, taken or not.

    Parameters
    ----------
    points : array (n_items, d)
        Positions of the items.
    judgments : Judgments
        The rows (m of them), with at most K options each.
    choice : ChoiceModel
        How distances become answers.

    Returns
    -------
    array (m, K)
        Rows sum to one; an option that a row does not have is 0.

    Raises
    ------
    JudgmentError
        If the judgments have more items than there are positions.
    """
    if judgments.n_items > len(points):
        raise JudgmentError(
            f"the judgments have {judgments.n_items} items, but there are positions of "
            f"{len(points)}: give a position to each item."
        )
    form, reads = Coordinates(), READS[choice.reads]
    return probabilities(
        judgments,
        choice,
        lambda comparison, pair, out: form.distances(points, *pair, reads, out),
    )


def probabilities(
    judgments: Judgments | CountedPairs,
    choice: ChoiceModel,
    fill: Callable[[Comparison, Pair, Floats], None],
) -> Floats:
    """Return the probability of every possible answer, as ``answer_probabilities`` does.

    ``fill`` puts the distance of each pair, of rows that are compared in one way, into an array.
    """
    comparisons = judgments.comparisons()
    for comparison in comparisons:
        refuse_pairing(choice, comparison.layout)
    out = np.zeros((len(judgments), max(2, *(c.n_options for c in comparisons))))
    for comparison in comparisons:
        distances = np.empty((len(comparison.pairs), len(comparison.pairs[0][0])))
        for pair, d in zip(comparison.pairs, distances, strict=True):
            fill(comparison, pair, d)
        p = _probabilities(choice, distances, comparison.layout)
        out[comparison.rows, : p.shape[1]] = p
    return out


def nearest(probability: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the most probable column of each row, and how many columns tie with it."""
    top = probability.max(axis=1, keepdims=True)
    return probability.argmax(axis=1), (probability >= top * (1.0 - TIE)).sum(axis=1)


def _probabilities(choice: ChoiceModel, distances: Floats, layout: Layout) -> Floats:
    """Return the probability of each option (columns) from the distances of the pairs (rows)."""
    if len(distances) > 2:
        return softmax(layout.of_options(choice.log_similarity(distances)).T, axis=1)
    if len(distances) == 1:
        p = (choice.rating_share if layout.rated else choice.error_probability)(distances[0])
    else:
        p = choice.probability(*distances)
    return np.column_stack([p, 1.0 - p])
