"""Choice models: how distances become the probabilities of answers."""

from resemblance.choice.decay import Decay, Exponential, Gaussian
from resemblance.choice.models import (
    MODELS,
    ChoiceModel,
    Hinge,
    Logistic,
    Reads,
    Relative,
    Softmax,
    SquaredHinge,
    StudentT,
)

__all__ = [
    "MODELS",
    "ChoiceModel",
    "Decay",
    "Exponential",
    "Gaussian",
    "Hinge",
    "Logistic",
    "SquaredHinge",
    "Reads",
    "Relative",
    "Softmax",
    "StudentT",
]
