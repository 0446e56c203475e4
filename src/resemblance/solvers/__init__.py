"""Solvers: how parameters are found. They know functions and sets, and nothing of similarity."""

from resemblance.solvers.adam import adam
from resemblance.solvers.lbfgs import lbfgs
from resemblance.solvers.projected import projected_gradient
from resemblance.solvers.result import Callback, Objective, Progress, Solution
from resemblance.solvers.stochastic import stochastic_descent

__all__ = [
    "Callback",
    "Objective",
    "Progress",
    "Solution",
    "adam",
    "lbfgs",
    "projected_gradient",
    "stochastic_descent",
]
