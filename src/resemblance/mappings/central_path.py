"""Newton's method along the central path, for small convex problems."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from resemblance.arrays import Floats
from resemblance.solvers import Callback, Progress

SHRINK = 0.1  # factor on the barrier between two points of the path
NEAR = 0.05  # Newton decrement below which whole steps converge quadratically
CENTRED = 1e-6  # decrement below which a point is near enough to the path
ROUNDING = 1e-14  # share of its diagonal by which a Hessian is raised
TRIALS = 60  # halvings of a step at most


@dataclass(frozen=True)
class Optimum:
    """The result of a solver. ``gap`` bounds how far the loss is above the optimum."""

    x: Floats
    loss: float
    gap: float
    n_iter: int
    converged: bool
    interrupted: bool = False


class Barrier(Protocol):
    """A convex problem as f(x) + tau * (a self-concordant barrier of its constraints)."""

    def value(self, x: Floats, tau: float) -> float:
        """Return the function, or infinity if a constraint is violated."""

    def newton(self, x: Floats, tau: float) -> tuple[Floats, Floats]:
        """Return its gradient and Hessian."""

    def certificate(self, x: Floats, tau: float) -> tuple[Floats, float, float]:
        """Return the solution that x stands for, its loss, and its duality gap."""


def central_path(
    problem: Barrier,
    x: Floats,
    scale: float,
    tol: float = 1e-6,
    max_iter: int = 500,
    callback: Callback | None = None,
) -> Optimum:
    """Follow the minimisers of f + tau * barrier while tau falls towards 0.

    x <- x - t H^-1 g, with t halved until the function falls; where the Newton decrement
    g' H^-1 g / tau is small, tau is divided by ten. Stops when the duality gap is at most
    ``tol * scale``, or where rounding lets it fall no further.

    Source: Boyd & Vandenberghe 2004, Convex Optimization, section 11.3.

    Shapes: x (n,).
    """
    tau, n_iter, centred = scale / len(x), 0, np.inf
    solution, loss, gap = problem.certificate(x, tau)
    interrupted = False
    while gap > tol * scale and n_iter < max_iter and not interrupted:
        gradient, hessian = problem.newton(x, tau)
        step = _newton_step(gradient, hessian)
        decrement = -float(gradient @ step) / tau
        size = 1.0 if decrement < NEAR else _fair_size(problem, x, step, decrement, tau)
        x, n_iter = x + size * step, n_iter + 1
        interrupted = bool(callback and callback(Progress(n_iter, loss, x)))
        if decrement < CENTRED:
            certified = problem.certificate(x, tau)
            if certified[2] >= centred:  # rounding has the better of it
                break
            solution, loss, gap = certified
            centred, tau = gap, tau * SHRINK
        elif not size > 0:
            break
    return Optimum(solution, loss, gap, n_iter, gap <= tol * scale, interrupted)


def _newton_step(gradient: Floats, hessian: Floats) -> Floats:
    """Solve H p = -g, in units where H has a unit diagonal, a little raised against rounding."""
    unit = 1.0 / np.sqrt(np.diag(hessian))
    scaled = unit[:, None] * hessian * unit
    raised = scaled + ROUNDING * len(unit) * np.eye(len(unit))
    return np.asarray(-unit * cho_solve(cho_factor(raised), unit * gradient))


def _fair_size(problem: Barrier, x: Floats, step: Floats, decrement: float, tau: float) -> float:
    """Halve a step until the function falls by a fair share of the predicted fall; else return
    0.
    """
    here, size = problem.value(x, tau), 1.0
    for _ in range(TRIALS):
        fall = here - problem.value(x + size * step, tau)
        if fall > 0 and fall >= 0.1 * size * decrement * tau:
            return size
        size *= 0.5
    return 0.0
