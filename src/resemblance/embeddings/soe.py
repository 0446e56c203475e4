"""Soft ordinal embedding."""

from __future__ import annotations

from dataclasses import field

from resemblance.choice import SquaredHinge
from resemblance.fitting.embedding import OrdinalEmbedding


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

    choice: None = field(init=False)  # the class says it
    margin: float = 1.0

    def _choice(self) -> SquaredHinge:
        return SquaredHinge(self.margin)
