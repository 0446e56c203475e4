"""Choose questions by information gain about positions, or by the gain of predictions."""

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

SOME = 512  # number of sampled positions that represent very many items
FEW = 256  # number of option sets compared per head with very many items
LEAST_LOG = -600.0  # lower limit of log similarities, relative to the largest of a hypothesis
ONE_OF = 16  # the best 1/16 of the candidates is asked before new candidates are drawn


@dataclass(eq=False, repr=False)
class InformationGain(Strategy):
    r"""For each head, choose the options whose answer gives most information on its position.

    .. math:: I = H\big(\textstyle\sum_x \tau(x) p_x\big) - \textstyle\sum_x \tau(x) H(p_x)
       = H(\tau) - \sum_j P_j H(\tau_j)

    I is the mutual information in nats of the answer and the head's position x. The posterior
    :math:`\tau(x) \propto \pi(x) \prod_i p(\text{answer } i \mid x)` is given the answers about the
    head, p_x are the probabilities of the options under the fitted choice model and the lapse rate,
    P_j is the probability of option j, and tau_j the posterior after choosing it. The other items
    are assumed to be at their fitted positions. Source: Tamuz et al. 2011, section 6 (without
    lapses).

    Parameters
    ----------
    prior : {"items", "gaussian"}
        The prior pi: "items" is uniform over the positions of the other items, as in the paper;
        "gaussian" is 512 draws from the normal distribution with the same mean and covariance.
    power : float
        The posterior is raised to this power, above 0 and at most 1. The paper has 1; a lower power
        trusts the fit less.
    max_pairs : int
        The maximum number of option sets compared for a head. If there are more, a random sample is
        compared; see ``is_exhaustive(n_items)``.
    repeats : bool
        Whether an answered question may be asked again.
    max_items : int
        With more items, 512 sampled positions and 256 option sets are compared for a head, so that
        the cost of a question does not depend on the number of items.

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
        """Return whether all pairs of options are compared for a head, not a sample."""
        return n_options == 2 and (n_items - 1) * (n_items - 2) // 2 <= self.max_pairs

    def questions(self, belief: Belief, rng: np.random.Generator) -> Iterator[Ints]:
        """Yield the best question of each head, from the head with the fewest questions on.

        In later rounds, a head gets options that it did not have before, if there are any.
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
        """Return the posterior tau of a head over hypotheses (rows of log_similarity), (K,)."""
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
    def __init__(
        self, belief: Belief, positions: Floats, items: NDArray[np.intp], many: bool
    ) -> None:
        self.belief, self.positions, self.items, self.many = belief, positions, items, many
        self._all = None if many else self._of(belief.points)

    def hypotheses(self, answers: Ints, options: Ints) -> tuple[Hypotheses, Ints, Ints]:
        """Keep only the items in the given rows; return the hypotheses and the renumbered rows."""
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
    r"""Return the mutual information of answers and the true hypothesis, in nats, (m,).

    .. math:: I = H\big(\textstyle\sum_k w_k p_k\big) - \textstyle\sum_k w_k H(p_k), \qquad
       p_{kj} = (1 - \lambda) \, s_{kj} / \textstyle\sum_{i} s_{ki} + \lambda / N

    Parameters
    ----------
    log_similarity : array (K, n_items)
        log s of each item under each of K hypotheses.
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
    """Similarities of items under each hypothesis, as arrays for the compiled loops.

    ``similarity`` s and ``entropy`` s log s are (n_items, K). The largest s of a hypothesis is 1.
    """

    def __init__(self, log_similarity: Floats, noise: Noise) -> None:
        self.log_similarity, self.noise = log_similarity, noise
        scaled = log_similarity / noise.temperature
        scaled = np.maximum(scaled - scaled.max(axis=1, keepdims=True), LEAST_LOG).T
        self.similarity = np.ascontiguousarray(np.exp(scaled))
        self.entropy = np.ascontiguousarray(self.similarity * scaled)

    def information(self, weight: ArrayLike, options: ArrayLike) -> Floats:
        weight = np.asarray(weight, float)
        weight = weight / weight.sum()
        options = np.ascontiguousarray(options, dtype=np.int32)
        out = np.empty(len(options))
        if lapse := self.noise.lapse:
            _loops.lapsing_information(self.similarity, weight, options, lapse, out)
        else:  # These functions are faster: they take one logarithm per hypothesis.
            loop = _loops.pair_information if options.shape[1] == 2 else _loops.set_information
            loop(self.similarity, self.entropy, weight, options, out)
        return np.maximum(out, 0.0)


def answer_log_likelihood(log_similarity: Floats, answers: Ints, noise: Noise) -> Floats:
    """Return the log probability of all answers (m, N) under each hypothesis, (K,).

    The chosen option is the first in a row.
    """
    total = np.zeros(len(log_similarity))
    for options in answers:
        s = log_similarity[:, options[options >= 0]] / noise.temperature
        top = s.max(axis=1)  # log-sum-exp, faster than np.logaddexp
        log_sum = top + np.log(np.exp(s - top[:, None]).sum(axis=1))
        total += noise.with_lapses(s[:, 0] - log_sum, s.shape[1])
    return total


def _gaussian(X: Floats, rng: np.random.Generator, draws: int = 512) -> Floats:
    covariance = np.atleast_2d(np.cov(X, rowvar=False))
    return rng.multivariate_normal(X.mean(axis=0), covariance, size=draws, method="eigh")


def telling_questions(
    belief: Belief, rng: np.random.Generator, limit: int, n_targets: int, repeats: bool
) -> Iterator[Ints]:
    """Yield questions with a large gain from repeated samples of ``limit`` candidates.

    The gain is that of :class:`PredictiveGain` with a separate covariance for each item, so that
    the cost does not depend on the number of items. Yielded questions lower the covariances. The
    best 1/16 of each sample is yielded.
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
    """Return the mean of J'J over target questions and their items, (d, d)."""
    J = sure.slopes(targets)
    return np.asarray(np.einsum("mrta,mrtb->ab", J, J) / max(len(J) * J.shape[2], 1))


def item_gain(sure: ItemUncertainty, weight: Floats, questions: Comparison) -> Floats:
    r"""Return how much the answer to each question is expected to lower targets' variance, (m,).

    .. math:: G(q) = \text{tr} \Big((I + J_q \Sigma J_q')^{-1} \textstyle\sum_i J_{qi} \Sigma_i M
       \Sigma_i J_{qi}'\Big)

    Sigma_i is the covariance of item i, Sigma the block-diagonal matrix of these, J_qi the part of
    J_q for item i, and M the ``weight`` (d, d) from ``target_weight``.
    """
    u, seen = seen_through(sure.slopes(questions), sure.covariance(questions.index))
    inner = np.einsum("mrta,ab,mstb->mrs", u, weight, u, optimize=True)
    return np.asarray(np.trace(np.linalg.solve(seen, inner), axis1=1, axis2=2))


@dataclass(eq=False, repr=False)
class PredictiveGain(Strategy):
    r"""Choose the questions whose answers most improve the prediction of other answers.

    .. math:: G(q) = \frac{1}{T} \sum_t \frac{(J_t \Sigma J_q')^2}{1 + J_q \Sigma J_q'}

    for question q with two options; with more options, the quotient becomes a matrix inverse.
    :math:`\Sigma` is the covariance of all positions, J are the rows of
    :class:`~resemblance.fitting.PositionUncertainty`, and t are T random triplets. G is the
    expected reduction of the variance of the triplets' log-odds, weighted by p (1 - p) as in the
    log loss. After each chosen question, Sigma is updated as if the question had been answered, so
    that questions do not repeat the information of pending and earlier questions.

    :class:`InformationGain` considers the position of the head, but not of the options.

    Parameters
    ----------
    max_candidates : int
        The maximum number of choices compared. If open questions have more, a random sample is
        compared. An answer that picks k options is k choices; the gain includes all of them.
    n_targets : int
        T, the number of random triplets to predict.
    repeats : bool
        Whether an answered question may be asked again. If its options are about equally likely, a
        second answer is as informative as a new question.
    max_parameters : int
        With more coordinates (n d), covariances between items are ignored, and the best sixteenth
        of ``max_candidates`` questions is asked before a new sample is drawn.

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
        """Yield questions, each chosen as if the previous questions had been answered."""
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
        self.of_targets = np.ascontiguousarray(_dense(J_t @ covariance).T)  # constant, (P, T)
        cross = np.reshape(J @ self.of_targets, (-1, per, J_t.shape[0]))
        self.inner = np.einsum("crt,cst->crs", cross, cross)
        JS = J @ covariance
        self.block = np.empty_like(self.inner)
        for r in range(per):
            for s in range(r + 1):
                entry = np.asarray(J[r::per].multiply(JS[s::per]).sum(axis=1)).ravel()
                self.block[:, r, s] = self.block[:, s, r] = entry
        # Taken questions lower Sigma by U U'. U and J_t U have one column per row of J_q.
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
        # With S = Sigma J', the new Sigma is Sigma - S (I + J S)^-1 S' = Sigma - U U'.
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
        ends = self.J.indptr[q * self.per : (q + 1) * self.per + 1]
        first, last = ends[0], ends[-1]
        rows = np.zeros((self.per, last - first))
        of = np.repeat(np.arange(self.per), np.diff(ends))
        rows[of, np.arange(last - first)] = self.J.data[first:last]
        return self.J.indices[first:last], rows


class _Columns:
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
