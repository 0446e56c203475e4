"""Convert an analysis to JSON values for report.json."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.analysis.exclusions import Guessing
from resemblance.catalog import cited
from resemblance.errors import count
from resemblance.fitting.answers import times_pasted
from resemblance.fitting.dimension import DimensionCurve
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.held_out import HeldOut, scored_rows
from resemblance.fitting.machine_weight import WeighedMachine
from resemblance.forms import FeaturePrior, Form
from resemblance.judgments import OneKind
from resemblance.scores import NoiseCeiling, n_questions
from resemblance.scores.ceiling import LEAST_REPEATED

RULE = (
    "the fewest dimensions whose mean held-out error is at most the lowest one plus its standard "
    "error; the error of the chosen number is slightly flattered by the choice"
)
LEAVE_OUT = {"python": "screen=True", "command": "--screen", "desk": 'action = "exclude"'}
INTERVALS = "interval", "people_interval", "widest_interval"
UNREPEATED = "no question was answered twice"


def model_part(model: OrdinalEmbedding) -> dict[str, Any]:
    title, reference = cited(type(model).__name__)
    settings = {
        name: repr(value) if isinstance(value, Form) else value
        for name, value in model.get_params().items()
    }
    return {
        "name": title,
        "estimator": type(model).__name__,
        "parameters": {name: value for name, value in settings.items() if name != "callback"},
        "choice_model": repr(model.choice_),
        "how_to_cite": reference,
    }


def data_part(model: OrdinalEmbedding, judgments: OneKind, extra: OneKind | None) -> dict[str, Any]:
    names = model.items_.names
    parts = np.asarray(getattr(model, "parts_", []), dtype=int)
    responses = _distinct(judgments.response_id)
    return {
        "kind": judgments.kind(),
        "rows": len(judgments),
        "answers": (responses or len(judgments)) if judgments.scoring.of_answers else None,
        "questions": n_questions(judgments) if judgments.scoring.of_answers else None,
        **judgments.counts_in_all(),
        "copies": times_pasted(judgments),
        "extra": None if extra is None else len(extra),
        "total_weight": judgments.weights.sum(),
        "items": len(names),
        "observers": _distinct(judgments.observer),
        "responses": responses,
        "parts": np.bincount(parts[parts >= 0]),
        "unmentioned": [names[i] for i in getattr(model, "unmentioned_", [])],
        "catch_trials": _catches(getattr(judgments, "catches", None)),
    }


def held_out_part(
    held: HeldOut | None, judgments: OneKind, guessing: dict[str, float]
) -> dict[str, Any] | None:
    if held is None:
        return None
    scores = held.as_dict() | {"guessing": guessing}
    if judgments.scoring.is_error:
        return scores
    losses = scores.pop("error_of_folds")
    error, _ = scores.pop("error"), scores.pop("log_loss")
    return scores | {
        **{name: scores[name] and (-scores[name][1], -scores[name][0]) for name in INTERVALS},
        "log_likelihood_of_folds": [-loss for loss in losses],
        "log_likelihood": None if error is None else -error,
        "own_ratios": judgments[scored_rows(judgments)[0]].own_ratios,
    }


def machine_part(machine: WeighedMachine | None) -> dict[str, Any] | None:
    if machine is None:
        return None
    return {
        "answers": len(machine.answers),
        "weight": machine.weight,
        "gain": machine.gain,
        "log_loss": {f"{weight:g}": loss.mean() for weight, loss in machine.log_losses.items()},
    }


def _distinct(labels: NDArray[Any] | None) -> int | None:
    return None if labels is None else len(np.unique(labels))


def _catches(catches: Any) -> dict[str, Any] | None:
    if catches is None:
        return None
    people = None if catches.observer is None else catches.pass_rates_by_observer()
    return {
        "rows": len(catches),
        "passed": catches.passed.sum(),
        "pass_rate": catches.pass_rate,
        "pass_rate_by_observer": people,
    }


def ceiling_part(ceiling: NoiseCeiling | None, held: HeldOut | None = None) -> dict[str, Any]:
    """Return the noise ceiling as JSON values, or the reason why it is unknown."""
    if ceiling is None:
        return {"error": None, "why": UNREPEATED}
    if ceiling.n_questions < LEAST_REPEATED:
        n = ceiling.n_questions
        why = f"{count(n, 'repeated question')}, and it takes {LEAST_REPEATED} to say something"
        return {"error": None, "why": why, "repeated_questions": n}
    low, high = 1 - ceiling.interval[1], 1 - ceiling.interval[0]
    measured = None if held is None else held.error
    if measured is not None and measured < low:
        why = (
            f"people disagree on {low:.3f} to {high:.3f} of the questions asked repeatedly, which "
            "are harder than those that the error is of"
        )
        return {"error": None, "why": why, "repeated_questions": ceiling.n_questions}
    return {
        "error": ceiling.told(measured),
        "why": None if ceiling.is_certain else _too_wide(ceiling, low, high),
        "interval": [low, min(high, _at_most(held))],
        "bounds": [1 - ceiling.bounds[1], 1 - ceiling.bounds[0]],
        "agreement": ceiling.agreement,
        "majority_error": 1 - ceiling.majority_accuracy,
        "repeated_questions": ceiling.n_questions,
        "pairs_of_answers": ceiling.n_pairs,
        "of_same_people": ceiling.of_same_people,
        "speaks_for": "questions like those that were repeated",
    }


def _at_most(held: HeldOut | None) -> float:
    if held is None or held.error is None:
        return 1.0
    return held.error if held.interval is None else held.interval[1]


def _too_wide(ceiling: NoiseCeiling, low: float, high: float) -> str:
    n = ceiling.n_questions
    if ceiling.agreement == 0:
        return f"none of {n} repeated questions was answered alike twice: were duplicates removed?"
    return f"between {low:.3f} and {high:.3f}, by {n} repeated questions, which are too few"


def people_part(people: Guessing | None, door: str) -> dict[str, Any] | None:
    return None if people is None else asdict(people) | {"do": LEAVE_OUT[door]}


def thresholds_part(model: OrdinalEmbedding) -> list[dict[str, Any]] | None:
    thresholds = getattr(model, "thresholds_", None)
    return thresholds and [
        {
            "points": scale.points,
            "crowd": scale.crowd,
            "observers": len(scale.people),
            "shift": scale.shift,
            "stretch": scale.stretch,
        }
        for scale in thresholds.scales
    ]


def prior_part(model: OrdinalEmbedding) -> dict[str, Any] | None:
    form = getattr(model, "form_", None)
    if not isinstance(form, FeaturePrior):
        return None
    return {"share": form.rho, "map": form.features_map.name}


def alone_part(alone: HeldOut | None) -> dict[str, Any] | None:
    if alone is None:
        return None
    return {name: getattr(alone, name) for name in ("error", "interval", "n_answers")}


def dimensions_part(curve: DimensionCurve | None) -> dict[str, Any] | None:
    if curve is None:
        return None
    return {
        "dims": curve.dims,
        "error": curve.error_mean,
        "standard_error": curve.error_se,
        "best": curve.best,
        "chosen": curve.chosen,
        "is_exact": curve.is_exact,
        "least": curve.least,
        "p_values": curve.p_values,
        "not_worse": curve.not_worse,
        "rule": RULE,
    }
