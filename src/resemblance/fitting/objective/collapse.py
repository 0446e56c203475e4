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
    r"""Put items exactly in one place where a penalty has drawn them together; so with dimensions.

    All positions become 0 where they bring next to nothing, :math:`f(0) - f(X) < 10^{-6} f(0)`, and
    a dimension whose extent is below a thousandth of the longest one. It is done for coordinates
    and Gram matrices under a penalty; of arrangements, a loss of items in one place is not known.

    Parameters
    ----------
    X : array (n_items, n_components)
        The positions of a fit, in principal axes, the longest first.
    params : array
        The parameters of the fit.
    objective : Objective
        What was minimised.
    form : Form
        How distances come from the parameters.
    chosen : bool
        Whether the penalty was chosen on answers held out.

    Returns
    -------
    array (n_items, n_components)

    Warns
    -----
    CollapsedWarning
        Where anything was put to 0.
    """
    arranged = any(batch.layout.arranged for batch in objective.data)
    if type(form) not in (Coordinates, Gram) or arranged or not objective.penalty > 0:
        return X
    strength = f"the penalty of {objective.penalty:.3g}"
    if np.abs(X).max() < TINY and _gain(params, objective) < LEAST_GAIN:
        remedy = (
            "the answers say nothing of distances, so collect more"
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
            f"{gone.sum()} of {len(gone)} dimensions have no extent under {strength}: fit "
            f"n_components={len(gone) - gone.sum()}{'' if chosen else ', or lower the penalty'}."
        )
    return np.where(gone, 0.0, X)


def _gain(params: Floats, objective: Objective) -> float:
    """Return by which share positions lower the loss of all items in one place."""
    nowhere = objective(np.zeros_like(params))[0]
    return float(1.0 - objective(params)[0] / nowhere) if nowhere > 0 else np.inf


def _warn(message: str) -> None:
    warnings.warn(CollapsedWarning(message, setting="penalty"), stacklevel=5)
