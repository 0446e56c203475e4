"""One fit of a session, as plain data that can be run in another process."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from resemblance.arrays import Floats
from resemblance.errors import quiet
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.noise import Noise, estimate_noise
from resemblance.judgments import Judgments

FRESH_EVERY = 5  # fits between those that also start anew, to leave local minima
ENOUGH = 30  # held-out answers from which noise is learned


@dataclass(frozen=True)
class FitResult:
    """What a fit found.

    Attributes
    ----------
    model : OrdinalEmbedding
        Fitted.
    noise : Noise
        Temperature and lapses, from the held-out answers.
    told : int
        How many answers had been told when the fit was begun, skips and held-out ones included.
    held_out_loss : array (k,)
        -log P of each held-out answer, in nats.
    """

    model: OrdinalEmbedding
    noise: Noise
    told: int
    held_out_loss: Floats


@dataclass(frozen=True)
class FitJob:
    """What a fit needs; picklable. ``run()`` changes nothing but its own copy of the model."""

    model: OrdinalEmbedding
    judgments: Judgments
    held_out: Judgments
    positions: Floats | None
    number: int
    told: int

    def run(self) -> FitResult:
        """Fit from the last positions, now and then also from scratch; keep the lower loss."""
        starts: list[Any] = [] if self.positions is None else [self.positions]
        if self.positions is None or self.number % FRESH_EVERY == 0:
            starts.append(self.model.init)
        fits = [quiet_fit(self.model, self.judgments, init=start) for start in starts]
        best = min(fits, key=lambda model: model.loss_)
        noise, loss = Noise(), np.empty(0)
        if len(self.held_out) and best.choice_.one_of_many:
            if len(self.held_out) >= ENOUGH:
                noise = estimate_noise(best, self.held_out)
            p = noise.apply(best.predict_proba(self.held_out))[:, 0]
            loss = -np.log(np.maximum(p, 1e-300))
        return FitResult(best, noise, self.told, loss)


def quiet_fit(model: OrdinalEmbedding, judgments: Judgments, **changes: Any) -> OrdinalEmbedding:
    """Fit a copy of a model, some of its settings changed, without a warning."""
    settings = {**model.get_params(deep=False), **changes}
    with quiet():
        return type(model)(**settings).fit(judgments)
