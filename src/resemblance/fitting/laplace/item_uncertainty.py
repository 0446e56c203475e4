"""Uncertainty of each item's position, taken alone where items are many."""

from copy import copy
from typing import Any, Self

import numpy as np

from resemblance.arrays import Floats, Ints
from resemblance.choice import ChoiceModel
from resemblance.fitting.laplace.answer_slopes import information_slopes, likelihood_slopes
from resemblance.fitting.laplace.noise import Noise
from resemblance.fitting.laplace.uncertainty import refuse_without_likelihood
from resemblance.judgments import Comparison

AT_ONCE = 8192  # questions whose slopes exist at a time


class ItemUncertainty:
    r"""A precision for each item's position, the others taken as known; O(n) memory.

    .. math:: \Lambda_i = \kappa I + \sum_q J_{qi}' J_{qi}

    where :math:`J_{qi}` are the slopes of question q in the position of item i, as in
    :class:`PositionUncertainty`. ``prior`` is kappa, by default one over the mean squared
    coordinate. ``learn`` adds answers that a fit has seen; ``follow`` moves the items of later
    answers by one step of an extended Kalman filter,

    .. math:: x \leftarrow x + (\Lambda + J'J)^{-1} \nabla \log P

    over the items of the question alone, so the cost does not depend on the number of items.
    Answers of one call are treated as simultaneous. ``points`` are (n_items, d), ``precision``
    (n_items, d, d).

    >>> from resemblance.choice import Softmax
    >>> items = ItemUncertainty([[0.0], [1.0], [-1.0]], Softmax())
    >>> items.follow(Comparison.of_heads(np.array([[0, 1, 2]], np.int32)))
    >>> items.points.round(2).ravel()  # the head is nearer to the one chosen
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
        """Return J of some questions, (m, R, items of a row, d)."""
        return information_slopes(self.points, self.choice, self.noise, questions)

    def covariance(self, items: Ints) -> Floats:
        """Return the inverse of Lambda of some items, (..., d, d)."""
        return np.asarray(np.linalg.inv(self.precision[items]))

    def learn(self, questions: Comparison) -> Self:
        """Add the information of answers to some questions; positions stay."""
        for first in range(0, len(questions.index), AT_ONCE):
            rows = questions.index[first : first + AT_ONCE]
            self._add(rows, self.slopes(Comparison(slice(None), rows, questions.layout)))
        return self

    def follow(self, answered: Comparison) -> None:
        """Move the items of answers, whose first option was chosen, and learn from them."""
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
        """Add the expected information of pending answers, the other items being uncertain too."""
        J = self.slopes(questions)
        _, seen = seen_through(J, self.covariance(questions.index))
        own = np.einsum("mrta,mrtb->mtab", J, _solved(seen, J))
        np.add.at(self.precision, questions.index, own)

    def planned(self) -> Self:
        """Return a copy that may expect answers, and whose positions follow those of this one."""
        twin = copy(self)
        twin.precision = self.precision.copy()
        return twin

    def grown(self, points: Floats) -> Self:
        d = self.points.shape[1]
        more = np.tile(self.prior * np.eye(d), (len(points), 1, 1))
        self.points = np.concatenate([self.points, points])
        self.precision = np.concatenate([self.precision, more])
        return self

    def among(self, items: Ints) -> "ItemUncertainty":
        """Return a copy restricted to some items."""
        part = ItemUncertainty(self.points[items], self.choice, noise=self.noise, prior=self.prior)
        part.precision = self.precision[items]
        return part

    def _add(self, rows: Ints, J: Floats) -> None:
        np.add.at(self.precision, rows, np.einsum("mrta,mrtb->mtab", J, J))


def seen_through(J: Floats, S: Floats) -> tuple[Floats, Floats]:
    """Return S J' of each item (m, R, items, d), and I + J S J' (m, R, R)."""
    u = np.einsum("mtab,mrtb->mrta", S, J)
    return u, np.eye(J.shape[1]) + np.einsum("mrta,msta->mrs", u, J)


def _solved(seen: Floats, rows: Floats) -> Floats:
    """Return seen^-1 rows, for rows (m, R, items, d)."""
    flat = rows.reshape(*rows.shape[:2], rows.shape[2] * rows.shape[3])
    return np.asarray(np.linalg.solve(seen, flat)).reshape(rows.shape)
