"""A weighted metric learned from relative comparisons, after Schultz and Joachims."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import Floats
from resemblance.judgments import Judgments, Quadruplets, Triplets, as_judgments, of_kind
from resemblance.mappings.metric import MetricMapping
from resemblance.mappings.poe_solver import Optimum, central_path
from resemblance.ranges import NOT_NEGATIVE, POSITIVE, setting
from resemblance.scores import as_weights, triplet_error, triplet_losses

JudgmentsLike = Judgments | ArrayLike


class SchultzJoachims(MetricMapping):
    """A metric with one weight per kernel column, learned from comparisons with a margin of 1.

    minimise  w' (K o K) w / 2 + C sum_r v_r max(0, 1 + near_r - far_r)  over w >= 0,
    d_ij = sum_m w_m (K_im - K_jm)^2

    with squared distances and the weights v of the judgments; o is the elementwise product. With
    ``kernel=None`` the columns are the features, and w'w takes the place of w' (K o K) w. The
    problem is convex, and solved to a measured duality gap.

    Source: Schultz & Joachims 2004, Learning a distance metric from relative comparisons, with the
    items themselves as the directions that are weighted. Xu, Zhu & Rogers 2012, section 4.4.2,
    place the items by scaling the learned distances, as here.

    Parameters
    ----------
    n_components : int
        The number of dimensions: the leading principal axes are kept.
    kernel : {"rbf", "linear", "polynomial", "precomputed"}, callable or None
        The kernel of the features, see :func:`~resemblance.geometry.kernel_matrix`; None takes
        the features themselves as columns.
    bandwidth, degree
        Of the kernel.
    C : float
        The weight of the comparisons, as in the paper; it takes the place of a ``penalty``.
    max_iter : int
        The number of Newton steps at most.
    tol : float
        The fit has converged when the duality gap is below this share of C sum_r v_r, the loss of
        equal distances.
    callback : callable, optional
        Called with a :class:`~resemblance.solvers.Progress` after each step, with the loss that was
        measured last; a true return value stops the fit, which keeps its best result so far.

    Attributes
    ----------
    embedding_ : array (n_items, n_components)
        The positions of the items, centred, in principal axes.
    components_ : array (p, n_components)
        The map from the p columns: the positions are (columns - ``mean_``) ``components_``.
    mean_ : array (p,)
        The mean of the columns.
    metric_ : array (p, p)
        The metric diag(w) before dimensions are dropped.
    features_ : array (n_items, d)
        The features of the items.
    items_ : Items
        The items, in the order of the rows of ``embedding_``.
    loss_ : float
        The objective at the solution.
    gap_ : float
        An upper bound of the loss's distance from its minimum.
    n_iter_ : int
        The Newton steps taken.
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
        """Return which pair of each row is nearer: 0 as answered, 1 the other, -1 a tie."""
        losses = triplet_losses(self.embedding_, self._judged(X))
        return np.where(losses == 0.5, -1, losses).astype(np.int64)

    def score(self, X: JudgmentsLike, y: None = None) -> float:
        """Return the share of judgments that agree with the distances; ties count one half."""
        return 1.0 - triplet_error(self.embedding_, self._judged(X))

    def _checked(self, X: Any) -> Judgments:
        remedy = "convert choices with triplets_from_choices"
        return of_kind(as_judgments(X), (Triplets, Quadruplets), "SchultzJoachims", remedy)

    def _learn(self, judgments: Judgments, columns: Floats, gram: Floats) -> tuple[Floats, Optimum]:
        cost = self.C * as_weights(judgments.weights, len(judgments))
        counted, used = cost > 0, np.diag(gram) > 0  # a column of zeros has no say
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

    The slacks are minimised out: with the barrier of its two bounds, the hinge c max(0, z) becomes

    min over s > max(0, z):  c s - tau log s - tau log(s - z)

    which is smooth, and whose slope is feasible in the dual.
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
        """Return w, its loss, and the gap to the dual  max sum a - w'Qw / 2  s.t.  Qw >= D'a."""
        z, slack = self._slacks(w, tau)
        dual = tau / (slack - z)
        reached, wanted = self.quadratic @ w, self.differences.T @ dual
        # Q is nonnegative, so the dual can be shrunk until it is feasible
        share = np.divide(reached, wanted, out=np.ones_like(w), where=wanted > reached).min()
        length = float(w @ reached)
        loss = 0.5 * length + float(self.cost @ np.maximum(0.0, z))
        return w, loss, loss - (share * float(dual.sum()) - 0.5 * length)

    def _slacks(self, w: Floats, tau: float) -> tuple[Floats, Floats]:
        """Return the violations z, and the slacks that minimise the barrier."""
        z = 1.0 - self.differences @ w
        cz = self.cost * z
        slack = (cz + 2.0 * tau + np.hypot(cz, 2.0 * tau)) / (2.0 * self.cost)
        return z, slack
