"""Limited-memory BFGS, for objectives without constraints."""

from collections import deque

import numpy as np

from resemblance.solvers.result import Callback, Floats, Objective, Progress, Solution, settled

MEMORY = 10  # steps that the curvature is remembered from
TRIALS = 40  # points that one line search looks at, at most
DECREASE, CURVATURE = 1e-4, 0.9  # the constants of the Wolfe conditions

Pairs = deque[tuple[Floats, Floats, float]]


def lbfgs(
    objective: Objective,
    x: Floats,
    max_iter: int = 1000,
    tol: float = 1e-7,
    callback: Callback | None = None,
) -> Solution:
    """Minimise a function by L-BFGS with a weak Wolfe line search.

    x+ = x - t H g, with H the inverse Hessian that the last ten steps imply (two-loop recursion)
    and t found by bisection until f falls enough and its slope has flattened. The weak Wolfe
    conditions can also be met where f has corners. Source: Liu & Nocedal 1989; the line search is
    Lewis & Overton 2013. It needs a few vector products an iteration, half of what SciPy's
    L-BFGS-B spends on bounds, and no threaded linear algebra, which on a busy machine costs more
    than the objective itself.

    Stops when, over five iterations, the mean decrease is less than ``tol`` of the objective, or
    where no lower point can be told apart from rounding.

    Parameters
    ----------
    objective : callable
        Gives the value and the gradient (shape of x) at x.
    x : array
        The start, of any shape.
    max_iter : int
        The number of iterations at most.
    tol : float
        The mean relative decrease below which it has converged.
    callback : callable, optional
        Told the Progress after each iteration; a true answer stops.

    Returns
    -------
    Solution
        The last iterate, also after Ctrl-C.
    """
    at = Solution(x, np.inf, 0, converged=False)
    pairs: Pairs = deque(maxlen=MEMORY)
    try:
        at.loss, gradient = objective(x)
        past = [at.loss]
        while at.n_iter < max_iter and not at.converged:
            found = _line_search(objective, at, gradient, pairs)
            if found is None:
                # forget the curvature once; if the gradient itself leads nowhere, this is the end
                at.converged = not pairs
                pairs.clear()
                continue
            new, at.loss, new_gradient = found
            _remember(pairs, new - at.x, new_gradient - gradient)
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


def _direction(gradient: Floats, pairs: Pairs) -> Floats:
    """Give -H g by the two-loop recursion over the remembered steps s and gradient changes y."""
    q = -gradient
    weights = []
    for s, y, r in reversed(pairs):
        weights.append(r * np.vdot(s, q))
        q -= weights[-1] * y
    if pairs:
        _, y, r = pairs[-1]
        q *= 1.0 / (r * np.vdot(y, y))
    for (s, y, r), weight in zip(pairs, reversed(weights), strict=True):
        q += (weight - r * np.vdot(y, q)) * s
    return q


def _remember(pairs: Pairs, step: Floats, change: Floats) -> None:
    """Keep a step, unless its curvature is not positive beyond rounding."""
    curvature = float(np.vdot(step, change))
    if curvature > 1e-12 * float(np.vdot(change, change)) ** 0.5:
        pairs.append((step, change, 1.0 / curvature))


def _line_search(
    objective: Objective, at: Solution, gradient: Floats, pairs: Pairs
) -> tuple[Floats, float, Floats] | None:
    """Find a step that meets the weak Wolfe conditions; None where the function falls no more."""
    direction = _direction(gradient, pairs)
    slope = float(np.vdot(gradient, direction))
    if not slope < 0.0:
        return None
    short, long = 0.0, np.inf
    size = 1.0 if pairs else 0.1 * max(float(np.linalg.norm(at.x)), 1.0) / (-slope) ** 0.5
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
        size = 0.5 * (short + long) if np.isfinite(long) else 2.0 * size
    return lowest
