"""A space from earlier answers, used as a prior for the items of a session."""

import warnings
from typing import Any, Literal

import numpy as np

from resemblance.arrays import Floats
from resemblance.catalog import MODEL, models_of
from resemblance.errors import SettingError, UnmentionedWarning, quiet
from resemblance.fitting import OrdinalEmbedding
from resemblance.forms import FeatureMap, FeaturePrior
from resemblance.judgments import Items, Judgments
from resemblance.ranges import SHARE, check


class Earlier:
    """A space of some items, by name. ``trust`` is its share in positions, "auto" by answers."""

    def __init__(self, prior: Any, trust: float | Literal["auto"]) -> None:
        check(trust=(trust, SHARE.besides("auto")))
        if isinstance(prior, Judgments):
            with quiet():
                prior = models_of(MODEL)[MODEL].fit(prior)
        if not isinstance(prior, OrdinalEmbedding) or not hasattr(prior, "embedding_"):
            raise SettingError(
                f"prior is {type(prior).__name__}: give a fitted model, or answers.",
                setting="prior",
            )
        self.names, self.positions = prior.items_.names, prior.embedding_
        self.form = FeaturePrior(share=trust)

    def believed_by(
        self, models: dict[str, OrdinalEmbedding], given: bool
    ) -> dict[str, OrdinalEmbedding]:
        """Give default models the space as a prior; refuse given models that ignore it."""
        if not given:
            return {name: model.set_params(form=self.form) for name, model in models.items()}
        for name, model in models.items():
            if self.form.share != "auto" or not isinstance(model._form(), FeatureMap):
                raise SettingError(
                    f"the model {name!r} believes the prior as far as its form says, and no trust: "
                    "give it form=FeaturePrior(share=...) and leave trust out, or leave model out.",
                    setting="model",
                )
        return models

    def of(self, names: tuple[str, ...]) -> Floats:
        """Return positions of items; unknown items are in the middle."""
        place = {name: row for row, name in enumerate(self.names)}
        X = np.tile(self.positions.mean(axis=0), (len(names), 1))
        for row, name in enumerate(names):
            if name in place:
                X[row] = self.positions[place[name]]
        return X

    def informed(self, items: Items) -> Items:
        """Return items with their positions as features; warn of missing ones.

        Raises SettingError if the items have features already, or none is in the space.
        """
        if items.features is not None:
            raise SettingError(
                "the items have features, and a prior would stand in their place: leave one out.",
                setting="prior",
            )
        names = set(self.names)
        lacking = [name for name in items.names if name not in names]
        if len(lacking) == len(items):
            raise SettingError(
                f"the prior is about other items, such as {self.names[0]!r}: items are joined by "
                "name.",
                setting="prior",
            )
        if lacking:
            listed = f"{', '.join(lacking[:5])}{' ...' if len(lacking) > 5 else ''}"
            warnings.warn(
                f"the prior says nothing of {len(lacking)} items: {listed}.",
                UnmentionedWarning,
                stacklevel=4,
            )
        parts = {name: getattr(items, name) for name in ("labels", "images", "titles")}
        return Items(items.names, self.of(items.names), **parts)
