"""Minimise by limited-memory BFGS, without constraints or with lower bounds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from resemblance.arrays import Floats
from resemblance.solvers._loops import dot, free_two_loops, two_loops
from resemblance.solvers.gradient import Callback, Objective, Progress, Solution, settled

MEMORY = 10  # number of past steps that approximate the curvature
TRIALS = 40  # largest number of points in a line search
DECREASE, CURVATURE = 1e-4, 0.9  # constants of the Wolfe conditions


def lbfgs(
    objective: Objective,
    x: Floats,
    max_iter: int = 1000,
    tol: float = 1e-7,
    callback: Callback | None = None,
) -> Solution:
    """Minimise a function by L-BFGS with a weak Wolfe line search.

    x+ = x - t H g, with the gradient g. H approximates the inverse Hessian from the last ten steps
    (two-loop recursion). The step size t is found by bisection, until f and its slope have
    decreased enough. The weak Wolfe conditions can be met even at corners of f. Source: Liu &
    Nocedal 1989; the line search is Lewis & Overton 2013. The recursion is one compiled loop,
    because threaded linear algebra takes longer than the objective on a busy machine.

    It stops if the mean decrease over five iterations is less than ``tol`` times the objective, or
    if rounding errors prevent a further decrease.
    """
    return quasi_newton(objective, _line_search, x, max_iter, tol, callback)


def quasi_newton(
    objective: Objective,
    step: Step,
    x: Floats,
    max_iter: int,
    tol: float,
    callback: Callback | None,
) -> Solution:
    """Take quasi-Newton steps while the function decreases and ``callback`` is not True."""
    at = Solution(x, np.inf, 0, converged=False)
    past_steps = Memory(x.size)
    try:
        at.loss, gradient = objective(x)
        past = [at.loss]
        while at.n_iter < max_iter and not at.converged:
            taken = step(objective, at, gradient, past_steps)
            if taken is None:
                # Forget the curvature. If a gradient step then fails, too, the descent has
                # converged.
                at.converged = not past_steps.count
                past_steps.count = 0
                continue
            new, at.loss, new_gradient = taken
            past_steps.remember(new - at.x, new_gradient - gradient)
            at.x, gradient = new, new_gradient
            at.n_iter += 1
            past.append(at.loss)
            at.converged = settled(past, tol)
            if callback is not None and callback(Progress(at.n_iter, at.loss, at.x)):
                at.interrupted, at.converged = True, False
                break
    except KeyboardInterrupt:
        at.interrupted = True
    return at


class Memory:
    def __init__(self, size: int) -> None:
        self.steps, self.changes = np.empty((MEMORY, size)), np.empty((MEMORY, size))
        self.inverse = np.empty(MEMORY)  # 1 / (step . change of the gradient) of each step
        self.newest, self.count = -1, 0

    def direction(self, gradient: Floats) -> tuple[Floats, float]:
        """Return -H g by the two-loop recursion, and the slope along this direction."""
        out = np.empty(gradient.size)
        ring = self.steps, self.changes, self.inverse, self.newest, self.count
        slope = two_loops(gradient.ravel(), *ring, out)
        return out.reshape(gradient.shape), slope

    def remember(self, step: Floats, change: Floats) -> None:
        """Store a step if its curvature is positive, beyond rounding errors."""
        s, y = step.ravel(), change.ravel()
        curvature = dot(s, y)
        if curvature > 1e-12 * dot(y, y) ** 0.5:
            self.newest = (self.newest + 1) % MEMORY
            self.count = min(self.count + 1, MEMORY)
            self.steps[self.newest], self.changes[self.newest] = s, y
            self.inverse[self.newest] = 1.0 / curvature


# Returns a lower point with its value and gradient; None if there is none.
Step = Callable[[Objective, Solution, Floats, Memory], tuple[Floats, float, Floats] | None]


def first_step(x: Floats, slope: float) -> float:
    """Return the length of the first step along the gradient: a tenth of the length of x."""
    return float(0.1 * max(float(np.linalg.norm(x)), 1.0) / (-slope) ** 0.5)


def _line_search(
    objective: Objective, at: Solution, gradient: Floats, past_steps: Memory
) -> tuple[Floats, float, Floats] | None:
    """Return a step that meets the weak Wolfe conditions; None if the function cannot decrease."""
    direction, slope = past_steps.direction(gradient)
    if not slope < 0.0:
        return None
    short, long = 0.0, np.inf
    size = 1.0 if past_steps.count else first_step(at.x, slope)
    lowest = None
    for _ in range(TRIALS):
        new = at.x + size * direction
        value, new_gradient = objective(new)
        if not value <= at.loss + DECREASE * size * slope:
            long = size
        elif float(np.vdot(new_gradient, direction)) < CURVATURE * slope:
            short, lowest = size, (new, value, new_gradient)
        else:
            return new, value, new_gradient
        size = 0.5 * (short + long) if long < np.inf else 2.0 * size
    return lowest


def bounded_lbfgs(
    objective: Objective,
    lower: Floats,
    x: Floats,
    max_iter: int = 1000,
    tol: float = 1e-7,
    callback: Callback | None = None,
) -> Solution:
    """Minimise a function over x >= lower by projected L-BFGS.

    x+ = max(x - t H g, lower), with the gradient g. Parameters at their bound that would go below
    it are fixed. H approximates the inverse Hessian of the other parameters, from the last ten
    steps. The step size t is halved until f has decreased enough along the projected path. Source:
    Bertsekas 1982 (two-metric projection), with L-BFGS as in Schmidt, Kim & Sra 2011. Stopping
    rules are as in :func:`lbfgs`.
    """
    step = partial(_projected_step, lower)
    return quasi_newton(objective, step, np.maximum(x, lower), max_iter, tol, callback)


def _projected_step(
    lower: Floats, objective: Objective, at: Solution, gradient: Floats, past_steps: Memory
) -> tuple[Floats, float, Floats] | None:
    """Return a low enough point on the projected path; None if the function cannot decrease."""
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
