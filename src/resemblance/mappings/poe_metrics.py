"""The metrics of partial order embedding: weights of columns, or whole matrices."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh

from resemblance.arrays import Floats
from resemblance.mappings._loops import rounded_hinge
from resemblance.mappings.poe_solver import MarginProblem
from resemblance.solvers import Callback, Progress, lbfgs

WIDE = 50  # columns that are opened at a time, at most
FORGOTTEN = 1e-10  # share of the largest below which a column or a dimension is dropped
DAMPING = 1e-3  # share of the largest curvature by which the Hessian is raised, at first
NARROW = 5  # directions that are opened at a time in a block, at most
SMALL = 100  # size up to which all eigenvectors are found sooner than a few


class ColumnWeights:
    """A = diag(w), w >= 0, with a working set of columns.

    The rounded hinge is piecewise quadratic in w; a projected Newton method minimises it in a few
    steps. ``designs`` holds the columns of each block, (n_items, q), scaled so that the penalty of
    each is its weight. Source: Bertsekas 1982.
    """

    def __init__(self, problem: MarginProblem, designs: Sequence[Floats]) -> None:
        self.problem = problem
        self.design = np.concatenate(designs, axis=1)
        self.ends = np.cumsum([design.shape[1] for design in designs])[:-1]
        self.columns = np.empty(0, dtype=np.intp)
        self.weights, self.gains = np.empty(0), np.empty((len(problem.weight), 0))

    def size(self) -> float:
        return float(self.weights.sum())

    def violations(self) -> Floats:
        return np.asarray(self.problem.margin - self.gains @ self.weights)

    def parameters(self, share: float = 1.0) -> list[Floats]:
        """Return the weights of share * A, zeros included."""
        whole = np.zeros(self.design.shape[1])
        whole[self.columns] = share * self.weights
        return np.split(whole, self.ends)

    def restart(self, parameters: list[Floats]) -> None:
        whole = np.concatenate(parameters)
        self.columns = np.flatnonzero(whole)
        self.weights, self.gains = whole[self.columns], self._gains(self.columns)

    def lowest(self, L: Floats) -> float:
        """Find the least entries of the diagonal of Phi' L Phi."""
        self._slack = np.einsum("nq,nq->q", self.design, L @ self.design)
        return float(self._slack.min())

    def widen(self, rounded: Floats, share: float, below: float) -> None:
        """Add columns to the working set, and drop those whose weight became zero."""
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
        """Minimise by projected Newton steps, damped when they fall short of their prediction."""
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
        """Return Newton steps for weights that stay positive, and gradient steps for the others."""
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
        problem = self.problem
        pull = (problem.margin - self.gains @ w) / width + level
        slope = np.clip(pull, 0.0, 1.0)
        loss = width * float(problem.weight @ (slope * (pull - 0.5 * slope)))
        gradient = problem.penalty - (problem.weight * slope) @ self.gains
        return Rounded(w, loss + problem.penalty * float(w.sum()), gradient, pull, width)

    def _gains(self, columns: NDArray[np.intp]) -> Floats:
        """Return far - near of each row, for a weight of 1 on each column."""
        design = self.design[:, columns]
        a, b, c, d = (design[end] for end in self.problem.pairs)
        return np.asarray((c - d) ** 2 - (a - b) ** 2)


class Rounded(NamedTuple):
    """The objective with a rounded hinge at w: its value, its gradient, and z / width + level."""

    w: Floats
    value: float
    slope: Floats
    pull: Floats
    width: float


class Projections:
    """A = F F' for each block, F (q, r); r grows where the dual asks for it.

    Every local minimum in F at which the dual opens no direction is the optimum in A.
    Source: Burer & Monteiro 2003; Journee et al. 2010 for the growing rank.

    Shapes: designs (n_items, q).
    """

    def __init__(self, problem: MarginProblem, designs: Sequence[Floats]) -> None:
        self.problem, self.designs = problem, designs
        self.squares = [np.einsum("nq,nq->q", V, V) for V in designs]
        self.factors = [np.zeros((V.shape[1], 0)) for V in designs]

    def size(self) -> float:
        return sum(float(np.vdot(F, F)) for F in self.factors)

    def violations(self) -> Floats:
        return self.problem.violations(self._positions(), self.problem.margin)

    def parameters(self, share: float = 1.0) -> list[Floats]:
        return [np.sqrt(share) * F for F in self.factors]

    def restart(self, parameters: list[Floats]) -> None:
        self.factors = parameters

    def lowest(self, L: Floats) -> float:
        """Find the least eigenpairs of Phi' L Phi in each block."""
        self._lowest = [_least(V.T @ (L @ V)) for V in self.designs]
        return min(float(values[0]) for values, _ in self._lowest)

    def widen(self, rounded: Floats, share: float, below: float) -> None:
        """Add eigenvectors as columns; drop dimensions that became zero."""
        for block, (values, vectors) in enumerate(self._lowest):
            new = values < below
            V, Q = self.designs[block], vectors[:, new]
            slopes = self.problem.penalty + share * values[new]
            sizes = [
                -slope / float(rounded @ self._rates(V @ q) ** 2) / len(slopes)
                for slope, q in zip(slopes, Q.T, strict=True)
            ]
            kept = _compressed(self.factors[block])
            self.factors[block] = np.column_stack([kept, Q * np.sqrt(np.maximum(sizes, 0.0))])

    def descend(
        self, level: Floats, width: float, most: int, tol: float, report: Callback | None
    ) -> tuple[int, bool]:
        """Minimise by L-BFGS in units with even curvature."""
        scales = [scale.ravel() for scale in self._scales(level, width)]
        objective = _RoundedObjective(self, level, width, np.concatenate(scales))
        x = np.concatenate([F.ravel() for F in self.factors])
        solution = lbfgs(objective, x / objective.scale, most, tol, report)
        self.factors = objective.factors(solution.x)
        return solution.n_iter, solution.interrupted

    def _positions(self) -> Floats:
        images = [V @ F for V, F in zip(self.designs, self.factors, strict=True)]
        return np.concatenate(images, axis=1)

    def _rates(self, image: Floats) -> Floats:
        """Return near - far of each row, along one direction."""
        return self.problem.violations(np.ascontiguousarray(image[:, None]), 0.0)

    def _scales(self, level: Floats, width: float) -> Iterator[Floats]:
        """Yield (penalty / curvature)^(1/2) of each parameter, the curvature a rough guess."""
        problem, X = self.problem, self._positions()
        pull = problem.violations(X, problem.margin) / width + level
        weight = float(problem.weight[(pull > 0.0) & (pull < 1.0)].sum()) / width
        scatter = float(X.var(axis=0).mean()) if X.size else 0.0
        curvature = 8.0 * weight * scatter / (len(X) * problem.penalty)
        for squares, F in zip(self.squares, self.factors, strict=True):
            yield np.broadcast_to((1.0 + curvature * squares[:, None]) ** -0.5, F.shape)


class _RoundedObjective:
    """The objective with the rounded hinge, in one vector of scaled parameters."""

    def __init__(self, metric: Projections, level: Floats, width: float, scale: Floats) -> None:
        self.problem, self.level, self.scale = metric.problem, level, scale
        self.corner = metric.problem.margin, width
        shapes = [F.shape for F in metric.factors]
        ends = np.cumsum([0, *(q * r for q, r in shapes)])
        columns = np.cumsum([0, *(r for _, r in shapes)])
        self.cuts = [
            (V, slice(*ends[k : k + 2]), shapes[k], slice(*columns[k : k + 2]))
            for k, V in enumerate(metric.designs)
        ]
        self.X = np.empty((metric.problem.n_items, columns[-1]))
        self.G = np.empty_like(self.X)

    def __call__(self, y: Floats) -> tuple[float, Floats]:
        problem, X, G = self.problem, self.X, self.G
        x = self.scale * y
        for V, entries, shape, columns in self.cuts:
            X[:, columns] = V @ x[entries].reshape(shape)
        G[:] = 0.0
        loss = rounded_hinge(X, problem.pairs, problem.weight, self.level, *self.corner, G)
        slope = 2.0 * problem.penalty * x
        for V, entries, _, columns in self.cuts:
            slope[entries] += (V.T @ G[:, columns]).ravel()
        slope *= self.scale
        return loss + problem.penalty * float(x @ x), slope

    def factors(self, y: Floats) -> list[Floats]:
        x = self.scale * y
        return [x[entries].reshape(shape) for _, entries, shape, _ in self.cuts]


def _least(C: Floats) -> tuple[Floats, Floats]:
    if len(C) <= SMALL:
        values, vectors = np.linalg.eigh(C)
        return values[:NARROW], vectors[:, :NARROW]
    return eigh(C, subset_by_index=(0, NARROW - 1))


def _compressed(F: Floats) -> Floats:
    """Return a factor of F F' with no more columns than it needs."""
    if not F.shape[1]:
        return F
    squares, turn = np.linalg.eigh(F.T @ F)
    return F @ turn[:, squares > FORGOTTEN * max(squares[-1], 1e-300)]
