"""Learn metrics by the methods of Schultz and Joachims, MMC and KPSDE."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments import (
    Judgments,
    Quadruplets,
    SimilarPairs,
    Triplets,
    as_judgments,
    of_kind,
)
from resemblance.mappings.metric import (
    MetricMapping,
    SimilarPairsMapping,
    differences,
    orthonormal_basis,
)
from resemblance.mappings.poe_solver import Optimum, central_path
from resemblance.ranges import NOT_NEGATIVE, POSITIVE, integers, setting
from resemblance.scores import as_weights, triplet_error, triplet_losses
from resemblance.solvers import Callback, Progress, lbfgs

JudgmentsLike = Judgments | ArrayLike


class SchultzJoachims(MetricMapping):
    """A metric with one weight per kernel column, learned from comparisons with a margin of 1.

    minimise  w' (K o K) w / 2 + C sum_r v_r max(0, 1 + near_r - far_r)  over w >= 0,
    d_ij = sum_m w_m (K_im - K_jm)^2

    where near_r and far_r are squared distances, v_r the weights of the judgments, and o is the
    elementwise product. With ``kernel=None`` the columns are the features, and w'w replaces w' (K o
    K) w. The problem is convex, and solved to a measured duality gap.

    Source: Schultz & Joachims 2004, Learning a distance metric from relative comparisons; here the
    weighted directions are the items. Positions are computed by classical scaling of the learned
    distances, as in Xu, Zhu & Rogers 2012, section 4.4.2.

    Parameters
    ----------
    n_components : int
        The number of dimensions, which are the leading principal axes.
    kernel : {"rbf", "linear", "polynomial", "precomputed"}, callable or None
        The kernel of the features, see :func:`~resemblance.geometry.kernel_matrix`; None uses the
        features as columns.
    bandwidth, degree
        Settings of the kernel.
    C : float
        The weight of the comparisons, as in the paper; there is no ``penalty``.
    max_iter : int
        The largest number of Newton steps.
    tol : float
        The fit has converged if the duality gap is below this share of C sum_r v_r, which is the
        loss if all distances are equal.
    callback : callable, optional
        Called with a :class:`~resemblance.solvers.Progress` after each step, with the last measured
        loss. If it returns a true value, the fit stops with the best result so far.

    Attributes
    ----------
    embedding_ : array (n_items, n_components)
        The positions of the items, centred, in principal axes.
    components_ : array (p, n_components)
        The map from the p columns: the positions are (columns - ``mean_``) ``components_``.
    mean_ : array (p,)
        The mean of the columns.
    metric_ : array (p, p)
        The metric diag(w), before dimensions are left out.
    features_ : array (n_items, d)
        The features of the items.
    items_ : Items
        The items, in the order of the rows of ``embedding_``.
    loss_ : float
        The objective at the solution.
    gap_ : float
        An upper bound of ``loss_`` minus its minimum.
    n_iter_ : int
        The number of Newton steps.
    converged_ : bool
        Whether the gap is small enough.

    Examples
    --------
    >>> import numpy as np, resemblance as rs
    >>> items = rs.Items(features=np.arange(5.0)[:, None])
    >>> triplets = rs.Triplets([[0, 1, 2], [1, 2, 4], [4, 3, 1], [2, 3, 0]], items=items)
    >>> model = rs.SchultzJoachims(1, bandwidth=2.0, C=100).fit(triplets)
    >>> model.score(triplets), model.transform([[0.5]]).shape
    (1.0, (1, 1))
    """

    C: float = setting(POSITIVE, default=1.0)
    tol: float = setting(NOT_NEGATIVE, default=1e-6)

    def predict(self, X: JudgmentsLike) -> NDArray[np.int64]:
        """Return the nearer pair of each row: 0 as answered, 1 the other pair, -1 for ties."""
        losses = triplet_losses(self.embedding_, self._judged(X))
        return np.where(losses == 0.5, -1, losses).astype(np.int64)

    def score(self, X: JudgmentsLike, y: None = None) -> float:
        """Return the share of judgments that agree with the distances; ties count one half."""
        return 1.0 - triplet_error(self.embedding_, self._judged(X))

    def _checked(self, X: Any) -> Judgments:
        remedy = "convert choices with judgments.triplets_from_choices"
        return of_kind(as_judgments(X), (Triplets, Quadruplets), "SchultzJoachims", remedy)

    def _learn(self, judgments: Judgments, columns: Floats, gram: Floats) -> tuple[Floats, Optimum]:
        cost = self.C * as_weights(judgments.weights, len(judgments))
        counted, used = cost > 0, np.diag(gram) > 0  # A column of zeros has no effect.
        (comparison,) = judgments.comparisons()
        near, far = ((columns[a] - columns[b]) ** 2 for a, b in comparison.pairs)
        problem = WeightedMargins(
            (far - near)[np.ix_(counted, used)], (gram * gram)[np.ix_(used, used)], cost[counted]
        )
        start, scale, tol = problem.start(), cost.sum(), self.tol
        optimum = central_path(problem, start, scale, tol, self.max_iter, self.callback)
        return np.eye(len(gram))[:, used] * np.sqrt(optimum.x), optimum


class WeightedMargins:
    """The problem  min w'Qw / 2 + sum_r c_r max(0, 1 - (D w)_r)  over w >= 0, with a barrier.

    The objective is minimised over the slacks s. With a barrier for its two bounds, the hinge c
    max(0, z) becomes

    min over s > max(0, z):  c s - tau log s - tau log(s - z)

    which is smooth; its slope is feasible in the dual.
    """

    def __init__(self, differences: Floats, quadratic: Floats, cost: Floats) -> None:
        self.differences = differences
        self.quadratic = quadratic
        self.cost = cost

    def start(self) -> Floats:
        size = np.sqrt(2.0 * self.cost.sum() / self.quadratic.sum())
        return np.full(len(self.quadratic), size)

    def value(self, w: Floats, tau: float) -> float:
        if not w.min() > 0:
            return np.inf
        z, slack = self._slacks(w, tau)
        smooth = self.cost @ slack - tau * np.sum(np.log(slack) + np.log(slack - z))
        return float(0.5 * w @ self.quadratic @ w + smooth - tau * np.log(w).sum())

    def newton(self, w: Floats, tau: float) -> tuple[Floats, Floats]:
        z, slack = self._slacks(w, tau)
        above, slope = tau / slack, tau / (slack - z)
        curvature = (above * slope) ** 2 / (tau * (above**2 + slope**2))
        D = self.differences
        hessian = self.quadratic + (D.T * curvature) @ D + np.diag(tau / w**2)
        return self.quadratic @ w - D.T @ slope - tau / w, hessian

    def certificate(self, w: Floats, tau: float) -> tuple[Floats, float, float]:
        """Return w, its loss, and its gap to the dual  max sum a - w'Qw / 2  s.t.  Qw >= D'a."""
        z, slack = self._slacks(w, tau)
        dual = tau / (slack - z)
        reached, wanted = self.quadratic @ w, self.differences.T @ dual
        # Q has no negative entries, so scaling a dual point down makes it feasible.
        share = np.divide(reached, wanted, out=np.ones_like(w), where=wanted > reached).min()
        length = float(w @ reached)
        loss = 0.5 * length + float(self.cost @ np.maximum(0.0, z))
        return w, loss, loss - (share * float(dual.sum()) - 0.5 * length)

    def _slacks(self, w: Floats, tau: float) -> tuple[Floats, Floats]:
        """Return the violations z, and the slacks that minimise the barrier at z."""
        z = 1.0 - self.differences @ w
        cz = self.cost * z
        slack = (cz + 2.0 * tau + np.hypot(cz, 2.0 * tau)) / (2.0 * self.cost)
        return z, slack


CHECKED = 10  # number of iterations between two checks of the gap


class MMC(SimilarPairsMapping):
    """A metric with small distances of similar pairs and large distances of dissimilar pairs.

    minimise  sum_S v_r d_r^2 + penalty tr(A K)   subject to  sum_D v_r d_r >= 1,  A psd,
    d_ij^2 = (k_i - k_j)' A (k_i - k_j)

    over the similar pairs S and the dissimilar pairs D, with distances d (not squared), the weights
    v of the pairs and the columns k_i of the kernel. With ``diagonal`` A is diag(a), a >= 0; this A
    also minimises  sum_S d^2 + penalty tr(A K) - log(sum_D d)  up to scale. With ``kernel=None``
    the columns are the features, and tr(A) replaces tr(A K).

    The problem is convex. It is solved by L-BFGS over a square root of A, with a measured gap to
    the optimum. The paper has no penalty. With many features, all similar pairs may reach distance
    0; then only the penalty makes A unique. A full A depends on the units of features only through
    the penalty.

    Source: Xing, Ng, Jordan & Russell 2002, Distance metric learning with application to clustering
    with side-information. Columns of a kernel as features: Xu, Zhu & Rogers 2012, section 4.4.3.

    Parameters
    ----------
    n_components, kernel, bandwidth, degree
        As in :class:`SchultzJoachims`; the paper uses ``kernel=None``.
    diagonal : bool
        Whether A is a diagonal matrix: one weight per column.
    penalty : float
        The weight of the trace, above 0. Keep it small: it should only choose among metrics that
        fit the pairs equally well.
    max_iter : int
        The largest number of iterations.
    tol : float
        The fit has converged when the gap is below this share of the loss.
    callback : callable, optional
        Called with a :class:`~resemblance.solvers.Progress` after each iteration. Its loss is the
        loss of the equivalent problem: the cost of similar pairs with the penalty, minus the
        logarithm of the sum of dissimilar distances. If it returns a true value, the fit stops with
        the result so far.

    Attributes
    ----------
    embedding_, components_, mean_, metric_, features_, items_, loss_, gap_, n_iter_, converged_
        See :class:`SchultzJoachims`; ``metric_`` is A, and ``loss_`` the objective above, scaled to
        sum_D v_r d_r = 1.

    Examples
    --------
    >>> import numpy as np, resemblance as rs
    >>> items = rs.Items(features=[[0, 0], [3, 0], [0, 1], [3, 1]])
    >>> pairs = [[0, 1], [2, 3], [0, 2], [1, 3]]
    >>> judged = rs.SimilarPairs(pairs, similar=[1, 1, 0, 0], items=items)
    >>> model = rs.MMC(1, kernel=None).fit(judged)
    >>> model.score(judged), np.abs(model.embedding_).round(3).ravel()
    (1.0, array([0.25, 0.25, 0.25, 0.25]))
    """

    diagonal: bool = False
    penalty: float = setting(POSITIVE, default=1e-3)
    max_iter: int = setting(integers(1), default=2000)

    def _learn(
        self, judgments: SimilarPairs, columns: Floats, gram: Floats
    ) -> tuple[Floats, Optimum]:
        counted = judgments[judgments.weights > 0]
        similar, apart = counted[counted.similar], counted[~counted.similar]
        far = differences(apart, columns)
        if not far.any():
            raise JudgmentError(
                "the two items of every dissimilar pair have the same features, so no metric "
                "separates them: add features, or pairs."
            )
        near = differences(similar, columns) * np.sqrt(similar.weights)[:, None]
        basis, start = self._basis(near.T @ near + self.penalty * gram, gram)
        spread = Spread(far @ basis, apart.weights)
        optimum = spread.widest(start, self.tol, self.max_iter, self.callback)
        return basis @ (np.diag(optimum.x) if self.diagonal else optimum.x), optimum

    def _basis(self, cost: Floats, gram: Floats) -> tuple[Floats, Floats]:
        """Return a basis in which tr(L' cost L) is the squared length of L, and a start for L."""
        if self.diagonal:
            used = np.diag(gram) > 0  # Columns of zeros are ignored.
            basis = np.eye(len(cost))[:, used] / np.sqrt(np.diag(cost)[used])
            return basis, np.ones(basis.shape[1])
        basis = orthonormal_basis(gram)
        cost = basis.T @ cost @ basis
        if self.penalty < 1e-15 * np.trace(cost):
            raise SettingError(
                f"penalty is {self.penalty!r}, below rounding errors of the similar pairs: raise "
                f"it to at least {1e-14 * np.trace(cost):.0e}."
            )
        lower = np.linalg.cholesky(cost)
        basis = solve_triangular(lower, basis.T, lower=True).T
        return basis, np.eye(basis.shape[1])


class Spread:
    """The sum of distances  f(L) = sum_r w_r |L' d_r|,  to be maximised over |L| = 1.

    L is a matrix, or a vector if A is diagonal. f is concave in A = L L', with the gradient B / 2,
    B = sum_r w_r d_r d_r' / |L' d_r|. So the maximum of f over all A of trace 1 is at most
    sqrt(f(L) * largest eigenvalue of B).
    """

    def __init__(self, differences: Floats, weights: Floats) -> None:
        self.differences = differences
        self.weights = weights

    def widest(
        self, L: Floats, tol: float, max_iter: int, callback: Callback | None = None
    ) -> Optimum:
        def enough(progress: Progress) -> bool:
            if callback is not None and callback(progress):
                return True
            if progress.iteration % CHECKED:
                return False
            loss, gap = self.certificate(progress.x)
            return gap <= tol * loss

        solution = lbfgs(self.objective, L, max_iter, tol=0.0, callback=enough)
        loss, gap = self.certificate(solution.x)
        L = solution.x / (self.weights @ self._images(solution.x)[1])
        near = gap <= tol * loss
        return Optimum(L, loss, gap, solution.n_iter, near, solution.interrupted and not near)

    def objective(self, L: Floats) -> tuple[float, Floats]:
        images, lengths = self._images(L)
        reach = float(self.weights @ lengths)
        if not reach > 0:
            return np.inf, L
        pulls = images * self._inverse(lengths)[:, None]
        slope = self.differences.T @ pulls if L.ndim == 2 else np.sum(self.differences * pulls, 0)
        return float(np.vdot(L, L)) - np.log(reach), 2.0 * L - slope / reach

    def certificate(self, L: Floats) -> tuple[float, float]:
        D, size = self.differences, np.linalg.norm(L)
        _, lengths = self._images(L / size)
        reach, pulls = float(self.weights @ lengths), self._inverse(lengths)
        if L.ndim == 2:
            top = float(np.linalg.eigvalsh((D.T * pulls) @ D)[-1])
        else:
            top = float((pulls @ D**2).max())
        return reach**-2, max(0.0, 1.0 / reach - 1.0 / top) / reach

    def _images(self, L: Floats) -> tuple[Floats, Floats]:
        images = self.differences @ L if L.ndim == 2 else self.differences * L
        return images, np.linalg.norm(images, axis=1)

    def _inverse(self, lengths: Floats) -> Floats:
        out = np.zeros_like(lengths)
        return np.divide(self.weights, lengths, out=out, where=lengths > 0)


# starts to try, as shares of the way from one dual point to another
SHARES = 0.5 ** np.arange(1, 40)


class KPSDE(SimilarPairsMapping):
    r"""Kernel pairwise semidefinite embedding: similar pairs are nearer than 1, dissimilar farther.

    .. math:: \min_{A \succeq 0} \; \lambda \, \mathrm{tr}(A K)
       - \frac{v}{n} \sum_i \lVert y_i - \bar y \rVert^2
       + \beta \sum_r w_r \max(0, s_r (d_r - 1)), \qquad
       d_{ij} = (k_i - k_j)' A (k_i - k_j) = \lVert y_i - y_j \rVert^2

    where v is ``variance``, s_r = 1 for similar pairs and -1 for dissimilar pairs, w_r the weight
    of a pair, and k_i a column of the kernel K. With ``kernel=None`` the columns are the features,
    and tr(A) replaces tr(A K). The problem is a semidefinite program. Its dual is solved to a
    measured gap; a Newton step costs O(pairs^3).

    Source: Globerson & Roweis 2007, Visualizing pairwise similarity via semidefinite programming:
    the map of largest variance in which similar pairs are nearer than dissimilar pairs; the
    parametric version is linear in a kernel. Xu, Zhu & Rogers 2012, section 4.4.4, tune the weights
    of the violations and of the trace from 1e-4 to 1e4. The sum of the three terms is our
    interpretation of the two papers, not a printed formula. With ``variance=0`` only the trace and
    the violations are minimised.

    Parameters
    ----------
    n_components, kernel, bandwidth, degree, max_iter, callback
        As in :class:`SchultzJoachims`.
    beta : float
        The weight of violations.
    penalty : float
        lambda, the weight of the trace, above 0.
    variance : float
        The weight of the variance, 0 or more. The variance is bounded if ``penalty`` is at least
        ``variance`` times the largest eigenvalue of the centred kernel over n (at most 1 with rbf).
        With a smaller penalty, ``beta`` and the similar pairs must bound it.
    tol : float
        The fit has converged when the duality gap is below this share of beta sum_r w_r.

    Attributes
    ----------
    embedding_, components_, mean_, metric_, features_, items_, loss_, gap_, n_iter_, converged_
        See :class:`SchultzJoachims`; ``metric_`` is A.

    Raises
    ------
    SettingError
        If a weight is out of range, or nothing bounds the variance.

    Examples
    --------
    >>> import numpy as np, resemblance as rs
    >>> items = rs.Items(features=np.arange(4.0)[:, None])
    >>> pairs = [[0, 1], [1, 2], [2, 3], [0, 3], [0, 2], [1, 3]]
    >>> judged = rs.SimilarPairs(pairs, similar=[1, 1, 1, 0, 0, 0], items=items)
    >>> model = rs.KPSDE(1, penalty=0.1).fit(judged)
    >>> model.score(judged)
    1.0
    """

    beta: float = setting(POSITIVE, default=1.0)
    penalty: float = setting(POSITIVE, default=1.0)
    variance: float = setting(NOT_NEGATIVE, default=1.0)

    def _learn(
        self, judgments: SimilarPairs, columns: Floats, gram: Floats
    ) -> tuple[Floats, Optimum]:
        counted = judgments[judgments.weights > 0]
        basis = orthonormal_basis(gram)
        points = columns @ basis
        trace = self.penalty * np.eye(points.shape[1])
        trace -= self.variance * np.cov(points, rowvar=False, bias=True)
        problem = DistanceBounds(
            differences(counted, points),
            np.where(counted.similar, 1.0, -1.0),
            self.beta * counted.weights,
            trace,
        )
        start, scale, tol = self._start(problem), problem.cost.sum(), self.tol
        optimum = central_path(problem, start, scale, tol, self.max_iter, self.callback)
        values, vectors = np.linalg.eigh(optimum.x)
        return basis @ (vectors * np.sqrt(np.maximum(values, 0.0))), optimum

    def _start(self, problem: DistanceBounds) -> Floats:
        """Return multipliers within the bounds for which the dual matrix is positive definite."""
        firmest = np.where(problem.sign > 0, 1.0, 0.0)
        for share in SHARES:
            start = problem.cost * (firmest + share * (0.5 - firmest))
            if np.isfinite(problem.value(start, 1.0)):
                return np.asarray(start)
        raise SettingError(
            f"nothing bounds the variance: with penalty={self.penalty} and beta={self.beta} it can "
            "grow faster than the trace and the violations of the similar pairs. Raise penalty or "
            "beta, or lower variance."
        )


class DistanceBounds:
    """The dual of  min tr(C S) + sum_r c_r max(0, s_r (d_r' S d_r - 1))  over S psd.

    maximise  -s'a  over  0 <= a <= c  with  Z = C + sum_r s_r a_r d_r d_r'  psd,

    with logarithmic barriers of weight tau. On the central path S = tau Z^-1.
    """

    def __init__(self, differences: Floats, sign: Floats, cost: Floats, trace: Floats) -> None:
        self.differences = differences
        self.sign = sign
        self.cost = cost
        self.trace = trace

    def value(self, a: Floats, tau: float) -> float:
        if not min(a.min(), (self.cost - a).min()) > 0:
            return np.inf
        try:
            factor = np.linalg.cholesky(self._dual_matrix(a))
        except np.linalg.LinAlgError:
            return np.inf
        logs = 2.0 * np.log(np.diag(factor)).sum() + np.log(a * (self.cost - a)).sum()
        return float(self.sign @ a - tau * logs)

    def newton(self, a: Floats, tau: float) -> tuple[Floats, Floats]:
        products = self.differences @ cho_solve(
            cho_factor(self._dual_matrix(a)), self.differences.T
        )
        below, above = 1.0 / a, 1.0 / (self.cost - a)
        gradient = self.sign * (1.0 - tau * np.diag(products)) - tau * (below - above)
        hessian = tau * (np.outer(self.sign, self.sign) * products**2)
        hessian[np.diag_indices_from(hessian)] += tau * (below**2 + above**2)
        return gradient, hessian

    def certificate(self, a: Floats, tau: float) -> tuple[Floats, float, float]:
        S = tau * np.linalg.inv(self._dual_matrix(a))
        S = 0.5 * (S + S.T)
        distances = np.sum(self.differences @ S * self.differences, axis=1)
        violations = np.maximum(0.0, self.sign * (distances - 1.0))
        loss = float(np.sum(self.trace * S) + self.cost @ violations)
        return S, loss, loss + float(self.sign @ a)

    def _dual_matrix(self, a: Floats) -> Floats:
        return self.trace + (self.differences.T * (self.sign * a)) @ self.differences
