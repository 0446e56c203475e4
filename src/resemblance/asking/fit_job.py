"""Run a fit of a session, and reduce the share of adaptive strategies that do not help."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from resemblance.analysis import compare_models
from resemblance.arrays import Floats
from resemblance.errors import quiet
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.averaging import estimate_noise
from resemblance.fitting.laplace import (
    MAX_PARAMETERS,
    ItemUncertainty,
    Noise,
    effective_penalty,
)
from resemblance.judgments import Comparison, Judgments, join_judgments

FRESH_EVERY = 5  # every fifth fit also starts from scratch, to escape local minima
ENOUGH = 30  # minimum number of held-out answers for an estimate of noise
WINDOW = 5  # the held-out loss is compared with the loss of this many fits ago
JUDGED = 40  # minimum number of held-out answers for a comparison of fits
STEP = 0.25  # change of the trust in adaptive strategies at each fit
# number of answers when models are first compared; factor of growth until the next comparison
COMPARED, GROWN = 100, 1.25
LEAST_CLICKS = 100  # number of clicks when the weight of clicks is first chosen
CLICK_WEIGHTS = 0.25, 1.0  # candidates for the weight of a click, besides 0
CLEARLY = 2.0  # clicks must lower the held-out loss by this many standard errors


@dataclass(frozen=True)
class ModelChoice:
    """The chosen model of a session, and the cross-validated log loss of each candidate."""

    name: str
    log_losses: Mapping[str, float] = field(default_factory=dict)
    told: int = 0


@dataclass(frozen=True)
class ClickWeight:
    """The weight of a click, relative to an answer; number of clicks when the weight was chosen."""

    weight: float = 0.0
    told: int = 0


@dataclass(frozen=True)
class FitResult:
    model: OrdinalEmbedding
    noise: Noise  # estimated from the held-out answers
    n_answers: int  # number of answers at the start of the fit, with skips and held-out answers
    held_out_loss: Floats  # -log P of each held-out answer, in nats
    chosen: ModelChoice | None = None
    sure: ItemUncertainty | None = None  # computed only for many items
    clicks: ClickWeight = ClickWeight()

    @property
    def settings(self) -> dict[str, Any]:
        return self.model.chosen_ if hasattr(self.model, "penalty_") else {}


class Tested(NamedTuple):
    model: OrdinalEmbedding
    noise: Noise
    loss: Floats  # -log P of each held-out answer


@dataclass(frozen=True)
class FitJob:
    """The input of a fit.

    Clicks in searches are fitted together with the answers, with the weight that has the lowest
    loss on held-out answers, or 0 if clicks do not clearly lower this loss. The maps that visitors
    searched were not fitted to held-out answers, so random clicks cannot predict these.
    """

    model: OrdinalEmbedding
    judgments: Judgments
    held_out: Judgments
    positions: Floats | None
    number: int
    n_answers: int
    chosen: ModelChoice | None = None  # model that the previous fit chose
    models: Mapping[str, OrdinalEmbedding] = field(default_factory=dict)  # candidate models
    clicks: Judgments | None = None
    weighed: ClickWeight = ClickWeight()  # weight of clicks in the previous fit

    def run(self) -> FitResult:
        """Fit from the previous positions or from scratch, or return the better of both fits."""
        chosen = self._choose()
        model = self.model if chosen is None else self.models.get(chosen.name, self.model)
        weighed, (best, noise, loss) = self._weigh(model)
        sure = None
        if is_large(best):
            sure = learned(best, noise, *self.judgments.comparisons())
        return FitResult(best, noise, self.n_answers, loss, chosen, sure, weighed)

    def _choose(self) -> ModelChoice | None:
        before = 0 if self.chosen is None else self.chosen.told
        few = len(self.judgments) < COMPARED or self.n_answers < GROWN * before
        if len(self.models) < 2 or few:
            return self.chosen
        comparison = compare_models(self.judgments, self.models)
        losses = dict(zip(comparison.names, comparison.log_loss.tolist(), strict=True))
        return ModelChoice(comparison.chosen, losses, self.n_answers)

    def _weigh(self, model: OrdinalEmbedding) -> tuple[ClickWeight, Tested]:
        if self.clicks is None:
            return ClickWeight(), self._tested(model, 0.0)
        if not weighs_anew(self.clicks, self.held_out, self.weighed):
            return self.weighed, self._tested(model, self.weighed.weight)
        best, weight = self._tested(model, 0.0), 0.0
        alone = best.loss
        for tried in CLICK_WEIGHTS:
            tested = self._tested(model, tried)
            gain = alone - tested.loss
            error = gain.std(ddof=1) / np.sqrt(len(gain))
            if gain.mean() > CLEARLY * error and tested.loss.mean() < best.loss.mean():
                best, weight = tested, tried
        return ClickWeight(weight, len(self.clicks)), best

    def _tested(self, model: OrdinalEmbedding, weight: float) -> Tested:
        judgments = self.judgments
        if self.clicks is not None and weight:
            clicks = self.clicks.weighted(np.full(len(self.clicks), weight))
            judgments = join_judgments([judgments, clicks])
        fitted = self._fit(model, judgments)
        noise, loss = Noise(), np.empty(0)
        if len(self.held_out) and fitted.choice_.one_of_many:
            if len(self.held_out) >= ENOUGH:
                noise = estimate_noise(fitted, self.held_out)
            p = noise.apply(fitted.predict_proba(self.held_out))[:, 0]
            loss = -np.log(np.maximum(p, 1e-300))
        return Tested(fitted, noise, loss)

    def _fit(self, model: OrdinalEmbedding, judgments: Judgments) -> OrdinalEmbedding:
        fits: list[OrdinalEmbedding] = []
        # Without earlier positions, or if all positions are equal, the fit starts from scratch.
        first = self.positions is None or not self.positions.any()
        many = self.positions is not None and self.positions.size > MAX_PARAMETERS
        if first or many or is_fresh(self.number, model):
            fits.append(quiet_fit(model, judgments))
            model = clone(model).set_params(**fits[0].chosen_)  # replaces "auto" by chosen values
        if not first:
            fits.append(quiet_fit(model, judgments, init=self.positions))
        return min(fits, key=lambda model: model.loss_)


def is_fresh(number: int, model: OrdinalEmbedding) -> bool:
    """Return whether a fit starts from scratch, and chooses model and penalty again.

    Every fifth fit does. If the share of features is chosen by the fit, the first five fits do too,
    because a choice from few answers may be wrong.
    """
    early = number < FRESH_EVERY and getattr(model.form, "is_open", False)
    return early or number % FRESH_EVERY == 0


def weighs_anew(clicks: Judgments, held_out: Judgments, weighed: ClickWeight) -> bool:
    return len(held_out) >= ENOUGH and len(clicks) >= max(LEAST_CLICKS, GROWN * weighed.told)


def is_large(model: OrdinalEmbedding) -> bool:
    return model.embedding_.size > MAX_PARAMETERS and model.choice_.one_of_many


def learned(model: OrdinalEmbedding, noise: Noise, *answered: Comparison) -> ItemUncertainty:
    prior = 2.0 * effective_penalty(model) or None
    sure = ItemUncertainty(model.embedding_, model.choice_, noise=noise, prior=prior)
    for questions in answered:
        sure.learn(questions)
    return sure


def quiet_fit(model: OrdinalEmbedding, judgments: Judgments, **changes: Any) -> OrdinalEmbedding:
    settings = {**model.get_params(deep=False), **changes}
    with quiet():
        return type(model)(**settings).fit(judgments)


class Guard:
    """Trust in adaptive strategies: a factor on their shares, from 0 to 1.

    A new fit and the fit ``WINDOW`` fits ago are compared on the held-out answers of the older fit.
    Trust falls by .25 if the mean loss rose by more than its standard error, and rises by .25
    otherwise. Held-out questions are random, so strategies do not influence this test.
    """

    def __init__(self) -> None:
        self.trust = 1.0
        self._past: deque[np.ndarray] = deque(maxlen=WINDOW)

    def see(self, result: FitResult) -> None:
        if len(self._past) == WINDOW:
            n = min(len(self._past[0]), len(result.held_out_loss))
            change = result.held_out_loss[:n] - self._past[0][:n]
            if len(change) >= JUDGED:
                error = change.std(ddof=1) / np.sqrt(len(change))
                step = -STEP if change.mean() > error else STEP
                self.trust = float(np.clip(self.trust + step, 0.0, 1.0))
        self._past.append(result.held_out_loss)

    def recall(self, trust: float, loss: np.ndarray) -> None:
        self.trust = trust
        self._past.append(loss)

    def forget(self) -> None:
        self._past.clear()
