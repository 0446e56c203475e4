"""Estimate the error on held-out answers by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from resemblance.arrays import Floats, below
from resemblance.errors import JudgmentError, quiet
from resemblance.fitting.estimator import Embeds
from resemblance.fitting.folds import UNITS, GroupedKFold, Units
from resemblance.fitting.objective.threads import in_turn
from resemblance.fitting.penalty import settled
from resemblance.judgments import OneKind, join_judgments
from resemblance.notebook import Shown
from resemblance.optional import pd
from resemblance.progress import Told
from resemblance.ranges import check, one_of
from resemblance.scores import (
    NoiseCeiling,
    calibration_slope,
    mean_interval,
    noise_ceiling,
    weighted_mean,
)

RANDOM_QUESTIONS, ASKED = "random questions", "the questions asked"
# value of HeldOut.of if other answers to the held-out questions were fitted
AGAIN = "the same questions, asked again"
FOLDS = 10  # number of folds of cross-validation in reports
LEAST_CALIBRATED = 100  # minimum number of answers for a calibration slope
LEAST_RANDOM = 20  # with fewer answers to random questions, all answers are scored
FEW_PEOPLE = 0.5  # smallest effective number of people, as a share of the number of people
CALIBRATED = 0.8, 1.25  # range of calibration slopes of honest probabilities


@dataclass(frozen=True)
class HeldOut(Shown):
    """Scores of a model on unseen answers, in folds or in one set.

    If the answers record which questions were drawn at random, only answers to random questions are
    scored, because a question strategy asks hard questions. All other answers are fitted in every
    fold.

    Attributes
    ----------
    by : {"row", "question", "response_id", "observer"}
        The unit that folds did not divide. Folds by question also do not divide responses.
    n_folds : int
        The requested number of folds; 0 for one set of new answers.
    errors : tuple of float
        The error of each fold: the share of wrong predictions; for confusions and ratings, minus
        the mean log-likelihood of a trial.
    log_losses : tuple of float
        The mean of -log p(answer) of each fold, in nats.
    converged : tuple of bool
        Whether the fit without each fold converged.
    of : {"random questions", "the questions asked", "the same questions, asked again"}
        The questions to which the errors apply. "the same questions, asked again" means that other
        answers to the held-out questions were fitted, because there are too few questions.
    n_answers : int
        The number of scored answers.
    standard_error : float, optional
        The standard error of the mean error: the larger of the values from folds and from answers.
    interval : tuple of float, optional
        The 95 % interval of the error; see :func:`~resemblance.scores.mean_interval`.
    people_interval : tuple of float, optional
        The 95 % interval of the error for new people; ``interval`` is for the people who answered.
        None with fewer than two known observers. If few people gave most answers, it is computed by
        holding out whole people.
    slope : float, optional
        The calibration slope, :func:`~resemblance.scores.calibration_slope`; below 1 the model is
        overconfident. None with fewer than 100 answers, or if the model has no probabilities.
    slope_interval : tuple of float, optional
        The interval of the slope, from the curvature of the likelihood and the variation between
        repeated questions. In simulations it contained the slope of the full fit in 80 % of cases
        with a few hundred answers, and in 95 % with 2,000.
    guess : float, optional
        For ratings, minus the mean log-likelihood if all items are at one point and the fitted
        thresholds are kept.
    """

    by: str
    n_folds: int
    errors: tuple[float, ...] = ()
    log_losses: tuple[float, ...] = ()
    converged: tuple[bool, ...] = ()
    of: str = ASKED
    n_answers: int = 0
    standard_error: float | None = None
    interval: tuple[float, float] | None = None
    people_interval: tuple[float, float] | None = None
    slope: float | None = None
    slope_interval: tuple[float, float] | None = None
    guess: float | None = None

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row per fold: error, converged, and log_loss if available."""
        columns = {"error": self.errors, "log_loss": self.log_losses, "converged": self.converged}
        filled = {name: list(column) for name, column in columns.items() if column}
        return pd.DataFrame(filled).rename_axis("fold")

    @classmethod
    def of_new(cls, model: Embeds, new: OneKind, by: str) -> Self:
        """Score a fitted model on one set of unseen answers."""
        rows, of = scored_rows(new)
        scored, by = _Scored.of(model, new[rows]), Units(new[rows], by).name
        return cls(by, 0, of=of, **_pooled([scored], new[rows], by))

    @classmethod
    def of_folds(
        cls,
        estimator: Embeds,
        judgments: OneKind,
        cv: Any,
        extra: OneKind | None = None,
        callback: Told | None = None,
    ) -> Self:
        """Score each fold with a model fitted to the other folds and the extra answers.

        After each fold, ``callback`` is called with (number of earlier folds, number of all folds).
        If it returns a true value, this fold and the remaining folds are left out.
        """
        rows, of = scored_rows(judgments)
        n_folds, kept = cv.get_n_splits(judgments[rows]), getattr(cv, "by", UNITS[0])
        by = Units(judgments[rows], kept, n_folds).name
        folds, again = _folds(judgments, rows, cv)
        of = AGAIN if again else of
        estimator = settled(estimator, joined(judgments, extra))
        scores: list[_Scored] = []
        tested: list[NDArray[np.intp]] = []
        tasks = [(estimator, judgments, extra, *fold) for fold in folds]
        for (_, test), scored in zip(folds, in_turn(_Scored.of_fold, tasks), strict=False):
            if callback is not None and callback(len(scores), n_folds):
                break
            scores.append(scored)
            tested.append(test)
        if not scores:
            return cls(by, n_folds, of=of)
        return cls(by, n_folds, of=of, **_pooled(scores, judgments[np.concatenate(tested)], by))

    def of_whole_people(
        self, estimator: Embeds, judgments: OneKind, extra: OneKind | None = None
    ) -> Self:
        """If few people gave most answers, compute ``people_interval`` from folds of whole people.

        In other folds, most test answers are from people whose other answers were fitted.
        """
        rows = scored_rows(judgments)[0]
        if self.people_interval is None or not _few_give_most(judgments[rows]):
            return self
        n_folds = Units(judgments[rows], "observer", FOLDS).n_folds
        cv = GroupedKFold(n_folds, "observer", random_state=0)
        folds, again = _folds(judgments, rows, cv)
        if again:  # too few questions to hold out both people and questions
            return self
        estimator = settled(estimator, joined(judgments, extra))
        tasks = [(estimator, judgments, extra, *fold) for fold in folds]
        losses = np.concatenate([scored.losses for scored in in_turn(_Scored.of_fold, tasks)])
        tested = judgments[np.concatenate([test for _, test in folds])]
        return replace(self, people_interval=_of_people(losses, tested))

    @property
    def error(self) -> float | None:
        """The mean error over folds; None without finished folds."""
        return fmean(self.errors) if self.errors else None

    @property
    def log_loss(self) -> float | None:
        """The mean log loss over folds; None without finished folds."""
        return fmean(self.log_losses) if self.log_losses else None

    @property
    def calibration(self) -> str | None:
        """Whether probabilities are "honest", "too sure", "not sure enough" or "unknown".

        Probabilities are "honest" if the interval of the slope is within 0.8 to 1.25, "too sure" if
        the interval is below 1 and the slope below 0.8, and "not sure enough" if the interval is
        above 1 and the slope above 1.25; otherwise "unknown". None without a slope.
        """
        if self.slope is None or self.slope_interval is None:
            return None
        (low, high), (least, most) = self.slope_interval, CALIBRATED
        if self.slope < least and high < 1:
            return "too sure"
        if self.slope > most and low > 1:
            return "not sure enough"
        return "honest" if least <= low and high <= most else "unknown"

    @property
    def widest(self) -> tuple[float, float] | None:
        """The union of ``interval`` and ``people_interval``, which advice uses."""
        intervals = [ends for ends in (self.interval, self.people_interval) if ends is not None]
        if not intervals:
            return None
        return min(low for low, _ in intervals), max(high for _, high in intervals)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields by name, except those of confusions (``Analysis``)."""
        return {
            "of": self.of,
            "answers": self.n_answers,
            "by": self.by,
            "folds": self.n_folds,
            "folds_finished": len(self.errors) if self.n_folds else 0,
            "folds_not_converged": sum(not done for done in self.converged),
            "error_of_folds": self.errors,
            "error": self.error,
            "standard_error": self.standard_error,
            "interval": self.interval,
            "people_interval": self.people_interval,
            "widest_interval": self.widest,
            "log_loss": self.log_loss,
            "calibration_slope": self.slope,
            "calibration_slope_interval": self.slope_interval,
            "calibration": self.calibration,
        }


@dataclass(frozen=True)
class _Scored:
    losses: Floats
    probabilities: Floats | None
    error: float
    log_loss: float | None  # None for models without probabilities, as for arrangements
    converged: bool
    guess: float | None  # for ratings only

    @classmethod
    def of(cls, model: Embeds, new: OneKind) -> Self:
        guess = new.losses(model._space_in_one_place) if new.scoring.rated else None
        sure = new.scoring.of_answers and model.choice_.one_of_many
        return cls(
            model.row_losses(new),
            model.predict_proba(new) if sure else None,
            error_of(model, new),
            model.log_loss(new) if new.scoring.has_likelihood else None,
            getattr(model, "converged_", True),
            None if guess is None else weighted_mean(guess, new.trial_weights),
        )

    @classmethod
    def of_fold(
        cls,
        estimator: Embeds,
        judgments: OneKind,
        extra: OneKind | None,
        train: NDArray[np.intp],
        test: NDArray[np.intp],
    ) -> Self:
        with warnings.catch_warnings(action="ignore"):
            model = clone(estimator).fit(joined(judgments[train], extra))
        return cls.of(model, judgments[test])


def _folds(
    judgments: OneKind, rows: NDArray[np.intp], cv: Any
) -> tuple[list[tuple[NDArray[np.intp], NDArray[np.intp]]], bool]:
    units = Units(judgments, getattr(cv, "by", UNITS[0]))
    tested = [rows[test] for _, test in cv.split(judgments[rows])]
    fitted = [units.others(test) for test in tested]
    folds = [(train, test) for (train, _), test in zip(fitted, tested, strict=True)]
    return folds, any(again for _, again in fitted)


def _few_give_most(new: OneKind) -> bool:
    """Return whether (sum w)^2 / sum w^2 < n / 2, where w are n people's numbers of answers."""
    who = np.unique(new.observers_named().astype(str), return_inverse=True)[1]
    w = np.bincount(who, new.trial_weights)
    return len(w) > 1 and bool(w.sum() ** 2 < FEW_PEOPLE * len(w) * (w**2).sum())


def _pooled(scores: list[_Scored], new: OneKind, by: str) -> dict[str, Any]:
    groups = Units(new, by).groups
    folds = [score.error for score in scores]
    losses, weights = np.concatenate([score.losses for score in scores]), new.trial_weights
    share = new.scoring.of_answers
    error, interval, of_people = None, None, None
    if np.isfinite(losses).all():  # the loss is infinite if the model gives an answer probability 0
        error, interval = mean_interval(losses, weights, groups, fold_means=folds, share=share)
        of_people = None if by == "observer" else _of_people(losses, new, folds)
    guesses = [score.guess for score in scores if score.guess is not None]
    summary = {
        "guess": fmean(guesses) if guesses else None,
        "errors": tuple(folds),
        "log_losses": tuple(score.log_loss for score in scores if score.log_loss is not None),
        "converged": tuple(score.converged for score in scores),
        "n_answers": len(new),
        "standard_error": error,
        "interval": _from_0(interval),
        "people_interval": of_people,
    }
    if len(new) < LEAST_CALIBRATED or any(score.probabilities is None for score in scores):
        return summary
    probabilities = [score.probabilities for score in scores if score.probabilities is not None]
    slope, middle = calibration_slope(below(probabilities), weights, groups=groups)
    return summary | {"slope": slope, "slope_interval": middle}


def _of_people(
    losses: Floats, new: OneKind, folds: Sequence[float] = ()
) -> tuple[float, float] | None:
    if new.observer is None:
        return None
    share, who, asked = new.scoring.of_answers, new.observer, Units(new).groups
    weights = new.trial_weights
    ends = mean_interval(losses, weights, who, fold_means=folds, share=share, crossed=asked)[1]
    return _from_0(ends)


def _from_0(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    return interval and (max(interval[0], 0.0), interval[1])


def scored_rows(judgments: OneKind) -> tuple[NDArray[np.intp], str]:
    """Return the indices of rows about random questions, or of all rows if these are under 20."""
    at_random = judgments.at_random
    if at_random is None or at_random.sum() < LEAST_RANDOM:
        return np.arange(len(judgments)), ASKED
    return np.flatnonzero(at_random), RANDOM_QUESTIONS


def error_of(model: Embeds, judgments: OneKind) -> float:
    """Return the weighted mean of ``row_losses``, such as the share of wrong predictions."""
    return weighted_mean(model.row_losses(judgments), judgments.trial_weights)


def log_loss_of(model: Embeds, judgments: OneKind) -> float:
    return model.log_loss(judgments)


def held_out(
    estimator: Embeds,
    judgments: OneKind,
    fold: tuple[NDArray[np.intp], NDArray[np.intp]],
    measure: Callable[[Embeds, OneKind], float],
) -> float:
    train, test = fold
    with quiet():  # only the fit to all rows may warn
        return measure(clone(estimator).fit(judgments[train]), judgments[test])


def ceiling_of(judgments: OneKind) -> NoiseCeiling | None:
    """Estimate the lowest error that a model can have on the scored questions.

    Return None for counts and arrangements, or without repeated questions.
    """
    if not judgments.scoring.of_answers:
        return None
    return noise_ceiling(judgments[scored_rows(judgments)[0]])


def joined(judgments: OneKind, extra: OneKind | None) -> Any:
    return judgments if extra is None else join_judgments([judgments, extra])


def kept_whole(judgments: OneKind, by: str | None) -> str:
    check(by=(by, one_of(*UNITS).besides(None)))
    if by in (None, UNITS[0]) or getattr(judgments, str(by)) is not None:
        return by or UNITS[0]
    raise JudgmentError(
        f'by="{by}", but the judgments have no {by}s: give them {by}=..., name the column of '
        "the file, or leave by out",
        setting="by",
    )
