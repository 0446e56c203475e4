"""Scatter matrices of feature differences, which give a map its start and its scale.

With g_ab = phi_a - phi_b, the squared distance of a pair is ||B'g_ab||^2. The scatters of these
gaps, over the pairs judged near and over those judged far, are all that is needed of the features.
"""

from dataclasses import dataclass, replace
from typing import Self, TypeGuard

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular

from resemblance.arrays import Floats
from resemblance.fitting.objective.minibatch import renumbered
from resemblance.fitting.objective.objective import Batch, Objective
from resemblance.forms import FeatureMap, Form, LinearMap
from resemblance.solvers import Callback, Objective as Function

MOST_FEATURES = 2048  # with more features, scatters cost more than they save
ROWS = 2048  # rows whose gaps are held at a time
LEAST = 1e-8  # ridge that keeps constant columns invertible, relative to the mean squared gap


def is_few_features(form: Form) -> TypeGuard[LinearMap]:
    """Return whether a form maps few enough features for their scatters."""
    return isinstance(form, LinearMap) and form.design.shape[1] <= MOST_FEATURES


def gap_scatters(form: FeatureMap, data: list[Batch]) -> tuple[Floats, Floats]:
    """Return the sums of w g g' over near pairs, and over far pairs.

    An error on a pair counts it as near, a right answer as far.
    """
    q = form.design.shape[1]
    near, far = np.zeros((q, q)), np.zeros((q, q))
    for batch in (half for whole in data for half in whole.against_answer() or [whole]):
        for block in batch.blocks(ROWS):
            items, local = renumbered(block)
            phi = np.asarray(form.design[items], dtype=np.float64)
            ends = [*local.pairs, *local.pairs][:2]  # a confusion's pair counts as both
            weight = local.weight if local.weight.size else np.ones(len(local))
            weights = local.counts if len(local.pairs) == 1 else (weight, weight)
            for (a, b), w, total in zip(ends, weights, (near, far), strict=True):
                gap = phi[a] - phi[b]
                total += (w[:, None] * gap).T @ gap
    return near, far


def map_positions(form: FeatureMap, data: list[Batch], n_components: int) -> Floats:
    """Guess positions along directions of features in which far pairs are far and near pairs near.

    Classical scaling of counts as in ``spectral_positions`` of ``starts.py``, among the positions
    X = Phi B: the leading solutions of (F - N) b = l (F + N) b, with N and F the scatters of near
    and far gaps, each of length sqrt(l).
    """
    near, far = gap_scatters(form, data)
    total = _regular(near + far, 0.0)
    p = min(n_components, len(near))
    values, vectors = eigh(far - near, total, subset_by_index=(len(near) - p, len(near) - 1))
    least = 1e-2 * max(values[-1], LEAST)
    B = np.zeros((len(near), n_components))
    B[:, :p] = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], least))
    X = form.expand(B)
    return np.asarray(X / np.sqrt(np.mean(X**2)))


@dataclass(frozen=True)
class Scale:
    """Parameters C = L'B in which an objective has about the same curvature in all directions.

    LL' = F + N + 2 mu I, which is the second derivative in B up to the choice model. Without L, C
    is B.
    """

    lower: Floats | None = None

    @classmethod
    def of(cls, objective: Objective, data: list[Batch]) -> Self:
        form = objective.form
        if not is_few_features(form):
            return cls()
        near, far = gap_scatters(form, data)
        times = objective.n_rows / sum(map(len, data))
        scatter = _regular(times * (near + far), 2.0 * objective.penalty)
        return cls(cholesky(scatter, lower=True))

    def inside(self, B: Floats) -> Floats:
        return B if self.lower is None else self.lower.T @ B

    def outside(self, C: Floats) -> Floats:
        if self.lower is None:
            return C
        return solve_triangular(self.lower, C, lower=True, trans="T")

    def of_objective(self, objective: Function) -> Function:
        if self.lower is None:
            return objective

        def inside(C: Floats) -> tuple[float, Floats]:
            value, slope = objective(self.outside(C))
            return value, solve_triangular(self.lower, slope, lower=True)

        return inside

    def of_report(self, report: Callback | None) -> Callback | None:
        if self.lower is None or report is None:
            return report
        return lambda now: report(replace(now, x=self.outside(now.x)))


def _regular(scatter: Floats, penalty: float) -> Floats:
    least = LEAST * max(float(np.trace(scatter)) / len(scatter), 1e-12)
    return scatter + max(penalty, least) * np.eye(len(scatter))
