"""Choice models: the probability of an answer, given the compared distances."""

from resemblance.choice.models import (
    MODELS as MODELS,
    ChoiceModel as ChoiceModel,
    Decay as Decay,
    Exponential as Exponential,
    Gaussian as Gaussian,
    Hinge as Hinge,
    Logistic as Logistic,
    Probit as Probit,
    Reads as Reads,
    Relative as Relative,
    Softmax as Softmax,
    SquaredHinge as SquaredHinge,
    StudentT as StudentT,
)
