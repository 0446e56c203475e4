"""Choose the next pairs of items to test or to rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from resemblance.arrays import Floats, Ints
from resemblance.asking.gain import GreedyChoice
from resemblance.errors import SettingError
from resemblance.fitting import MapUncertainty, OrdinalEmbedding
from resemblance.fitting.objective.checks import check_same_items
from resemblance.judgments import Confusions, Ratings
from resemblance.judgments.checks import whole_numbers
from resemblance.ranges import check, integers

# standard deviation of rated distances, relative to the standard deviation of coordinates
MISSED = 0.3
ROUNDED = 0.05  # added to squared distances, so that distances have a gradient at 0


def next_pairs(
    model: OrdinalEmbedding,
    judgments: Confusions | Ratings,
    n_pairs: int,
    trials: int = 10,
    candidates: ArrayLike | None = None,
    targets: ArrayLike | None = None,
) -> Ints:
    r"""Choose the pairs whose confusions or ratings most reduce the uncertainty of distances.

    .. math:: G(q) = \frac{1}{T} \sum_t \frac{(\nabla d_t \, \Sigma J_q')^2}{1 + J_q \Sigma J_q'}

    where Sigma is the covariance of the map (:class:`~resemblance.fitting.MapUncertainty`), J_q'J_q
    the information of the trials of pair q, and d_t the distance of target pair t of T. After each
    chosen pair, Sigma is updated as if the pair had been tested, so that pairs of a call do not
    repeat information. The next call may return the same pairs. For ratings, Sigma is the
    covariance of the positions, whose coordinates have the prior standard deviation s (their root
    mean square), and a rated distance has the standard deviation .3 s.

    Parameters
    ----------
    model : OrdinalEmbedding
        A model fitted to the judgments, such as :class:`~resemblance.Yada` for confusions.
    judgments : Confusions or Ratings
        The judgments so far.
    n_pairs : int
        The number of pairs to choose.
    trials : int
        The number of tests of each pair; 1 for ratings.
    candidates : array (C, 2) of int, optional
        The pairs that may be tested; default: all.
    targets : array (T, 2) of int, optional
        The pairs whose distances should be certain; default: the candidates.

    Returns
    -------
    array (n_pairs, 2) of int
        The pairs, the most useful first.

    Raises
    ------
    SettingError
        If there are fewer than ``n_pairs`` candidates, or a row is no pair or a duplicate.
    JudgmentError
        If indices are not integers, or the model is about other items.

    References
    ----------
    The rule is that of :class:`~resemblance.PredictiveGain`. The Yada paper (section 6) asks for a
    rule but gives none. Savings for ratings are in docs/benchmarks.md.

    Examples
    --------
    >>> import resemblance as rs
    >>> x = np.linspace(-1, 1, 6)[:, None]
    >>> counts = rs.Confusions([[0, 1], [1, 2], [2, 4]], [20, 15, 6], 50, rs.Items(features=x))
    >>> next_pairs(rs.Yada(1).fit(counts), counts, 3).shape
    (3, 2)
    """
    n = judgments.n_items
    every = np.column_stack(np.triu_indices(n, 1)).astype(np.int32)
    open_ = every if candidates is None else _checked("candidates", candidates, n)
    aimed = open_ if targets is None else _checked("targets", targets, n)
    check(n_pairs=(n_pairs, integers(1, len(open_))))
    check_same_items(judgments, model.items_)
    check(trials=(trials, integers(1)))
    uncertainty = (
        _OfRatings(model, judgments)
        if isinstance(judgments, Ratings)
        else MapUncertainty(model, judgments)
    )
    J = sparse.csr_array(uncertainty.information_rows(open_, trials))
    J_t = sparse.csr_array(uncertainty.distance_rows(aimed))
    greedy = GreedyChoice(uncertainty.covariance, J, J_t, 1)
    return open_[[greedy.take() for _ in range(int(n_pairs))]]


def _checked(name: str, pairs: ArrayLike, n_items: int) -> Ints:
    rows = whole_numbers(pairs, name)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise SettingError(f"{name} have shape {rows.shape}: give (m, 2), two items a row.")
    keys = np.sort(rows, axis=1)
    bad = (keys[:, 1] >= n_items) | (keys[:, 0] == keys[:, 1])
    bad[np.setdiff1d(np.arange(len(keys)), np.unique(keys, axis=0, return_index=True)[1])] = True
    if bad.any():
        row = int(bad.argmax())
        raise SettingError(
            f"row {row} of {name} is {rows[row].tolist()}: give each pair once, two different "
            f"items numbered from 0 to {n_items - 1}."
        )
    return np.asarray(rows, np.int32)


class _OfRatings:
    def __init__(self, model: OrdinalEmbedding, ratings: Ratings) -> None:
        X = model.embedding_ - model.embedding_.mean(axis=0)
        self.X = X / max(float(np.sqrt(np.mean(X**2))), 1e-300)
        J = self.information_rows(ratings.index)
        self.covariance = np.linalg.inv((J.T @ J).toarray() + np.eye(X.size))

    def information_rows(self, pairs: ArrayLike, trials: ArrayLike = 1) -> sparse.csr_array:
        """Return J (m, n d) for pairs (m, 2). J'J is the information of one rating per pair."""
        return self.distance_rows(pairs) / MISSED

    def distance_rows(self, pairs: ArrayLike) -> sparse.csr_array:
        (a, b), (n, d) = np.asarray(pairs).T, self.X.shape
        apart: Floats = self.X[a] - self.X[b]
        unit = apart / np.sqrt((apart**2).sum(axis=1, keepdims=True) + ROUNDED)
        places = [end[:, None] * d + np.arange(d) for end in (a, b)]
        columns = np.concatenate(places, axis=1).ravel()
        starts = np.arange(len(a) + 1) * 2 * d
        values = np.concatenate([unit, -unit], axis=1).ravel()
        return sparse.csr_array((values, columns, starts), shape=(len(a), n * d))
