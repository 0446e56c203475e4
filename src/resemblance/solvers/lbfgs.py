"""Limited-memory BFGS, for smooth objectives without constraints."""

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from resemblance.solvers.result import Callback, Floats, Objective, Progress, Solution, settled


def lbfgs(
    objective: Objective,
    x: Floats,
    max_iter: int = 1000,
    tol: float = 1e-7,
    callback: Callback | None = None,
) -> Solution:
    """Minimise a smooth function by L-BFGS (SciPy's, with a memory of ten steps).

    Stops when, over five iterations, the mean decrease is less than ``tol`` of the objective.

    Parameters
    ----------
    objective : callable
        Gives the value and the gradient (shape of x) at x.
    x : array
        The start, of any shape.
    max_iter : int
        The number of iterations at most.
    tol : float
        The relative decrease below which it has converged.
    callback : callable, optional
        Told the Progress after each iteration; a true answer stops.

    Returns
    -------
    Solution
        The last iterate, also after Ctrl-C.
    """
    shape = x.shape
    best = Solution(x, np.inf, 0, converged=False)
    past: list[float] = []

    def flat(v: Floats) -> tuple[float, Floats]:
        value, gradient = objective(v.reshape(shape))
        return value, gradient.ravel()

    def after_iteration(intermediate_result: OptimizeResult) -> None:
        best.x = intermediate_result.x.reshape(shape).copy()
        best.loss = float(intermediate_result.fun)
        best.n_iter += 1
        past.append(best.loss)
        if callback is not None and callback(Progress(best.n_iter, best.loss, best.x)):
            best.interrupted = True
        best.converged = settled(past, tol)
        if best.interrupted or best.converged:
            raise StopIteration

    options = {"maxiter": max_iter, "maxfun": 20 * max_iter + 100, "ftol": 1e-14, "gtol": 1e-12}
    try:
        found = minimize(
            flat, x.ravel(), jac=True, method="L-BFGS-B", callback=after_iteration, options=options
        )
    except KeyboardInterrupt:
        best.interrupted = True
        return best
    if not (best.interrupted or best.converged):
        best.x, best.loss = found.x.reshape(shape), float(found.fun)
        # status 2 is a line search that finds no lower point: rounding is reached
        best.converged = found.status in (0, 2)
    return best
