"""Scoring of each kind of judgment, and what it needs from a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats

if TYPE_CHECKING:
    from resemblance.judgments.base import Comparison, OneKind
    from resemblance.judgments.ratings import Ratings


@dataclass(frozen=True)
class Scoring:
    """How rows of a kind are scored: what the mean of their losses is called, and what it can say.

    Attributes
    ----------
    name : {"error", "log_likelihood"}
        The error is the mean loss, from 0 to 1; a log-likelihood is minus the mean loss, in nats.
    of_answers : bool
        Whether a row is one answer of several possible ones, each of which has a probability: only
        then is the error a share of answers, people's agreement its ceiling, and the sureness of
        probabilities worth a slope.
    has_likelihood : bool
        Whether a model says how likely a row is.
    rated : bool
        Whether an answer is a step of a scale, whose thresholds are found with the space.
    """

    name: str = "error"
    of_answers: bool = False
    has_likelihood: bool = True
    rated: bool = False

    @property
    def is_error(self) -> bool:
        """Whether the score is an error: a share, of which 0 is the best."""
        return self.name == "error"

    def value(self, loss: float) -> float:
        """Return what a mean loss is told as: the error itself, or the log-likelihood.

        Examples
        --------
        >>> Scoring("log_likelihood").value(0.5)
        -0.5
        """
        return loss if self.is_error else -loss

    def score(self, loss: float) -> float:
        """Return the score, of which more is better: the share that is right, or the likelihood."""
        return 1.0 - loss if self.is_error else -loss


class UseOfScale(Protocol):
    """How people use a scale of ratings."""

    def probabilities(self, similarity: Floats, ratings: Ratings) -> Floats:
        """Return the probability of each rating, (m, points)."""

    def losses(self, similarity: Floats, ratings: Ratings) -> Floats:
        """Return -log of the probability of each rating, (m,)."""


class Space(Protocol):
    """What a fitted model says of judgments: their losses are made of this.

    Attributes
    ----------
    points : array (n_items, d)
        The positions.
    scales : UseOfScale
        How people use the scales of ratings; refused where nobody knows.
    """

    @property
    def points(self) -> Floats:
        """The positions."""

    @property
    def scales(self) -> UseOfScale:
        """How people use the scales of ratings."""

    def similarity(self, compared: Comparison) -> Floats:
        """Return the log similarity of the first pair of each row, (m,)."""

    def probabilities(self, judgments: OneKind) -> Floats:
        """Return the probability of every possible answer, the given one first, (m, K)."""

    def disagreement(self, judgments: OneKind) -> Floats:
        """Return 0 where the given answer is the nearest, 1 where not, 1 - 1/t of t that tie."""

    def nearest(self, judgments: OneKind) -> NDArray[np.int64]:
        """Return the most probable answer of each row; -1 where several are."""
