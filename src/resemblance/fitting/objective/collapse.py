"""Detect dimensions that a penalty shrank to nothing, and set them to exactly zero."""

from __future__ import annotations

import warnings

import numpy as np

from resemblance.arrays import Floats
from resemblance.errors import CollapsedWarning
from resemblance.fitting.objective.objective import Objective
from resemblance.forms import Coordinates, Form, Gram

TINY = 1e-3  # positions below which it is asked whether they say anything
LEAST_GAIN = 1e-6  # least relative gain of positions over one place for all items
VANISHED = 1e-3  # extent of a vanished dimension, relative to the longest one


def without_residue(
    X: Floats, params: Floats, objective: Objective, form: Form, chosen: bool
) -> Floats:
    r"""Set items to exactly one place if a penalty made them collapse; dimensions likewise.

    All positions become 0 if they hardly lower the loss, :math:`f(0) - f(X) < 10^{-6} f(0)`; so
    does a dimension with less than a thousandth of the longest one's extent. Applies to
    coordinates and Gram matrices under a penalty. Arrangements keep their positions, since their
    loss for one place is undefined. Warns with CollapsedWarning. X (n_items, n_components) is in
    principal axes, the longest first.
    """
    arranged = any(batch.layout.arranged for batch in objective.data)
    if type(form) not in (Coordinates, Gram) or arranged or not objective.penalty > 0:
        return X
    strength = f"the penalty of {objective.penalty:.3g}"
    if np.abs(X).max() < TINY and _gain(params, objective) < LEAST_GAIN:
        remedy = (
            "the answers do not determine distances, so collect more"
            if chosen
            else 'lower it, or give penalty="auto" where the model takes it'
        )
        _warn(
            f"all items lie in one place: {strength} outweighs the answers, and the fit predicts "
            f"nothing: {remedy}."
        )
        return np.zeros_like(X)
    extent = np.linalg.norm(X, axis=0)
    gone = extent < VANISHED * extent.max()
    if gone.any():
        _warn(
            f"{gone.sum()} of {len(gone)} dimensions vanish under {strength}: fit "
            f"n_components={len(gone) - gone.sum()}{'' if chosen else ', or lower the penalty'}."
        )
    return np.where(gone, 0.0, X)


def _gain(params: Floats, objective: Objective) -> float:
    """Return the relative fall of the loss from all items in one place."""
    nowhere = objective(np.zeros_like(params))[0]
    return float(1.0 - objective(params)[0] / nowhere) if nowhere > 0 else np.inf


def _warn(message: str) -> None:
    warnings.warn(CollapsedWarning(message, setting="penalty"), stacklevel=5)
