"""What a space says of answers: distances of judged pairs, and the probabilities of answers."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from scipy.special import softmax, xlog1py, xlogy

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import JudgmentError
from resemblance.fitting.grading import NO_PRIORS, Priors, likeliest_priors
from resemblance.fitting.objective import refuse_pairing
from resemblance.fitting.thresholds import Thresholds
from resemblance.forms import READS, Coordinates
from resemblance.judgments import (
    AnyJudgments,
    Arrangements,
    Comparison,
    Confusions,
    Layout,
    OneKind,
    Ratings,
    each_kind,
)
from resemblance.judgments.layout import Pair
from resemblance.scores import triplet_losses
from resemblance.scores.agreement import TIE


def answer_probabilities(
    points: Floats,
    judgments: AnyJudgments,
    choice: ChoiceModel,
    thresholds: Thresholds | None = None,
) -> Floats:
    """Return the probability of every possible answer to each row; column 0 is the answer given.

    Of confusions, column 0 is an error and column 1 a right answer; of ratings, the columns are the
    points of the scale, from 1 on.

    Parameters
    ----------
    points : array (n_items, d)
        Positions of the items.
    judgments : Judgments
        The rows (m of them), with at most K options each.
    choice : ChoiceModel
        How distances become answers.
    thresholds : Thresholds, optional
        Of ratings: how people use the scale.

    Returns
    -------
    array (m, K)
        Rows sum to one; an option that a row does not have is 0.

    Raises
    ------
    JudgmentError
        If the judgments have more items than there are positions; if they are ratings, and no
        thresholds are known, or none of a scale of theirs.
    """
    if judgments.n_items > len(points):
        raise JudgmentError(
            f"the judgments have {judgments.n_items} items, but there are positions of "
            f"{len(points)}: give a position to each item."
        )
    form, reads = Coordinates(), READS[choice.reads]
    if isinstance(judgments, Ratings):
        similarity = similarities(points, judgments, choice)
        return _known(thresholds).probabilities(similarity, judgments)
    return probabilities(
        judgments,
        choice,
        lambda comparison, pair, out: form.distances(points, *pair, reads, out),
    )


def similarities(points: Floats, ratings: Ratings, choice: ChoiceModel) -> Floats:
    """Return the log similarity of each rated pair, (m,): 0 is that of an item with itself."""
    (compared,) = ratings.comparisons()
    distances = np.empty(len(ratings))
    Coordinates().distances(points, *compared.pairs[0], READS[choice.reads], distances)
    return choice.log_share(distances)[0]


def thresholds_in(
    points: Floats,
    judgments: AnyJudgments | None,
    choice: ChoiceModel,
    priors: Priors = NO_PRIORS,
) -> Thresholds | None:
    """Find the thresholds of the ratings among judgments, where items lie so; None without any.

    Priors that are not given are the likeliest.
    """
    for ratings in () if judgments is None else each_kind(judgments):
        if isinstance(ratings, Ratings):
            similarity = similarities(points, ratings, choice)
            known = priors or likeliest_priors(ratings.numbers(), similarity)
            return Thresholds.found(similarity, ratings, known)
    return None


def row_losses(
    points: Floats, judgments: OneKind, choice: ChoiceModel, thresholds: Thresholds | None = None
) -> Floats:
    """Return the loss of each row under positions: see :meth:`OrdinalEmbedding.row_losses`."""
    if isinstance(judgments, Arrangements):
        return disorder(points, judgments)
    if isinstance(judgments, Ratings):
        similarity = similarities(points, judgments, choice)
        return _known(thresholds).losses(similarity, judgments)
    if isinstance(judgments, Confusions):
        p, ratio = answer_probabilities(points, judgments, choice)[:, 0], judgments.ratio
        return np.asarray(-(xlogy(ratio, p) + xlog1py(1.0 - ratio, -p)))
    several = any(c.layout.members.shape[1] > 1 for c in judgments.comparisons())
    if choice.reads == "inner" or several:
        best, ties = nearest(answer_probabilities(points, judgments, choice))
        return np.asarray(1.0 - (best == 0) / ties)
    return triplet_losses(points, judgments)


def _known(thresholds: Thresholds | None) -> Thresholds:
    """Refuse ratings where no thresholds are known."""
    if thresholds is None:
        raise JudgmentError(
            "this model was fitted without ratings, and nobody's thresholds are known: fit it to "
            "ratings too, as in fit([triplets, ratings])"
        )
    return thresholds


def disorder(points: Floats, arrangements: Arrangements) -> Floats:
    """Return, of each trial, the share of pairs of pairs that are ordered otherwise in a space.

    Of two pairs (a, b) and (c, d), that is whether the one that is farther apart on the screen is
    farther in the space; a tie in either counts one half.

    Parameters
    ----------
    points : array (n_items, d)
        Positions of the items.
    arrangements : Arrangements
        The trials (m of them).

    Returns
    -------
    array (m,)
    """
    out = np.empty(len(arrangements))
    for row, index in enumerate(arrangements.index):
        there, screen = pdist(points[index[index >= 0]]), arrangements.distances(row)
        agreed = sum(
            float(np.sign((there[k + 1 :] - there[k]) * (screen[k + 1 :] - screen[k])).sum())
            for k in range(len(there) - 1)
        )
        out[row] = 0.5 - agreed / (len(there) * (len(there) - 1))
    return out


def probabilities(
    judgments: AnyJudgments,
    choice: ChoiceModel,
    fill: Callable[[Comparison, Pair, Floats], None],
) -> Floats:
    """Return the probability of every possible answer, as ``answer_probabilities`` does.

    ``fill`` puts the distance of each pair, of rows that are compared in one way, into an array.
    """
    comparisons = judgments.comparisons()
    if any(comparison.layout.rated for comparison in comparisons):
        raise JudgmentError("ratings and others have no answers in common: ask for each kind alone")
    if any(not comparison.n_options for comparison in comparisons):
        raise JudgmentError(
            "arrangements are no answers to choose from, and have no probability each: use score."
        )
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
        p = choice.error_probability(distances[0])
    else:
        p = choice.probability(*distances)
    return np.column_stack([p, 1.0 - p])
