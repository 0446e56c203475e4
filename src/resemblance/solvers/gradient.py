"""Solvers by gradient steps (projected gradient, Adam), and the result of all solvers."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from resemblance.arrays import Floats

Objective = Callable[[Floats], tuple[float, Floats]]


@dataclass
class Solution:
    """The result of a solver; ``x`` is the best point so far, ``loss`` the objective there."""

    x: Floats
    loss: float
    n_iter: int
    converged: bool  # whether the stopping rule was met before the limit on iterations
    interrupted: bool = False


@dataclass(frozen=True)
class Progress:
    """The argument of a callback after each iteration; if it returns True, the solver stops.

    ``x`` are the current parameters, not a copy. ``restart`` is the number of the descent, from 0.
    """

    iteration: int
    loss: float
    x: Floats
    restart: int = 0


Callback = Callable[[Progress], object]


# The decrease is averaged over this many iterations, so that a short step ends nothing.
WINDOW = 5


def settled(past: list[float], tol: float) -> bool:
    """Return whether the mean decrease of recent iterations is less than ``tol`` times the loss."""
    if len(past) <= WINDOW:
        return False
    return past[-1 - WINDOW] - past[-1] <= WINDOW * tol * abs(past[-1])


def projected_gradient(
    objective: Objective,
    project: Callable[[Floats], Floats],
    x: Floats,
    max_iter: int = 1000,
    tol: float = 1e-7,
    callback: Callback | None = None,
) -> Solution:
    """Minimise a smooth function over a convex set by accelerated projected gradient.

    x+ = P(y - g(y) / L), y+ = x+ + (t - 1) / t+ (x+ - x), t+ = (1 + sqrt(1 + 4 t^2)) / 2, with the
    projection P, the gradient g and the curvature L. L is found by backtracking: it is doubled
    until the quadratic bound is true, and the next guess is from the change of the gradient. The
    momentum is reset whenever the objective increases. Source: Beck & Teboulle 2009 (FISTA); the
    restart is O'Donoghue & Candes 2015. The set must be convex. If the objective is not convex, the
    result is a stationary point.

    It stops if the mean decrease over five iterations is less than ``tol`` times the objective.
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
    """Take a step from y; double the curvature until the quadratic bound at y is true.

    Return the new point, its value, and the curvature along the step as the next guess.
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


FIRST, SECOND = 0.9, 0.999  # decay rates of the means of slopes and of squared slopes
FAST = 0.1  # The rate is halved after a pass that reduces the sum by less than this share.
TINY = 1e-12


def adam(
    one_pass: Callable[[], Iterable[Objective]],
    x: Floats,
    max_iter: int = 100,
    tol: float = 1e-4,
    callback: Callback | None = None,
    rate: float = 0.05,
) -> Solution:
    r"""Minimise a sum of functions by Adam, with steps that decrease from pass to pass.

    .. math:: x \leftarrow x - r \, \bar g / \sqrt{\bar{g^2}}

    where r is the rate, and the bars are running means, corrected for bias, of the slopes g and of
    the squared slopes. A pass uses every part once; its result is the mean of its iterates. After a
    pass that reduces the sum by less than a tenth, r is halved. Source: Kingma & Ba 2015; the mean
    of iterates is Polyak & Juditsky 1992.

    It stops if a pass reduces the sum of the parts by less than ``tol`` times the sum.
    """
    at = Solution(x, np.inf, 0, converged=False)
    steps = _Steps(x)
    rate *= float(np.sqrt(np.mean(x**2))) or 1.0
    try:
        while at.n_iter < max_iter and not at.converged:
            total = sum(steps.take(part, rate) for part in one_pass())
            gain = at.loss - total
            at.x, at.loss, at.n_iter = steps.mean(), total, at.n_iter + 1
            at.converged = gain <= tol * abs(total)
            rate *= 1.0 if gain > FAST * abs(total) else 0.5
            if callback is not None and callback(Progress(at.n_iter, at.loss, at.x)):
                at.interrupted, at.converged = True, False
                break
    except KeyboardInterrupt:
        at.interrupted = True
    return at


class _Steps:
    def __init__(self, x: Floats) -> None:
        self.x, self.count = x.copy(), 0
        self.slope, self.square = np.zeros_like(x), np.zeros_like(x)
        self._sum, self._taken = np.zeros_like(x), 0

    def take(self, part: Objective, rate: float) -> float:
        value, g = part(self.x)
        self.count += 1
        self.slope += (1.0 - FIRST) * (g - self.slope)
        self.square += (1.0 - SECOND) * (g * g - self.square)
        slope = self.slope / (1.0 - FIRST**self.count)
        root = np.sqrt(self.square / (1.0 - SECOND**self.count))
        self.x -= rate * slope / (root + TINY)
        self._sum += self.x
        self._taken += 1
        return value

    def mean(self) -> Floats:
        mean = self._sum / self._taken
        self._sum, self._taken = np.zeros_like(mean), 0
        return mean


def stochastic_descent(
    sweep: Callable[[Floats, float], None],
    loss: Callable[[Floats], float],
    x: Floats,
    n_passes: int = 15,
    rate: float = 0.5,
    tol: float = 1e-3,
) -> Floats:
    """Take passes of stochastic steps until the loss no longer decreases; change x in place.

    The loss is computed after every other pass. The descent ends if two passes reduce the loss by
    less than ``tol`` times the loss. If they increase the loss, the rate (in units of x) is halved.
    """
    best, lowest = x.copy(), loss(x)
    for _ in range(0, n_passes, 2):
        sweep(x, rate)
        sweep(x, rate)
        now = loss(x)
        if now > lowest:
            rate *= 0.5
            continue
        enough = lowest - now <= tol * lowest
        best, lowest = x.copy(), now
        if enough:
            break
    return best
