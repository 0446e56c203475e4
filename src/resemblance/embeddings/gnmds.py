"""Generalised non-metric multidimensional scaling."""

from __future__ import annotations

from dataclasses import field

from resemblance.choice import Hinge
from resemblance.fitting.embedding import OrdinalEmbedding


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
    random_state, n_jobs, callback, warm_start, batch_size
        See :class:`~resemblance.fitting.OrdinalEmbedding`, which also lists the learned attributes.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(4000, n_items=100, random_state=0)
    >>> rs.GNMDS(random_state=0).fit(triplets).embedding_.shape
    (100, 2)
    """

    choice: None = field(init=False)  # the class says it
    margin: float = 1.0

    def _choice(self) -> Hinge:
        return Hinge(self.margin)
