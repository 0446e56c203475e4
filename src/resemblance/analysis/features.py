"""Predict answers from distances of the features alone, as a baseline."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from resemblance.arrays import Floats, by_view
from resemblance.embeddings import STE
from resemblance.fitting import HeldOut, OrdinalEmbedding
from resemblance.fitting.held_out import kept_whole
from resemblance.geometry import principal_axes
from resemblance.judgments import OneKind

MOST_FEATURES = 100  # upper limit of features that form a space by themselves
SCALES = 2.0 ** np.arange(-6.0, 4.0, 0.5)  # scales of the space of features


def standardised(features: Any) -> Floats:
    Z = np.concatenate([np.asarray(X, float) for X in by_view(features).values()], axis=1)
    deviation = Z.std(axis=0)
    return np.asarray((Z - Z.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0))


def features_alone(answers: OneKind, by: str | None) -> HeldOut:
    """Return the held-out error of distances between standardised features, without a fit."""
    answers = answers.of_mentioned_items()
    Z = standardised(answers.items.features)
    space = STE(Z.shape[1]).set_positions(Z, answers.items)
    return HeldOut.of_new(space, answers, kept_whole(answers, by))


def features_as_space(model: OrdinalEmbedding, answers: OneKind) -> OrdinalEmbedding | None:
    """Return the model with features as positions, at the most likely scale.

    Positions are along principal axes. None if there are too many features.
    """
    axes = principal_axes(standardised(model.items_.features))
    if axes.shape[1] > MOST_FEATURES:
        return None
    space = clone(model).set_params(n_components=axes.shape[1], form="coordinates")
    losses = [space.set_positions(s * axes, model.items_).log_loss(answers) for s in SCALES]
    space.set_positions(SCALES[int(np.argmin(losses))] * axes, model.items_)
    space.parts_, space.unmentioned_ = model.parts_, model.unmentioned_
    return space


def is_better(one: HeldOut | None, other: HeldOut | None) -> bool:
    if one is None or other is None or one.error is None or other.error is None:
        return False
    return one.error < other.error
