"""Diagonal matrices of a learned metric: a weight for each column, most of them 0."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from resemblance.arrays import Floats
from resemblance.mappings.poe_solver import MarginProblem
from resemblance.solvers import Callback, Progress

WIDE = 50  # columns that are opened at a time, at most
FORGOTTEN = 1e-10  # share of the largest weight below which a column is dropped
DAMPING = 1e-3  # share of the largest curvature by which the Hessian is raised, at first


class ColumnWeights:
    """A = diag(w), w >= 0, of which only the columns in use are looked at.

    The rounded hinge is a piecewise quadratic in w; a projected Newton method minimises it in a
    few steps. Source: Bertsekas 1982.

    Parameters
    ----------
    problem : MarginProblem
        What to minimise.
    designs : sequence of arrays (n_items, q)
        The columns of each block, scaled so that the penalty of each is its weight.
    """

    def __init__(self, problem: MarginProblem, designs: Sequence[Floats]) -> None:
        self.problem = problem
        self.design = np.concatenate(designs, axis=1)
        self.ends = np.cumsum([design.shape[1] for design in designs])[:-1]
        self.columns = np.empty(0, dtype=np.intp)
        self.weights, self.gains = np.empty(0), np.empty((len(problem.weight), 0))

    def size(self) -> float:
        """Return the sum of the weights."""
        return float(self.weights.sum())

    def violations(self) -> Floats:
        """Return margin + near - far of each row."""
        return np.asarray(self.problem.margin - self.gains @ self.weights)

    def parameters(self, share: float = 1.0) -> list[Floats]:
        """Return the weights of share * A, zeros included."""
        whole = np.zeros(self.design.shape[1])
        whole[self.columns] = share * self.weights
        return np.split(whole, self.ends)

    def restart(self, parameters: list[Floats]) -> None:
        """Take weights as the present ones."""
        whole = np.concatenate(parameters)
        self.columns = np.flatnonzero(whole)
        self.weights, self.gains = whole[self.columns], self._gains(self.columns)

    def lowest(self, L: Floats) -> float:
        """Find the least entries of the diagonal of Phi' L Phi."""
        self._slack = np.einsum("nq,nq->q", self.design, L @ self.design)
        return float(self._slack.min())

    def widen(self, rounded: Floats, share: float, below: float) -> None:
        """Take columns into use, and drop those that have come to nothing."""
        kept = self.weights > FORGOTTEN * self.weights.max(initial=0.0)
        unused = np.setdiff1d(np.flatnonzero(self._slack < below), self.columns[kept])
        new = unused[np.argsort(self._slack[unused])[:WIDE]]
        gains = self._gains(new)
        curvature = rounded @ gains**2
        sizes = -(self.problem.penalty + share * self._slack[new]) / curvature / max(len(new), 1)
        self.columns = np.concatenate([self.columns[kept], new])
        self.weights = np.concatenate([self.weights[kept], np.maximum(sizes, 0.0)])
        self.gains = np.concatenate([self.gains[:, kept], gains], axis=1)
        self._steepest = self.problem.weight @ self.gains**2

    def descend(
        self, level: Floats, width: float, most: int, tol: float, report: Callback | None
    ) -> tuple[int, bool]:
        """Minimise by projected Newton steps, the shorter the less they have kept their word."""
        here, damping = self._rounded(self.weights, level, width), DAMPING
        for step in range(1, most + 1):
            new = self._rounded(np.maximum(here.w + self._move(here, damping), 0.0), level, width)
            fall, promised = here.value - new.value, float(here.slope @ (here.w - new.w))
            damping *= 0.1 if fall > 0.5 * promised else 10.0 if fall < 0.1 * promised else 1.0
            here = new if fall > 0.0 else here
            self.weights = here.w
            if report is not None and report(Progress(step, here.value, here.w)):
                return step, True
            if promised <= tol * abs(here.value):
                return step, False
        return most, False

    def _move(self, at: "Rounded", damping: float) -> Floats:
        """Return Newton steps of weights that stay above 0, gradient steps of the others."""
        problem = self.problem
        rows = (at.pull > 0.0) & (at.pull < 1.0)
        D, rounded = self.gains[rows], problem.weight[rows] / at.width
        curvature = rounded @ D**2 + damping * self._steepest / at.width
        move = -at.slope / curvature
        free = at.w + move > 0.0
        H = (D[:, free].T * rounded) @ D[:, free]
        H[np.diag_indices_from(H)] = curvature[free]
        move[free] = -cho_solve(cho_factor(H), at.slope[free])
        return np.asarray(move)

    def _rounded(self, w: Floats, level: Floats, width: float) -> "Rounded":
        """Return the objective with the rounded hinge."""
        problem = self.problem
        pull = (problem.margin - self.gains @ w) / width + level
        slope = np.clip(pull, 0.0, 1.0)
        loss = width * float(problem.weight @ (slope * (pull - 0.5 * slope)))
        gradient = problem.penalty - (problem.weight * slope) @ self.gains
        return Rounded(w, loss + problem.penalty * float(w.sum()), gradient, pull, width)

    def _gains(self, columns: NDArray[np.intp]) -> Floats:
        """Return far - near of each row, for a weight of 1 on each column."""
        some = self.design[:, columns]
        a, b, c, d = (some[end] for end in self.problem.pairs)
        return np.asarray((c - d) ** 2 - (a - b) ** 2)


class Rounded(NamedTuple):
    """The objective with a rounded hinge at w: its value, its gradient, and z / width + level."""

    w: Floats
    value: float
    slope: Floats
    pull: Floats
    width: float
