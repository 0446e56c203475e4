"""Fit several maps at once, in which some items have more than one place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax, logsumexp
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import SettingError
from resemblance.fitting.answers import PredictsAnswers, probabilities
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.estimator import Estimator
from resemblance.fitting.individuals import shared_model
from resemblance.fitting.objective.checks import check_same_items
from resemblance.fitting.objective.descent import descend
from resemblance.fitting.objective.objective import Batch, Objective, batches
from resemblance.forms import READS, Coordinates, SeveralMaps
from resemblance.forms.maps import spread_out
from resemblance.judgments import Judgments, as_judgments
from resemblance.judgments.convert import JudgmentsLike, refuse_y
from resemblance.ranges import NOT_NEGATIVE, integers, setting

SHARE = 0.1  # prior probability that an item has several places
MAX_ITER, TOL = 300, 1e-5
SPREAD = 12  # number of places that are tried as first place of an item
SWEEPS = 4  # maximum number of times that the place in one map is improved, given the others
ROUNDS = 2  # number of searches for items with several places


class MultipleMaps(PredictsAnswers, Estimator):
    r"""Several maps of the same items, in which some items have more than one place.

    .. math:: P(j \mid i, \{j, l\}) = \frac{s_{ij}}{s_{ij} + s_{il}}, \qquad
       s_{ij} = \sum_m \pi_i^m \pi_j^m \, s(\|x_i^m - x_j^m\|^2), \qquad
       \pi_i^m = e^{w_i^m} \Big/ \sum_{m'} e^{w_i^{m'}}

    where s is the similarity of the choice model, such as :math:`(1 + d / \alpha)^{-(\alpha + 1) /
    2}` for t-STE, :math:`x_i^m` is the place of item i in map m, and :math:`\pi_i^m` its weight.
    Most items have one place and the same weight in all maps. An item gets a place and weight of
    its own in each map if that lowers the loss of the answers about it by more than ``cost`` nats.
    It can be similar to items that are far from each other, such as "bank" to "river" and "money".

    The fit begins with one map. Each item is tried at pairs of places of other items, and all maps
    are then fitted together. Items that one place explains as well get it back.

    Source: van der Maaten & Hinton 2012, Visualizing non-metric similarities in multiple maps,
    equations 4 and 5; van der Maaten & Weinberger 2012, section 4. That most items have one place
    is not in the sources.

    Parameters
    ----------
    estimator : OrdinalEmbedding, optional
        The model of one map: a likelihood of squared distances (STE, t-STE, CKL) with coordinates.
        Its choice model and penalty are those of all maps. Default: :class:`~resemblance.STE` in
        two dimensions with ``penalty="auto"``.
    n_maps : int
        The number of maps.
    cost : float or "auto"
        The gain, in nats, above which an item has several places. "auto" is log(9 n) for n items:
        one item in ten is expected to have a second place, near any of the others.

    Attributes
    ----------
    maps_ : array (n_maps, n_items, n_components)
        The places of the items in each map.
    weights_ : array (n_items, n_maps)
        The weight of each item in each map; rows sum to one.
    several_ : array of int
        Row numbers of the items with several places.
    gains_ : array (n_items,)
        The fall of the loss, in nats, by several places instead of the best single one; 0 for other
        items.
    single_ : OrdinalEmbedding
        The fit of one map.
    loss_ : float
        The objective at the solution, in nats.
    converged_ : bool
        Whether the last descent met its stopping rule.
    items_, choice_
        The items and the choice model, as in :class:`~resemblance.fitting.OrdinalEmbedding`.

    Raises
    ------
    SettingError
        If a setting is out of range, or the estimator has another form or choice model.

    Examples
    --------
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> person = rs.SpaceObserver(2 * rng.normal(size=(12, 2)), random_state=0)
    >>> answers = person.answer([rng.choice(12, 3, replace=False) for _ in range(600)])
    >>> model = MultipleMaps(rs.STE(2, penalty=1.0, random_state=0)).fit(answers)
    >>> model.maps_.shape, model.several_
    ((2, 12, 2), array([], dtype=int64))
    """

    estimator: OrdinalEmbedding | None = field(default=None, kw_only=False)
    n_maps: int = setting(integers(2), default=2)
    cost: float | Literal["auto"] = setting(NOT_NEGATIVE.besides("auto"), default="auto")

    def fit(self, X: JudgmentsLike, y: ArrayLike | None = None) -> Self:
        """Fit one map to the answers, then several."""
        refuse_y(y, X)
        self._check_settings()
        answers = as_judgments(X)
        fit = of_one = self._in_one_map(answers)
        cost = self._cost
        for _ in range(ROUNDS):
            divided = fit.divided(cost)
            if divided is fit:
                break
            fit = divided.descended().merged(cost)
        fit = fit if fit.form.split.any() else of_one
        self.maps_, logs = fit.parts
        self.weights_, self.several_ = np.exp(logs), np.flatnonzero(fit.form.split)
        self.gains_, self.loss_, self.converged_ = fit.gains, fit.loss, fit.converged
        return self

    def predict_proba(self, X: JudgmentsLike) -> Floats:
        """Return the probability of every possible answer, (m, K); column 0 is the given answer."""
        check_is_fitted(self, "maps_")
        answers = as_judgments(X)
        check_same_items(answers, self.items_)
        form = _form(self.single_, self.maps_, np.ones(len(self.items_), bool))
        state = form.expand(form.joined(self.maps_, np.log(self.weights_)))
        return probabilities(
            answers,
            self.choice_,
            lambda _, pair, out: form.distances(state, *pair, READS["squared"], out),
        )

    @property
    def _cost(self) -> float:
        auto = self.cost == "auto"
        return float(np.log(len(self.items_) * (1 / SHARE - 1)) if auto else self.cost)

    def _in_one_map(self, answers: Judgments) -> Placed:
        self.single_ = clone(shared_model(self.estimator))
        refuse_models(self.single_)
        self.single_.fit(answers)
        self.items_, self.choice_ = self.single_.items_, self.single_.choice_
        X = self.single_.embedding_
        form = _form(self.single_, np.stack([X] * self.n_maps), np.zeros(len(X), bool))
        loss, converged = self.single_.loss_, self.single_.converged_
        return Placed(form, form.start(X), batches(answers), loss, converged)


def evidence(model: MultipleMaps, answers: Judgments, items: NDArray[np.intp]) -> Floats:
    """Return the gains of items in the first search, as a share of the gain that divides them."""
    model = clone(model)
    placed = model._in_one_map(answers)
    return np.array([placed.best(item)[0] for item in items.tolist()]) / (model._cost / 2)


def refuse_models(model: OrdinalEmbedding) -> None:
    form, choice = model._form(), model._choice()
    if type(form) is not Coordinates or form.unit_norm:
        raise SettingError(
            f"several maps have coordinates, and the form is {form!r}: leave form and unit_norm "
            "out.",
            setting="form",
        )
    if not choice.one_of_many or choice.reads != "squared":
        raise SettingError(
            f"{type(model).__name__} gives no similarity to add over maps: take STE, TSTE or CKL.",
            setting="estimator",
        )


def _form(model: OrdinalEmbedding, maps: Floats, split: NDArray[np.bool_]) -> SeveralMaps:
    of_one = Coordinates(extent=model.extent_)
    return SeveralMaps(of_one, len(maps), model.choice_, model.penalty_, split)


@dataclass(frozen=True)
class Placed:
    """Items at places in several maps, and the losses of answers if one of them is elsewhere."""

    form: SeveralMaps
    params: Floats
    data: list[Batch]
    loss: float
    converged: bool

    @cached_property
    def parts(self) -> tuple[Floats, Floats]:
        """The maps (M, n, d), and the log weights of items in them (n, M)."""
        maps, logs = self.form.tied(self.params)
        return maps, log_softmax(logs, axis=1)

    @cached_property
    def places(self) -> Floats:
        """All places of items, (C, d). The first n are those in the first map."""
        maps = self.parts[0]
        return np.concatenate([maps[0], *(X[self.form.split] for X in maps[1:])])

    @cached_property
    def in_maps(self) -> Floats:
        """Log similarities of an item at each place with others in each map, (M, C, n).

        The item has equal weights in all maps.
        """
        maps, logs = self.parts
        squares = ((self.places[:, None] - maps[:, None]) ** 2).sum(axis=3)
        s: Floats = self.form.choice.log_similarity(squares)
        return s + logs.T[:, None] - np.log(len(maps))

    @cached_property
    def similarity(self) -> Floats:
        """Log similarities of all pairs, (n, n)."""
        return np.asarray(self.form.choice.log_similarity(self.form.expand(self.params)))

    def losses(self, item: int, rows: Floats) -> Floats:
        """Return the loss of the answers about an item, for each row of similarities (K, n)."""
        total = np.zeros(len(rows))
        for batch in self.data:
            a, b = np.array(batch.pairs).swapaxes(0, 1)  # (P, m) each
            about = ((a == item) | (b == item)).any(axis=0)
            a, b = a[:, about], b[:, about]
            log_s = np.repeat(self.similarity[a, b][None], len(rows), axis=0)
            at, answer = np.nonzero((a == item) | (b == item))
            others = np.where(a == item, b, a)[at, answer]
            log_s[:, at, answer] = rows[:, others]
            of_options = log_s[:, batch.layout.members].mean(axis=2)
            loss = logsumexp(of_options, axis=1) - of_options[:, 0]
            total += loss @ batch.weight[about] if batch.weight.size else loss.sum(axis=1)
        return total

    def gain(self, item: int, loss: float) -> float:
        """Return by how much a loss is below that of the best single place."""
        return float(self.losses(item, logsumexp(self.in_maps, axis=0)).min() - loss)

    @property
    def gains(self) -> Floats:
        """The gain of the items with several places, (n,); 0 for others."""
        gains = np.zeros(len(self.form.split))
        for item in np.flatnonzero(self.form.split).tolist():
            now = self.losses(item, self.similarity[[item]])[0]
            gains[item] = self.gain(item, float(now))
        return gains

    @cached_property
    def spread(self) -> list[int]:
        """The numbers of places that are far from each other."""
        return spread_out(self.places, min(SPREAD, len(self.places)))

    def best(self, item: int) -> tuple[float, Floats]:
        """Return the gain of the best places in all maps, and these places (M, d)."""
        near, n_maps = self.in_maps, len(self.in_maps)
        first = logsumexp(np.delete(near, 1, axis=0)[:, self.spread], axis=0)
        pairs = np.logaddexp(first[:, None], near[1]).reshape(-1, near.shape[2])
        losses = self.losses(item, pairs)
        start, second = divmod(int(losses.argmin()), len(self.places))
        at = np.full(n_maps, self.spread[start])
        at[1], least = second, float(losses.min())
        for sweep in range(SWEEPS * n_maps):
            m = sweep % n_maps
            others = np.delete(near[np.arange(n_maps), at], m, axis=0)
            losses = self.losses(item, np.logaddexp(logsumexp(others, axis=0), near[m]))
            at[m], least = int(losses.argmin()), float(losses.min())
        return self.gain(item, least), self.places[at]

    def divided(self, cost: float) -> Self:
        """Give several places to items whose gain is above half of the cost."""
        maps, logs = (part.copy() for part in self.parts)
        split = self.form.split.copy()
        for item in np.flatnonzero(~split).tolist():
            gain, places = self.best(item)
            if gain > cost / 2:
                split[item], maps[:, item] = True, places
        if (split == self.form.split).all():
            return self
        return replace(self, form=self.form.of(split), params=self.form.joined(maps, logs))

    def descended(self) -> Self:
        """Fit all places and weights together."""
        objective = Objective(self.data, self.form.choice, self.form, 1.0)
        solution = descend(objective, self.params, MAX_ITER, TOL, None)
        if solution.interrupted:
            raise KeyboardInterrupt
        loss, converged = solution.loss, solution.converged
        return replace(self, params=solution.x, loss=loss, converged=converged)

    def merged(self, cost: float) -> Self:
        """Give one place to items whose gain is below the cost, the least gain first."""
        fit = self
        while fit.form.split.any():
            gains = np.where(fit.form.split, fit.gains, np.inf)
            least = int(gains.argmin())
            if gains[least] >= cost:
                break
            split = fit.form.split.copy()
            split[least] = False
            fit = replace(fit, form=fit.form.of(split)).descended()
        return fit
