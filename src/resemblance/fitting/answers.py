"""Predict answers from positions, and recognise answers that a model was fitted to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import JudgmentError
from resemblance.fitting.objective.objective import refuse_pairing
from resemblance.fitting.objective.thresholds import NO_PRIORS, Priors, Thresholds, likeliest_priors
from resemblance.forms import READS, Coordinates
from resemblance.judgments import (
    AnyJudgments,
    Comparison,
    Layout,
    OneKind,
    Ratings,
    as_judgments,
    each_kind,
    of_kind,
    one_kind,
)
from resemblance.judgments.base import Pair
from resemblance.judgments.convert import JudgmentsLike, refuse_y
from resemblance.scores import log_loss, triplet_losses, weighted_mean
from resemblance.scores.agreement import TIE

PLAIN = Coordinates()


@dataclass(frozen=True)
class FittedSpace:
    """Positions and a choice model that predict judgments: a :class:`~.judgments.Space`."""

    points: Floats  # (n_items, d)
    choice: ChoiceModel
    thresholds: Thresholds | None = None  # None unless the fit had ratings

    @property
    def scales(self) -> Thresholds:
        if self.thresholds is None:
            raise JudgmentError(
                "this model was fitted without ratings, so people's thresholds are unknown: "
                "fit it to ratings too, as in fit([triplets, ratings])"
            )
        return self.thresholds

    def similarity(self, compared: Comparison) -> Floats:
        """Return the log similarity of each row's first pair, (m,). It is 0 at distance 0."""
        distances = np.empty(len(compared.index))
        self._fill(compared, compared.pairs[0], distances)
        return self.choice.log_share(distances)[0]

    def probabilities(self, judgments: AnyJudgments) -> Floats:
        return probabilities(judgments, self.choice, self._fill)

    def disagreement(self, judgments: OneKind) -> Floats:
        """Return the loss of each row, (m,): 0 if the given answer is the most probable, else 1.

        If t answers tie, the loss is 1 - 1/t.
        """
        several = any(c.layout.members.shape[1] > 1 for c in judgments.comparisons())
        if self.choice.reads == "inner" or several:
            best, ties = most_probable(self.probabilities(judgments))
            return np.asarray(1.0 - (best == 0) / ties)
        return triplet_losses(self.points, judgments)

    def nearest(self, judgments: OneKind) -> NDArray[np.int64]:
        """Return the index of the most probable answer of each row, (m,), or -1 for ties."""
        best, ties = most_probable(self.probabilities(judgments))
        return np.where(ties > 1, -1, best)

    def _fill(self, compared: Comparison, pair: Pair, out: Floats) -> None:
        PLAIN.distances(np.ascontiguousarray(self.points), *pair, READS[self.choice.reads], out)


def answer_probabilities(
    points: Floats,
    judgments: AnyJudgments,
    choice: ChoiceModel,
    thresholds: Thresholds | None = None,
) -> Floats:
    """Return the probability of every possible answer to each row; column 0 is the given answer.

    For confusions, column 0 is an error and column 1 a right answer; for ratings, the columns are
    the points of the scale, from 1. The result is (m, K): rows sum to one, and missing options are
    0. Raises JudgmentError for items without positions, and for ratings without thresholds.
    """
    if judgments.n_items > len(points):
        raise JudgmentError(
            f"the judgments have {judgments.n_items} items, but there are positions of "
            f"{len(points)}: give a position to each item."
        )
    space = FittedSpace(points, choice, thresholds)
    return one_kind(judgments).probabilities(space)


def thresholds_in(
    points: Floats,
    judgments: AnyJudgments | None,
    choice: ChoiceModel,
    priors: Priors = NO_PRIORS,
) -> Thresholds | None:
    """Find the most likely thresholds of ratings. Priors that are not given are estimated, too."""
    for kind in () if judgments is None else each_kind(judgments):
        if kind.scoring.rated:
            (compared,) = kind.comparisons()
            similarity = FittedSpace(points, choice).similarity(compared)
            priors = priors or likeliest_priors(kind.numbers(compared), similarity)
            return Thresholds.likeliest(similarity, of_kind(kind, Ratings, "thresholds"), priors)
    return None


def probabilities(
    judgments: AnyJudgments,
    choice: ChoiceModel,
    fill: Callable[[Comparison, Pair, Floats], None],
) -> Floats:
    comparisons = judgments.comparisons()
    if any(comparison.layout.rated for comparison in comparisons):
        raise JudgmentError(
            "ratings and other judgments have different answers: predict each kind separately"
        )
    if any(not comparison.n_options for comparison in comparisons):
        raise JudgmentError(
            "arrangements have no set of possible answers, so no probability: use score."
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


def most_probable(probability: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    top = probability.max(axis=1, keepdims=True)
    return probability.argmax(axis=1), (probability >= top * (1.0 - TIE)).sum(axis=1)


def _probabilities(choice: ChoiceModel, distances: Floats, layout: Layout) -> Floats:
    if len(distances) > 2:
        return softmax(layout.of_options(choice.log_similarity(distances)).T, axis=1)
    if len(distances) == 1:
        p = choice.error_probability(distances[0])
    else:
        p = choice.probability(*distances)
    return np.column_stack([p, 1.0 - p])


class PredictsAnswers(ABC):
    """Mixin of models that predict answers by ``predict_proba``."""

    @abstractmethod
    def predict_proba(self, X: JudgmentsLike) -> Floats:
        """Return the probability of every possible answer, (m, K); column 0 is the given answer."""

    def predict(self, X: JudgmentsLike) -> NDArray[np.int64]:
        """Return the column of the most probable answer of each row, (m,); -1 for ties."""
        best, ties = most_probable(self.predict_proba(X))
        return np.where(ties > 1, -1, best)

    def score(self, X: JudgmentsLike, y: ArrayLike | None = None) -> float:
        """Return the share of answers that are most probable; a tie of t answers counts 1/t."""
        refuse_y(y, X)
        best, ties = most_probable(self.predict_proba(X))
        return float(weighted_mean((best == 0) / ties, as_judgments(X).weights))

    def log_loss(self, X: JudgmentsLike) -> float:
        """Return the mean of -log p(answer), in nats."""
        return float(log_loss(self.predict_proba(X)[:, 0], as_judgments(X).weights))


KEPT_HASHES = 100_000  # maximum number of row hashes stored with a fit


def fingerprints(judgments: Sequence[OneKind]) -> dict[str, Any]:
    """Return sorted, distinct hashes of the rows.

    "hashes" include the observer and "anonymous" do not. Of each, only the ``KEPT_HASHES`` smallest
    are stored, which are a random sample of rows. "all" is true if all hashes are stored.
    """
    anonymous = hashes = _distinct(judgments, named=False)
    if any(part.observer is not None for part in judgments):
        hashes = _distinct(judgments, named=True)
    kept = {"hashes": hashes[:KEPT_HASHES], "anonymous": anonymous[:KEPT_HASHES]}
    return {**kept, "all": max(len(hashes), len(anonymous)) <= KEPT_HASHES}


def _distinct(judgments: Sequence[OneKind], named: bool) -> NDArray[np.uint64]:
    return np.unique(np.concatenate([part.row_hashes(named) for part in judgments]))


def share_seen(judgments: OneKind, fitted: Mapping[str, Any] | None) -> float | None:
    """Return the share of rows that also occur in the fitted data, ignoring order and weights.

    A row without an observer matches rows of any observer. If only a sample of hashes was stored,
    rows whose hash is above the largest stored hash are left out. None if no row can be compared.
    """
    if not isinstance(fitted, Mapping) or not len(fitted["hashes"]):
        return None
    named, anonymous = judgments.row_hashes(), judgments.row_hashes(named=False)
    by_whom = named != anonymous
    hashes = np.where(by_whom, named, anonymous)
    seen = np.where(
        by_whom,
        np.isin(named, fitted["hashes"]) | np.isin(anonymous, fitted["hashes"]),
        np.isin(anonymous, fitted["anonymous"]),
    )
    if not fitted["all"]:
        most = np.where(by_whom, fitted["hashes"].max(), fitted["anonymous"].max())
        seen = seen[hashes <= most]
    return float(seen.mean()) if len(seen) else None


def times_pasted(judgments: OneKind) -> int:
    """Return how often the whole table is repeated: the greatest common divisor of row counts."""
    counts: NDArray[np.int64] = np.unique(judgments.row_hashes(), return_counts=True)[1]
    return int(np.gcd.reduce(counts)) if len(counts) > 1 else 1
