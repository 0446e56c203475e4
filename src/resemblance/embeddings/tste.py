"""t-distributed stochastic triplet embedding."""

from __future__ import annotations

from dataclasses import field

from resemblance.choice import StudentT
from resemblance.fitting.embedding import OrdinalEmbedding


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
    random_state, n_jobs, callback, warm_start, batch_size
        See :class:`~resemblance.fitting.OrdinalEmbedding`, which also lists the learned attributes.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(4000, n_items=100, random_state=0)
    >>> rs.TSTE(random_state=0).fit(triplets).embedding_.shape
    (100, 2)
    """

    choice: None = field(init=False)  # the class says it
    alpha: float | None = None

    def _choice(self) -> StudentT:
        alpha = max(self.n_components - 1, 1) if self.alpha is None else self.alpha
        return StudentT(alpha)
