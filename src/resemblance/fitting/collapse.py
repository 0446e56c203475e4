"""Fits that a penalty has drawn together: told, and made exact, so that no residue is a result."""

from __future__ import annotations

import warnings

import numpy as np

from resemblance.arrays import Floats
from resemblance.errors import CollapsedWarning
from resemblance.fitting.objective import Objective

TINY = 1e-3  # positions below which it is asked whether they say anything
LEAST_GAIN = 1e-6  # of the loss where all items lie in one place, that positions must bring
VANISHED = 1e-3  # of the extent of the longest dimension


def without_residue(X: Floats, params: Floats, objective: Objective, *, chosen: bool) -> Floats:
    r"""Put items exactly in one place where a penalty has drawn them together; so with dimensions.

    All positions become 0 where they bring next to nothing, :math:`f(0) - f(X) < 10^{-6} f(0)`, and
    a dimension whose extent is below a thousandth of the longest one.

    Parameters
    ----------
    X : array (n_items, d)
        Positions in principal axes, the longest first.
    params : array
        The parameters of the fit.
    objective : Objective
        What was minimised.
    chosen : bool
        Whether the penalty was chosen by the fit, not given.

    Returns
    -------
    array (n_items, d)

    Warns
    -----
    CollapsedWarning
        Where anything was put to 0.
    """
    penalty = objective.penalty
    if not penalty > 0:
        return X
    if np.abs(X).max() < TINY and _gain(params, objective) < LEAST_GAIN:
        _warn(
            f"all items lie in one place: the penalty of {penalty:.3g} outweighs the answers, and "
            "the fit predicts nothing",
            "the answers say nothing of distances: collect more"
            if chosen
            else 'lower it, or give penalty="auto" where the model takes it',
        )
        return np.zeros_like(X)
    extent = np.linalg.norm(X, axis=0)
    gone = extent < VANISHED * extent.max()
    if not gone.any():
        return X
    left = int((~gone).sum())
    _warn(
        f"{int(gone.sum())} of {len(gone)} dimensions have no extent under the penalty of "
        f"{penalty:.3g}",
        f"fit n_components={left}" + ("" if chosen else ", or lower the penalty"),
    )
    return np.where(gone, 0.0, X)


def _gain(params: Floats, objective: Objective) -> float:
    """Return by which share positions lower the loss of all items in one place."""
    nowhere = objective(np.zeros_like(params))[0]
    return float(1.0 - objective(params)[0] / nowhere) if nowhere > 0 else np.inf


def _warn(problem: str, remedy: str) -> None:
    warnings.warn(CollapsedWarning(f"{problem}: {remedy}.", setting="penalty"), stacklevel=5)
