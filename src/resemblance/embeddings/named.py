"""Define GNMDS, SOE, STE, t-STE and CKL, which differ in the choice model."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel, Hinge, Relative, Softmax, SquaredHinge, StudentT
from resemblance.errors import SettingError
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.objective import checks
from resemblance.fitting.objective.objective import Objective, batches
from resemblance.forms import Coordinates, Form, Gram
from resemblance.geometry import project_correlation
from resemblance.judgments import Items, Judgments, as_judgments
from resemblance.judgments.convert import JudgmentsLike
from resemblance.ranges import POSITIVE, YES_OR_NO, setting
from resemblance.solvers import Solution


class GNMDS(OrdinalEmbedding):
    """Generalised non-metric multidimensional scaling: a hinge on squared distances.

    minimise  sum_r w_r max(0, margin + near - far) + penalty * tr(K)

    where near and far are squared distances. During the fit, the corner of the hinge is smoothed
    less and less; ``loss_`` is the loss of the unsmoothed hinge. With ``form="gram"`` the problem
    is convex, and ``penalty`` is 1 / C of the paper. The model has no probability;
    ``predict_proba`` returns the pseudo-likelihood of the loss (see ``resemblance.choice``).

    Source: Agarwal et al. 2007; van der Maaten & Weinberger 2012, section 3, where the margin has
    the wrong sign.

    Parameters
    ----------
    n_components : int
        The number of dimensions.
    margin : float
        The difference of squared distances above which the loss is 0. It sets the scale of the map.
    form, penalty, n_init, init, max_iter, tol
    random_state, n_jobs, device, callback, warm_start, batch_size
        See :class:`~resemblance.fitting.OrdinalEmbedding`, which also lists the learned attributes.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(4000, n_items=100, random_state=0)
    >>> rs.GNMDS(random_state=0).fit(triplets).embedding_.shape
    (100, 2)
    """

    choice: None = field(init=False)  # each class has a fixed choice model
    margin: float = setting(POSITIVE, default=1.0)

    def _choice(self) -> Hinge:
        return Hinge(self.margin)


class SOE(OrdinalEmbedding):
    """Soft ordinal embedding: a squared hinge on plain distances.

    minimise  sum_r w_r max(0, margin + near - far)^2 + penalty * tr(K)

    where near and far are plain distances. The model has no probability; ``predict_proba`` returns
    the pseudo-likelihood of the loss (see ``resemblance.choice``).

    Source: Terada & von Luxburg 2014, Local ordinal embedding.

    Parameters
    ----------
    n_components : int
        The number of dimensions.
    margin : float
        The difference of distances above which the loss is 0. It sets the scale of the map.
    form, penalty, n_init, init, max_iter, tol
    random_state, n_jobs, device, callback, warm_start, batch_size
        See :class:`~resemblance.fitting.OrdinalEmbedding`, which also lists the learned attributes.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(4000, n_items=100, random_state=0)
    >>> rs.SOE(random_state=0).fit(triplets).embedding_.shape
    (100, 2)
    """

    choice: None = field(init=False)
    margin: float = setting(POSITIVE, default=1.0)

    def _choice(self) -> SquaredHinge:
        return SquaredHinge(self.margin)


class STE(OrdinalEmbedding):
    """Stochastic triplet embedding.

    minimise  sum_r -w_r log p_r + penalty * tr(K),
    p = exp(-||x_h - x_n||^2) / (exp(-||x_h - x_n||^2) + exp(-||x_h - x_f||^2))

    where row r has head h, near item n and far item f. A difference of 1 between squared distances
    is an odds ratio of e. With ``form="gram"`` the problem is convex.

    Source: van der Maaten & Weinberger 2012, section 4.

    Parameters
    ----------
    n_components : int
        The number of dimensions.
    form, penalty, n_init, init, max_iter, tol
    random_state, n_jobs, device, callback, warm_start, batch_size
        See :class:`~resemblance.fitting.OrdinalEmbedding`, which also lists the learned attributes.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(4000, n_items=100, random_state=0)
    >>> rs.STE(random_state=0).fit(triplets).embedding_.shape
    (100, 2)
    """

    choice: None = field(init=False)

    def _choice(self) -> Softmax:
        return Softmax()


class TSTE(OrdinalEmbedding):
    """t-distributed stochastic triplet embedding.

    minimise  sum_r -w_r log p_r + penalty * tr(K),
    p = s(near) / (s(near) + s(far)),  s(d) = (1 + d / alpha) ** (-(alpha + 1) / 2)

    where near and far are squared distances. Because of the heavy tail, near pairs are pulled
    together and far pairs pushed apart even if the answer is already predicted, so that local
    groups appear. Contradictory answers have little influence. The problem is not convex. With
    ``form="gram"``, which is not published, the result is a stationary point.

    Source: van der Maaten & Weinberger 2012, section 4.

    Parameters
    ----------
    n_components : int
        The number of dimensions.
    alpha : float, optional
        Degrees of freedom. None is n_components - 1, but at least 1, as in the paper.
    form, penalty, n_init, init, max_iter, tol
    random_state, n_jobs, device, callback, warm_start, batch_size
        See :class:`~resemblance.fitting.OrdinalEmbedding`, which also lists the learned attributes.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(4000, n_items=100, random_state=0)
    >>> rs.TSTE(random_state=0).fit(triplets).embedding_.shape
    (100, 2)
    """

    choice: None = field(init=False)
    alpha: float | None = setting(POSITIVE.besides(None), default=None)

    def _choice(self) -> StudentT:
        alpha = max(self.n_components - 1, 1) if self.alpha is None else self.alpha
        return StudentT(alpha)


def online_descent(
    K: Floats, judgments: Judgments, choice: ChoiceModel, eta: Floats
) -> tuple[Floats, float]:
    """Take a gradient step for each answer, one after the other, in psd matrices K.

    K_t+1 = P_B(K_t - eta_t grad l_t(K_t)),  B = {K psd, K_ii = 1}

    P_B is the projection onto B, K is (n_items, n_items), l_t is the loss of answer t, and step
    sizes eta are (m,). Return K and the sum of losses. Source: Tamuz et al. 2011, theorem 1.
    """
    form, total = Gram(unit_diagonal=True), 0.0
    for row, step in enumerate(eta):
        answer = Objective(batches(judgments[row : row + 1]), choice, form)
        loss, gradient = answer(K)
        K, _ = project_correlation(K - step * gradient)
        total += loss
    return K, total


class CKL(OrdinalEmbedding):
    """Crowd kernel learning: the relative choice model.

    minimise  sum_r -w_r log p_r,  p = (mu + far) / (2 mu + near + far)

    where near and far are squared distances. The larger mu is, the closer p is to one half.

    Source: Tamuz, Liu, Belongie, Shamir & Kalai 2011. Without ``unit_norm``, coordinates are free,
    as in van der Maaten & Weinberger 2012.

    Parameters
    ----------
    n_components : int
        The number of dimensions.
    mu : float
        The constant mu of the choice model, in squared units of the embedding.
    unit_norm : bool, optional
        Whether K_ii = 1 (Tamuz et al., equation 1). None is False for coordinates and True for a
        Gram matrix, as in the papers.
    eta : float, optional
        The step size of :meth:`partial_fit`, such as 1 / sqrt(T) for a total of T answers. None is
        n_items / (2 sqrt(t)) at answer t.
    form, penalty, n_init, init, max_iter, tol
    random_state, n_jobs, device, callback, warm_start, batch_size
        See :class:`~resemblance.fitting.OrdinalEmbedding`, which also lists the learned attributes.

    Attributes
    ----------
    n_answers_ : int
        The number of answers in ``fit`` and in later calls of ``partial_fit``.
    cumulative_loss_ : float
        The sum of the losses of answers in ``partial_fit``, in nats, each before its step. This sum
        minus the sum of losses under a fixed matrix is the regret.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(4000, n_items=100, random_state=0)
    >>> rs.CKL(random_state=0).fit(triplets).embedding_.shape
    (100, 2)
    """

    choice: None = field(init=False)
    mu: float = setting(POSITIVE, default=0.05)
    unit_norm: bool | None = setting(YES_OR_NO.besides(None), default=None)
    eta: float | None = setting(POSITIVE.besides(None), default=None)

    def partial_fit(self, X: JudgmentsLike, y: ArrayLike | None = None) -> Self:
        """Take a gradient step for each answer, one after the other (online learning).

        K <- P_B(K - eta_t grad l_t(K)),  B = {K psd, K_ii = 1}

        P_B is the projection onto B, and l_t the loss of answer t times its weight. The start is an
        earlier fit, or K = I, where all items are equally dissimilar. An answer costs O(n_items^3).
        ``loss_``, ``converged_`` and ``unmentioned_`` do not change. The first call determines the
        items; other items then raise a JudgmentError. Forms other than a Gram matrix with unit
        diagonal, or an eta that is not positive, raise a SettingError.

        Source: Tamuz et al. 2011, theorem 1.

        >>> model = CKL(1, form="gram").partial_fit([[0, 1, 2]]).partial_fit([[2, 1, 0]])
        >>> model.n_answers_, model.predict([[0, 1, 2]])
        (2, array([0]))
        """
        self._check_settings()
        judgments, form = as_judgments(X, y), self._online_form()
        if not hasattr(self, "gram_"):
            self._start_online(judgments.items, form)
        checks.check_same_items(judgments, self.items_)
        self.choice_, n_answers = self._choice(), self.n_answers_ + len(judgments)
        eta = self._steps(np.arange(self.n_answers_, n_answers) + 1)
        self.gram_, loss = online_descent(self.gram_, judgments, self.choice_, eta)
        self.cumulative_loss_ += loss
        self.n_answers_: int = n_answers
        self.embedding_ = form.positions(self.gram_, self.n_components, center=True)
        return self

    def _choice(self) -> Relative:
        return Relative(self.mu)

    def _form(self) -> Form:
        form = super()._form()
        if isinstance(self.form, Form):
            return form
        if isinstance(form, Gram):
            return Gram(unit_diagonal=self.unit_norm is not False)
        return Coordinates(unit_norm=bool(self.unit_norm))

    def _online_form(self) -> Gram:
        form = self._form()
        if isinstance(form, Gram) and form.unit_diagonal:
            return form
        raise SettingError(
            f"partial_fit steps among Gram matrices with unit diagonal, not with form="
            f"{self.form!r} and unit_norm={self.unit_norm!r}: use CKL(form='gram'), or fit."
        )

    def _start_online(self, items: Items, form: Gram) -> None:
        if hasattr(self, "embedding_"):
            self.gram_ = form.start(self.embedding_)
        else:
            checks.check_components(self.n_components, len(items))
            self.items_, self.gram_ = items, np.eye(len(items))
        self.n_answers_, self.cumulative_loss_ = getattr(self, "n_answers_", 0), 0.0

    def _steps(self, t: NDArray[np.int64]) -> NDArray[np.float64]:
        if self.eta is None:
            return np.asarray(len(self.items_) / (2.0 * np.sqrt(t)))
        return np.full(len(t), float(self.eta))

    def _best_descent(self, objective: Objective, *arguments: Any) -> Solution:
        self.n_answers_, self.cumulative_loss_ = objective.n_rows, 0.0
        return super()._best_descent(objective, *arguments)

    def _over_all(self, objective: Objective, rough: Solution) -> Solution:
        self.n_answers_ = objective.n_rows
        return super()._over_all(objective, rough)
