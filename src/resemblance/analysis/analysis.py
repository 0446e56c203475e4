"""The result of an analysis: a fit, its scores, its uncertainty and advice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, cast

from resemblance.analysis.advice import expected_excess, next_step
from resemblance.analysis.comparison import ModelComparison
from resemblance.analysis.exclusions import Guessing
from resemblance.analysis.hardness import Hardness, hardness
from resemblance.analysis.overruled import OverruledAnswers, overruled_answers
from resemblance.analysis.record import (
    alone_part,
    ceiling_part,
    data_part,
    dimensions_part,
    held_out_part,
    machine_part,
    model_part,
    people_part,
    prior_part,
    thresholds_part,
)
from resemblance.analysis.wording import lines_of
from resemblance.errors import SettingError
from resemblance.files import as_json, plain
from resemblance.fitting.dimension import AnotherDimension, DimensionCurve
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.held_out import HeldOut, error_of, scored_rows
from resemblance.fitting.machine_weight import WeighedMachine
from resemblance.judgments import Judgments, OneKind, are_answers
from resemblance.notebook import Card, Shown
from resemblance.optional import pd
from resemblance.scores import NoiseCeiling, majority_error, neighbour_error, weighted_mean

MOST_LISTED = 200_000  # With more answers than this, overruled answers are not listed.
MOST_PLACED = 20_000  # maximum number of rows for an estimate of the ceiling


@dataclass(frozen=True)
class Analysis(Shown):
    """The result of an analysis: data, scores, the best possible scores, and advice.

    ``print`` gives a summary in words, and ``to_pandas()`` a table of scores. ``as_dict()`` and
    ``to_json()`` return all results, as in the ``report.json`` of ``resemblance fit``.

    Attributes
    ----------
    model : OrdinalEmbedding
        The fitted model.
    judgments : Judgments, Confusions or Ratings
        The answers that the model was fitted to, or tested on if there are no folds.
    held_out : HeldOut, optional
        The model's scores on held-out answers.
    ceiling : NoiseCeiling, optional
        The best achievable score, estimated from repeated questions.
    extra : Judgments, optional
        Judgments that were fitted too and never held out.
    curve : DimensionCurve, optional
        The choice of the number of dimensions.
    seconds : float, optional
        The duration of the fit.
    warnings : tuple of str
        The warnings of the fit.
    models : ModelComparison, optional
        The comparison that chose the choice model.
    another : AnotherDimension, optional
        The gain from more dimensions, if they were tried.
    seen : float, optional
        For a fitted model on new answers, the share of rows that were also fitted, whose error is
        too low. None if unknown.
    gold : int
        The number of answers to gold questions that were left out.
    features_alone : HeldOut, optional
        For a fit with features, the scores of plain distances between standardised features on the
        same answers.
    without_views : mapping of str to HeldOut
        For a fit with several views of the items, the scores without each view.
    people : Guessing, optional
        The participants whose answers look like guessing, if observers are known.
    machine : WeighedMachine, optional
        The answers of a machine, which no score counts, and the weight with which they were fitted.
    door : {"python", "command", "desk"}
        The interface that the advice refers to.

    Examples
    --------
    >>> import resemblance as rs
    >>> model = rs.STE(1).set_positions([[0.0], [1.0], [3.0]])
    >>> analysis = rs.evaluate(model, [[0, 1, 2], [1, 0, 2], [2, 0, 1], [2, 1, 0]])
    >>> print(analysis)  # doctest: +ELLIPSIS
    rows                          4 triplets
    items                         3
    model                         STE in 1 dimension
    error on the questions asked  0.250 (95% interval 0.008 to 0.933; 4 answers by question; gue...)
    log loss                      1.266 (guessing 0.693, which is better: ...)
    questions                     3 different ones only: nothing is known of the error on others
    noise ceiling                 unknown: 1 repeated question, and it takes 25 to say something
    next                          Ask other questions too (Session): with fewer than 10 ...
    >>> float(analysis.to_pandas().loc["held-out error", "value"])
    0.25
    """

    model: OrdinalEmbedding
    judgments: OneKind
    held_out: HeldOut | None = None
    ceiling: NoiseCeiling | None = None
    extra: OneKind | None = None
    curve: DimensionCurve | None = None
    seconds: float | None = None
    warnings: tuple[str, ...] = ()
    models: ModelComparison | None = None
    another: AnotherDimension | None = None
    seen: float | None = None
    gold: int = 0
    features_alone: HeldOut | None = None
    without_views: Mapping[str, HeldOut] = field(default_factory=dict)
    people: Guessing | None = None
    machine: WeighedMachine | None = None
    door: str = "python"

    @property
    def counted(self) -> bool:
        """Whether rows are scored by likelihood, because they have no right answer."""
        return not self.judgments.scoring.is_error

    @property
    def size(self) -> str:
        """The number of rows, in words such as "4 triplets"."""
        size, extra = self.judgments.size, self.extra
        return size if extra is None else f"{size} and {len(extra):,} clicks"

    @cached_property
    def guessing(self) -> dict[str, float]:
        """The scores of guessing on the scored rows."""
        scored, held = self.judgments[scored_rows(self.judgments)[0]], self.held_out
        if held is not None and held.guess is not None:
            return {self.judgments.scoring.name: self.judgments.scoring.value(held.guess)}
        guesses, weights = scored.guesses().items(), scored.trial_weights
        return {name: weighted_mean(scores, weights) for name, scores in guesses}

    @cached_property
    def hardness(self) -> Hardness | None:
        """A test whether a strategy chose the questions; None if the questions' origin is known."""
        return None if self.held_out is None else hardness(self.model, self.judgments)

    @cached_property
    def overruled(self) -> OverruledAnswers | None:
        """The answers that the map overrules; None if there are too many, or no right answers."""
        answers = self.judgments
        if not are_answers(answers) or len(answers) > MOST_LISTED:
            return None
        try:
            return overruled_answers(self.model, cast("Judgments", answers))
        except SettingError:  # the model has no probabilities
            return None

    @cached_property
    def expected_excess(self) -> float | None:
        """The expected error on random questions minus the true space's error, or None."""
        is_held_out = self.held_out is not None and self.held_out.n_folds > 0
        return expected_excess(self.model, self.judgments) if is_held_out else None

    @cached_property
    def labels(self) -> dict[str, Any] | None:
        """The error of labels predicted from the nearest item, for items with answers."""
        if self.model.items_.labels is None:
            return None
        labels = self.model.items_.labels.astype(object)
        labels[getattr(self.model, "unmentioned_", [])] = None
        X, n_classes = self.model.embedding_, len({name for name in labels if name is not None})
        return {
            "classes": n_classes,
            "neighbour_error": neighbour_error(X, labels),
            "majority_error": majority_error(labels),
            "balanced_neighbour_error": neighbour_error(X, labels, balanced=True),
            "balanced_majority_error": 1 - 1 / n_classes,
        }

    def as_dict(self) -> dict[str, Any]:
        """Return all results as JSON values."""
        weights = getattr(self.model, "kernel_weights_", None)
        maps = {"kernel_weights": weights, "gap": getattr(self.model, "gap_", None)}
        parts = {
            "model": model_part(self.model),
            "data": data_part(self.model, self.judgments, self.extra) | {"gold": self.gold},
            "fit": self._fit(),
            "held_out": held_out_part(self.held_out, self.judgments, self.guessing),
            "expected_excess": self.expected_excess,
            "questions": self.hardness and asdict(self.hardness),
            "noise_ceiling": ceiling_part(self._placed_ceiling, self.held_out),
            "labels": self.labels,
            "people": people_part(self.people, self.door),
            "overruled": self.overruled and self.overruled.as_dict(),
            "machine": machine_part(self.machine),
            "thresholds": thresholds_part(self.model),
            "prior": prior_part(self.model),
            "features_alone": alone_part(self.features_alone),
            "without_views": {view: alone_part(held) for view, held in self.without_views.items()},
            "dimensions": dimensions_part(self.curve),
            "another_dimension": self.another and asdict(self.another),
            "models": self.models and self.models.to_pandas().to_dict("index"),
            "warnings": self.warnings,
            "seen": None if self.seen is None else {"share": self.seen, "error": self._error},
        }
        kept: dict[str, Any] = plain(parts | (maps if weights else {}))
        return kept | {"next": next_step(kept, self.door)}

    @property
    def next(self) -> dict[str, Any]:
        """The advice: a code, a text and a number or None."""
        step: dict[str, Any] = self.as_dict()["next"]
        return step

    def to_json(self) -> str:
        """Return all results as JSON. NaN and infinity become null."""
        return as_json(self.as_dict())

    def to_pandas(self) -> pd.DataFrame:
        """Return a table of scores: value, standard error, interval, and score of guessing."""
        parts = self.as_dict()
        held, labels = parts["held_out"] or {}, parts["labels"] or {}
        rows: dict[str, dict[str, Any]] = {}
        for name, guess in self.guessing.items():
            rows[f"held-out {name.replace('_', '-')}"] = {
                "value": held.get(name),
                "guessing": guess,
            }
        low, high = held.get("interval") or (None, None)
        first = next(iter(rows.values()))
        first |= {"standard_error": held.get("standard_error"), "low": low, "high": high}
        rows["calibration slope"] = {"value": held.get("calibration_slope")}
        low, high = parts["noise_ceiling"].get("interval") or (None, None)
        rows["noise ceiling"] = {"value": parts["noise_ceiling"]["error"], "low": low, "high": high}
        for name in ("neighbour_error", "balanced_neighbour_error"):
            majority = labels.get(name.replace("neighbour", "majority"))
            rows[name.replace("_", " ")] = {"value": labels.get(name), "guessing": majority}
        columns = ["value", "standard_error", "low", "high", "guessing"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns).astype(float)

    def lines(self) -> list[tuple[str, str]]:
        """Return the main results as pairs (name, words). The last is the advice."""
        return [("rows", self.size), *lines_of(self.as_dict())]

    def _card(self) -> Card:
        words = [*self.lines(), *(("warning", text) for text in self.warnings)]
        return Card("Analysis", dict(words), self.to_pandas().dropna(how="all"))

    def __str__(self) -> str:
        lines = [*self.lines(), *(("warning", text) for text in self.warnings)]
        width = max(len(name) for name, _ in lines)
        return "\n".join(f"{name:{width}}  {words}" for name, words in lines)

    @property
    def _placed_ceiling(self) -> NoiseCeiling | None:
        if self.ceiling is None or self.held_out is None or not self.held_out.log_losses:
            return self.ceiling
        rows = cast("Judgments", self.judgments)[:MOST_PLACED]  # only Judgments have a ceiling
        is_alike = (rows.answers_possible() == self.ceiling.n_options).all()
        return self.ceiling.placed_by(self.model.predict_proba(rows)) if is_alike else self.ceiling

    @property
    def _error(self) -> float:
        return self.judgments.scoring.value(error_of(self.model, self.judgments))

    def _fit(self) -> dict[str, Any]:
        scoring = self.judgments.scoring
        what = {"training_error" if scoring.is_error else scoring.name: self._error}
        return {
            "loss": getattr(self.model, "loss_", None),
            "n_iter": getattr(self.model, "n_iter_", None),
            "converged": getattr(self.model, "converged_", None),
            "seconds": self.seconds,
            **({} if self.held_out and not self.held_out.n_folds else what),
            "dimensions": self.model.embedding_.shape[1],
        }
