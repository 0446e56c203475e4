"""Estimate the uncertainty of a map of features, and the posterior of positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel, Softmax
from resemblance.errors import SettingError, quiet
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.laplace import (
    Covariance,
    Noise,
    PositionUncertainty,
    effective_penalty,
    refuse_without_likelihood,
    turns_of,
)
from resemblance.forms import FeaturePrior
from resemblance.judgments import Confusions, Judgments, as_judgments, of_kind
from resemblance.notebook import Card, Shown
from resemblance.progress import Steps, Told

ROWS = 2048  # number of pairs whose derivatives are computed at a time
LEAST_PRIOR = 1e-8  # minimum prior precision, so that the information matrix is invertible


class MapUncertainty:
    r"""The covariance of a map, or of free positions, given confusions (Laplace approximation).

    .. math:: \Sigma = \Big( 2 \mu I + \sum_{ij} n_{ij} \frac{p'(d_{ij})^2}{p (1 - p)}
       \nabla d_{ij} \nabla d_{ij}' \Big)^{-1}

    where d_ij is the distance that the choice model uses, p(d) the probability of an error, n_ij
    the number of trials, and mu the penalty. Gradients are with respect to the parameters B of the
    map, where positions are Phi B (:class:`~resemblance.forms.FeatureMap`); free positions are B.
    Rotations of the space, which do not change distances, are left out.

    Parameters
    ----------
    model : OrdinalEmbedding
        A fitted model, such as :class:`~resemblance.Yada`.
    confusions : Confusions
        The judgments that the model was fitted to.

    Raises
    ------
    SettingError
        If the choice model has no probability of errors, or the map is a FeaturePrior.
        :meth:`standard_errors` raises it if the model has no map.

    Examples
    --------
    >>> import resemblance as rs
    >>> x = np.linspace(-1, 1, 6)[:, None]
    >>> pairs = np.column_stack(np.triu_indices(6, 1))
    >>> counts = [rs.Confusions(pairs, [k * 2] * 15, k * 10, rs.Items(features=x)) for k in (1, 9)]
    >>> few, many = (MapUncertainty(rs.Yada(1).fit(c), c) for c in counts)
    >>> bool((many.standard_errors(x) < few.standard_errors(x)).all())
    True
    """

    def __init__(self, model: OrdinalEmbedding, confusions: Confusions) -> None:
        of_kind(confusions, Confusions, "the uncertainty of a map", error=SettingError)
        self.model, self.choice = model, model.choice_
        self._design, self._components, penalty = _linear_parts(model)
        self.prior = max(2.0 * penalty, LEAST_PRIOR)
        size = self._components.size
        H = self.prior * np.eye(size)
        for first in range(0, len(confusions), ROWS):
            part = confusions[first : first + ROWS]
            J = self.information_rows(part.index, part.trials)
            H += J.T @ J
        self.covariance = np.asarray(cho_solve(cho_factor(H), np.eye(size)))

    def information_rows(self, pairs: ArrayLike, trials: ArrayLike = 1) -> Floats:
        """Return J (m, q p) for trials of pairs (m, 2); J'J is the Fisher information."""
        choice = self.model.choice_
        gradient, d = self._gradients(np.asarray(pairs), plain=choice.reads == "plain")
        p, slope = choice.error_probability(d), choice.error_slope(d)
        worth = slope**2 / np.maximum(p * (1.0 - p), 1e-300)
        return np.asarray(gradient * np.sqrt(np.asarray(trials) * worth)[:, None])

    def distance_rows(self, pairs: ArrayLike) -> Floats:
        """Return the gradients of the Euclidean distances of pairs (m, 2), (m, q p)."""
        return self._gradients(np.asarray(pairs), plain=True)[0]

    def distances(self, pairs: ArrayLike) -> tuple[Floats, Floats]:
        """Return the distances of pairs and their standard errors, (m,) each.

        ``pairs`` is indices of items (m, 2), or features (m, 2, d) of any stimuli, which need a
        map.
        """
        gradient, distance = self._gradients(np.asarray(pairs), plain=True)
        variance = np.einsum("ij,jk,ik->i", gradient, self.covariance, gradient, optimize=True)
        return distance, np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    def standard_errors(self, features: ArrayLike) -> Floats:
        """Return standard errors (m, p) of positions from their centroid; features are (m, d)."""
        self.model._check_maps()
        form, (q, p) = self.model.form_, self.model.components_.shape
        at = form.describe(features) - form.design.mean(axis=0)
        turns = self._turns()
        held = self.covariance - turns @ turns.T / self.prior
        blocks = held.reshape(q, p, q, p)
        variance = np.einsum("mq,qkrk,mr->mk", at, blocks, at, optimize=True)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    def _gradients(self, pairs: NDArray[Any], plain: bool) -> tuple[Floats, Floats]:
        gap = self._described(pairs[:, 0]) - self._described(pairs[:, 1])
        z = gap @ self._components
        squared = (z**2).sum(axis=1)
        root = np.sqrt(np.maximum(squared, 1e-24))
        along = z / root[:, None] if plain else 2.0 * z
        gradient = (gap[:, :, None] * along[:, None, :]).reshape(len(pairs), -1)
        return gradient, root if plain else squared

    def _described(self, items: NDArray[Any]) -> Floats:
        if items.ndim == 1:
            return self._design[items]
        self.model._check_maps()
        return np.asarray(self.model.form_.describe(items))

    def _turns(self) -> Floats:
        """Return an orthonormal basis of the changes of B that only rotate the space."""
        B = self._components
        return np.linalg.qr(np.reshape(turns_of(B), (-1, B.size)).T)[0]


def _linear_parts(model: OrdinalEmbedding) -> tuple[Floats, Floats, float]:
    """Return Phi, B and the penalty of B. Positions are Phi B; without a map, Phi is I."""
    if "components_" not in vars(model) and "embedding_" in vars(model):
        return np.eye(len(model.embedding_)), model.embedding_, effective_penalty(model)
    model._check_maps()
    if isinstance(model.form_, FeaturePrior):
        raise SettingError(
            "only maps have this uncertainty, and a FeaturePrior adds a deviation of each "
            "item: fit a forms.LinearMap or forms.KernelMap.",
            setting="form",
        )
    return model.form_.design, model.components_, model._penalty(model.form_)


PENALTIES = tuple(np.geomspace(3.0, 0.03, 9))
LAPSES = (0.003, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3)
FEW_LAPSES = (1.5, 20.0)  # Beta prior of the lapse rate, as in estimate_noise
ROUNDS = 4  # number of EM rounds for each spread and lapse rate
LEAST_WEIGHT = 1e-3


@dataclass(frozen=True)
class NormalPosterior:
    """A normal distribution of positions, given their spread and the lapse rate.

    Attributes
    ----------
    points : array (n_items, d)
        The most probable positions.
    choice, noise
        The choice model, and the noise with the share of lapses.
    penalty : float
        1 / (2 s^2), where s is the spread of a coordinate.
    log_evidence : float
        The log marginal likelihood of the answers, in nats.
    uncertainty : PositionUncertainty
        The covariance of the positions.
    """

    points: Floats
    choice: ChoiceModel
    penalty: float
    noise: Noise
    log_evidence: float
    uncertainty: PositionUncertainty

    def sample(self, rng: np.random.Generator) -> Floats:
        """Draw positions from the distribution, (n_items, d)."""
        step = self._root @ rng.normal(size=self.points.size)
        return np.asarray(self.points + step.reshape(self.points.shape))

    @cached_property
    def _root(self) -> Covariance:
        return self.uncertainty.root()


@dataclass(frozen=True)
class SpacePosterior(Shown):
    r"""The posterior of positions, if spread, lapse rate and choice model are unknown.

    Attributes
    ----------
    parts : tuple of NormalPosterior
        A posterior for each plausible choice model, number of dimensions, spread and lapse rate,
        most probable first.
    weight : array (len(parts),)
        The probability of each part.

    Examples
    --------
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> person = rs.SpaceObserver(2 * rng.normal(size=(8, 2)), random_state=0)
    >>> questions = [rng.choice(8, 3, replace=False) for _ in range(300)]
    >>> points, part = space_posterior(person.answer(questions)).sample(rng)
    >>> points.shape
    (8, 2)
    """

    parts: tuple[NormalPosterior, ...]
    weight: Floats

    @property
    def points(self) -> Floats:
        """The positions of the most probable part, (n_items, d)."""
        return self.parts[0].points

    @property
    def lapse(self) -> float:
        """The expected share of lapses."""
        return float(sum(w * p.noise.lapse for w, p in zip(self.weight, self.parts, strict=True)))

    def _card(self) -> Card:
        shape = self.points.shape
        facts = {"parts": len(self.parts), "items": shape[0], "dimensions": shape[1]}
        return Card("SpacePosterior", {**facts, "expected share of lapses": self.lapse})

    def sample(self, rng: np.random.Generator) -> tuple[Floats, NormalPosterior]:
        """Draw a part, and positions (n_items, d) from it; return both."""
        part = self.parts[rng.choice(len(self.parts), p=self.weight)]
        return part.sample(rng), part


def space_posterior(
    judgments: Judgments,
    n_components: int | None = 2,
    choices: Sequence[ChoiceModel] = (Softmax(),),
    *,
    callback: Told | None = None,
) -> SpacePosterior:
    r"""Estimate positions, their uncertainty and spread, and the lapse rate from answers.

    .. math:: \log Z(s, \lambda) = \ell(\hat X) + \log p(\lambda)
       - \frac{\lVert \hat X \rVert^2}{2 s^2} - n d \log s + \frac{1}{2} \log \lvert \Sigma \rvert

    The prior of coordinates is N(0, s^2), and that of the lapse rate lambda is Beta(1.5, 20). For
    each s and lambda of a grid, the n x d positions X are fitted by expectation maximisation: each
    answer is weighted by its probability of no lapse. The likelihood l is then integrated over the
    positions by Laplace's approximation, with their covariance Sigma. The most likely lapse rate at
    the fitted positions would be far too low, because positions overfit random answers; the
    evidence Z corrects for this (MacKay 1992, Bayesian interpolation, Neural Computation 4).

    Parameters
    ----------
    judgments : Judgments
        The answers. A few dozen items need a few hundred. Weights are numbers of repeats.
    n_components : int, optional
        The number of dimensions; None averages over 1 to 4, weighted by evidence.
    choices : sequence of ChoiceModel
        Likelihoods to average over, weighted by evidence. Softmax alone predicted answers of
        simulated Student-t people better than averaging softmax and Student-t.
    callback : callable, optional
        Called with (steps done, total number of steps), where a step is one lapse rate of one
        number of dimensions.

    Raises
    ------
    SettingError
        For a choice model without a likelihood, or fewer than two answers.

    Examples
    --------
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> person = rs.SpaceObserver(2 * rng.normal(size=(6, 2)), lapse=0.2, random_state=0)
    >>> questions = [rng.choice(6, 3, replace=False) for _ in range(1000)]
    >>> round(space_posterior(person.answer(questions)).lapse, 1)
    0.2
    """
    judgments = as_judgments(judgments)
    if isinstance(choices, ChoiceModel) or not len(choices):
        raise SettingError(f"choices is {choices!r}: give a list of one choice model or more.")
    for choice in choices:
        refuse_without_likelihood(choice)
    if len(judgments) < 2:
        raise SettingError(f"{len(judgments)} answers are too few for a space: give some hundreds.")
    answers = judgments if judgments.weight is None else judgments.expand_repeats()
    most = min(4, judgments.n_items - 1)
    dims = range(1, most + 1) if n_components is None else [n_components]
    grid = list(product(choices, dims, LAPSES))
    parts: list[NormalPosterior] = []
    for choice, d, lapse in Steps(callback, len(grid)).each(grid):
        parts += _at_lapse(answers, d, choice, lapse)
    parts.sort(key=lambda part: -part.log_evidence)
    weight = np.exp([part.log_evidence - parts[0].log_evidence for part in parts])
    kept = int((weight > LEAST_WEIGHT).sum())
    return SpacePosterior(tuple(parts[:kept]), weight[:kept] / weight[:kept].sum())


def _at_lapse(
    judgments: Judgments, n_components: int, choice: ChoiceModel, lapse: float
) -> Iterator[NormalPosterior]:
    asked = judgments.comparisons()
    noise, real, (a, b) = Noise(lapse=lapse), np.ones(len(judgments)), FEW_LAPSES
    before = (a - 1.0) * np.log(lapse) + (b - 1.0) * np.log1p(-lapse)
    model = OrdinalEmbedding(choice, n_components, tol=1e-5, random_state=0)
    for penalty in PENALTIES:
        for _ in range(ROUNDS):
            model.set_params(penalty=penalty, warm_start=hasattr(model, "embedding_"))
            with quiet():  # the next round continues a fit that has not converged
                p = model.fit(judgments._with(weight=real)).predict_proba(judgments)
            answered = np.maximum(noise.apply(p)[:, 0], 1e-300)
            real = (1.0 - lapse) * p[:, 0] / answered
        X = model.embedding_
        belief = PositionUncertainty(X, choice, asked, noise=noise, prior=2.0 * penalty)
        evidence = np.log(answered).sum() + before - penalty * (X**2).sum()
        evidence += 0.5 * X.size * np.log(2.0 * penalty) + 0.5 * belief.log_determinant()
        yield NormalPosterior(X, choice, float(penalty), noise, float(evidence), belief)
