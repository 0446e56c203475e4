"""Solvers of general optimisation problems."""

from resemblance.solvers.gradient import (
    Callback as Callback,
    Objective as Objective,
    Progress as Progress,
    Solution as Solution,
    adam as adam,
    projected_gradient as projected_gradient,
    stochastic_descent as stochastic_descent,
)
from resemblance.solvers.lbfgs import bounded_lbfgs as bounded_lbfgs, lbfgs as lbfgs
