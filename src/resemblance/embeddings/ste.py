"""Stochastic triplet embedding."""

from __future__ import annotations

from typing import Any

from resemblance.choice import Softmax
from resemblance.fitting.embedding import Init, OrdinalEmbedding
from resemblance.forms import Form
from resemblance.solvers import Callback


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
    random_state, n_jobs, callback, warm_start, batch_size
        See :class:`~resemblance.fitting.OrdinalEmbedding`, which also lists the learned attributes.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(4000, n_items=100, random_state=0)
    >>> rs.STE(random_state=0).fit(triplets).embedding_.shape
    (100, 2)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
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

    def _choice(self) -> Softmax:
        return Softmax()
