"""Run one descent from one start, with the solver that the form needs."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from resemblance.arrays import Floats
from resemblance.errors import CollapsedWarning
from resemblance.fitting.objective.objective import Objective, check_batch_size, one_pass, thinned
from resemblance.fitting.objective.starts import Scale
from resemblance.forms import Coordinates, Form, Gram
from resemblance.solvers import (
    Callback,
    Progress,
    Solution,
    adam,
    bounded_lbfgs,
    lbfgs,
    projected_gradient,
)

ROUGH_TOL = 1e-5  # tolerance for smoothed versions of a loss, whose minima are only starts
SCALE_ROWS = 20_000  # maximum number of rows that are used to scale the parameters of a map
TINY = 1e-3  # smaller positions are compared with a map of all items at one point
LEAST_GAIN = 1e-6  # minimum relative gain of positions over all items at one point
VANISHED = 1e-3  # a dimension has vanished if its extent is below this share of the longest one's


def descend(
    objective: Objective,
    params: Floats,
    max_iter: int,
    tol: float,
    report: Callback | None,
    batch_size: int | None = None,
    rng: np.random.Generator | None = None,
) -> Solution:
    """Descend from the given parameters, with all rows at every step or with minibatches.

    ``max_iter`` limits the total iterations for all smoothed versions of the loss, or the passes of
    minibatches. The loss of the result is the unsmoothed loss of all rows.
    """
    check_batch_size(batch_size, objective.form)
    scale = Scale.of(objective, thinned(objective.data, SCALE_ROWS))
    start, tell = scale.inside(params), scale.of_report(report)
    if batch_size is None:
        solution = _by_all_rows(objective, scale, start, max_iter, tol, tell)
    else:
        draw = np.random.default_rng(rng)
        parts = lambda: map(scale.of_objective, one_pass(objective, batch_size, draw))  # noqa: E731
        solution = adam(parts, start, max_iter, tol, tell)
    x = scale.outside(solution.x)
    return replace(solution, x=x, loss=objective(x)[0])


def _by_all_rows(
    objective: Objective, scale: Scale, x: Floats, max_iter: int, tol: float, tell: Callback | None
) -> Solution:
    project, lower = objective.form.projection(), objective.form.lower(x)
    solution = Solution(x, np.inf, 0, converged=False)
    *rough, last = objective.choice.smoothings()
    for choice in (*rough, last):
        before, smooth = solution.n_iter, scale.of_objective(objective.with_choice(choice))
        left, near = max(max_iter - before, 1), tol if choice is last else max(tol, ROUGH_TOL)
        if lower is not None:
            solution = bounded_lbfgs(smooth, lower, solution.x, left, near, tell)
        elif project is None:
            solution = lbfgs(smooth, solution.x, left, near, tell)
        else:
            solution = projected_gradient(smooth, project, solution.x, left, near, tell)
        solution.n_iter += before
        if solution.interrupted:
            break
    return solution


def numbered(callback: Callback, restart: int) -> Callback:
    def report(progress: Progress) -> object:
        return callback(replace(progress, restart=restart))

    return report


def without_residue(
    X: Floats, params: Floats, objective: Objective, form: Form, chosen: bool
) -> Floats:
    r"""Set positions or dimensions to 0 if a penalty shrank them to almost 0.

    All positions become 0 if they do not lower the loss, :math:`f(0) - f(X) < 10^{-6} f(0)`. A
    dimension becomes 0 if its extent is less than a thousandth of the longest one's. Both issue a
    CollapsedWarning. This applies to coordinates and Gram matrices under a penalty, not to
    arrangements, whose loss at one point is undefined. X (n_items, n_components) is along principal
    axes.
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
            f"all items lie at one point: {strength} outweighs the answers, and the fit predicts "
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
    nowhere = objective(np.zeros_like(params))[0]
    return float(1.0 - objective(params)[0] / nowhere) if nowhere > 0 else np.inf


def _warn(message: str) -> None:
    warnings.warn(CollapsedWarning(message, setting="penalty"), stacklevel=5)
