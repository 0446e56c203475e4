"""t-distributed stochastic triplet embedding."""

from __future__ import annotations

from typing import Any

from resemblance.choice import StudentT
from resemblance.fitting.embedding import Init, OrdinalEmbedding
from resemblance.forms import Form
from resemblance.solvers import Callback


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

    def __init__(
        self,
        n_components: int = 2,
        *,
        alpha: float | None = None,
        form: str | Form = "coordinates",
        penalty: float | None = None,
        n_init: int = 1,
        init: Init = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        warm_start: bool = False,
        batch_size: int | None = None,
    ) -> None:
        super().__init__(
            n_components=n_components,
            form=form,
            penalty=penalty,
            n_init=n_init,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            n_jobs=n_jobs,
            callback=callback,
            warm_start=warm_start,
            batch_size=batch_size,
        )
        self.alpha = alpha

    def _choice(self) -> StudentT:
        alpha = max(self.n_components - 1, 1) if self.alpha is None else self.alpha
        return StudentT(alpha)
