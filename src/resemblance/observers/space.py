"""A simulated person who compares distances in a space."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel, Softmax
from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting import JudgmentsLike
from resemblance.geometry import plane_of
from resemblance.geometry.procrustes import as_points
from resemblance.judgments import (
    Arrangements,
    Confusions,
    Judgments,
    Layout,
    Ratings,
    as_judgments,
)
from resemblance.judgments.checks import refuse, whole_numbers
from resemblance.judgments.items import ItemsLike
from resemblance.observers.observer import Observer
from resemblance.ranges import NOT_NEGATIVE, POSITIVE, SHARE, check

MOST_SEEN = 300  # number of items whose pairs determine the default thresholds of ratings


class Contrasts:
    """The contribution of each dimension to the distance of each option in each row.

    The contribution of dimension j is c_j = (x_aj - x_bj)^2, or x_aj x_bj for inner products, so
    that weights w give d = sum_j w_j c_j.
    """

    def __init__(self, points: Floats, judgments: Judgments, choice: ChoiceModel) -> None:
        if judgments.n_items > len(points):
            raise JudgmentError(
                f"the judgments have {judgments.n_items} items, but there are {len(points)} "
                "positions: give a position for each item."
            )
        self.choice = choice
        self.blocks = [  # each comparison with the contributions of dimensions, (d, pairs, rows)
            (compared, self._parts(points.T[:, np.array(compared.pairs)]))
            for compared in judgments.comparisons()
        ]
        most = max((compared.n_options for compared, _ in self.blocks), default=2)
        self.shape = len(judgments), most

    def _parts(self, ends: Floats) -> Floats:
        a, b = ends[:, :, 0], ends[:, :, 1]
        return a * b if self.choice.reads == "inner" else (a - b) ** 2

    def utilities(self, weights: Floats) -> Floats:
        """Return the log odds of options up to a constant per row, (m, K); -inf if missing."""
        out = np.full(self.shape, -np.inf)
        for compared, parts in self.blocks:
            of_options = self._utilities(np.tensordot(weights, parts, 1), compared.layout)
            out[compared.rows, : compared.n_options] = of_options.T
        return out

    def _utilities(self, distances: Floats, layout: Layout) -> Floats:
        if self.choice.reads == "plain":
            distances = np.sqrt(distances)
        if self.choice.one_of_many or len(distances) > 2:
            return layout.of_options(self.choice.log_similarity(distances))
        near, far = distances
        odds = self.choice.loss(far, near) - self.choice.loss(near, far)
        return np.stack([odds, np.zeros_like(odds)])


def answer_shares(utilities: Floats, temperature: float, lapse: float) -> Floats:
    there = utilities > -np.inf
    chance = there / there.sum(axis=1, keepdims=True)
    scaled = utilities / temperature  # This is faster than scipy's softmax on few rows.
    shares = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray((1 - lapse) * shares + lapse * chance)


class SpaceObserver(Observer):
    r"""A simulated person who answers by distances in a space, with weights and lapses.

    .. math:: P_k = (1 - \lambda) \frac{s_k^{1/T}}{\sum_j s_j^{1/T}} + \frac{\lambda}{N}

    where s_k is the similarity of option k in the choice model, at distances between ``points *
    sqrt(weights)``. If there are N = 2 options, their log odds are divided by T.

    Parameters
    ----------
    points : array (n_items, d)
        The positions that the observer sees.
    choice : ChoiceModel, optional
        The choice model. Default: :class:`~resemblance.choice.Softmax`. Answers are more certain if
        points are scaled up or the temperature is lower.
    lapse : float
        Lambda, the share of questions answered by chance, from 0 to 1.
    temperature : float
        T, above 0. With T > 1 answers are less certain than in the choice model.
    weights : array (d,), optional
        The weight of each dimension in squared distances (and in inner products), 0 or more;
        default 1.
    thresholds : array (k - 1,), optional
        For ratings on k points: increasing values of log s(d) / s(0). A pair above the first
        threshold is usually rated 2 or more, above the last k. The logarithm is at most 0, so if
        all thresholds are above 0, most ratings are 1. See :meth:`rate`.
    random_state : int, RandomState or None
        The seed of the answers.

    Raises
    ------
    SettingError
        If the lapse, the temperature or a weight is out of range, there is not one weight per
        dimension, or thresholds do not increase; or if a question has more than two options and the
        choice model compares only two.
    JudgmentError
        If a question is about more items than there are points.

    References
    ----------
    Weights of dimensions: Carroll, Chang (1970), Analysis of individual differences in
    multidimensional scaling, Psychometrika 35. "Different users will inevitably weigh different
    features differently": Tamuz et al. 2011, section 7.1.

    Examples
    --------
    >>> observer = SpaceObserver([[0.0], [1.0], [9.0]], random_state=0)
    >>> observer.answer([[0, 2, 1]]).index
    array([[0, 1, 2]], dtype=int32)
    """

    def __init__(
        self,
        points: ArrayLike,
        choice: ChoiceModel | None = None,
        lapse: float = 0.0,
        *,
        temperature: float = 1.0,
        weights: ArrayLike | None = None,
        thresholds: ArrayLike | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(random_state)
        self.points = np.array(as_points(points, "points"), order="C")
        self.choice = Softmax() if choice is None else choice
        check(lapse=(lapse, SHARE), temperature=(temperature, POSITIVE))
        self.lapse, self.temperature = lapse, temperature
        self.weights = _checked_weights(weights, self.points.shape[1])
        self.thresholds = None if thresholds is None else _checked_thresholds(thresholds)

    def probabilities(self, questions: JudgmentsLike) -> NDArray[np.float64]:
        """Return P of each option; see :meth:`Observer.probabilities`."""
        contrasts = Contrasts(self.points, as_judgments(questions), self.choice)
        return answer_shares(contrasts.utilities(self.weights), self.temperature, self.lapse)

    def confuse(
        self, pairs: ArrayLike, trials: ArrayLike | int, items: ItemsLike = None
    ) -> Confusions:
        r"""Answer match-to-sample trials (2AFC) about pairs, and return the numbers of errors.

        .. math:: a_{ij} \sim \mathrm{Binomial}\big(n_{ij},
           (1 - \lambda) \, \sigma(\mathrm{logit}\, \psi(d_{ij}) / T) + \lambda / 2\big)

        Here a_ij is the number of errors in n_ij trials, and psi the probability of an error at
        distance d_ij. Psi comes from :class:`~resemblance.choice.Gaussian`,
        :class:`~resemblance.choice.Exponential`, or a choice model of triplets whose head is also
        an option.

        Parameters
        ----------
        pairs : array (m, 2) of int
            The pairs, each of two items.
        trials : array (m,) of int, or int
            The number of tests of each pair.
        items : Items, optional
            The items. Default: "0", "1", ..., one for each point.

        Raises
        ------
        SettingError
            If the choice model predicts no probability of errors.

        Examples
        --------
        >>> from resemblance.choice import Gaussian
        >>> person = SpaceObserver([[0.0], [0.1], [5.0]], Gaussian(), random_state=0)
        >>> person.confuse([[0, 1], [0, 2]], trials=1000).errors[1]
        np.int64(0)
        """
        index = self._seen(pairs, 2)
        share = self.choice.error_probability(self._distances(index[:, 0], index[:, 1]))
        with np.errstate(divide="ignore"):
            p = expit(logit(share) / self.temperature)
        trials = _of_each(trials, index, "trials", 1)
        errors = self._random.binomial(trials, (1.0 - self.lapse) * p + 0.5 * self.lapse)
        return Confusions(pairs, errors, trials, len(self.points) if items is None else items)

    def rate(self, pairs: ArrayLike, points: ArrayLike | int, items: ItemsLike = None) -> Ratings:
        r"""Rate the similarity of pairs on a scale.

        .. math:: P(r > j) = (1 - \lambda) \, \sigma\Big( \frac{1}{T} \Big( \log
           \frac{s(d)}{s(0)} - \theta_j \Big) \Big) + \lambda \Big( 1 - \frac{j}{k} \Big)

        is the probability of a rating r above j. The thresholds :math:`\theta_j` are the
        observer's; by default they divide all pairs of points into k groups of about the same size.
        See :class:`~resemblance.Ratings`.

        Parameters
        ----------
        pairs : array (m, 2) of int
            The pairs, each of two items.
        points : array (m,) of int, or int
            k, the number of points of the scale, 2 or more.
        items : Items, optional
            The items. Default: "0", "1", ..., one for each point.

        Raises
        ------
        SettingError
            If the choice model defines no similarity, or the observer has thresholds for another
            number of points.

        Examples
        --------
        >>> person = SpaceObserver([[0.0], [0.1], [5.0]], random_state=0)
        >>> person.rate([[0, 1], [0, 2]] * 100, points=7).rating.reshape(-1, 2).mean(axis=0).round()
        array([7., 2.])
        """
        index = self._seen(pairs, 2)
        scale = _of_each(points, index, "points", 2)
        similarity = self._similarity(index[:, 0], index[:, 1])
        drawn, careless = self._random.uniform(size=(2, len(index)))
        share = logit(drawn) * self.temperature  # a random number from the logistic distribution
        rating = np.empty(len(index), dtype=np.int64)
        for k in np.unique(scale):
            rows = scale == k
            above = (similarity + share)[rows, None] > self._thresholds(int(k))
            rating[rows] = 1 + above.sum(axis=1)
        lapsed = careless < self.lapse
        rating[lapsed] = 1 + (self._random.uniform(size=lapsed.sum()) * scale[lapsed]).astype(int)
        return Ratings(pairs, rating, points, len(self.points) if items is None else items)

    def _thresholds(self, points: int) -> Floats:
        if self.thresholds is None:
            sample = np.unique(np.linspace(0, len(self.points) - 1, MOST_SEEN).astype(int))
            a, b = np.triu_indices(len(sample), 1)
            seen = self._similarity(sample[a], sample[b])
            return np.asarray(np.quantile(seen, np.arange(1, points) / points))
        if len(self.thresholds) != points - 1:
            raise SettingError(
                f"a scale has {points} points, and the observer {len(self.thresholds)} thresholds: "
                "give one threshold less than points.",
                setting="thresholds",
            )
        return self.thresholds

    def _seen(self, asked: ArrayLike, width: int | None = None) -> NDArray[np.int32]:
        index = whole_numbers(asked, "items", least=0 if width else -1)
        if index.ndim != 2 or index.shape[1] != (width or index.shape[1]):
            raise JudgmentError(f"items of shape {index.shape}: give {width or 'the items'} a row.")
        refuse(
            (index >= len(self.points)).any(axis=1),
            lambda r: f"item {index[r].max()} is not among the {len(self.points)} points",
        )
        return index

    def _similarity(self, a: NDArray[np.int32], b: NDArray[np.int32]) -> Floats:
        return self.choice.log_share(self._distances(a, b))[0]

    def _distances(self, a: NDArray[np.int32], b: NDArray[np.int32]) -> Floats:
        X = self.points * np.sqrt(self.weights)
        d = ((X[a] - X[b]) ** 2).sum(axis=1)
        return np.asarray(np.sqrt(d) if self.choice.reads == "plain" else d)

    def arrange(
        self, shown: ArrayLike, items: ItemsLike = None, *, noise: float = 0.1
    ) -> Arrangements:
        r"""Arrange items in a circle of radius 1 by their perceived distances.

        Metric multidimensional scaling projects the items shown to a plane, which is then rotated
        at random and scaled to fill the circle. Each coordinate gets motor noise from
        :math:`\mathcal N(0, \text{noise}^2)`, but items stay within the circle. In a lapse, all
        positions are random.

        Parameters
        ----------
        shown : array (m, k) of int
            The items of each trial, three or more, padded with -1.
        items : Items, optional
            The items. Default: "0", "1", ..., one for each point.
        noise : float
            The standard deviation of motor noise, in units of the radius.

        Raises
        ------
        SettingError
            If the noise is negative.

        References
        ----------
        The task: Kriegeskorte, Mur (2012), Inverse MDS, Frontiers in Psychology 3, 245.

        Examples
        --------
        >>> person = SpaceObserver([[0.0, 0.0], [1.0, 0.0], [9.0, 9.0]], random_state=0)
        >>> near, far, _ = person.arrange([[0, 1, 2]]).distances(0)
        >>> bool(near < far)
        True
        """
        check(noise=(noise, NOT_NEGATIVE))
        index = self._seen(shown)
        places = np.full((*index.shape, 2), np.nan)
        for row, there in enumerate(index >= 0):
            places[row, there] = self._laid_out(index[row, there], noise)
        named = len(self.points) if items is None else items
        return Arrangements(index, places, named, radius=1.0)

    def _laid_out(self, items: NDArray[np.int32], noise: float) -> Floats:
        X = self.points[items] * np.sqrt(self.weights)
        if self._random.uniform() < self.lapse:
            X = self._random.normal(size=(len(items), 2))
        angle = self._random.uniform(0.0, 2.0 * np.pi)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        flat = plane_of(X) @ turn
        flat /= max(np.linalg.norm(flat, axis=1).max(), 1e-300)
        put = flat + noise * self._random.normal(size=flat.shape)
        return np.asarray(put / np.maximum(np.linalg.norm(put, axis=1, keepdims=True), 1.0))


def _of_each(numbers: ArrayLike, rows: NDArray[Any], what: str, least: int) -> NDArray[np.int32]:
    given = whole_numbers(np.atleast_1d(numbers), what, least=least)
    if given.shape not in ((1,), (len(rows),)):
        raise JudgmentError(f"{what} have shape {given.shape}: give one or {len(rows)}.")
    return np.broadcast_to(given, len(rows))


def _checked_weights(weights: ArrayLike | None, n_dims: int) -> NDArray[np.float64]:
    checked = np.ones(n_dims) if weights is None else np.array(weights, dtype=float)
    if checked.shape != (n_dims,) or not (np.isfinite(checked) & (checked >= 0)).all():
        raise SettingError(
            f"weights are {checked.tolist()}: give one number, 0 or more, for each of the "
            f"{n_dims} dimensions of the points."
        )
    return checked


def _checked_thresholds(thresholds: ArrayLike) -> NDArray[np.float64]:
    checked = np.array(thresholds, dtype=float)
    if checked.ndim != 1 or not checked.size or not (np.diff(checked) > 0).all():
        raise SettingError(
            f"thresholds are {checked.tolist()}: give increasing values, one less than the points "
            "of the scale.",
            setting="thresholds",
        )
    return checked
