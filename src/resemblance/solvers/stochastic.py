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
    """Take passes of stochastic steps over the data until they help no more.

    Every other pass the loss is looked at: it ends when two passes lowered the loss by less than
    ``tol`` of it, and the rate is halved when they raised it.

    Parameters
    ----------
    sweep : callable
        ``sweep(x, rate)`` takes one pass of steps in x, in place.
    loss : callable
        The objective at x.
    x : array
        The start; changed in place.
    n_passes : int
        The number of passes at most.
    rate : float
        The size of a first step, in units of x.
    tol : float
        The relative decrease over two passes below which it ends.

    Returns
    -------
    array
        The best x that was looked at.
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
