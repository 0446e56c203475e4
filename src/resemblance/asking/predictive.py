"""Questions that improve predictions most, by the uncertainty of all positions."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import sparse

from resemblance.arrays import Floats, Ints
from resemblance.asking.belief import Belief
from resemblance.asking.information import telling_questions
from resemblance.asking.strategies import Strategy, expected
from resemblance.fitting.laplace import (
    MAX_PARAMETERS,
    Covariance,
    PositionUncertainty,
)
from resemblance.ranges import integers, setting


@dataclass(eq=False, repr=False)
class PredictiveGain(Strategy):
    r"""The questions whose answers improve the prediction of other answers most.

    .. math:: G(q) = \frac{1}{T} \sum_t \frac{(J_t \Sigma J_q')^2}{1 + J_q \Sigma J_q'}

    (two options; a matrix inverse with more), where :math:`\Sigma` is the covariance of all
    positions (:class:`~resemblance.fitting.PositionUncertainty`) and t runs over random triplets:
    how much the answer to q is expected to lower the variance of their log-odds, weighted by
    p (1 - p) as the log loss does. After each question taken, Sigma is lowered as its answer will
    lower it, so the questions of a batch differ, and those still out count.

    Where the rule of the paper takes all items but the head as known, this one learns about the
    options too, and prefers what matters to other answers over what only matters to itself.

    Parameters
    ----------
    max_candidates : int
        The choices weighed: those of every open question where they are this few, else of a random
        sample. An answer that picks k options is k choices, and weighed by what all of them tell.
    n_targets : int
        The number T of random triplets whose prediction is to improve.
    repeats : bool
        Whether a question that was answered may be asked again: a second answer tells as much
        about a toss-up as a new question does.
    max_parameters : int
        Above n d = this many, the uncertainty of each item is taken alone, and every sixteenth
        question of ``max_candidates`` is taken before others are drawn.

    Raises
    ------
    SettingError
        For a choice model without a likelihood (hinge), or a number out of range.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.random.default_rng(0).normal(size=(8, 2))
    >>> PredictiveGain().propose(Belief(points), 5, np.random.default_rng(0)).shape
    (5, 3)
    """

    max_candidates: int = setting(integers(1), default=2048)
    n_targets: int = setting(integers(1), default=256)
    repeats: bool = True
    max_parameters: int = setting(integers(0), default=MAX_PARAMETERS)

    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        """Yield questions one by one, each given that those before will be answered."""
        limit = max(1, self.max_candidates // belief.asks.picks)
        if belief.points.size > self.max_parameters:
            yield from telling_questions(belief, rng, limit, self.n_targets, self.repeats)
            return
        if not len(rows := belief.candidates(rng, limit, self.repeats)):
            return
        comparisons = belief.told(belief.answered) if len(belief.answered) else []
        if len(belief.pending):
            comparisons += expected(belief, belief.pending)
        uncertainty = PositionUncertainty(
            belief.points,
            belief.choice,
            comparisons,
            noise=belief.noise,
            prior=belief.prior(),
            max_parameters=self.max_parameters,
        )
        smallest = belief.asks.smallest
        targets = smallest.random(rng, self.n_targets, belief.n_items)
        J, per = candidate_rows(belief, uncertainty, rows)
        J_t = uncertainty.information_rows(smallest.asked(targets))
        greedy = GreedyChoice(uncertainty.covariance, J, J_t, per)
        for _ in range(len(rows)):
            yield rows[greedy.take()]


def candidate_rows(
    belief: Belief, uncertainty: PositionUncertainty, rows: Ints
) -> tuple[sparse.csr_array, int]:
    """Return J_q of questions, stacked, and the number of rows of each.

    An answer with several picks has the rows of all its choices, in the most likely order.
    """
    J = [uncertainty.information_rows(part) for part in expected(belief, rows)]
    ends = np.cumsum([0, *(part.shape[0] for part in J)]).tolist()
    order = np.hstack([np.arange(*end).reshape(len(rows), -1) for end in pairwise(ends)])
    return sparse.csr_array(sparse.vstack(J, "csr")[order.ravel()]), order.shape[1]


class GreedyChoice:
    """Candidates, and the state of each as questions are taken one by one."""

    def __init__(
        self,
        covariance: Covariance,
        J: sparse.csr_array,
        J_t: sparse.csr_array,
        per: int,
    ) -> None:
        self.J, self.J_t, self.covariance, self.per = J, J_t, covariance, per
        self.of_targets = np.ascontiguousarray(_dense(J_t @ covariance).T)  # (P, T), never changed
        cross = np.reshape(J @ self.of_targets, (-1, per, J_t.shape[0]))
        self.inner = np.einsum("crt,cst->crs", cross, cross)
        JS = J @ covariance
        self.block = np.empty_like(self.inner)
        for r in range(per):
            for s in range(r + 1):
                entry = np.asarray(J[r::per].multiply(JS[s::per]).sum(axis=1)).ravel()
                self.block[:, r, s] = self.block[:, s, r] = entry
        # Sigma is lowered by U U'; J_t U is kept beside U, a column for each row taken
        self.U, self.TU = (_Columns(m) for m in (J.shape[1], J_t.shape[0]))
        self.open = np.ones(len(self.block), dtype=bool)

    def gain(self) -> Floats:
        if self.per == 1:
            gain = self.inner[:, 0, 0] / (1.0 + self.block[:, 0, 0])
        else:
            lowered = np.linalg.solve(np.eye(self.per) + self.block, self.inner)
            gain = np.trace(lowered, axis1=1, axis2=2)
        return np.where(self.open, gain, -1.0)

    def take(self) -> int:
        """Take the candidate of largest gain, and update all by its expected answer."""
        q = int(self.gain().argmax())
        self.open[q] = False
        items, asked = self._about(q)
        S = (asked @ self.covariance[items]).T - self.U.all @ (asked @ self.U.all[items]).T
        # Sigma - S (I + J S)^-1 S' = Sigma - U U'
        root = np.linalg.cholesky(np.eye(self.per) + self.block[q])
        U = np.asarray(np.linalg.solve(root, S.T).T, dtype=float)
        TU = np.asarray(self.J_t @ U)
        to_targets = self.of_targets @ TU - self.U.all @ (self.TU.all.T @ TU)
        shape = (-1, self.per, self.per)
        seen = np.asarray(self.J @ U).reshape(shape)
        half = np.asarray(self.J @ (0.5 * U @ (TU.T @ TU) - to_targets)).reshape(shape)
        change = np.einsum("crk,csk->crs", half, seen)
        self.inner += change + change.transpose(0, 2, 1)
        self.block -= np.einsum("crk,csk->crs", seen, seen)
        self.U.append(U)
        self.TU.append(TU)
        return q

    def _about(self, q: int) -> tuple[Ints, Floats]:
        """Return the non-zero columns of J of a candidate, and its rows there."""
        ends = self.J.indptr[q * self.per : (q + 1) * self.per + 1]
        first, last = ends[0], ends[-1]
        rows = np.zeros((self.per, last - first))
        of = np.repeat(np.arange(self.per), np.diff(ends))
        rows[of, np.arange(last - first)] = self.J.data[first:last]
        return self.J.indices[first:last], rows


class _Columns:
    """A matrix that grows by columns, doubling its room when full."""

    def __init__(self, n_rows: int) -> None:
        self._room = np.empty((16, n_rows))
        self._used = 0

    @property
    def all(self) -> Floats:
        return self._room[: self._used].T

    def append(self, new: Floats) -> None:
        end = self._used + new.shape[1]
        while end > len(self._room):
            self._room = np.concatenate([self._room, np.empty_like(self._room)])
        self._room[self._used : end] = new.T
        self._used = end


def _dense(product: Covariance) -> Floats:
    return product.toarray() if sparse.issparse(product) else np.asarray(product)
