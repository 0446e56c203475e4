"""Fits that a penalty has drawn together: told, and made exact, so that no residue is a result."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from resemblance.arrays import Floats
from resemblance.errors import CollapsedWarning
from resemblance.fitting.objective import Objective
from resemblance.forms import Coordinates, Form, Gram

if TYPE_CHECKING:
    from resemblance.fitting.embedding import OrdinalEmbedding

TINY = 1e-3  # positions below which it is asked whether they say anything
LEAST_GAIN = 1e-6  # of the loss where all items lie in one place, that positions must bring
VANISHED = 1e-3  # of the extent of the longest dimension


def put_residue_to_0(
    model: OrdinalEmbedding, params: Floats, objective: Objective, form: Form
) -> None:
    r"""Put items exactly in one place where a penalty has drawn them together; so with dimensions.

    All positions become 0 where they bring next to nothing, :math:`f(0) - f(X) < 10^{-6} f(0)`, and
    a dimension whose extent is below a thousandth of the longest one. It is done for coordinates
    and Gram matrices under a penalty; of arrangements, a loss of items in one place is not known.

    Parameters
    ----------
    model : OrdinalEmbedding
        Just fitted; its positions lie in principal axes, the longest first.
    params : array
        The parameters of the fit.
    objective : Objective
        What was minimised.
    form : Form
        How distances come from the parameters.

    Warns
    -----
    CollapsedWarning
        Where anything was put to 0.
    """
    arranged = any(batch.layout.arranged for batch in objective.data)
    if type(form) not in (Coordinates, Gram) or arranged or not objective.penalty > 0:
        return
    X, strength = model.embedding_, f"the penalty of {objective.penalty:.3g}"
    chosen = isinstance(model.penalty, str)
    if np.abs(X).max() < TINY and _gain(params, objective) < LEAST_GAIN:
        model.embedding_ = np.zeros_like(X)
        if hasattr(model, "gram_"):
            model.gram_ = np.zeros_like(model.gram_)
        remedy = (
            "the answers say nothing of distances, so collect more"
            if chosen
            else 'lower it, or give penalty="auto" where the model takes it'
        )
        _warn(
            f"all items lie in one place: {strength} outweighs the answers, and the fit predicts "
            f"nothing: {remedy}."
        )
        return
    extent = np.linalg.norm(X, axis=0)
    gone = extent < VANISHED * extent.max()
    if gone.any():
        model.embedding_ = np.where(gone, 0.0, X)
        _warn(
            f"{gone.sum()} of {len(gone)} dimensions have no extent under {strength}: fit "
            f"n_components={len(gone) - gone.sum()}{'' if chosen else ', or lower the penalty'}."
        )


def _gain(params: Floats, objective: Objective) -> float:
    """Return by which share positions lower the loss of all items in one place."""
    nowhere = objective(np.zeros_like(params))[0]
    return float(1.0 - objective(params)[0] / nowhere) if nowhere > 0 else np.inf


def _warn(message: str) -> None:
    warnings.warn(CollapsedWarning(message, setting="penalty"), stacklevel=4)
