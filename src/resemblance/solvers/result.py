"""The result that every solver returns, and the progress that it reports."""

from collections.abc import Callable
from dataclasses import dataclass

from resemblance.arrays import Floats

Objective = Callable[[Floats], tuple[float, Floats]]


@dataclass
class Solution:
    """The result of a solver. ``loss`` is the objective at ``x``; ``x`` is the best so far if
    interrupted.
    """

    x: Floats
    loss: float
    n_iter: int
    converged: bool  # whether the stopping rule was met, not the limit on iterations
    interrupted: bool = False


@dataclass(frozen=True)
class Progress:
    """The state passed to a callback after each iteration; returning True stops the solver.

    ``x`` are the current parameters, not a copy. ``restart`` numbers the descents from 0.
    """

    iteration: int
    loss: float
    x: Floats
    restart: int = 0


Callback = Callable[[Progress], object]


WINDOW = 5  # iterations over which progress is judged, so that one short step does not end it


def settled(past: list[float], tol: float) -> bool:
    """Return whether the last iterations lowered the loss by less than ``tol`` of it on average."""
    if len(past) <= WINDOW:
        return False
    return past[-1 - WINDOW] - past[-1] <= WINDOW * tol * abs(past[-1])
