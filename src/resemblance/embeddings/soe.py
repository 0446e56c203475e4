"""Soft ordinal embedding."""

from __future__ import annotations

from typing import Any

from resemblance.choice import SquaredHinge
from resemblance.fitting.embedding import Init, OrdinalEmbedding
from resemblance.forms import Form
from resemblance.solvers import Callback


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
    random_state, n_jobs, callback, warm_start, batch_size
        See :class:`~resemblance.fitting.OrdinalEmbedding`, which also lists the learned attributes.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(4000, n_items=100, random_state=0)
    >>> rs.SOE(random_state=0).fit(triplets).embedding_.shape
    (100, 2)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        margin: float = 1.0,
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
        self.margin = margin

    def _choice(self) -> SquaredHinge:
        return SquaredHinge(self.margin)
