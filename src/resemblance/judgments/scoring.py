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
    """How rows of a kind are scored: the name of their mean loss, and its meaning."""

    name: str = "error"  # an error from 0 to 1, or minus the mean loss in nats
    # whether rows are answers with probabilities, so that errors are shares
    of_answers: bool = False
    has_likelihood: bool = True
    rated: bool = False  # whether answers are steps of a scale with fitted thresholds

    @property
    def is_error(self) -> bool:
        return self.name == "error"

    def value(self, loss: float) -> float:
        """Return the reported form of a mean loss: the error, or the log-likelihood.

        >>> Scoring("log_likelihood").value(0.5)
        -0.5
        """
        return loss if self.is_error else -loss

    def score(self, loss: float) -> float:
        return 1.0 - loss if self.is_error else -loss


class UseOfScale(Protocol):
    """People's use of a scale of ratings."""

    def probabilities(self, similarity: Floats, ratings: Ratings) -> Floats: ...

    def losses(self, similarity: Floats, ratings: Ratings) -> Floats: ...


class Space(Protocol):
    """Predictions of a fitted model, from which judgments compute their losses."""

    @property
    def points(self) -> Floats:
        """The positions, (n_items, d)."""

    @property
    def scales(self) -> UseOfScale: ...

    def similarity(self, compared: Comparison) -> Floats:
        """Return the log similarity of the first pair of each row, (m,)."""

    def probabilities(self, judgments: OneKind) -> Floats:
        """Return the probability of every possible answer, the given one first, (m, K)."""

    def disagreement(self, judgments: OneKind) -> Floats:
        """Return 0 if the given answer is nearest, 1 if not, and 1 - 1/t for t ties."""

    def nearest(self, judgments: OneKind) -> NDArray[np.int64]:
        """Return the most probable answer of each row, -1 if several tie."""
