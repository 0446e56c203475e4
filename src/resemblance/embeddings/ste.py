"""Stochastic triplet embedding."""

from __future__ import annotations

from dataclasses import field

from resemblance.choice import Softmax
from resemblance.fitting.embedding import OrdinalEmbedding


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

    choice: None = field(init=False)  # the class says it

    def _choice(self) -> Softmax:
        return Softmax()
