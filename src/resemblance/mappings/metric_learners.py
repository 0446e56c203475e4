"""Mahalanobis metric learning for clustering, after Xing et al."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments import SimilarPairs
from resemblance.mappings.metric import SimilarPairsMapping, differences, orthonormal_basis
from resemblance.mappings.poe_solver import Optimum
from resemblance.ranges import POSITIVE, integers, setting
from resemblance.solvers import Callback, Progress, lbfgs

CHECKED = 10  # iterations from one look at the gap to the next


class MMC(SimilarPairsMapping):
    """A metric in which similar pairs are near while dissimilar pairs stay apart.

    minimise  sum_S v_r d_r^2 + penalty tr(A K)   subject to  sum_D v_r d_r >= 1,  A psd,
    d_ij^2 = (k_i - k_j)' A (k_i - k_j)

    over the similar pairs S and the dissimilar pairs D, with plain distances d, the weights v of
    the pairs and the columns k_i of the kernel. With ``diagonal`` A is diag(a), a >= 0; that
    minimises  sum_S d^2 + penalty tr(A K) - log(sum_D d)  too, up to scale. With ``kernel=None``
    the columns are the features, and tr(A) takes the place of tr(A K).

    The problem is convex. It is solved by L-BFGS over a square root of A, and the gap to the
    optimum is measured. The paper has no penalty; but enough features can bring all similar pairs
    to distance 0, and then only the penalty makes A unique. A full A depends on the units of the
    features through the penalty alone.

    Source: Xing, Ng, Jordan & Russell 2002, Distance metric learning with application to clustering
    with side-information. Columns of a kernel as features: Xu, Zhu & Rogers 2012, section 4.4.3.

    Parameters
    ----------
    n_components : int
        The number of dimensions: the leading principal axes are kept.
    kernel : {"rbf", "linear", "polynomial", "precomputed"}, callable or None
        The kernel of the features, see :func:`~resemblance.geometry.kernel_matrix`; None takes
        the features themselves as columns, as in the paper.
    bandwidth, degree
        Of the kernel.
    diagonal : bool
        Whether A is a diagonal matrix: one weight per column.
    penalty : float
        The weight of the trace, above 0. Keep it small: it should only choose among metrics that
        fit the pairs equally well.
    max_iter : int
        The number of iterations at most.
    tol : float
        It has converged when the gap is below this share of the loss.
    callback : callable, optional
        Told a :class:`~resemblance.solvers.Progress` after each iteration; its loss, the cost of
        the similar pairs with the penalty less the logarithm of the sum of dissimilar distances,
        is least at the same metric. A true answer stops the fit, which keeps what it has.

    Attributes
    ----------
    embedding_, components_, mean_, metric_, features_, items_, loss_, gap_, n_iter_, converged_
        See :class:`SchultzJoachims`; ``metric_`` is A, and ``loss_`` the objective of the first
        line, where sum_D v_r d_r = 1.

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
        """Return a basis where L costs its squared length, tr(L' cost L), and a first L in it."""
        if self.diagonal:
            used = np.diag(gram) > 0  # a column of zeros has no say
            basis = np.eye(len(cost))[:, used] / np.sqrt(np.diag(cost)[used])
            return basis, np.ones(basis.shape[1])
        basis = orthonormal_basis(gram)
        cost = basis.T @ cost @ basis
        if self.penalty < 1e-15 * np.trace(cost):
            raise SettingError(
                f"penalty is {self.penalty!r}, which is below rounding error beside the similar "
                f"pairs: raise it to at least {1e-14 * np.trace(cost):.0e}."
            )
        lower = np.linalg.cholesky(cost)
        basis = solve_triangular(lower, basis.T, lower=True).T
        return basis, np.eye(basis.shape[1])


class Spread:
    """The sum of distances  f(L) = sum_r w_r |L' d_r|,  to be made large for the length of L.

    L is a matrix, or a vector that stands for a diagonal one. f is concave in A = L L', with the
    gradient B / 2,  B = sum_r w_r d_r d_r' / |L' d_r|, so that no A of trace 1 reaches beyond
    sqrt(f(L) * largest eigenvalue of B) when |L| = 1.
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
        """Return L' d_r for each row, and its length."""
        images = self.differences @ L if L.ndim == 2 else self.differences * L
        return images, np.linalg.norm(images, axis=1)

    def _inverse(self, lengths: Floats) -> Floats:
        """Return w_r / |L' d_r|; pairs at distance 0 do not pull."""
        out = np.zeros_like(lengths)
        return np.divide(self.weights, lengths, out=out, where=lengths > 0)
