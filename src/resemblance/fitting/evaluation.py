"""How good a fit is, and how far to trust it: all that is known of it, in one object."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, stdev
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import xlog1py, xlogy
from sklearn.base import clone

from resemblance.catalog import cited
from resemblance.errors import JudgmentError, SettingError
from resemblance.files import as_json, plain
from resemblance.fitting.dimension import DimensionCurve
from resemblance.fitting.embedding import JudgmentsLike, OrdinalEmbedding
from resemblance.fitting.folds import GroupedKFold
from resemblance.fitting.wording import lines_of
from resemblance.judgments import CountedPairs, Judgments, as_judgments, join_judgments
from resemblance.scores import (
    NoiseCeiling,
    bootstrap_interval,
    majority_error,
    neighbour_error,
    noise_ceiling,
    weighted_mean,
)

Judged = Judgments | CountedPairs
Stop = Callable[[int, int], object]
RULE = (
    "the fewest dimensions whose mean held-out error is at most the lowest one plus its standard "
    "error; the error of the chosen number is slightly flattered by the choice"
)
UNREPEATED = "no question was answered twice by different people (observers, else responses)"


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
        losses, weights = model.row_losses(new), _weights(new)
        groups = None if by == "row" else getattr(new, by)
        interval = bootstrap_interval(losses, weights, groups, random_state=random_state)
        scores = (weighted_mean(losses, weights),), (model.log_loss(new),)
        return cls(by, 0, *scores, (), interval)

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
            loss = weighted_mean(model.row_losses(judgments[test]), _weights(judgments[test]))
            found.append((loss, model.log_loss(judgments[test]), model.converged_))
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


@dataclass(frozen=True)
class Evaluation:
    """What is known of a fit: its data, its scores and how good they could be.

    Print it for a short table in words; ``to_frame()`` is a table of numbers, ``as_dict()`` and
    ``to_json()`` hold everything, as in the ``report.json`` of ``resemblance fit``.

    Attributes
    ----------
    model : OrdinalEmbedding
        The fitted model.
    judgments : Judgments, Confusions or Ratings
        What it was fitted to or, without folds, tested on.
    held_out : HeldOut, optional
        Its scores on answers that it has not seen.
    ceiling : NoiseCeiling, optional
        How well the best of models could do, where repeated questions say so.
    extra : Judgments, optional
        What was fitted besides and never held out.
    curve : DimensionCurve, optional
        How its number of dimensions was chosen.
    seconds : float, optional
        How long the fit took.
    warnings : tuple of str
        What the fit warned of.

    Examples
    --------
    >>> import resemblance as rs
    >>> model = rs.STE(1).set_positions([[0.0], [1.0], [3.0]])
    >>> found = rs.evaluate(model, [[0, 1, 2], [1, 0, 2], [2, 0, 1], [2, 1, 0]])
    >>> print(found)  # doctest: +ELLIPSIS
    rows            4 triplets
    items           3
    model           STE in 1 dimension
    held-out error  0.250 (95% interval 0.000 to 0.750, drawn by row; guessing 0.500)
    log loss        ... (guessing 0.693)
    noise ceiling   error 0.500 (0.500 to 0.500) is the least possible on the 1 question ...
    >>> float(found.to_frame().loc["held-out error", "value"])
    0.25
    """

    model: OrdinalEmbedding
    judgments: Judged
    held_out: HeldOut | None = None
    ceiling: NoiseCeiling | None = None
    extra: Judged | None = None
    curve: DimensionCurve | None = None
    seconds: float | None = None
    warnings: tuple[str, ...] = ()

    @property
    def counted(self) -> bool:
        """Whether the judgments are counts of errors, of which no answer is the right one."""
        return isinstance(self.judgments, CountedPairs)

    @property
    def size(self) -> str:
        """How many rows there are, in words."""
        judgments, extra = self.judgments, self.extra
        if isinstance(judgments, CountedPairs):
            return judgments.size
        n = f"{len(judgments):,} {_kind(judgments)}"
        return n if extra is None else f"{n} and {len(extra):,} clicks"

    @cached_property
    def guessing(self) -> dict[str, float]:
        """The error and the log loss of a guess among the possible answers."""
        if isinstance(self.judgments, CountedPairs):
            return {"log_likelihood": -np.log(2.0)}
        options = np.empty(len(self.judgments))
        for comparison in self.judgments.comparisons():
            options[comparison.rows] = comparison.n_options
        weights = self.judgments.weights
        return {
            "error": weighted_mean(1 - 1 / options, weights),
            "log_loss": weighted_mean(np.log(options), weights),
        }

    @cached_property
    def labels(self) -> dict[str, Any] | None:
        """How often the nearest neighbour has another label; unmentioned items do not count."""
        if self.model.items_.labels is None:
            return None
        labels = self.model.items_.labels.astype(object)
        labels[self._learned("unmentioned_", [])] = None
        X, n_classes = self.model.embedding_, len({name for name in labels if name is not None})
        return {
            "classes": n_classes,
            "neighbour_error": neighbour_error(X, labels),
            "majority_error": majority_error(labels),
            "balanced_neighbour_error": neighbour_error(X, labels, balanced=True),
            "balanced_majority_error": 1 - 1 / n_classes,
        }

    def as_dict(self) -> dict[str, Any]:
        """Return everything, as plain values that JSON has."""
        weights = self._learned("kernel_weights_", None)
        maps = {"kernel_weights": weights, "gap": self._learned("gap_", None)}
        found = {
            "model": self._model(),
            "data": self._data(),
            "fit": self._fit(),
            "held_out": self._held_out(),
            "noise_ceiling": _ceiling(self.ceiling),
            "labels": self.labels,
            "dimensions": _dimensions(self.curve),
            "warnings": self.warnings,
        }
        kept: dict[str, Any] = plain(found | (maps if weights else {}))
        return kept

    def to_json(self) -> str:
        """Return everything as JSON; numbers that JSON does not have become null."""
        return as_json(self.as_dict())

    def to_frame(self) -> pd.DataFrame:
        """Return the scores as a table: value, standard error, interval, and that of guessing."""
        found = self.as_dict()
        held, labels = found["held_out"] or {}, found["labels"] or {}
        rows: dict[str, dict[str, Any]] = {}
        for name, guess in self.guessing.items():
            rows[f"held-out {name.replace('_', '-')}"] = {
                "value": held.get(name),
                "guessing": guess,
            }
        low, high = held.get("interval") or (None, None)
        first = next(iter(rows.values()))
        first |= {"standard_error": held.get("standard_error"), "low": low, "high": high}
        low, high = found["noise_ceiling"].get("interval") or (None, None)
        rows["noise ceiling"] = {"value": found["noise_ceiling"]["error"], "low": low, "high": high}
        for name in ("neighbour_error", "balanced_neighbour_error"):
            majority = labels.get(name.replace("neighbour", "majority"))
            rows[name.replace("_", " ")] = {"value": labels.get(name), "guessing": majority}
        columns = ["value", "standard_error", "low", "high", "guessing"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns).astype(float)

    def lines(self) -> list[tuple[str, str]]:
        """Say the main things in words, each with its name."""
        return [("rows", self.size), *lines_of(self.as_dict())]

    def __str__(self) -> str:
        lines = [*self.lines(), *(("warning", text) for text in self.warnings)]
        width = max(len(name) for name, _ in lines)
        return "\n".join(f"{name:{width}}  {words}" for name, words in lines)

    def _learned(self, name: str, default: Any) -> Any:
        """Return a learned attribute that not all models have."""
        try:
            return getattr(self.model, name)
        except AttributeError:
            return default

    def _model(self) -> dict[str, Any]:
        title, reference = cited(type(self.model).__name__)
        settings = self.model.get_params().items()
        return {
            "name": title,
            "estimator": type(self.model).__name__,
            "parameters": {name: value for name, value in settings if name != "callback"},
            "choice_model": repr(self.model.choice_),
            "how_to_cite": reference,
        }

    def _data(self) -> dict[str, Any]:
        judgments, names = self.judgments, self.model.items_.names
        parts = np.asarray(self._learned("parts_", []), dtype=int)
        counts = {}
        if isinstance(judgments, CountedPairs):
            counts = {"trials": judgments.trials.sum(), judgments.hit: judgments.hits.sum()}
        return {
            "kind": _kind(judgments),
            "rows": len(judgments),
            **counts,
            "extra": None if self.extra is None else len(self.extra),
            "total_weight": judgments.weights.sum(),
            "items": len(names),
            "observers": _distinct(judgments.observer),
            "groups": _distinct(judgments.group),
            "parts": np.bincount(parts[parts >= 0]),
            "unmentioned": [names[i] for i in self._learned("unmentioned_", [])],
            "catch_trials": _catches(getattr(judgments, "catches", None)),
        }

    def _fit(self) -> dict[str, Any]:
        score = self.model.score(self.judgments)
        what = {"log_likelihood": score} if self.counted else {"training_error": 1 - score}
        return {
            "loss": self._learned("loss_", None),
            "n_iter": self._learned("n_iter_", None),
            "converged": self._learned("converged_", None),
            "seconds": self.seconds,
            **({} if self.held_out and not self.held_out.n_folds else what),
            "dimensions": self.model.embedding_.shape[1],
        }

    def _held_out(self) -> dict[str, Any] | None:
        if self.held_out is None:
            return None
        found = self.held_out.as_dict() | {"guessing": self.guessing}
        if not isinstance(self.judgments, CountedPairs):
            return found
        losses, interval = found.pop("error_of_folds"), found["interval"]
        error, _ = found.pop("error"), found.pop("log_loss")
        return found | {
            "interval": interval and (-interval[1], -interval[0]),
            "log_likelihood_of_folds": [-loss for loss in losses],
            "log_likelihood": None if error is None else -error,
            "own_ratios": own_ratios(self.judgments),
        }


def evaluate(
    estimator: OrdinalEmbedding,
    judgments: JudgmentsLike,
    *,
    cv: Any = None,
    by: str | None = None,
    extra: Judged | None = None,
    random_state: int = 0,
    callback: Stop | None = None,
) -> Evaluation:
    r"""Say how good a fit is, how good it could be, and all else that is known of it.

    .. math:: \bar e = \frac{1}{F} \sum_f e_f, \qquad
       \mathrm{se}(\bar e) = \sqrt{\frac{\sum_f (e_f - \bar e)^2}{F (F - 1)}}

    with e the share of fold f that a fit without it gets wrong, a tie counting one half.

    Parameters
    ----------
    estimator : OrdinalEmbedding
        Any embedding, or map of features. Without ``cv`` it is fitted, and the judgments are new
        to it. With ``cv`` it is fitted to these judgments, or will be here.
    judgments : Triplets, Quadruplets, Choices, OddOneOuts, Confusions, Ratings or array
        The answers.
    cv : int or splitter, optional
        The number of folds that are held out in turn, or what makes them. 0 holds out nothing.
    by : {"group", "observer"}, optional
        What stays whole. Default: "group" where the judgments have groups, else rows.
    extra : Judgments, optional
        Answers that are fitted each time and never held out.
    random_state : int
        Of the folds, and of the bootstrap.
    callback : callable, optional
        Called with (folds scored, folds in all) after each fit; a true answer ends it with the
        folds scored so far.

    Returns
    -------
    Evaluation
        It prints itself.

    Raises
    ------
    SettingError
        If the estimator is no embedding, or settings make no folds.
    JudgmentError
        If the judgments are about other items than the fit, or lack what ``by`` names.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(n_triplets=2000, n_items=60, random_state=0)
    >>> found = rs.evaluate(rs.STE(2, random_state=0), triplets, cv=5)
    >>> found.held_out.n_folds, found.guessing["error"]
    (5, 0.5)
    >>> print(str(found).splitlines()[0])
    rows            2,000 triplets
    >>> later = rs.datasets.digits_triplets(n_triplets=500, n_items=60, random_state=1)
    >>> low, high = rs.evaluate(found.model, later).held_out.interval
    >>> low < high
    True
    """
    if not isinstance(estimator, OrdinalEmbedding):
        raise SettingError(
            f"{type(estimator).__name__} cannot be evaluated: give an embedding or a map, such as "
            "TSTE, Yada or POE, fitted or not."
        )
    told = judgments if isinstance(judgments, CountedPairs) else as_judgments(judgments)
    whole = kept_whole(told, by)
    ceiling = ceiling_of(told, random_state)
    if cv is None:
        new = HeldOut.of_new(estimator, told, whole, random_state)
        return Evaluation(estimator, told, new, ceiling)
    model, seconds, notes = _fitted(estimator, told, extra)
    if isinstance(cv, int) and cv:
        cv = GroupedKFold(cv, "observer" if whole == "observer" else "group", True, random_state)
    held = HeldOut.of_folds(model, told, cv, extra, callback) if cv else None
    return Evaluation(model, told, held, ceiling, extra, seconds=seconds, warnings=notes)


def _fitted(
    estimator: OrdinalEmbedding, judgments: Judged, extra: Judged | None
) -> tuple[OrdinalEmbedding, float | None, tuple[str, ...]]:
    """Fit a copy of the estimator unless it is fitted; note how long it takes and warns of."""
    if "embedding_" in vars(estimator):
        return estimator, None, ()
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = clone(estimator).fit(joined(judgments, extra))
    notes = dict.fromkeys(str(warning.message) for warning in caught)
    return model, time.perf_counter() - began, tuple(notes)


def joined(judgments: Judged, extra: Judged | None) -> Any:
    """Return judgments with those that are fitted besides."""
    return judgments if extra is None else join_judgments([judgments, extra])


def kept_whole(judgments: Judged, by: str | None) -> str:
    """Say what stays whole: what was asked for, else the groups there are, else rows."""
    if by in (None, "group"):
        if judgments.group is None and by is None:
            return "row"
        by = "group"
    if by not in ("group", "observer"):
        raise SettingError(f'by is {by!r}; give "group" or "observer"', setting="by")
    if getattr(judgments, by) is None:
        raise JudgmentError(
            f'by="{by}", but the judgments have no {by}s: give them {by}=..., name the column of '
            "the file, or leave by out",
            setting="by",
        )
    return by


def own_ratios(counts: CountedPairs) -> float:
    r"""Return the log-likelihood of a trial if each pair's share of hits were its probability.

    .. math:: \frac{\sum a \log (a/n) + (n - a) \log (1 - a/n)}{\sum n}

    with a the hits (errors of confusions, steps up of ratings) of all n trials of a pair.

    Examples
    --------
    >>> from resemblance import Confusions
    >>> round(own_ratios(Confusions([[0, 1]], errors=[1], trials=[2])), 3)
    -0.693
    """
    pairs = np.unique(counts.index, axis=0, return_inverse=True)[1].ravel()
    hits, rest = (np.bincount(pairs, column) for column in counts.counts.T)
    p = hits / (hits + rest)
    return float((xlogy(hits, p) + xlog1py(rest, -p)).sum() / (hits + rest).sum())


def ceiling_of(judgments: Judged, random_state: int) -> NoiseCeiling | None:
    """Estimate what no model can do better than; None of counts, or without repeated questions."""
    if isinstance(judgments, CountedPairs):
        return None
    return noise_ceiling(judgments, random_state=random_state)


def _weights(judgments: Judged) -> NDArray[Any]:
    """Return how much each row counts: of counted pairs its trials."""
    return judgments.trial_weights if isinstance(judgments, CountedPairs) else judgments.weights


def _kind(judgments: Judged) -> str:
    name = type(judgments).__name__
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _distinct(labels: NDArray[Any] | None) -> int | None:
    return None if labels is None else len(np.unique(labels))


def _catches(catches: Any) -> dict[str, Any] | None:
    """Say how many catch trials there are, and how many were passed."""
    if catches is None:
        return None
    people = None if catches.observer is None else catches.pass_rates_by_observer()
    return {
        "rows": len(catches),
        "passed": catches.passed.sum(),
        "pass_rate": catches.pass_rate,
        "pass_rate_by_observer": people,
    }


def _ceiling(ceiling: NoiseCeiling | None) -> dict[str, Any]:
    """Return the least error that any model can reach on the repeated questions, or why not."""
    if ceiling is None:
        return {"error": None, "why": UNREPEATED}
    low, high = ceiling.interval
    return {
        "error": ceiling.error,
        "interval": [1 - high, 1 - low],
        "agreement": ceiling.agreement,
        "majority_error": 1 - ceiling.majority_accuracy,
        "repeated_questions": ceiling.n_questions,
        "pairs_of_answers": ceiling.n_pairs,
        "speaks_for": "the repeated questions alone",
    }


def _dimensions(curve: DimensionCurve | None) -> dict[str, Any] | None:
    """Return the held-out errors of the numbers of dimensions that were tried."""
    if curve is None:
        return None
    return {
        "dims": curve.dims,
        "error": curve.error_mean,
        "standard_error": curve.error_se,
        "best": curve.best,
        "chosen": curve.chosen,
        "rule": RULE,
    }
