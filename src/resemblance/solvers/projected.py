"""Accelerated projected gradient for a smooth objective on a convex set."""

from collections.abc import Callable

import numpy as np

from resemblance.arrays import Floats
from resemblance.solvers.result import Callback, Objective, Progress, Solution, settled


def projected_gradient(
    objective: Objective,
    project: Callable[[Floats], Floats],
    x: Floats,
    max_iter: int = 1000,
    tol: float = 1e-7,
    callback: Callback | None = None,
) -> Solution:
    """Minimise a smooth function over a convex set by accelerated projected gradient.

    x+ = P(y - g(y) / L),  y+ = x+ + (t - 1) / t+ (x+ - x),  t+ = (1 + sqrt(1 + 4 t^2)) / 2,
    with L found by backtracking (doubled until the quadratic bound holds, guessed anew from the
    change of the gradient) and the momentum dropped whenever the objective rises. Source: Beck &
    Teboulle 2009 (FISTA); the restart is O'Donoghue & Candes 2015. The set must be convex; for an
    objective that is not, the result is a stationary point.

    Stops when, over five iterations, the mean decrease is less than ``tol`` of the objective.
    """
    x = project(x)
    value, gradient = objective(x)
    at = Solution(x, value, 0, converged=False)
    y, y_value, momentum = x, value, 1.0
    curvature = max(float(np.linalg.norm(gradient)), 1e-12) / max(float(np.linalg.norm(x)), 1.0)
    past = [value]
    try:
        for _ in range(max_iter):
            new, new_value, next_curvature = _backtrack(
                objective, project, y, y_value, gradient, curvature
            )
            at.n_iter += 1
            if new_value > at.loss and momentum > 1.0:
                y, momentum = at.x, 1.0
            else:
                following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
                y = new + (momentum - 1.0) / following * (new - at.x)
                momentum = following
                if new_value <= at.loss:
                    at.x, at.loss = new, new_value
            past.append(at.loss)
            if callback is not None and callback(Progress(at.n_iter, at.loss, at.x)):
                at.interrupted = True
                break
            if settled(past, tol):
                at.converged = True
                break
            y_value, gradient = objective(y)
            curvature = next_curvature
    except KeyboardInterrupt:
        at.interrupted = True
    return at


def _backtrack(
    objective: Objective,
    project: Callable[[Floats], Floats],
    y: Floats,
    value: float,
    gradient: Floats,
    curvature: float,
) -> tuple[Floats, float, float]:
    """Step from y, with the curvature doubled until the quadratic bound at y holds.

    Returns the new point, its value, and the curvature met on the way as the next guess.
    """
    while True:
        new = project(y - gradient / curvature)
        step = new - y
        size = float(np.vdot(step, step))
        new_value, new_gradient = objective(new)
        bound = value + np.vdot(gradient, step) + 0.5 * curvature * size
        if new_value <= bound + 1e-12 * abs(value) or curvature > 1e18:
            met = float(np.vdot(new_gradient - gradient, step)) / max(size, 1e-300)
            return new, new_value, float(np.clip(met, 0.1 * curvature, curvature))
        curvature *= 2.0
