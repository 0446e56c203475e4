"""The log of a session, line by line."""

from collections import deque
from dataclasses import asdict
from typing import Any

import numpy as np

from resemblance.asking.fit_job import WINDOW, FitResult, Guard, ModelChoice
from resemblance.asking.newcomers import first_items
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.laplace.noise import Noise
from resemblance.forms import FeaturePrior, Form
from resemblance.judgments import Items

Line = dict[str, Any]

REMEMBERED = WINDOW + 1  # fits whose held-out losses are kept: what the guard looks back on


class Log(list[Line]):
    """What happened to a session, line by line, as plain numbers and text.

    The last fit is there whole, so that a session can go on from it; of those before, only what
    the guard looks back on.

    Parameters
    ----------
    keep : bool
        Whether to keep anything.
    """

    def __init__(self, keep: bool = True) -> None:
        super().__init__()
        self.keep = keep
        self._fits: deque[Line] = deque(maxlen=REMEMBERED)

    def add(self, line: Line) -> None:
        """Write a line."""
        if self.keep:
            self.append(line)

    def add_fit(self, result: FitResult, guard: Guard | None) -> None:
        """Write a fit down."""
        if self._fits:
            self._fits[-1].pop("positions", None)
        self.take_fit(fit_line(result, guard))

    def take_fit(self, line: Line) -> None:
        """Take the line of a fit."""
        if not self.keep:
            return
        if len(self._fits) == REMEMBERED:
            self._fits[0].pop("held_out_loss", None)
        self._fits.append(line)
        self.append(line)


def fit_line(result: FitResult, guard: Guard | None) -> Line:
    """Tell a fit as plain numbers: what a session needs to go on from it."""
    return {
        "event": "fit",
        "told": result.n_answers,
        "items": len(result.model.embedding_),
        "trust": 1.0 if guard is None else guard.trust,
        "noise": [result.noise.temperature, result.noise.lapse],
        "penalty": result.settings.get("penalty"),
        "extent": getattr(result.model, "extent_", None),
        **_form_chosen(result.settings.get("form")),
        "choice": result.chosen and asdict(result.chosen),
        "held_out_loss": result.held_out_loss.tolist(),
        "positions": result.model.embedding_.tolist(),
    }


def _form_chosen(form: Form | None) -> Line:
    """Tell how far features are believed, and by which map."""
    if not isinstance(form, FeaturePrior):
        return {"share": None, "map": None}
    return {"share": form.rho, "map": form.features_map.name}


def fit_of_line(line: Line, model: OrdinalEmbedding, items: Items) -> FitResult:
    """Return a fit as its line tells it, on the items that it had."""
    positions = np.array(line["positions"])
    model.set_positions(positions, first_items(items, len(positions)))
    if line.get("penalty") is not None:
        model.penalty_, model.extent_ = line["penalty"], line.get("extent")
    if line.get("share") is not None and isinstance(model.form, FeaturePrior):
        model.form_ = model.form.taken(line.get("map"), share=line["share"])
    loss = np.array(line.get("held_out_loss", []), dtype=float)
    chosen = line.get("choice")
    return FitResult(
        model, Noise(*line["noise"]), line["told"], loss, chosen and ModelChoice(**chosen)
    )
