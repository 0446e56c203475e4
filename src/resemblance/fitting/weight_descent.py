"""Fit positions jointly with each person's weights of the dimensions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Self

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import SettingError
from resemblance.fitting.answers import probabilities
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.objective.descent import descend
from resemblance.fitting.objective.objective import Batch, Objective, batches
from resemblance.forms import READS, Form, Gram, Individual, Known, Stretched
from resemblance.judgments import Judgments
from resemblance.scores import weighted_mean

MAX_ITER, TOL = 200, 1e-5
CLARITIES = 2.0 ** np.arange(-3.0, 2.01, 0.5)  # candidates for the factor on squared distances
SPREAD = 1.0  # prior standard deviation of log clarities
LAPSES = 0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9
MEAN_LAPSE = 0.1  # prior mean of the lapse rate


@dataclass(frozen=True)
class Weighed:
    """A space, and people's log weights ``v`` (G, d) of its dimensions."""

    form: Form
    penalty: float
    choice: ChoiceModel
    params: Floats
    v: Floats
    clarity: float
    scale: float = 1.0  # scale of inner products after the fit
    loss: float = np.inf  # objective at the end of the last descent

    @classmethod
    def shared(cls, model: OrdinalEmbedding, n_people: int, clarity: float) -> Self:
        form = getattr(model, "form_", None) or model._form()
        if isinstance(form, Gram):
            raise SettingError(
                "a Gram matrix has no dimensions to weigh: take coordinates", setting="form"
            )
        features = model.items_.features
        form = form.bound(features, model.penalty_)
        v, scale = np.zeros((n_people, model.embedding_.shape[1])), getattr(model, "scale_", 1.0)
        params = form.start(model.embedding_ / np.sqrt(scale))
        return cls(form, model.penalty_, model.choice_, params, v, clarity, scale)

    @classmethod
    def kept(cls, form: Known, choice: ChoiceModel, n_people: int, clarity: float) -> Self:
        """Start from fixed positions.

        With the form ``Stretched``, the positions were fitted to other people, and the crowd has
        weights too. Otherwise personal weights would include the difference between those people
        and these.
        """
        v = np.zeros((n_people, form.points.shape[1]))
        return cls(form, 0.0, choice, form.start(form.points), v, clarity)

    @property
    def weights(self) -> Floats:
        crowd = self.params if isinstance(self.form, Stretched) else 0.0
        return np.exp(self.v + crowd)

    @property
    def points(self) -> Floats:
        """The positions (n_items, d). Fitted positions are centred, except for inner products."""
        if isinstance(self.form, Known):
            return self.form.points
        X = self.form.expand(self.params) * np.sqrt(self.scale)
        return X if self.choice.reads == "inner" else X - X.mean(axis=0)

    def of_crowd(self, answers: Judgments) -> Self:
        """Fit the space as if all answers were from one person, as a baseline."""
        nobody = np.zeros(len(answers), dtype=np.intp)
        crowd = replace(self, v=self.v[:1]).descended(answers, nobody, 1.0, 1.0)
        return replace(self, params=crowd.params)

    def descended(
        self,
        answers: Judgments,
        who: NDArray[np.intp],
        strength: float,
        of_clarity: float,
        even: bool = False,
    ) -> Self:
        """Fit space and weights together, with the given strengths of the priors of weights.

        ``of_clarity`` is limited to ``strength``. With ``even``, the weights of a person are equal.
        """
        shape = len(self.form.expand(self.params)), len(self.v)
        weaker = self.clarity * min(strength, of_clarity)
        form = Individual(self.form, shape, self.penalty, strength, weaker, even)
        start = np.concatenate([self.params, self.v])
        objective = Objective(seen_by(form, answers, who), self.choice, form, 1.0)
        solution = descend(objective, start, MAX_ITER, TOL, None)
        if solution.interrupted:
            raise KeyboardInterrupt
        params, v = form.parts(solution.x)
        return replace(self, params=params, v=v - v.mean(axis=0), loss=solution.loss)

    def turned(self, n: int, rng: np.random.RandomState) -> list[Self]:
        """Return this start with n random rotations of the axes; empty if axes are fixed.

        Answers do not determine the axes of a space without weights, but a descent in weights stays
        near the axes of its start.
        """
        d = self.v.shape[1]
        if not self.form.turns or d < 2:
            return []
        axes = [np.linalg.qr(rng.normal(size=(d, d)))[0] for _ in range(n)]
        return [replace(self, params=self.params @ Q) for Q in axes]

    def losses(self, answers: Judgments, who: NDArray[np.intp]) -> Floats:
        p = weighed_probabilities(self.points, self.weights, self.choice, answers, who)
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log(p[:, 0]))


@dataclass
class WeighedFold:
    """Fits to the training rows of a fold with falling strengths, and losses on test rows."""

    first: Weighed
    answers: Judgments
    rows: tuple[NDArray[np.intp], NDArray[np.intp]]
    who: NDArray[np.intp]
    even: bool = False
    of_clarity: float = np.inf  # upper limit of the strength for clarity

    def __post_init__(self) -> None:
        self.fit = self.first

    @property
    def shared(self) -> Floats:
        return self._losses(self.first)

    def next(self, strength: float) -> Floats:
        train = self.rows[0]
        answers, who = self.answers[train], self.who[train]
        self.fit = self.fit.descended(answers, who, strength, self.of_clarity, self.even)
        return self._losses(self.fit)

    def mean(self, losses: Floats) -> float:
        return float(weighted_mean(losses, self.answers.weights[self.rows[1]]))

    def _losses(self, fit: Weighed) -> Floats:
        test = self.rows[1]
        return fit.losses(self.answers[test], self.who[test])


def seen_by(form: Individual, answers: Judgments, who: NDArray[np.intp]) -> list[Batch]:
    return [
        replace(batch, pairs=[form.pairs_of(pair, who[compared.rows]) for pair in batch.pairs])
        for batch, compared in zip(batches(answers), answers.comparisons(), strict=True)
    ]


def weighed_probabilities(
    points: Floats,
    weights: Floats,
    choice: ChoiceModel,
    answers: Judgments,
    who: NDArray[np.intp],
) -> Floats:
    shape, reads = (len(points), len(weights)), READS[choice.reads]
    form = Individual(Known(points), shape, 0.0, 0.0, 0.0)
    state = np.concatenate([points, weights])
    return probabilities(
        answers,
        choice,
        lambda compared, pair, out: form.distances(
            state, *form.pairs_of(pair, who[compared.rows]), reads, out
        ),
    )


@dataclass(frozen=True)
class ResponseNoise:
    r"""Noise of each person's answers.

    .. math:: P_r = (1 - \lambda_g) \, p_r(\beta_g d) + \lambda_g \, q_g(r)

    p_r is the probability of response r in the choice model. The clarity beta of person g
    multiplies squared distances or inner products d, and lambda is the lapse rate. In a lapse, the
    response has probability q: equal for all options, or 1 for the options on one side of the
    screen.
    """

    clarity: Floats  # (G,), beta
    lapses: Floats  # (m,), lambda of each answer's person
    guesses: Floats  # (m,), probability of each given answer in a lapse

    @classmethod
    def of(
        cls, points: Floats, choice: ChoiceModel, answers: Judgments, who: NDArray[np.intp]
    ) -> Self:
        n_people = int(who.max()) + 1
        best, clarity = np.full(n_people, -np.inf), np.ones(n_people)
        lapses, guesses = np.zeros(len(answers)), np.zeros(len(answers))
        for beta in CLARITIES:
            weights = np.full((n_people, points.shape[1]), beta)
            p = weighed_probabilities(points, weights, choice, answers, who)[:, 0]
            for lapse, guess in product(LAPSES, _guesses(answers)):
                with np.errstate(divide="ignore"):
                    logs = np.log((1.0 - lapse) * p + lapse * guess) * answers.weights
                prior = -0.5 * (np.log(beta) / SPREAD) ** 2 - lapse / MEAN_LAPSE
                total = np.bincount(who, logs, n_people) + prior
                better = total > best
                best[better], clarity[better] = total[better], beta
                lapses[better[who]] = lapse
                guesses = np.where(better[who], guess, guesses)
        return cls(clarity, lapses, guesses)

    def attended(
        self,
        points: Floats,
        weights: Floats,
        choice: ChoiceModel,
        answers: Judgments,
        who: NDArray[np.intp],
    ) -> Floats:
        """Return the probability that each answer was no lapse, (m,), given people's weights."""
        p = weighed_probabilities(points, weights, choice, answers, who)[:, 0]
        attended = (1.0 - self.lapses) * p
        either = attended + self.lapses * self.guesses
        return np.divide(attended, either, out=np.ones_like(p), where=either > 0)


def _guesses(answers: Judgments) -> list[Floats]:
    options = answers.answers_possible()
    even = 1.0 / options
    side = np.asarray(answers.extra.get("side", []))
    if not (side.size and np.issubdtype(side.dtype, np.number)):
        return [even]
    is_known = (side >= 0) & (side < options)
    sides = np.unique(side[is_known])
    return [even, *(np.where(is_known, side == number, even) for number in sides)]
