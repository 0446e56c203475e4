"""The methods that consist of one choice model each: GNMDS, SOE, STE and t-STE."""

from __future__ import annotations

from dataclasses import field

from resemblance.choice import Hinge, Softmax, SquaredHinge, StudentT
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.ranges import POSITIVE, setting


class GNMDS(OrdinalEmbedding):
    """Generalised non-metric multidimensional scaling: a hinge on squared distances.

    minimise  sum_r w_r max(0, margin + near - far) + penalty * tr(K)

    The hinge is not smooth; its corner is rounded ever less while the fit goes on, and ``loss_``
    is measured on the hinge itself. With ``form="gram"`` the problem is convex and ``penalty`` is
    1 / C of the paper. The model has no probability of its own; ``predict_proba`` gives the one
    that the loss implies (see :mod:`resemblance.choice`).

    Source: Agarwal et al. 2007; van der Maaten & Weinberger 2012, section 3 (which prints the
    margin with the wrong sign).

    Parameters
    ----------
    n_components : int
        The number of dimensions.
    margin : float
        The difference of squared distances that costs nothing; it sets the scale of the map.
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

    choice: None = field(init=False)  # the class says it
    margin: float = setting(POSITIVE, default=1.0)

    def _choice(self) -> Hinge:
        return Hinge(self.margin)


class SOE(OrdinalEmbedding):
    """Soft ordinal embedding: a squared hinge on plain distances.

    minimise  sum_r w_r max(0, margin + near - far)^2 + penalty * tr(K)

    with plain (not squared) distances, of triplets or quadruplets. The model has no probability of
    its own; ``predict_proba`` gives the one that the loss implies (see :mod:`resemblance.choice`).

    Source: Terada & von Luxburg 2014, Local ordinal embedding.

    Parameters
    ----------
    n_components : int
        The number of dimensions.
    margin : float
        The difference of distances that costs nothing; it sets the scale of the map.
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

    choice: None = field(init=False)  # the class says it
    margin: float = setting(POSITIVE, default=1.0)

    def _choice(self) -> SquaredHinge:
        return SquaredHinge(self.margin)


class STE(OrdinalEmbedding):
    """Stochastic triplet embedding.

    minimise  sum_r -w_r log p_r + penalty * tr(K),
    p = exp(-||x_h - x_n||^2) / (exp(-||x_h - x_n||^2) + exp(-||x_h - x_f||^2))

    for head h, near n and far f; squared distances in the units of the embedding, in which a
    difference of 1 is an odds ratio of e. With ``form="gram"`` the problem is convex.

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

    choice: None = field(init=False)  # the class says it

    def _choice(self) -> Softmax:
        return Softmax()


class TSTE(OrdinalEmbedding):
    """t-distributed stochastic triplet embedding.

    minimise  sum_r -w_r log p_r + penalty * tr(K),
    p = s(near) / (s(near) + s(far)),  s(d) = (1 + d / alpha) ** (-(alpha + 1) / 2)

    with squared distances d. The heavy tail pulls near pairs together and pushes far pairs apart
    even where the answer is already satisfied, so local groups show; answers that contradict the
    rest are given up. Not convex in any form; with ``form="gram"`` there is no published
    reference, and the result is a stationary point.

    Source: van der Maaten & Weinberger 2012, section 4.

    Parameters
    ----------
    n_components : int
        The number of dimensions.
    alpha : float, optional
        Degrees of freedom; None is n_components - 1, and at least 1 (the paper's choice).
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

    choice: None = field(init=False)  # the class says it
    alpha: float | None = setting(POSITIVE.besides(None), default=None)

    def _choice(self) -> StudentT:
        alpha = max(self.n_components - 1, 1) if self.alpha is None else self.alpha
        return StudentT(alpha)
