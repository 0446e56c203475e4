"""Stochastic gradient descent that finds a good starting point cheaply."""

from collections.abc import Callable

from resemblance.arrays import Floats


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
