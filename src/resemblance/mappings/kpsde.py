"""Kernel pairwise semidefinite embedding, after Globerson and Roweis."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.judgments import SimilarPairs
from resemblance.mappings.metric import SimilarPairsMapping, differences, orthonormal_basis
from resemblance.mappings.poe_solver import Optimum, central_path
from resemblance.ranges import NOT_NEGATIVE, POSITIVE, setting

SHARES = 0.5 ** np.arange(1, 40)  # shares of the way from the dual's firmest start to its middle


class KPSDE(SimilarPairsMapping):
    r"""Kernel pairwise semidefinite embedding: similar pairs within distance 1, others beyond.

    .. math:: \min_{A \succeq 0} \; \lambda \, \mathrm{tr}(A K)
       - \frac{v}{n} \sum_i \lVert y_i - \bar y \rVert^2
       + \beta \sum_r w_r \max(0, s_r (d_r - 1)), \qquad
       d_{ij} = (k_i - k_j)' A (k_i - k_j) = \lVert y_i - y_j \rVert^2

    with v the ``variance``, s = 1 for similar pairs and -1 for dissimilar ones, w the weights of
    pairs, and the columns k_i of the kernel. With ``kernel=None`` the columns are the features, and
    tr(A) takes the place of tr(A K). The problem is a semidefinite program, solved through its dual
    to a measured gap; a Newton step costs O(pairs^3).

    Source: Globerson & Roweis 2007, Visualizing pairwise similarity via semidefinite programming:
    it seeks the map of largest variance among those in which similar pairs are closer than
    dissimilar ones; its parametric version is linear in a kernel. Xu, Zhu & Rogers 2012, section
    4.4.4, tune the weights of the violations and of the trace from 1e-4 to 1e4. The sum of the
    three terms is this package's reading of the two papers, and not checked against a printed
    formula; ``variance=0`` only minimises the trace.

    Parameters
    ----------
    n_components : int
        The number of dimensions: the leading principal axes are kept.
    kernel : {"rbf", "linear", "polynomial", "precomputed"}, callable or None
        The kernel of the features, see :func:`~resemblance.geometry.kernel_matrix`; None takes
        the features themselves as columns.
    bandwidth, degree
        Of the kernel.
    beta : float
        The weight of violations.
    penalty : float
        lambda, the weight of the trace, above 0.
    variance : float
        The weight of the variance, from 0. A ``penalty`` of at least ``variance`` times the largest
        eigenvalue of the centred kernel over n (at most 1 with rbf) always bounds the variance;
        with a smaller one ``beta`` and the similar pairs must bound it.
    max_iter : int
        The number of Newton steps at most.
    tol : float
        The fit has converged when the duality gap is below this share of beta sum_r w_r.
    callback : callable, optional
        Called with a :class:`~resemblance.solvers.Progress` after each step, with the loss that was
        measured last; a true return value stops the fit, which keeps its best result so far.

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
        """Return multipliers within their bounds that keep the dual matrix positive definite."""
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

    with logarithmic barriers. On the central path S = tau Z^-1.
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
