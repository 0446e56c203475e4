"""Run one descent from one start, with the solver that the form needs."""

from dataclasses import replace

import numpy as np

from resemblance.arrays import Floats
from resemblance.fitting.objective.minibatch import check_batch_size, one_pass
from resemblance.fitting.objective.objective import Objective, thinned
from resemblance.fitting.objective.scatter import Scale
from resemblance.solvers import (
    Callback,
    Progress,
    Solution,
    adam,
    bounded_lbfgs,
    lbfgs,
    projected_gradient,
)

ROUGH_TOL = 1e-5  # smoothed versions of a loss only lead the way
SCALE_ROWS = 20_000  # rows that say how the parameters of a map are scaled


def descend(
    objective: Objective,
    params: Floats,
    max_iter: int,
    tol: float,
    report: Callback | None,
    batch_size: int | None = None,
    rng: np.random.Generator | None = None,
) -> Solution:
    """Descend from parameters, by all rows at every step or by minibatches.

    ``max_iter`` bounds the iterations over all smoothed versions of a loss, or the passes of
    minibatches. The result has the loss of all rows, without smoothing.
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
