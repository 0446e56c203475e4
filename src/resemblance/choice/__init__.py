"""Choice models: the probability of an answer, given the distances it compares."""

from resemblance.choice.decay import (
    Decay as Decay,
    Exponential as Exponential,
    Gaussian as Gaussian,
)
from resemblance.choice.models import (
    MODELS as MODELS,
    ChoiceModel as ChoiceModel,
    Hinge as Hinge,
    Logistic as Logistic,
    Probit as Probit,
    Reads as Reads,
    Relative as Relative,
    Softmax as Softmax,
    SquaredHinge as SquaredHinge,
    StudentT as StudentT,
)
