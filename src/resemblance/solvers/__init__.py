"""Solvers: general numerical optimisation, independent of similarity."""

from resemblance.solvers.adam import adam as adam, stochastic_descent as stochastic_descent
from resemblance.solvers.lbfgs import bounded_lbfgs as bounded_lbfgs, lbfgs as lbfgs
from resemblance.solvers.projected import projected_gradient as projected_gradient
from resemblance.solvers.result import (
    Callback as Callback,
    Objective as Objective,
    Progress as Progress,
    Solution as Solution,
)
