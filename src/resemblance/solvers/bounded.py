"""Limited-memory BFGS for parameters with a lower bound."""

from functools import partial

import numpy as np

from resemblance.arrays import Floats
from resemblance.solvers._loops import free_two_loops
from resemblance.solvers.lbfgs import DECREASE, TRIALS, Memory, first_step, quasi_newton
from resemblance.solvers.result import Callback, Objective, Solution


def bounded_lbfgs(
    objective: Objective,
    lower: Floats,
    x: Floats,
    max_iter: int = 1000,
    tol: float = 1e-7,
    callback: Callback | None = None,
) -> Solution:
    """Minimise a function over x >= lower by projected L-BFGS.

    x+ = max(x - t H g, lower), with the parameters fixed that are at their bound and would go below
    it, H the inverse Hessian that the last ten steps imply among the others, and t halved until f
    falls enough along the path that the bound bends. Source: Bertsekas 1982 (two-metric
    projection), in the form with L-BFGS of Schmidt, Kim & Sra 2011.

    Stops when, over five iterations, the mean decrease is less than ``tol`` of the objective, or
    where no lower point can be told apart from rounding.

    >>> nearest = lambda x: (float(((x - [1.0, -1.0]) ** 2).sum()), 2 * (x - [1.0, -1.0]))
    >>> bounded_lbfgs(nearest, np.zeros(2), np.ones(2)).x
    array([1., 0.])
    """
    step = partial(_projected_step, lower)
    return quasi_newton(objective, step, np.maximum(x, lower), max_iter, tol, callback)


def _projected_step(
    lower: Floats, objective: Objective, at: Solution, gradient: Floats, past_steps: Memory
) -> tuple[Floats, float, Floats] | None:
    """Find a low enough point along the bent path; None if the function falls no further."""
    free = (at.x > lower) | (gradient < 0.0)
    flat = np.empty(at.x.size)
    ring = past_steps.steps, past_steps.changes, free.ravel(), past_steps.newest, past_steps.count
    slope = free_two_loops(gradient.ravel(), *ring, flat)
    if not slope < 0.0:
        return None
    direction = flat.reshape(at.x.shape)
    size = 1.0 if past_steps.count else first_step(at.x, slope)
    for _ in range(TRIALS):
        new = np.maximum(at.x + size * direction, lower)
        fall = float(np.vdot(gradient, new - at.x))
        value, new_gradient = objective(new)
        if fall < 0.0 and value <= at.loss + DECREASE * fall:
            return new, value, new_gradient
        size *= 0.5
    return None
