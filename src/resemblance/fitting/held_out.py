"""The error on answers that a fit has not seen: every report takes it from here."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, Self

from numpy.typing import NDArray
from sklearn.base import clone

from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.judgments import CountedPairs, Judgments, join_judgments
from resemblance.scores import NoiseCeiling, bootstrap_interval, noise_ceiling, weighted_mean

Judged = Judgments | CountedPairs
Stop = Callable[[int, int], object]


@dataclass(frozen=True)
class HeldOut:
    """What a model says of answers that it has not seen, in folds or in one set.

    Attributes
    ----------
    by : {"row", "group", "observer"}
        What was kept whole: held out, or drawn, together.
    n_folds : int
        The number of folds asked for, 0 for one set of new answers.
    errors : tuple of float
        Of each fold: the share of answers that the model gets wrong; of confusions, minus the mean
        log-likelihood of a trial.
    log_losses : tuple of float
        Of each fold: the mean of -log p(answer), in nats.
    converged : tuple of bool
        Whether the fit without the fold converged.
    interval : tuple of float, optional
        Bootstrap interval of 95 % of the error on one set of new answers.
    """

    by: str
    n_folds: int
    errors: tuple[float, ...] = ()
    log_losses: tuple[float, ...] = ()
    converged: tuple[bool, ...] = ()
    interval: tuple[float, float] | None = None

    @classmethod
    def of_new(cls, model: OrdinalEmbedding, new: Judged, by: str, random_state: Any) -> Self:
        """Score a fitted model on one set of answers that it has not seen."""
        losses, weights = model.row_losses(new), weights_of(new)
        groups = None if by == "row" else getattr(new, by)
        interval = bootstrap_interval(losses, weights, groups, random_state=random_state)
        return cls(by, 0, (error_of(model, new),), (model.log_loss(new),), (), interval)

    @classmethod
    def of_folds(
        cls,
        estimator: OrdinalEmbedding,
        judgments: Judged,
        cv: Any,
        extra: Judged | None = None,
        callback: Stop | None = None,
    ) -> Self:
        """Hold out each fold in turn: fit the others, and whatever is extra; score the fold.

        After each fit the callback is told the number of folds scored and of all; if it returns
        something true, the folds scored so far are all there will be.
        """
        n_folds = cv.get_n_splits(judgments)
        found: list[tuple[float, float, bool]] = []
        for train, test in cv.split(judgments):
            with warnings.catch_warnings(action="ignore"):
                model = clone(estimator).fit(joined(judgments[train], extra))
            if callback is not None and callback(len(found), n_folds):
                break
            new = judgments[test]
            found.append((error_of(model, new), model.log_loss(new), model.converged_))
        by = kept_whole(judgments, "observer" if getattr(cv, "by", "") == "observer" else None)
        return cls(by, n_folds, *(tuple(part) for part in zip(*found, strict=True)))

    @property
    def error(self) -> float | None:
        """The mean over folds; None where none is finished."""
        return fmean(self.errors) if self.errors else None

    @property
    def log_loss(self) -> float | None:
        """The mean over folds; None where none is finished."""
        return fmean(self.log_losses) if self.log_losses else None

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean error over folds; None for fewer than two."""
        n = len(self.errors)
        return stdev(self.errors) / n**0.5 if n > 1 else None

    def as_dict(self) -> dict[str, Any]:
        """Return all of it by names; of confusions see :class:`Evaluation`."""
        return {
            "by": self.by,
            "folds": self.n_folds,
            "folds_finished": len(self.errors) if self.n_folds else 0,
            "folds_not_converged": sum(not done for done in self.converged),
            "error_of_folds": self.errors,
            "error": self.error,
            "standard_error": self.standard_error,
            "interval": self.interval,
            "log_loss": self.log_loss,
        }


def error_of(model: OrdinalEmbedding, judgments: Judged) -> float:
    """Return the share of answers that a model gets wrong, each by its weight.

    Of confusions it is minus the mean log-likelihood of a trial.
    """
    return weighted_mean(model.row_losses(judgments), weights_of(judgments))


def ceiling_of(judgments: Judged, random_state: int, **settings: Any) -> NoiseCeiling | None:
    """Estimate what no model can do better than; None of counts, or without repeated questions."""
    if isinstance(judgments, CountedPairs):
        return None
    return noise_ceiling(judgments, random_state=random_state, **settings)


def joined(judgments: Judged, extra: Judged | None) -> Any:
    """Return judgments with those that are fitted besides."""
    return judgments if extra is None else join_judgments([judgments, extra])


def kept_whole(judgments: Judged, by: str | None) -> str:
    """Say what stays whole: what was asked for, else the groups there are, else rows."""
    if by is None:
        return "row" if judgments.group is None else "group"
    if by not in ("group", "observer"):
        raise SettingError(f'by is {by!r}; give "group" or "observer"', setting="by")
    if getattr(judgments, by) is None:
        raise JudgmentError(
            f'by="{by}", but the judgments have no {by}s: give them {by}=..., name the column of '
            "the file, or leave by out",
            setting="by",
        )
    return by


def weights_of(judgments: Judged) -> NDArray[Any]:
    """Return how much each row counts: of counted pairs its trials."""
    return judgments.trial_weights if isinstance(judgments, CountedPairs) else judgments.weights
