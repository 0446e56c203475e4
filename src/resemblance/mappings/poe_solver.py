"""Solve the convex problem of partial order embedding, for full and diagonal metrics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from resemblance.arrays import Floats
from resemblance.geometry import eigenvectors_between
from resemblance.mappings._loops import laplacian, rounded_hinge, violations
from resemblance.solvers import Callback, Progress, lbfgs

FIRM = 10.0  # slope of the first smoothed hinge, relative to a feasible slope
PATIENCE = 300  # largest number of steps between two checks of the gap
FLAT = 1e-3  # curvature of rows outside the parabola, which keeps steps finite
# relative decrease at which a descent ends: LOOSE for the first descents, TIGHT for the last
LOOSE, TIGHT = 1e-3, 1e-11
SHRINK = 0.1  # factor on the barrier from one point of the path to the next
NEAR = 0.05  # Below this Newton decrement, full steps converge quadratically.
CENTRED = 1e-6  # Below this Newton decrement, a point counts as a point of the path.
ROUNDING = 1e-14  # Added to the diagonal of a scaled Hessian, because of rounding errors.
TRIALS = 60  # largest number of times that a step is halved


@dataclass(frozen=True)
class MarginProblem:
    r"""min  sum_r w_r max(0, margin + near_r - far_r) + penalty * tr(A)  over psd A.

    A has one block for each kernel, in coordinates where the penalty is the trace. The dual is

    max  margin * sum_r a_r   over  0 <= a <= w  with  penalty * I + Phi' L(a) Phi  psd,

    where the rows of Phi are the items in these coordinates. L(a) is the Laplacian of a signed
    graph: <L(a), K> = sum_r a_r (near_r - far_r) for any Gram matrix K.
    """

    pairs: NDArray[np.uint32]  # items (i, j, k, l) of each comparison, (4, m)
    weight: Floats  # weight of each comparison, (m,)
    margin: float
    penalty: float
    n_items: int

    def violations(self, X: Floats, margin: float) -> Floats:
        out = np.empty(len(self.weight))
        violations(X, self.pairs, margin, out)
        return out

    def laplacian(self, slope: Floats) -> Floats:
        out = np.zeros((self.n_items, self.n_items))
        laplacian(self.pairs, slope, out)
        return out

    def best_multiple(self, z: Floats, size: float) -> tuple[float, float]:
        """Return the least objective of multiples t A, and this t, from the violations z of A."""
        rate = z - self.margin  # The objective is piecewise linear in t.
        falls = rate < 0
        if not (size and falls.any()):
            return self.margin * float(self.weight.sum()), 0.0
        ends = -self.margin / rate[falls]
        order = np.argsort(ends)
        slope = self.penalty * size + float(self.weight @ rate)
        slopes = slope - np.cumsum((self.weight[falls] * rate[falls])[order])
        last = min(int(np.searchsorted(slopes, 0.0)), len(order) - 1)
        t = float(ends[order[last]]) if slope < 0 else 0.0
        hinge = np.maximum(0.0, self.margin + t * rate)
        return float(self.weight @ hinge) + t * self.penalty * size, t


class Metric(Protocol):
    """The metric during a fit: the matrices A, full or diagonal.

    A direction is a unit vector v of a block, or a column; its *slack* is v' Phi' L Phi v.
    """

    def size(self) -> float:
        """Return tr(A)."""

    def violations(self) -> Floats:
        """Return margin + near - far of each row."""

    def parameters(self, share: float = 1.0) -> list[Floats]:
        """Return the parameters of share * A, one array for each block."""

    def restart(self, parameters: list[Floats]) -> None:
        """Replace the current parameters."""

    def lowest(self, L: Floats) -> float:
        """Find the directions with the least slack; return their slack."""

    def widen(self, rounded: Floats, share: float, below: float) -> None:
        """Add directions whose slack is below a bound, with one Newton step along each."""

    def descend(
        self, level: Floats, width: float, most: int, tol: float, report: Callback | None
    ) -> tuple[int, bool]:
        """Minimise with a smoothed hinge; return the number of steps, and if it was stopped."""


@dataclass
class Start:
    parameters: list[Floats]
    level: Floats
    width: float
    penalty: float


@dataclass
class Certified:
    parameters: list[Floats]
    loss: float
    gap: float
    n_iter: int
    converged: bool
    interrupted: bool
    end: Start


class MarginDescent:
    """Descend with less and less smoothed hinges until the duality gap is small.

    As in the method of multipliers, the parabola of width v is shifted by v times the current slope
    of each row. Slopes therefore reach the dual solution although the width does not fall to 0.
    """

    def __init__(self, problem: MarginProblem, metric: Metric, start: Start | None = None) -> None:
        self.problem, self.metric = problem, metric
        self.n_iter, self.loose, self.patient = 0, LOOSE, True
        self.best, self.bound, self.kept = np.inf, -np.inf, metric.parameters()
        self.level, self.width = np.ones(len(problem.weight)), np.inf
        if start is not None and np.isfinite(start.width):
            share = problem.penalty / start.penalty
            self.level, self.width = np.minimum(start.level * share, 1.0), start.width / share
            metric.restart(start.parameters)

    def run(self, max_iter: int, tol: float, callback: Callback | None = None) -> Certified:
        """Descend until the gap is at most ``tol`` times the loss, or for ``max_iter`` steps."""
        interrupted = False
        try:
            self._look()
            while not (interrupted or self.gap <= tol * self.best or self.n_iter >= max_iter):
                interrupted = self._descend(max_iter, callback)
                self._look()
        except KeyboardInterrupt:
            interrupted = True
        converged = self.gap <= tol * self.best and not interrupted
        end = Start(self.metric.parameters(), self.level, self.width, self.problem.penalty)
        return Certified(self.kept, self.best, self.gap, self.n_iter, converged, interrupted, end)

    def _descend(self, max_iter: int, callback: Callback | None) -> bool:
        most = min(PATIENCE, max_iter - self.n_iter)
        report = None if callback is None else _continued(callback, self.n_iter)
        steps, interrupted = self.metric.descend(self.level, self.width, most, self.loose, report)
        self.n_iter, self.patient = self.n_iter + max(steps, 1), steps < most
        return interrupted

    @property
    def gap(self) -> float:
        return max(self.best - self.bound, 0.0)

    def _look(self) -> None:
        problem, metric, fresh = self.problem, self.metric, np.isinf(self.width)
        z = metric.violations()
        if not fresh:
            self.level = np.clip(self.level + z / self.width, 0.0, 1.0)
        loss, t = problem.best_multiple(z, metric.size())
        if loss < self.best:
            self.best, self.kept = loss, metric.parameters(t)
        slope = problem.weight * self.level
        steepest = -metric.lowest(problem.laplacian(slope)) / problem.penalty
        total = problem.margin * float(slope.sum())
        # The bound is for slopes that are scaled to be feasible.
        bound = total / max(steepest, 1.0)
        self.bound = max(self.bound, bound)
        if self.gap == 0.0:
            return
        if fresh:
            self._begin(steepest)
        else:
            self._sharpen(abs(loss - total) > total - bound)
        pull = z / self.width + self.level
        curvature = np.where((pull > 0.0) & (pull < 1.0), 1.0, FLAT) * problem.weight / self.width
        share = float(pull.min()) if fresh else 1.0
        least = max(1.001, 0.3 * steepest) if fresh else 1.001
        metric.widen(curvature, share, -least * problem.penalty)

    def _begin(self, steepest: float) -> None:
        self.level = self.level / steepest
        self.width = self.problem.margin * max(steepest / FIRM, 1.5 * steepest / (steepest - 1.0))

    def _sharpen(self, primal_lags: bool) -> None:
        """Halve the width if the primal is farther from the optimum, else solve more exactly."""
        if primal_lags:
            self.width *= 0.5
        elif self.patient:
            self.loose = max(0.1 * self.loose, TIGHT)
        else:
            self.width *= 2.0


def _continued(callback: Callback, before: int) -> Callback:
    def report(progress: Progress) -> object:
        return callback(replace(progress, iteration=before + progress.iteration))

    return report


@dataclass(frozen=True)
class Optimum:
    """The result of a solver; ``gap`` is an upper bound of the loss minus its minimum."""

    x: Floats
    loss: float
    gap: float
    n_iter: int
    converged: bool
    interrupted: bool = False


class Barrier(Protocol):
    """A convex problem: f(x) + tau * (a self-concordant barrier of the constraints)."""

    def value(self, x: Floats, tau: float) -> float:
        """Return the function, or infinity if a constraint is violated."""

    def newton(self, x: Floats, tau: float) -> tuple[Floats, Floats]:
        """Return the gradient and the Hessian of the function."""

    def certificate(self, x: Floats, tau: float) -> tuple[Floats, float, float]:
        """Return the solution at x, its loss, and its duality gap."""


def central_path(
    problem: Barrier,
    x: Floats,
    scale: float,
    tol: float = 1e-6,
    max_iter: int = 500,
    callback: Callback | None = None,
) -> Optimum:
    """Follow the minimisers of f + tau * barrier while tau falls towards 0.

    Newton steps are x <- x - t H^-1 g, with the gradient g and the Hessian H; t is halved until the
    function falls. If the Newton decrement g' H^-1 g / tau is small, tau is divided by ten. The
    descent stops if the duality gap is at most ``tol * scale``, or if rounding errors prevent
    further progress.

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
            if certified[2] >= centred:  # Rounding errors prevent further progress.
                break
            solution, loss, gap = certified
            centred, tau = gap, tau * SHRINK
        elif not size > 0:
            break
    return Optimum(solution, loss, gap, n_iter, gap <= tol * scale, interrupted)


def _newton_step(gradient: Floats, hessian: Floats) -> Floats:
    unit = 1.0 / np.sqrt(np.diag(hessian))
    scaled = unit[:, None] * hessian * unit
    raised = scaled + ROUNDING * len(unit) * np.eye(len(unit))
    return np.asarray(-unit * cho_solve(cho_factor(raised), unit * gradient))


def _fair_size(problem: Barrier, x: Floats, step: Floats, decrement: float, tau: float) -> float:
    """Return a step size at which the function falls enough (Armijo); 0 if there is none."""
    here, size = problem.value(x, tau), 1.0
    for _ in range(TRIALS):
        fall = here - problem.value(x + size * step, tau)
        if fall > 0 and fall >= 0.1 * size * decrement * tau:
            return size
        size *= 0.5
    return 0.0


WIDE = 50  # largest number of columns that are added at a time
FORGOTTEN = 1e-10  # Columns or dimensions below this share of the largest are removed.
DAMPING = 1e-3  # first damping of the Hessian, relative to the largest curvature
NARROW = 5  # largest number of directions that are added to a block at a time
SMALL = 100  # Up to this size, computing all eigenvectors is faster than computing a few.


class ColumnWeights:
    """A = diag(w) with w >= 0, fitted by projected Newton steps in a working set of columns.

    ``designs`` contains the columns of each block, (n_items, q), scaled so that the penalty is the
    sum of weights. Source: Bertsekas 1982.
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
        whole = np.zeros(self.design.shape[1])
        whole[self.columns] = share * self.weights
        return np.split(whole, self.ends)

    def restart(self, parameters: list[Floats]) -> None:
        whole = np.concatenate(parameters)
        self.columns = np.flatnonzero(whole)
        self.weights, self.gains = whole[self.columns], self._gains(self.columns)

    def lowest(self, L: Floats) -> float:
        self._slack = np.einsum("nq,nq->q", self.design, L @ self.design)
        return float(self._slack.min())

    def widen(self, rounded: Floats, share: float, below: float) -> None:
        """Add columns to the working set, and remove columns with a weight of 0."""
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
        """Minimise by projected Newton steps; damping grows after steps that gain too little."""
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
        """Return Newton steps if weights stay positive, else gradient steps."""
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
        design = self.design[:, columns]
        a, b, c, d = (design[end] for end in self.problem.pairs)
        return np.asarray((c - d) ** 2 - (a - b) ** 2)


class Rounded(NamedTuple):
    """The objective with a smoothed hinge at w: value, gradient, and z / width + level."""

    w: Floats
    value: float
    slope: Floats
    pull: Floats
    width: float


class Projections:
    """A = F F' for each block, F (q, r); r grows if dual constraints are violated.

    If no dual constraint is violated at a local minimum in F, A is optimal. Source: Burer &
    Monteiro 2003; Journee et al. 2010 for the growing rank. Shapes: designs (n_items, q).
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
        self._lowest = [_least(V.T @ (L @ V)) for V in self.designs]
        return min(float(values[0]) for values, _ in self._lowest)

    def widen(self, rounded: Floats, share: float, below: float) -> None:
        """Add eigenvectors as columns of F, and remove columns that became 0."""
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
        """Minimise by L-BFGS, with parameters scaled to similar curvatures."""
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
        return self.problem.violations(np.ascontiguousarray(image[:, None]), 0.0)

    def _scales(self, level: Floats, width: float) -> Iterator[Floats]:
        """Yield the scale of each parameter, (penalty / approximate curvature)^(1/2)."""
        problem, X = self.problem, self._positions()
        pull = problem.violations(X, problem.margin) / width + level
        weight = float(problem.weight[(pull > 0.0) & (pull < 1.0)].sum()) / width
        scatter = float(X.var(axis=0).mean()) if X.size else 0.0
        curvature = 8.0 * weight * scatter / (len(X) * problem.penalty)
        for squares, F in zip(self.squares, self.factors, strict=True):
            yield np.broadcast_to((1.0 + curvature * squares[:, None]) ** -0.5, F.shape)


class _RoundedObjective:
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
    return eigenvectors_between(C, 0, NARROW - 1)


def _compressed(F: Floats) -> Floats:
    if not F.shape[1]:
        return F
    squares, turn = np.linalg.eigh(F.T @ F)
    return F @ turn[:, squares > FORGOTTEN * max(squares[-1], 1e-300)]
