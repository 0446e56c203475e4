"""Adam: gradient steps over parts of a large sum."""

from collections.abc import Callable, Iterable

import numpy as np

from resemblance.arrays import Floats
from resemblance.solvers.result import Callback, Objective, Progress, Solution

FIRST, SECOND = 0.9, 0.999  # decay of the means of slopes and of squared slopes
FAST = 0.1  # share of the sum by which a pass lowers it while the steps are not too long
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

    with running means of the slopes and of their squares, both freed of their bias towards 0. A
    pass takes every part once, and gives the mean of its iterates. After one that lowered the sum
    by less than a tenth the rate r is halved. Source: Kingma & Ba 2015; the mean of iterates is
    Polyak & Juditsky 1992.

    Stops when a pass lowers the sum of the parts, each at the x where it was met, by less than
    ``tol`` of it.
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
        """Return the mean of the iterates since the last time."""
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
    """Take passes of stochastic steps, in place, until the loss no longer falls.

    The loss is computed after every other pass. The descent ends when two passes lower it by less
    than ``tol`` of it; the rate, in units of x, is halved if they raised it.
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
