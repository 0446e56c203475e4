"""Posterior of a space: positions, their uncertainty, spread and lapses together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel, Softmax
from resemblance.errors import SettingError, quiet
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.laplace import (
    Covariance,
    Noise,
    PositionUncertainty,
    refuse_without_likelihood,
)
from resemblance.judgments import Judgments, as_judgments
from resemblance.notebook import Card, Shown
from resemblance.progress import Steps, Told

PENALTIES = tuple(np.geomspace(3.0, 0.03, 9))
LAPSES = (0.003, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3)
FEW_LAPSES = (1.5, 20.0)  # the Beta density of the lapse, as in estimate_noise
ROUNDS = 4  # rounds of weighing and fitting, at each spread and lapse
LEAST_WEIGHT = 1e-3


@dataclass(frozen=True)
class NormalPosterior:
    """The posterior of spaces under one spread and lapse: a normal distribution.

    Attributes
    ----------
    points : array (n_items, d)
        The most probable positions.
    choice : ChoiceModel
        The choice model.
    penalty : float
        1 / (2 s^2), where s is the spread of a coordinate.
    noise : Noise
        The share of lapses.
    log_evidence : float
        The log probability of the answers, positions integrated out, in nats.
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
        """Draw positions (n_items, d)."""
        step = self._root @ rng.normal(size=self.points.size)
        return np.asarray(self.points + step.reshape(self.points.shape))

    @cached_property
    def _root(self) -> Covariance:
        return self.uncertainty.root()


@dataclass(frozen=True)
class SpacePosterior(Shown):
    r"""The posterior of spaces, with unknown spread, lapses and choice model.

    Attributes
    ----------
    parts : tuple of NormalPosterior
        One for each choice model, number of dimensions, spread and lapse that the answers allow,
        the most probable one first.
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
        """The most probable positions, (n_items, d)."""
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
        """Draw positions (n_items, d), and the part that they come from."""
        part = self.parts[rng.choice(len(self.parts), p=self.weight)]
        return part.sample(rng), part


def space_posterior(
    judgments: Judgments,
    n_components: int | None = 2,
    choices: Sequence[ChoiceModel] = (Softmax(),),
    *,
    callback: Told | None = None,
) -> SpacePosterior:
    r"""Estimate positions, their uncertainty and spread, and the lapses from answers alone.

    .. math:: \log Z(s, \lambda) = \ell(\hat X) + \log p(\lambda)
       - \frac{\lVert \hat X \rVert^2}{2 s^2} - n d \log s + \frac{1}{2} \log \lvert \Sigma \rvert

    Coordinates are N(0, s^2), and a share lambda of answers is by chance: Beta(1.5, 20) before any
    answer. On a grid of s and lambda the positions are fitted (expectation maximisation: each
    answer weighs as much as it is likely to be no lapse) and integrated out by Laplace's
    approximation. The lapse that is most likely at the fitted positions is far too low, because
    positions give way to answers by chance; the evidence Z counts that.

    Parameters
    ----------
    judgments : Judgments
        The answers; some hundreds at least for a few dozen items. Weights count repeats.
    n_components : int, optional
        The number of dimensions; None weighs 1 to 4 by their evidence.
    choices : sequence of ChoiceModel
        Likelihoods, weighed by their evidence too. Softmax alone foretold studies of Student-t
        people better than both did: the evidence of heavy tails comes with too little spread.
    callback : callable, optional
        Called with (lapses done, lapses in all) after each lapse of each number of dimensions.

    Returns
    -------
    SpacePosterior

    Raises
    ------
    SettingError
        For a choice model without a likelihood, or fewer than two answers.

    References
    ----------
    MacKay (1992), Bayesian interpolation, Neural Computation 4: the evidence.

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
    """Fit positions for each spread, from those of the last one, and integrate."""
    asked = judgments.comparisons()
    noise, real, (a, b) = Noise(lapse=lapse), np.ones(len(judgments)), FEW_LAPSES
    before = (a - 1.0) * np.log(lapse) + (b - 1.0) * np.log1p(-lapse)
    model = OrdinalEmbedding(choice, n_components, tol=1e-5, random_state=0)
    for penalty in PENALTIES:
        for _ in range(ROUNDS):
            model.set_params(penalty=penalty, warm_start=hasattr(model, "embedding_"))
            with quiet():  # the next round continues an unfinished one
                p = model.fit(judgments._with(weight=real)).predict_proba(judgments)
            answered = np.maximum(noise.apply(p)[:, 0], 1e-300)
            real = (1.0 - lapse) * p[:, 0] / answered
        X = model.embedding_
        belief = PositionUncertainty(X, choice, asked, noise=noise, prior=2.0 * penalty)
        evidence = np.log(answered).sum() + before - penalty * (X**2).sum()
        evidence += 0.5 * X.size * np.log(2.0 * penalty) + 0.5 * belief.log_determinant()
        yield NormalPosterior(X, choice, float(penalty), noise, float(evidence), belief)
