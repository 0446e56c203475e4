"""The report of a fit: what went in, what came out, and how far to trust it."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from resemblance import __version__
from resemblance.cli.output import plain
from resemblance.cli.source import Source
from resemblance.cli.validation import kept_whole, mean, standard_error
from resemblance.scores import NoiseCeiling, majority_error, neighbour_error, weighted_mean

if TYPE_CHECKING:
    from resemblance.cli.study import Study
    from resemblance.cli.validation import Fold
    from resemblance.fitting import DimensionCurve
    from resemblance.judgments import CatchTrials, Judgments

RULE = (
    "the fewest dimensions whose mean held-out error is at most the lowest one plus its standard "
    "error; the error of the chosen number is slightly flattered by the choice"
)


def report_on(study: "Study") -> dict[str, Any]:
    """Draw up the report as plain values, which JSON can hold."""
    return plain(
        {
            "resemblance": __version__,
            "status": study.status,
            "settings": settings_of(study),
            "model": model_of(study),
            "data": data_of(study),
            "fit": fit_of(study),
            "cross_validation": validation_of(study),
            "noise_ceiling": ceiling_of(study.ceiling),
            "labels": labels_of(study),
            "dimensions": dimensions_of(study.curve),
            "warnings": study.notes,
        }
    )


def settings_of(study: "Study") -> dict[str, Any]:
    """Repeat the settings of the command."""
    dims = "auto" if study.dims is None else study.dims
    parts = asdict(study.source), asdict(study.recipe), {"dims": dims}, asdict(study.validation)
    asked = {name: value for part in parts for name, value in part.items()}
    neighbours = None if study.neighbours is None else asdict(study.neighbours)
    return asked | {"out": study.folder, "neighbours": neighbours}


def model_of(study: "Study") -> dict[str, Any]:
    """Name the model, its parameters and the paper to cite."""
    model, fitted = study.recipe.described, study.model
    parameters = {name: v for name, v in fitted.get_params().items() if name != "callback"}
    return {
        "name": model.title,
        "estimator": model.estimator,
        "parameters": parameters,
        "choice_model": repr(fitted._choice()),
        "how_to_cite": model.reference,
    }


def data_of(study: "Study") -> dict[str, Any]:
    """Count what the file holds."""
    judgments, fitted = study.judgments, study.model
    names = judgments.items.names
    parts = np.bincount(fitted.parts_[fitted.parts_ >= 0])
    return {
        "file": study.source.file,
        "kind": study.source.kind,
        "clicks": clicks_of(study),
        "rows": len(judgments),
        "total_weight": judgments.weights.sum(),
        "items": len(names),
        "observers": distinct(judgments.observer),
        "groups": distinct(judgments.group),
        "parts": parts,
        "unmentioned": [names[i] for i in fitted.unmentioned_],
        "catch_trials": catches_of(getattr(judgments, "catches", None)),
    }


def clicks_of(study: "Study") -> dict[str, Any] | None:
    """Count the clicks that were fitted besides."""
    if study.clicks is None:
        return None
    assert isinstance(study.source, Source)
    return {"file": study.source.clicks, "rows": len(study.clicks)}


def distinct(labels: np.ndarray | None) -> int | None:
    """Count different labels; None where there are no labels."""
    return None if labels is None else len(np.unique(labels))


def catches_of(catches: "CatchTrials | None") -> dict[str, Any] | None:
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


def fit_of(study: "Study") -> dict[str, Any]:
    """Say how the fit went."""
    fitted = study.model
    return {
        "loss": fitted.loss_,
        "n_iter": fitted.n_iter_,
        "converged": fitted.converged_,
        "seconds": study.seconds,
        "training_error": 1 - fitted.score(study.judgments),
        "dimensions": fitted.embedding_.shape[1],
    }


def validation_of(study: "Study") -> dict[str, Any] | None:
    """Give the held-out error of the fitted number of dimensions, as far as its folds go."""
    if study.splitter is None:
        return None
    folds = study.held_out.get(study.model.n_components or 0, [])
    errors = [fold.error for fold in folds]
    return {
        **folds_of(study, folds),
        "error_of_folds": errors,
        "error": mean(errors),
        "standard_error": standard_error(errors),
        "log_loss": mean([fold.log_loss for fold in folds]),
        "guessing": guessing(study.judgments),
    }


def folds_of(study: "Study", folds: "list[Fold]") -> dict[str, Any]:
    """Say what was held out together, and how many folds there are, finished and converged."""
    assert study.splitter is not None
    return {
        "by": kept_whole(study.judgments, study.validation.by) or "row",
        "folds": study.splitter.n_splits,
        "folds_finished": len(folds),
        "folds_not_converged": sum(not fold.converged for fold in folds),
    }


def guessing(judgments: "Judgments") -> dict[str, float]:
    """Give the error and the log loss of a guess among the options of each row."""
    options = np.empty(len(judgments))
    for comparison in judgments.comparisons():
        options[comparison.rows] = comparison.n_options
    return {
        "error": weighted_mean(1 - 1 / options, judgments.weights),
        "log_loss": weighted_mean(np.log(options), judgments.weights),
    }


def ceiling_of(ceiling: NoiseCeiling | None) -> dict[str, Any]:
    """Give the least error that any model can reach on the repeated questions, or why not."""
    if ceiling is None:
        why = "no question was answered twice by different people (observers, else responses)"
        return {"error": None, "why": why}
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


def labels_of(study: "Study") -> dict[str, Any] | None:
    """Say how often the nearest neighbour has another label; unmentioned items do not count."""
    if study.judgments.items.labels is None:
        return None
    labels = study.judgments.items.labels.astype(object)
    labels[study.model.unmentioned_] = None
    X = study.model.embedding_
    n_classes = len({label for label in labels if label is not None})
    return {
        "classes": n_classes,
        "neighbour_error": neighbour_error(X, labels),
        "majority_error": majority_error(labels),
        "balanced_neighbour_error": neighbour_error(X, labels, balanced=True),
        "balanced_majority_error": 1 - 1 / n_classes,
    }


def dimensions_of(curve: "DimensionCurve | None") -> Mapping[str, Any] | None:
    """Give the held-out errors of the numbers of dimensions that were tried."""
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
