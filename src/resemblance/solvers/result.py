"""The result that every solver returns, and the progress that it reports."""

from collections.abc import Callable
from dataclasses import dataclass

from resemblance.arrays import Floats

Objective = Callable[[Floats], tuple[float, Floats]]


@dataclass
class Solution:
    """Where a solver stopped.

    Attributes
    ----------
    x : array
        The parameters, in the shape that the solver was given.
    loss : float
        The objective there.
    n_iter : int
        The number of iterations taken.
    converged : bool
        Whether the stopping rule was met, rather than the limit on iterations.
    interrupted : bool
        Whether a callback or Ctrl-C stopped it; ``x`` is then the best so far.
    """

    x: Floats
    loss: float
    n_iter: int
    converged: bool
    interrupted: bool = False


@dataclass(frozen=True)
class Progress:
    """What a callback is told after each iteration; a true answer stops the solver there.

    Attributes
    ----------
    iteration : int
        Counted from 1.
    loss : float
        The objective, penalty included.
    x : array
        The current parameters (not a copy).
    restart : int
        Which of several descents this is, counted from 0.
    """

    iteration: int
    loss: float
    x: Floats
    restart: int = 0


Callback = Callable[[Progress], object]


WINDOW = 5  # iterations over which progress is judged, so that one short step does not end it


def settled(past: list[float], tol: float) -> bool:
    """Say whether the last iterations lowered the loss by less than ``tol`` of it, on average."""
    if len(past) <= WINDOW:
        return False
    return past[-1 - WINDOW] - past[-1] <= WINDOW * tol * abs(past[-1])
