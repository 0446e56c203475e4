"""Compute the gain of questions: information about positions, and better predictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from resemblance.arrays import Floats, Ints
from resemblance.asking import _loops
from resemblance.asking.strategies import Belief, Strategy, expected, log_similarities
from resemblance.fitting.laplace import (
    MAX_PARAMETERS,
    Covariance,
    ItemUncertainty,
    Noise,
    PositionUncertainty,
    seen_through,
)
from resemblance.judgments import Comparison
from resemblance.ranges import Range, integers, one_of, setting

SOME = 512  # with very many items: sampled positions that represent all
FEW = 256  # with very many items: sets of options compared for a head
LEAST_LOG = -600.0  # similarities are at least exp(-600) times the largest of a hypothesis
ONE_OF = 16  # the best 1/16 of the candidates is asked before others are drawn


@dataclass(eq=False, repr=False)
class InformationGain(Strategy):
    r"""For each head, choose the options whose answer tells most about the head's position.

    .. math:: I = H\big(\textstyle\sum_x \tau(x) p_x\big) - \textstyle\sum_x \tau(x) H(p_x)
       = H(\tau) - \sum_j P_j H(\tau_j)

    in nats, where :math:`\tau(x) \propto \pi(x) \prod_i p(\text{answer } i \mid x)` is the
    posterior of the head's position given its answers, and p the probability of an answer under the
    fitted choice model and the lapse rate. The other items are assumed to be at their fitted
    positions. Every fit updates the gain. Source: Tamuz et al. 2011, section 6 (without lapses).

    Parameters
    ----------
    prior : {"items", "gaussian"}
        The prior pi: uniform over the positions of the other items (as in the paper), or 512 draws
        from a normal distribution with their mean and covariance.
    power : float
        The posterior is raised to this power, above 0 and at most 1 (as in the paper). A lower
        power trusts the fit less.
    max_pairs : int
        The number of option sets compared for a head: all pairs if there are no more, otherwise a
        random sample; see ``is_exhaustive(n_items)``.
    repeats : bool
        Whether an answered question may be asked again.
    max_items : int
        With more items, a sample of 512 positions represents all, and 256 option sets are compared
        for a head, so that the cost of a question does not grow with the number of items.

    Raises
    ------
    SettingError
        For a setting out of range, or a choice model without a likelihood (hinge).

    Examples
    --------
    >>> import numpy as np
    >>> belief = Belief(points=np.array([[0.0], [0.1], [5.0], [5.1], [2.0]]))
    >>> InformationGain().propose(belief, 1, np.random.default_rng(0)).shape
    (1, 3)
    """

    needs_head = True
    prior: Literal["items", "gaussian"] = setting(one_of("items", "gaussian"), default="items")
    power: float = setting(Range(0, 1, above=True), default=1.0)
    max_pairs: int = setting(integers(1), default=4096)
    repeats: bool = False
    max_items: int = setting(integers(1), default=1500)

    def is_exhaustive(self, n_items: int, n_options: int = 2) -> bool:
        """Return whether all pairs of options are compared for a head, not just a sample."""
        return n_options == 2 and (n_items - 1) * (n_items - 2) // 2 <= self.max_pairs

    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        """Yield the best question of each head, starting with the head asked about least.

        In later rounds the options of a head differ from those before, as long as others are left.
        """
        n = belief.n_items
        places = self._places(belief, rng)
        asked = np.concatenate([belief.answered[:, 0], belief.pending[:, 0]])
        order = np.argsort(np.bincount(asked, minlength=n) + 0.5 * rng.random(n))
        given: dict[int, list[Ints]] = {head: [] for head in order.tolist()}
        while given:
            for head in list(given):
                row = self._best(belief, head, places, given[head], rng)
                if row is None:
                    del given[head]
                else:
                    given[head].append(row)
                    yield row

    def posterior(self, belief: Belief, head: int, log_similarity: Floats) -> Floats:
        """Return tau of one head over the hypotheses (rows of log_similarity); its sum is one."""
        rows = belief.answered[belief.answered[:, 0] == head]
        return self._tau(belief, log_similarity, rows[:, 1:], np.array([head]))

    def _tau(
        self, belief: Belief, log_similarity: Floats, answers: Ints, own: NDArray[np.intp]
    ) -> Floats:
        log_tau = answer_log_likelihood(log_similarity, answers, belief.noise)
        if self.prior == "items":
            log_tau[own] = -np.inf
        tau = np.exp(self.power * (log_tau - log_tau.max()))
        return np.asarray(tau / tau.sum())

    def _places(self, belief: Belief, rng: np.random.Generator) -> Places:
        """Return the possible positions of a head: positions of items, or draws from a normal."""
        n, many = belief.n_items, belief.n_items > self.max_items
        if self.prior == "gaussian":
            return Places(belief, _gaussian(belief.points, rng), np.empty(0, int), many)
        items = rng.choice(n, SOME, replace=False) if many else np.arange(n)
        return Places(belief, belief.points[items], items, many)

    def _best(
        self,
        belief: Belief,
        head: int,
        places: Places,
        given: list[Ints],
        rng: np.random.Generator,
    ) -> Ints | None:
        limit = min(self.max_pairs, FEW) if places.many else self.max_pairs
        rows = belief.candidates(rng, limit, self.repeats, head)
        if given:
            rows = rows[~np.isin(belief.keys(rows), belief.keys(np.array(given)))]
            apart = ~np.isin(rows[:, 1:], np.array(given)[:, 1:]).any(axis=1)
            rows = rows[apart] if apart.any() else rows
        if not len(rows):
            return None
        answers = belief.answered[belief.answered[:, 0] == head, 1:]
        hypotheses, answers, options = places.hypotheses(answers, rows[:, 1:])
        own = np.flatnonzero(places.items == head)
        tau = self._tau(belief, hypotheses.log_similarity, answers, own)
        return np.asarray(rows[hypotheses.information(tau, options).argmax()])


class Places:
    """Possible positions of a head, and the similarities of options to them."""

    def __init__(
        self, belief: Belief, positions: Floats, items: NDArray[np.intp], many: bool
    ) -> None:
        self.belief, self.positions, self.items, self.many = belief, positions, items, many
        self._all = None if many else self._of(belief.points)

    def hypotheses(self, answers: Ints, options: Ints) -> tuple[Hypotheses, Ints, Ints]:
        """Return the hypotheses for the items in the rows, and the rows renumbered to match."""
        if self._all is not None:
            return self._all, answers, options
        both = np.concatenate([answers, options])
        items, inverse = np.unique(both, return_inverse=True)
        column: Ints = inverse.astype(np.int32).reshape(both.shape)
        hypotheses = self._of(self.belief.points[items])
        return hypotheses, column[: len(answers)], column[len(answers) :]

    def _of(self, points: Floats) -> Hypotheses:
        log_s = log_similarities(points, self.positions, self.belief.choice)
        return Hypotheses(log_s, self.belief.noise)


def information(
    log_similarity: ArrayLike, weight: ArrayLike, options: ArrayLike, lapse: float = 0.0
) -> Floats:
    r"""Return the mutual information of an answer and the true hypothesis, in nats, (m,).

    .. math:: I = H\big(\textstyle\sum_k w_k p_k\big) - \textstyle\sum_k w_k H(p_k), \qquad
       p_{kj} = (1 - \lambda) \, s_{kj} / \textstyle\sum_{i} s_{ki} + \lambda / N

    Parameters
    ----------
    log_similarity : array (K, n_items)
        log s of every item under every hypothesis.
    weight : array (K,)
        The probability of each hypothesis.
    options : array (m, N) of int
        The options of each question.
    lapse : float
        Lambda, the share of answers given by chance.

    Examples
    --------
    >>> import numpy as np
    >>> sure = np.array([[0.0, -50.0], [-50.0, 0.0]])  # either the first or the second, for certain
    >>> information(sure, [0.5, 0.5], [[0, 1]]).round(3)
    array([0.693])
    """
    noise = Noise(lapse=lapse)
    return Hypotheses(np.asarray(log_similarity, float), noise).information(weight, options)


class Hypotheses:
    """Similarities of all items under each hypothesis, for the compiled loops.

    ``similarity`` s and ``entropy`` s log s are (n_items, K), scaled to a largest s of 1.
    """

    def __init__(self, log_similarity: Floats, noise: Noise) -> None:
        self.log_similarity, self.noise = log_similarity, noise
        scaled = log_similarity / noise.temperature
        scaled = np.maximum(scaled - scaled.max(axis=1, keepdims=True), LEAST_LOG).T
        self.similarity = np.ascontiguousarray(np.exp(scaled))
        self.entropy = np.ascontiguousarray(self.similarity * scaled)

    def information(self, weight: ArrayLike, options: ArrayLike) -> Floats:
        """Return the mutual information (m,) of each question's answer and the hypotheses."""
        weight = np.asarray(weight, float)
        weight = weight / weight.sum()
        options = np.ascontiguousarray(options, dtype=np.int32)
        out = np.empty(len(options))
        if lapse := self.noise.lapse:
            _loops.lapsing_information(self.similarity, weight, options, lapse, out)
        else:  # quicker: one logarithm for each hypothesis
            loop = _loops.pair_information if options.shape[1] == 2 else _loops.set_information
            loop(self.similarity, self.entropy, weight, options, out)
        return np.maximum(out, 0.0)


def answer_log_likelihood(log_similarity: Floats, answers: Ints, noise: Noise) -> Floats:
    """Return the log probability (K,) of answers (m, N), chosen option first, per hypothesis."""
    total = np.zeros(len(log_similarity))
    for options in answers:
        s = log_similarity[:, options[options >= 0]] / noise.temperature
        top = s.max(axis=1)  # much faster than logaddexp with many hypotheses
        log_sum = top + np.log(np.exp(s - top[:, None]).sum(axis=1))
        total += noise.with_lapses(s[:, 0] - log_sum, s.shape[1])
    return total


def _gaussian(X: Floats, rng: np.random.Generator, draws: int = 512) -> Floats:
    covariance = np.atleast_2d(np.cov(X, rowvar=False))
    return rng.multivariate_normal(X.mean(axis=0), covariance, size=draws, method="eigh")


def telling_questions(
    belief: Belief, rng: np.random.Generator, limit: int, n_targets: int, repeats: bool
) -> Iterator[Ints]:
    """Yield the best few of ``limit`` candidate questions, then draw others, until none is left.

    The gain is that of :class:`PredictiveGain` with a separate covariance for each item, so that
    the cost does not depend on the number of items. Each yielded question lowers these covariances.
    """
    sure = belief.item_uncertainty().planned()
    for part in expected(belief, belief.pending):
        sure.expect(part)
    smallest = belief.asks.smallest
    weight = target_weight(sure, smallest.asked(smallest.random(rng, n_targets, belief.n_items)))
    given: set[int] = set()
    while True:
        rows = belief.candidates(rng, limit, repeats)
        rows = rows[[key not in given for key in belief.keys(rows).tolist()]]
        if not len(rows):
            return
        parts = [item_gain(sure, weight, part) for part in expected(belief, rows)]
        gain = np.sum([part.reshape(len(rows), -1).sum(axis=1) for part in parts], axis=0)
        best = rows[np.argsort(-gain, kind="stable")[: -(-len(rows) // ONE_OF)]]
        given.update(belief.keys(best).tolist())
        for part in expected(belief, best):
            sure.expect(part)
        yield from best


def target_weight(sure: ItemUncertainty, targets: Comparison) -> Floats:
    """Return the mean of J'J over the targets and over the items in each target, (d, d)."""
    J = sure.slopes(targets)
    return np.asarray(np.einsum("mrta,mrtb->ab", J, J) / max(len(J) * J.shape[2], 1))


def item_gain(sure: ItemUncertainty, weight: Floats, questions: Comparison) -> Floats:
    r"""Return how much each answer lowers the variance of the targets, (m,).

    .. math:: G(q) = \text{tr} \Big((I + J_q \Sigma J_q')^{-1} \textstyle\sum_i J_{qi} \Sigma_i M
       \Sigma_i J_{qi}'\Big)

    with M the weight (d, d) of an item's variance in a target; items are equally frequent there.
    """
    u, seen = seen_through(sure.slopes(questions), sure.covariance(questions.index))
    inner = np.einsum("mrta,ab,mstb->mrs", u, weight, u, optimize=True)
    return np.asarray(np.trace(np.linalg.solve(seen, inner), axis1=1, axis2=2))


@dataclass(eq=False, repr=False)
class PredictiveGain(Strategy):
    r"""Choose the questions whose answers improve the prediction of other answers most.

    .. math:: G(q) = \frac{1}{T} \sum_t \frac{(J_t \Sigma J_q')^2}{1 + J_q \Sigma J_q'}

    for two options; with more, the quotient is a matrix inverse. :math:`\Sigma` is the covariance
    of all positions (:class:`~resemblance.fitting.PositionUncertainty`), and t runs over random
    triplets. G is the expected reduction of the variance of their log-odds, weighted by p (1 - p)
    as in the log loss. After each chosen question, Sigma is updated as if it had been answered, so
    that the questions of a batch complement each other and pending questions.

    :class:`InformationGain` considers only the position of the head. This gain considers the
    options too, and values what helps to predict other answers.

    Parameters
    ----------
    max_candidates : int
        The number of choices compared: those of every open question if there are no more,
        otherwise of a random sample. An answer that picks k options is k choices; its gain counts
        all of them.
    n_targets : int
        The number T of random triplets whose prediction should improve.
    repeats : bool
        Whether an answered question may be asked again. If its options are about equally likely, a
        second answer is as informative as a new question.
    max_parameters : int
        With more coordinates (n d) than this, covariances between items are ignored, and the best
        sixteenth of ``max_candidates`` questions is asked before others are drawn.

    Raises
    ------
    SettingError
        For a choice model without a likelihood (hinge), or a setting out of range.

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
        """Yield questions one by one, each chosen as if those before it had been answered."""
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
    """Return the stacked rows J_q of all questions, and the number of rows for each question."""
    J = [uncertainty.information_rows(part) for part in expected(belief, rows)]
    ends = np.cumsum([0, *(part.shape[0] for part in J)]).tolist()
    order = np.hstack([np.arange(*end).reshape(len(rows), -1) for end in pairwise(ends)])
    return sparse.csr_array(sparse.vstack(J, "csr")[order.ravel()]), order.shape[1]


class GreedyChoice:
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
        # Sigma is lowered by U U'. U and J_t U have a column for each row of a taken question.
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
        """Return the non-zero columns of J for a candidate, and their values."""
        ends = self.J.indptr[q * self.per : (q + 1) * self.per + 1]
        first, last = ends[0], ends[-1]
        rows = np.zeros((self.per, last - first))
        of = np.repeat(np.arange(self.per), np.diff(ends))
        rows[of, np.arange(last - first)] = self.J.data[first:last]
        return self.J.indices[first:last], rows


class _Columns:
    """A matrix that grows by columns, and doubles its capacity when full."""

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
