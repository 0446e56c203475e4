"""Partial order embedding: a convex map of features or kernels that explains comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.choice import Hinge
from resemblance.errors import JudgmentError
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.embedding import Init
from resemblance.fitting.objective.checks import tell_unconverged
from resemblance.fitting.objective.objective import Batch, Objective
from resemblance.forms import Form, MultiKernelMap
from resemblance.forms.multikernel import Kernels
from resemblance.geometry.kernels import Bandwidth, Kernel
from resemblance.mappings.poe_solver import (
    ColumnWeights,
    MarginDescent,
    MarginProblem,
    Projections,
    Start,
)
from resemblance.ranges import NOT_NEGATIVE, POSITIVE, integers, setting
from resemblance.solvers import Solution


class PartialOrderMapping(OrdinalEmbedding):
    takes_stored = False

    n_components: int | None = field(default=None, kw_only=False)  # type: ignore[assignment]
    diagonal: bool = False
    beta: float = setting(POSITIVE, default=100.0)
    degree: int = 2
    margin: float = setting(POSITIVE, default=1.0)
    max_iter: int = setting(integers(1), default=20_000)
    tol: float = setting(NOT_NEGATIVE, default=1e-3)
    # The class sets these fields, not the user, because a convex problem needs only one start.
    choice: None = field(init=False)
    form: str | Form = field(init=False)
    penalty: float | None = field(init=False)
    n_init: int = field(init=False)
    init: Init = field(init=False)
    random_state: Any = field(init=False)
    n_jobs: int | None = field(init=False)
    device: str = field(init=False)
    batch_size: int | None = field(init=False)

    @property
    def kernel_weights_(self) -> dict[str, float]:
        """The share of each kernel in the trace."""
        return self._fitted_map.shares(self.parameters_)

    @property
    def metrics_(self) -> dict[str, Floats]:
        """The matrix W of each kernel, or its diagonal."""
        return self._fitted_map.metrics(self.parameters_)

    @property
    def _fitted_map(self) -> MultiKernelMap:
        check_is_fitted(self, "embedding_")
        assert isinstance(self.form_, MultiKernelMap)
        return self.form_

    def _map(self) -> MultiKernelMap:
        raise NotImplementedError

    def _form(self) -> Form:
        form, fitted = self._map(), getattr(self, "form_", None)
        if self.warm_start and isinstance(fitted, MultiKernelMap) and fitted.is_set_as(form):
            return fitted
        return form

    def _choice(self) -> Hinge:
        return Hinge(self.margin)

    def _n_components(self, n_items: int) -> Any:
        return None if self.n_components is None else super()._n_components(n_items)

    def _penalty(self, form: Form) -> float:
        return 1.0 / self.beta

    def _best_descent(self, objective: Objective, shape: tuple[int, int], *_: Any) -> Solution:
        form = objective.form
        assert isinstance(form, MultiKernelMap)
        problem = _problem(objective.data, self.margin, objective.penalty, shape[0])
        designs = [form.design[:, block] for block in form.blocks]
        metric = (ColumnWeights if self.diagonal else Projections)(problem, designs)
        start = self._start_of(problem, designs)
        final = MarginDescent(problem, metric, start).run(self.max_iter, self.tol, self.callback)
        if self.warm_start:
            self._end = vars(final.end)  # The start of a later fit, as arrays that can be saved.
        blocks = map(np.sqrt, final.parameters) if self.diagonal else final.parameters
        self.parameters_ = form.stacked(list(blocks))
        self.gap_ = final.gap / problem.penalty
        loss = final.loss / problem.penalty
        return Solution(self.parameters_, loss, final.n_iter, final.converged, final.interrupted)

    def _start_of(self, problem: MarginProblem, designs: list[Floats]) -> Start | None:
        if not (self.warm_start and hasattr(self, "_end")):
            return None
        start = Start(**self._end)
        shapes = [len(parameters) for parameters in start.parameters]
        same = shapes == [V.shape[1] for V in designs]
        return start if same and len(start.level) == len(problem.weight) else None

    def _warn_unconverged(self, solution: Solution) -> None:
        tell_unconverged(
            self,
            solution,
            f"after {solution.n_iter} steps with its loss {self.loss_:.4g} up to {self.gap_:.2g} "
            f"above the least one: raise max_iter ({self.max_iter}) or tol ({self.tol}), or "
            f"choose a smaller beta ({self.beta:g}).",
        )


class POE(PartialOrderMapping):
    r"""Partial order embedding: the convex map of features that explains comparisons.

    .. math:: \min_{W \succeq 0} \; \mathrm{Tr}(W K)
       + \frac{\beta}{|C|} \sum_r \max(0, 1 + d_{ij} - d_{kl}), \qquad
       d_{ij} = (k_i - k_j)' W (k_i - k_j)

    Here k_i are columns of the kernel K, and in comparison r the items i and j are more similar
    than k and l. With ``kernel=None`` features replace columns, and Tr W replaces Tr W K. With K =
    I this is :class:`GNMDS` with a Gram matrix.

    Source: McFee & Lanckriet 2011, Learning multi-modal similarity, JMLR 12: algorithms 2 and 3.

    Parameters
    ----------
    kernel : str, callable or None
        The kernel, see :func:`~resemblance.geometry.kernel_matrix`; None uses the features.
    n_components, diagonal, beta, bandwidth, degree, margin, max_iter, tol, callback, warm_start
        As in :class:`MKPOE`, which also lists the learned attributes.

    Examples
    --------
    >>> import numpy as np, resemblance as rs
    >>> items = rs.Items(features=np.arange(5.0)[:, None])
    >>> triplets = rs.Triplets([[0, 1, 2], [1, 2, 4], [4, 3, 1], [2, 3, 0]], items=items)
    >>> model = rs.POE(beta=1000).fit(triplets)
    >>> model.score(triplets), len(model.transform([[0.5], [7.0]]))
    (1.0, 2)
    """

    kernel: Kernel | None = "rbf"
    bandwidth: Bandwidth = "median"

    def _map(self) -> MultiKernelMap:
        form = MultiKernelMap(self.kernel, self.bandwidth, self.degree, self.diagonal)
        form.many_views = False
        return form


class MKPOE(PartialOrderMapping):
    r"""Multiple-kernel partial order embedding: one space from many kinds of features.

    .. math:: \min_{W^m \succeq 0} \; \sum_m \mathrm{Tr}(W^m K^m)
       + \frac{\beta}{|C|} \sum_r \max(0, 1 + d_{ij} - d_{kl}), \qquad
       d_{ij} = \sum_m (k^m_i - k^m_j)' W^m (k^m_i - k^m_j)

    over the comparisons r, in which i and j are more similar than k and l. Every kernel has its own
    matrix W, so a kernel that does not help gets no weight. With ``diagonal`` each W is diagonal:
    each item of each kernel has a weight, and most weights are 0. The problem is convex, and solved
    to a measured duality gap. Terms of the sum are multiplied by the weights of judgments, and
    \|C\| is the sum of the weights.

    Source: McFee & Lanckriet 2011, Learning multi-modal similarity, JMLR 12: algorithm 4, and with
    ``combine="sum"`` algorithm 3 on the sum of the kernels.

    Parameters
    ----------
    n_components : int, optional
        The number of dimensions; None for all.
    kernels : str, callable, None, or dict
        The kernel of each view of the features, see :func:`~resemblance.geometry.kernel_matrix`:
        one kernel for all views, or a dict with a kernel for each view. None uses the features.
    combine : {"concatenate", "sum"}
        "concatenate": a projection of each kernel; "sum": one projection of the sum of the kernels.
    diagonal : bool
        Whether each W is diagonal.
    beta : float
        The weight of the comparisons relative to the trace, above 0, as in the paper; there is no
        ``penalty``. :class:`MKPOECV` chooses it.
    bandwidth : float, "median", or dict
        The bandwidth of kernels that have one; "median" is the median distance of the items.
    degree : int
        The degree of the polynomial kernel.
    margin : float
        The required difference of squared distances.
    max_iter : int
        The largest number of steps.
    tol : float
        The fit has converged when the duality gap is at most this share of the loss.
    callback : callable, optional
        Called with a :class:`~resemblance.solvers.Progress` after each step, with the loss of a
        smoothed hinge. If it returns a true value, the fit stops with its last result.
    warm_start : bool
        Whether a second ``fit`` starts from the first result, for a path of values of ``beta``.

    Attributes
    ----------
    embedding_ : array (n_items, n_components)
        The positions of the items, centred, in principal axes.
    kernel_weights_ : dict of float
        The share of each kernel (view) in the trace.
    metrics_ : dict of arrays
        W of each kernel, (n_items, n_items), or its diagonal, (n_items,).
    loss_ : float
        The objective at the solution.
    gap_ : float
        An upper bound of ``loss_`` minus its minimum.
    components_, offset_, form_, items_, n_iter_, converged_
        As in :class:`~resemblance.fitting.OrdinalEmbedding`.

    Raises
    ------
    JudgmentError
        If the items have no features, or the judgments are choices or confusions.
    SettingError
        For a setting out of range, or an unknown or invalid kernel.

    Examples
    --------
    >>> import numpy as np, resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> views = {"shape": rng.normal(size=(30, 2)), "noise": rng.normal(size=(30, 2))}
    >>> asked = [rng.choice(30, 3, replace=False) for _ in range(400)]
    >>> answered = rs.SpaceObserver(views["shape"], random_state=0).answer(asked)
    >>> triplets = rs.Triplets(answered.index, items=rs.Items(features=views))
    >>> model = rs.MKPOE(beta=10).fit(triplets)
    >>> max(model.kernel_weights_, key=model.kernel_weights_.get)
    'shape'
    """

    kernels: Kernels = "rbf"
    combine: str = "concatenate"
    bandwidth: Bandwidth | Mapping[str, Bandwidth] = "median"

    def _map(self) -> MultiKernelMap:
        return MultiKernelMap(
            self.kernels, self.bandwidth, self.degree, self.diagonal, self.combine
        )


def _problem(data: list[Batch], margin: float, penalty: float, n_items: int) -> MarginProblem:
    pairs = [np.stack([*batch.pairs[0], *batch.pairs[1]]) for batch in data]
    weights = [batch.weight if batch.weight.size else np.ones(len(batch)) for batch in data]
    weight = np.concatenate(weights)
    counted = weight > 0
    index = np.concatenate(pairs, axis=1)[:, counted].astype(np.uint32)
    total = float(weight.sum())
    if not total > 0:
        raise JudgmentError("every comparison has the weight 0: give some a positive weight.")
    return MarginProblem(index, weight[counted], margin, penalty * total, n_items)
