"""Approximate the uncertainty of positions by Laplace's method, jointly or item by item."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.linalg import lapack
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats, Ints
from resemblance.choice import ChoiceModel
from resemblance.errors import SettingError
from resemblance.fitting.objective.threads import blas_threads
from resemblance.forms import Coordinates
from resemblance.judgments import Comparison, Judgments
from resemblance.ranges import BELOW_ONE, POSITIVE, check_settings, setting

TINY = np.finfo(float).tiny  # replaces probabilities of 0
# A covariance is a dense array, or a sparse block-diagonal matrix with one block per item.
Covariance: TypeAlias = Any
MAX_PARAMETERS = 3000  # with more coordinates, covariances between items are not computed
AT_ONCE = 8192  # number of questions processed at a time


def answer_slopes(
    points: Floats, choice: ChoiceModel, noise: Noise, questions: Comparison
) -> tuple[Floats, Floats]:
    """Return option probabilities without lapses, (m, K), and gradients of log similarities.

    The gradients with respect to the positions of a row's items are (m, K, items, d), not divided
    by the temperature.
    """
    layout, at = questions.layout, points[questions.index]
    first, second = np.array(layout.pairs).T
    a, b = at[:, first], at[:, second]  # (m, P, d)
    if choice.reads == "inner":
        distance, by_first, by_second = np.einsum("mpd,mpd->mp", a, b), b, a
    else:
        gap = a - b
        distance, by_first, by_second = (gap**2).sum(axis=2), 2.0 * gap, -2.0 * gap
    f = choice.log_similarity_slope(distance)[:, :, None]
    share = 1.0 / layout.members.shape[1]
    slopes = np.zeros((len(at), len(layout.options), *at.shape[1:]))
    for option, pairs in enumerate(layout.options):
        for pair in pairs:
            slopes[:, option, first[pair]] += share * f[:, pair] * by_first[:, pair]
            slopes[:, option, second[pair]] += share * f[:, pair] * by_second[:, pair]
    similarity = layout.of_options(choice.log_similarity(distance).T).T
    return softmax(similarity / noise.temperature, axis=1), slopes


def information_slopes(
    points: Floats, choice: ChoiceModel, noise: Noise, questions: Comparison
) -> Floats:
    r"""Return J of each question, (m, N - 1, items of a row, d); J'J is the Fisher information.

    .. math:: J_k = R_k - \frac{v_k}{1 + v_1} R_1, \quad k = 2, ..., N, \qquad
       R_k = \frac{(1 - \lambda) p_k}{v_k T} (s_k - \textstyle\sum_j p_j s_j)

    For option k of N, s_k is the gradient of the log similarity, p_k the probability without
    lapses, and :math:`v_k^2` the probability with lapses. J is R after a reflection that makes v
    the first axis; since v'R = 0, J'J = R'R.
    """
    p, slopes = answer_slopes(points, choice, noise, questions)
    v = np.sqrt(np.maximum((1.0 - noise.lapse) * p + noise.lapse / p.shape[1], TINY))
    mean = np.einsum("mj,mjtd->mtd", p, slopes)
    root = (1.0 - noise.lapse) / noise.temperature * p / v
    R = root[:, :, None, None] * (slopes - mean[:, None])
    turned = (v[:, 1:] / (1.0 + v[:, :1]))[:, :, None, None]
    return np.asarray(R[:, 1:] - turned * R[:, :1])


def likelihood_slopes(
    points: Floats, choice: ChoiceModel, noise: Noise, questions: Comparison
) -> Floats:
    """Return the gradient of the first option's log probability, (m, items of a row, d)."""
    p, slopes = answer_slopes(points, choice, noise, questions)
    P = np.maximum((1.0 - noise.lapse) * p[:, 0] + noise.lapse / p.shape[1], TINY)
    sure = (1.0 - noise.lapse) * p[:, 0] / P
    apart = slopes[:, 0] - np.einsum("mj,mjtd->mtd", p, slopes)
    return np.asarray(sure[:, None, None] * apart / noise.temperature)


@dataclass(frozen=True)
class Noise:
    r"""Temperature and lapses added to a choice model.

    .. math:: P_j = (1 - \lambda) \, p_j^{1/T} / \sum_k p_k^{1/T} + \lambda / N

    Attributes
    ----------
    temperature : float
        T > 0. Above 1, answers are noisier than the choice model predicts.
    lapse : float
        Lambda, the share of answers given by chance, 0 <= lambda < 1.

    Examples
    --------
    >>> import numpy as np
    >>> Noise(lapse=0.2).apply(np.array([[1.0, 0.0]])).round(3)
    array([[0.9, 0.1]])
    """

    temperature: float = setting(POSITIVE, default=1.0)
    lapse: float = setting(BELOW_ONE, default=0.0)

    def __post_init__(self) -> None:
        check_settings(self)

    def apply(self, probability: Floats) -> Floats:
        """Return P for probabilities p (m, K) whose rows sum to one; missing options stay 0."""
        there = probability > 0
        sharp = np.where(there, probability, 1.0) ** (1.0 / self.temperature) * there
        n = np.maximum(there.sum(axis=1, keepdims=True), 2)
        chance = np.where(there | (n == 2), self.lapse / n, 0.0)
        return np.asarray((1.0 - self.lapse) * sharp / sharp.sum(axis=1, keepdims=True) + chance)

    def with_lapses(self, log_p: ArrayLike, n: ArrayLike) -> Floats:
        """Return log P of answers among n options, given log p at temperature T.

        The result is accurate even if exp(log p) underflows.

        >>> np.exp(Noise(lapse=0.2).with_lapses(np.array([0.0, -2000.0]), 2)).round(3)
        array([0.9, 0.1])
        """
        if not self.lapse:
            return np.asarray(log_p)
        lapse = np.log(self.lapse / np.asarray(n))
        return np.asarray(np.logaddexp(np.log1p(-self.lapse) + log_p, lapse))


class PositionUncertainty:
    r"""The covariance of all positions, given the answers so far (Laplace approximation).

    .. math:: \Sigma = \Big(\kappa I + \sum_r J_r' J_r\Big)^{-1}

    where :math:`J_r' J_r` is the Fisher information of question r about the n d coordinates, and
    1/kappa is the prior variance of a coordinate. Option j of N has the log similarity l_j and the
    answer probability :math:`P_j = (1 - \lambda) p_j + \lambda / N`. The rows of J are :math:`(1 -
    \lambda) \, p_j P_j^{-1/2} \, \nabla (l_j - \sum_k p_k l_k) / T`, rotated so that one row is 0
    and N - 1 rows remain.

    Translations and rotations of the whole map have no information, so they keep the prior
    variance.

    The choice model is assumed to be right, and the positions to be normally distributed.
    :func:`averaged_uncertainty` does not need these assumptions.

    Parameters
    ----------
    points : array (n_items, d)
        The fitted positions.
    choice : ChoiceModel
        A choice model with a likelihood.
    asked : sequence of Comparison
        The answered questions, one Comparison per layout.
    noise : Noise, optional
        Temperature and lapses.
    weights : list of arrays (m,), optional
        The weight of each question, one array for each of `asked`; default: 1.
    prior : float, array (n_items,) or (n_items, n_items), optional
        kappa: one value, or one for each item. A matrix is a precision matrix of items, which
        replaces kappa I in each dimension. Default: one over the mean squared coordinate.
    max_parameters : int
        With more than this many coordinates n d, Sigma has only one d x d block per item.

    Raises
    ------
    SettingError
        If the choice model has no probabilities of its own (hinge, margin).

    Examples
    --------
    >>> import numpy as np
    >>> from resemblance import Triplets
    >>> from resemblance.choice import Softmax
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> answers = [Triplets([[0, 1, 2], [2, 1, 0]] * k) for k in (1, 100)]
    >>> few, many = (PositionUncertainty(points, Softmax(), a.comparisons()) for a in answers)
    >>> bool((many.deviation < few.deviation).all())
    True
    """

    def __init__(
        self,
        points: Floats,
        choice: ChoiceModel,
        asked: Sequence[Comparison],
        *,
        noise: Noise | None = None,
        weights: list[Floats] | None = None,
        prior: float | Floats | None = None,
        max_parameters: int = MAX_PARAMETERS,
    ) -> None:
        self.points, self.choice = np.asarray(points, float), choice
        refuse_without_likelihood(choice)
        self.noise = Noise() if noise is None else noise
        scale = float(np.mean(self.points**2))
        kappa = prior if prior is not None else 1.0 / max(scale, 1e-12)
        given = np.asarray(kappa, float)
        n = len(self.points)
        self.prior = given if given.shape == (n, n) else np.diag(np.broadcast_to(given, n))
        self.full = self.points.size <= max_parameters
        rows = [self.information_rows(questions) for questions in asked]
        if weights is not None:
            rows = [_weighted(J, w) for J, w in zip(rows, weights, strict=True)]
        self._blocks = self._invert(rows)
        self.covariance = _diagonal(self._blocks)

    @classmethod
    def of_fit(cls, model: Any, judgments: Judgments, max_parameters: int = MAX_PARAMETERS) -> Self:
        """Compute the uncertainty of a fitted model's free positions from its judgments.

        The rows of a response count as one answer, because they depend on each other. A
        SettingError is raised for arrangements and for choice models without probabilities.

        >>> import numpy as np
        >>> from resemblance import TSTE, Triplets
        >>> line = Triplets([[0, 1, 2], [2, 1, 0], [1, 0, 3], [3, 2, 0]] * 5)
        >>> model = TSTE(1, random_state=0).fit(line)
        >>> PositionUncertainty.of_fit(model, line).deviation.shape
        (4,)
        """
        share, asked = answer_shares(judgments), judgments.comparisons()
        if any(compared.layout.arranged for compared in asked):
            raise SettingError(
                "an arrangement has no probability, so it does not tell the uncertainty of "
                "positions: give judgments of another kind alone."
            )
        return cls(
            model.embedding_,
            model.choice_,
            asked,
            weights=[share[compared.rows] for compared in asked],
            prior=2.0 * effective_penalty(model) or None,
            max_parameters=max_parameters,
        )

    def information_rows(self, questions: Comparison) -> sparse.csr_array:
        """Return J of the questions, with N - 1 rows for each question of N options."""
        slopes = information_slopes(self.points, self.choice, self.noise, questions)
        return self._sparse(questions, slopes)

    def variance(self, rows: sparse.csr_array) -> Floats:
        """Return the diagonal of J Sigma J', where ``rows`` is J."""
        return np.asarray(rows.multiply(rows @ self.covariance).sum(axis=1)).ravel()

    def root(self) -> Covariance:
        """Return R with R R' = Sigma. X + R z is a sample of positions if z is standard normal."""
        return _diagonal(np.asarray(np.linalg.cholesky(self._blocks)))

    def log_determinant(self) -> float:
        r"""Return the log determinant of Sigma."""
        return float(np.linalg.slogdet(self._blocks)[1].sum())

    @cached_property
    def item_covariances(self) -> Floats:
        """The covariance of each position, (n_items, d, d), with the whole map held fixed."""
        n, d = self.points.shape
        if not self.full:
            return self._blocks
        motions = _motions(self.points)
        unmoved = self.covariance - motions @ (motions.T @ self.covariance)
        unmoved -= (unmoved @ motions) @ motions.T
        return np.einsum("iaib->iab", unmoved.reshape(n, d, n, d))

    @cached_property
    def deviation(self) -> Floats:
        """The standard deviation of each position, (n_items,), with the whole map held fixed."""
        return np.sqrt(np.maximum(np.einsum("iaa->i", self.item_covariances), 0.0))

    def _sparse(self, questions: Comparison, rows: Floats) -> sparse.csr_array:
        m, r, touched, d = rows.shape
        columns = questions.index[:, :, None] * d + np.arange(d)
        columns = np.broadcast_to(columns[:, None], (m, r, touched, d))
        starts = np.arange(0, rows.size + 1, touched * d)
        return sparse.csr_array(
            (rows.ravel(), columns.reshape(-1), starts), shape=(m * r, self.points.size)
        )

    def _invert(self, blocks: list[sparse.csr_array]) -> Floats:
        d = self.points.shape[1]
        if self.full:
            H = np.kron(self.prior, np.eye(d))
            for J in blocks:
                H += (J.T @ J).toarray()
            with blas_threads(len(H)):
                factor, _ = lapack.dpotrf(H, lower=1, overwrite_a=1)
                inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
            return np.asarray(np.tril(inverse) + np.tril(inverse, -1).T)[None]
        H = np.diag(self.prior)[:, None, None] * np.eye(d)
        for J in blocks:
            for a in range(d):
                for b in range(d):
                    product = J[:, a::d].multiply(J[:, b::d]).sum(axis=0)
                    H[:, a, b] += np.asarray(product).ravel()
        return np.asarray(np.linalg.inv(H))


def effective_penalty(model: Any) -> float:
    """Return the factor of tr(K) that is equivalent to the penalty of a fit, or 0."""
    form = Coordinates(extent=getattr(model, "extent_", None))
    return float(getattr(model, "penalty_", 0.0) * form.stiffness(model.embedding_))


def answer_shares(judgments: Judgments) -> Floats:
    """Return the number of answers that each row counts as, (m,).

    A row with weight w in a response with k rows counts as w / k answers.
    """
    if judgments.response_id is None:
        return judgments.weights
    _, group, size = np.unique(judgments.response_id, return_inverse=True, return_counts=True)
    return judgments.weights / size[group]


def _weighted(J: sparse.csr_array, weights: Floats) -> sparse.csr_array:
    each = np.repeat(np.sqrt(weights), J.shape[0] // max(len(weights), 1))
    return sparse.csr_array(sparse.diags_array(each) @ J)


def _diagonal(blocks: Floats) -> Covariance:
    if len(blocks) == 1:
        return blocks[0]
    return sparse.block_diag([sparse.csr_array(block) for block in blocks], format="csr")


def likely_space(model: Any) -> Any:
    if not hasattr(model, "fit"):
        raise SettingError(
            f"model is {type(model).__name__}: give a fitted model; for given positions, "
            "STE(n_components).set_positions(positions)",
            setting="model",
        )
    check_is_fitted(model, "embedding_")
    refuse_without_likelihood(model.choice_)
    return model


def refuse_without_likelihood(choice: ChoiceModel) -> None:
    if not choice.one_of_many:
        raise SettingError(
            f"{type(choice).__name__} gives no probability of answers, which choosing "
            "questions needs: fit CKL, STE or TSTE (relative, softmax, Student-t), or ask "
            "RandomQuestions."
        )


def _motions(X: Floats) -> Floats:
    n, d = X.shape
    shifts = [np.tile(axis, (n, 1)).ravel() for axis in np.eye(d)]
    basis, r = np.linalg.qr(np.column_stack(shifts + turns_of(X)))
    return basis[:, np.abs(np.diag(r)) > 1e-9 * np.abs(r).max()]


def turns_of(X: Floats) -> list[Floats]:
    """Return the derivatives of the coordinates under a rotation in each plane of two axes."""
    turns = []
    for a in range(X.shape[1]):
        for b in range(a):
            turn = np.zeros_like(X)
            turn[:, a], turn[:, b] = X[:, b], -X[:, a]
            turns.append(turn.ravel())
    return turns


class ItemUncertainty:
    r"""The precision of each item's position, given all other positions; O(n) memory.

    .. math:: \Lambda_i = \kappa I + \sum_q J_{qi}' J_{qi}

    where :math:`J_{qi}` is the part of J of question q for the position of item i, as in
    :class:`PositionUncertainty`. ``prior`` is kappa, by default one over the mean squared
    coordinate. ``learn`` adds the information of fitted answers. ``follow`` adds the information of
    new answers, and moves the items in them by one step of an extended Kalman filter,

    .. math:: x \leftarrow x + (\Lambda + J'J)^{-1} \nabla \log P

    where x are the positions of the items of the question, so the cost does not depend on the
    number of items. The answers of one call are processed as simultaneous. ``points`` is (n_items,
    d), and ``precision`` is (n_items, d, d).

    >>> from resemblance.choice import Softmax
    >>> items = ItemUncertainty([[0.0], [1.0], [-1.0]], Softmax())
    >>> items.follow(Comparison.of_heads(np.array([[0, 1, 2]], np.int32)))
    >>> items.points.round(2).ravel()  # the head moved towards the chosen item
    array([ 0.27,  0.87, -1.13])
    """

    def __init__(
        self,
        points: Any,
        choice: ChoiceModel,
        *,
        noise: Noise | None = None,
        prior: float | None = None,
    ) -> None:
        refuse_without_likelihood(choice)
        self.points, self.choice = np.array(points, float), choice
        self.noise = Noise() if noise is None else noise
        scale = float(np.mean(self.points**2))
        self.prior = prior if prior is not None else 1.0 / max(scale, 1e-12)
        n, d = self.points.shape
        self.precision = np.tile(self.prior * np.eye(d), (n, 1, 1))

    def slopes(self, questions: Comparison) -> Floats:
        return information_slopes(self.points, self.choice, self.noise, questions)

    def covariance(self, items: Ints) -> Floats:
        return np.asarray(np.linalg.inv(self.precision[items]))

    def learn(self, questions: Comparison) -> Self:
        """Add the information of answered questions, without moving items."""
        for first in range(0, len(questions.index), AT_ONCE):
            rows = questions.index[first : first + AT_ONCE]
            self._add(rows, self.slopes(Comparison(slice(None), rows, questions.layout)))
        return self

    def follow(self, answered: Comparison) -> None:
        """Move the items of new answers, where option 0 was chosen, and add their information."""
        rows, J = answered.index, self.slopes(answered)
        S = self.covariance(rows)
        g = likelihood_slopes(self.points, self.choice, self.noise, answered)
        u, seen = seen_through(J, S)
        projected = np.einsum("mrta,mta->mr", u, g)
        step = np.einsum("mtab,mtb->mta", S, g)
        step -= np.einsum("mrta,mr->mta", _solved(seen, u), projected)
        np.add.at(self.points, rows, step)
        self._add(rows, J)

    def expect(self, questions: Comparison) -> None:
        """Add the expected information of pending answers, given that other items are uncertain."""
        J = self.slopes(questions)
        _, seen = seen_through(J, self.covariance(questions.index))
        own = np.einsum("mrta,mrtb->mtab", J, _solved(seen, J))
        np.add.at(self.precision, questions.index, own)

    def planned(self) -> Self:
        """Return a copy with its own precision that shares the positions."""
        twin = copy(self)
        twin.precision = self.precision.copy()
        return twin

    def grown(self, points: Floats) -> Self:
        d = self.points.shape[1]
        more = np.tile(self.prior * np.eye(d), (len(points), 1, 1))
        self.points = np.concatenate([self.points, points])
        self.precision = np.concatenate([self.precision, more])
        return self

    def among(self, items: Ints) -> ItemUncertainty:
        part = ItemUncertainty(self.points[items], self.choice, noise=self.noise, prior=self.prior)
        part.precision = self.precision[items]
        return part

    def _add(self, rows: Ints, J: Floats) -> None:
        np.add.at(self.precision, rows, np.einsum("mrta,mrtb->mtab", J, J))


def seen_through(J: Floats, S: Floats) -> tuple[Floats, Floats]:
    """Return S J', (m, R, items, d), and I + J S J', (m, R, R), for item covariances S.

    J is (m, R, items, d), and S is (m, items, d, d).
    """
    u = np.einsum("mtab,mrtb->mrta", S, J)
    return u, np.eye(J.shape[1]) + np.einsum("mrta,msta->mrs", u, J)


def _solved(seen: Floats, rows: Floats) -> Floats:
    flat = rows.reshape(*rows.shape[:2], rows.shape[2] * rows.shape[3])
    return np.asarray(np.linalg.solve(seen, flat)).reshape(rows.shape)
