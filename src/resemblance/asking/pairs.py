"""Which pairs to test next, so that a map of features is known best."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from resemblance.arrays import Ints
from resemblance.asking.predictive import GreedyChoice
from resemblance.errors import SettingError
from resemblance.fitting import MapUncertainty, OrdinalEmbedding
from resemblance.judgments import Confusions
from resemblance.ranges import check, integers


def next_pairs(
    model: OrdinalEmbedding,
    confusions: Confusions,
    n_pairs: int,
    trials: int = 10,
    candidates: ArrayLike | None = None,
    targets: ArrayLike | None = None,
) -> Ints:
    r"""Choose pairs whose confusions lower most the uncertainty of distances.

    .. math:: G(q) = \frac{1}{T} \sum_t \frac{(\nabla d_t \, \Sigma J_q')^2}{1 + J_q \Sigma J_q'}

    where Sigma is the covariance of the map (:class:`~resemblance.fitting.MapUncertainty`), J_q'J_q
    the information of the trials of pair q, and t runs over the target pairs. After each pair
    chosen Sigma is lowered as its counts will lower it, so the pairs of one call complement each
    other; a pair may come again in the next call.

    Parameters
    ----------
    model : OrdinalEmbedding
        Fitted to ``confusions``, with a map of features, such as :class:`~resemblance.Yada`.
    confusions : Confusions
        The counts so far.
    n_pairs : int
        How many pairs to choose.
    trials : int
        How often each will be tested.
    candidates : array (C, 2) of int, optional
        The pairs that may be tested; default: all.
    targets : array (T, 2) of int, optional
        The pairs whose distances are to be known; default: the candidates.

    Returns
    -------
    array (n_pairs, 2) of int
        The pairs, most useful first.

    Raises
    ------
    SettingError
        If more pairs are asked for than there are candidates, or the model has no map.

    References
    ----------
    The question is that of section 6 of the Yada paper, which leaves it open; the rule is that of
    :class:`~resemblance.PredictiveGain`.

    Examples
    --------
    >>> import resemblance as rs
    >>> x = np.linspace(-1, 1, 6)[:, None]
    >>> counts = rs.Confusions([[0, 1], [1, 2], [2, 4]], [20, 15, 6], 50, rs.Items(features=x))
    >>> next_pairs(rs.Yada(1).fit(counts), counts, 3).shape
    (3, 2)
    """
    n = confusions.n_items
    every = np.column_stack(np.triu_indices(n, 1)).astype(np.int32)
    open_ = every if candidates is None else np.asarray(candidates, np.int32)
    aimed = open_ if targets is None else np.asarray(targets, np.int32)
    if not 1 <= n_pairs <= len(open_):
        raise SettingError(f"n_pairs is {n_pairs!r}: give a number from 1 to {len(open_)}.")
    check(trials=(trials, integers(1)))
    uncertainty = MapUncertainty(model, confusions)
    J = sparse.csr_array(uncertainty.information_rows(open_, trials))
    J_t = sparse.csr_array(uncertainty.distance_rows(aimed))
    greedy = GreedyChoice(uncertainty.covariance, J, J_t, 1)
    return open_[[greedy.take() for _ in range(n_pairs)]]
