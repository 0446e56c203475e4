"""Run one fit of a session, possibly in another process, and guard its adaptive strategies."""

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

FRESH_EVERY = 5  # every fifth fit is also run from scratch, to escape local minima
ENOUGH = 30  # least number of held-out answers to estimate noise from
WINDOW = 5  # number of fits within which the held-out loss must improve
JUDGED = 40  # least number of held-out answers to compare fits on
STEP = 0.25  # change of trust at each fit
COMPARED, GROWN = 100, 1.25  # answers at the first comparison of models; factor until the next
LEAST_CLICKS = 100  # clicks when their weight is first chosen; again after GROWN times as many
CLICK_WEIGHTS = 0.25, 1.0  # candidate weights of a click besides 0; an answer has weight 1
CLEARLY = 2.0  # standard errors by which clicks must lower the held-out loss


@dataclass(frozen=True)
class ModelChoice:
    """The model chosen for a session, and the cross-validated log loss of every candidate."""

    name: str
    log_losses: Mapping[str, float] = field(default_factory=dict)
    told: int = 0


@dataclass(frozen=True)
class ClickWeight:
    """The weight of a shared click (an answer has 1), and the number of clicks at that choice."""

    weight: float = 0.0
    told: int = 0


@dataclass(frozen=True)
class FitResult:
    model: OrdinalEmbedding
    noise: Noise  # estimated from the held-out answers
    n_answers: int  # number when the fit began, with skips and held-out answers
    held_out_loss: Floats  # -log P of each held-out answer, in nats
    chosen: ModelChoice | None = None
    sure: ItemUncertainty | None = None  # None: compute it when needed; set with many items
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

    Clicks of searches are fitted beside the answers. Their weight is the one with the lowest loss
    on held-out answers, or 0 if clicks do not clearly lower it. The maps that visitors searched
    were not fitted to these answers, so random clicks cannot help to predict them.
    """

    model: OrdinalEmbedding
    judgments: Judgments
    held_out: Judgments
    positions: Floats | None
    number: int
    n_answers: int
    chosen: ModelChoice | None = None  # the last choice
    models: Mapping[str, OrdinalEmbedding] = field(default_factory=dict)  # candidates, if any
    clicks: Judgments | None = None
    weighed: ClickWeight = ClickWeight()  # the last choice

    def run(self) -> FitResult:
        """Fit from the last positions, sometimes also from scratch; keep the fit of lower loss."""
        chosen = self._choose()
        model = self.model if chosen is None else self.models.get(chosen.name, self.model)
        weighed, (best, noise, loss) = self._weigh(model)
        sure = None
        if is_large(best):
            sure = learned(best, noise, *self.judgments.comparisons())
        return FitResult(best, noise, self.n_answers, loss, chosen, sure, weighed)

    def _choose(self) -> ModelChoice | None:
        """Compare the models by cross-validation, once there are enough new answers."""
        before = 0 if self.chosen is None else self.chosen.told
        few = len(self.judgments) < COMPARED or self.n_answers < GROWN * before
        if len(self.models) < 2 or few:
            return self.chosen
        comparison = compare_models(self.judgments, self.models)
        losses = dict(zip(comparison.names, comparison.log_loss.tolist(), strict=True))
        return ModelChoice(comparison.chosen, losses, self.n_answers)

    def _weigh(self, model: OrdinalEmbedding) -> tuple[ClickWeight, Tested]:
        """Fit answers and clicks; choose the weight again when there are many more clicks."""
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
        # no earlier positions, or all in one place
        first = self.positions is None or not self.positions.any()
        many = self.positions is not None and self.positions.size > MAX_PARAMETERS
        if first or many or is_fresh(self.number, model):
            fits.append(quiet_fit(model, judgments))
            model = clone(model).set_params(**fits[0].chosen_)  # settings of "auto" are now chosen
        if not first:
            fits.append(quiet_fit(model, judgments, init=self.positions))
        return min(fits, key=lambda model: model.loss_)


def is_fresh(number: int, model: OrdinalEmbedding) -> bool:
    """Return whether this fit starts from scratch, and chooses model and penalty again.

    Each of the first fits does if the share of features is to be chosen, because a choice from few
    answers may be wrong.
    """
    early = number < FRESH_EVERY and getattr(model.form, "is_open", False)
    return early or number % FRESH_EVERY == 0


def weighs_anew(clicks: Judgments, held_out: Judgments, weighed: ClickWeight) -> bool:
    """Return whether there are enough clicks and held-out answers to choose the weight again."""
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
    """Trust in the adaptive strategies, from 0 to 1: a factor on their shares.

    The new fit and the one ``WINDOW`` fits ago both predict the held-out answers of that time.
    Trust falls by .25 if the mean loss has risen by more than its standard error, and rises by .25
    otherwise. The strategies do not influence this test, because held-out questions are random.
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
        """Forget earlier losses because the held-out answers changed; keep the trust."""
        self._past.clear()
