"""Weights of groups in spaces fitted to the answers of other people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone

from resemblance.arrays import Floats, below
from resemblance.errors import quiet
from resemblance.fitting.objective.descent import descend
from resemblance.fitting.objective.objective import Objective
from resemblance.fitting.people.individuals import CLARITY, IndividualSpaces
from resemblance.fitting.people.weight_descent import MAX_ITER, TOL, seen_by
from resemblance.forms import InFolds, Stretched
from resemblance.judgments import Judgments

FOLDS = 5
MOST_LEFT = 0.4  # most of the pull's standard deviation left where answers inform
SLOPE_STEP = 1e-3  # step of log weights in differences of slopes


@dataclass(frozen=True)
class CrossedWeights:
    """People, each in a space and along axes fitted to the answers of others."""

    points: Floats  # (n_folds, n_items, d)
    code: NDArray[np.intp]  # (m,), fold times the number of groups, plus the group of the observer
    n_groups: int
    spaces: IndividualSpaces  # fitted to all people; names the dimensions and sets the pull
    answers: Judgments

    @classmethod
    def of(
        cls,
        spaces: IndividualSpaces,
        answers: Judgments,
        who: NDArray[np.intp],
        of_person: NDArray[np.intp],
        rng: np.random.RandomState,
    ) -> Self:
        """Fit a space without each fold of people; a space that is given serves all folds."""
        groups, code = len(spaces.people_), of_person[who]
        if spaces.keep_space:
            return cls(spaces.embedding_[None], code, groups, spaces, answers)
        fold = folds_of_people(of_person, rng)[who]
        points = [_matched(_fitted(spaces, answers[fold != k]), spaces) for k in np.unique(fold)]
        wide = below(points).reshape(len(points), len(spaces.embedding_), -1)
        return cls(wide, groups * fold + code, groups, spaces, answers)

    def logs(self, times: Floats | float = 1.0) -> Floats:
        """Return the log weights of the groups, (G, d), with mean 0 over groups.

        ``times`` are weights of rows.
        """
        form, objective = self._objective(times)
        start = np.zeros((1 + self.n_groups, self.points.shape[2]))
        solution = descend(objective, start, MAX_ITER, TOL, None)
        if solution.interrupted:
            raise KeyboardInterrupt
        v = form.parts(solution.x)[1]
        return np.asarray(v - v.mean(axis=0))[:, : self.spaces.embedding_.shape[1]]

    def resolved(self, logs: Floats) -> NDArray[np.bool_]:
        r"""Return for which parts of the log weights the answers inform more than the pull.

        .. math:: c' H^{-1} c \le s^2 \, c' P^{-1} c

        with H the curvature of the whole objective at the weights, P that of the pull alone, and c
        the contrast of a part, as in :func:`parts_of_logs`: the answers leave at most the share s
        of the pull's standard deviation. The result is (G, 1 + d).
        """
        form, objective = self._objective(1.0)
        at = np.zeros((1 + self.n_groups, self.points.shape[2]))
        at[1:, : logs.shape[1]] = logs
        at = descend(objective, at, MAX_ITER, TOL, None).x
        whole = _curvature(objective, at)
        nothing = Objective([], self.spaces.choice_, form, 1.0)
        pull = _curvature(nothing, at)
        contrasts = contrasts_of_parts(self.n_groups, logs.shape[1], at.shape[1])
        left, first = (
            np.einsum("...i,ij,...j->...", contrasts, np.linalg.pinv(H), contrasts)
            for H in (whole, pull)
        )
        return np.asarray(left <= MOST_LEFT**2 * first)

    def _objective(self, times: Floats | float) -> tuple[InFolds, Objective]:
        """Return the form of stretched spaces and weights, and the objective in it."""
        n_spaces, n_items, d = self.points.shape
        crowd = Stretched(self.points.reshape(-1, d))
        shape, strength = (n_spaces, n_items, self.n_groups), self.spaces.strength_
        form = InFolds(crowd, shape, strength, CLARITY * strength)
        reweighted = self.answers.reweighted(self.answers.weights * times)
        return form, Objective(seen_by(form, reweighted, self.code), self.spaces.choice_, form, 1.0)


def parts_of_logs(logs: Floats) -> Floats:
    """Split log weights (..., d) into their mean and the deviations, (..., 1 + d)."""
    clarity = logs.mean(axis=-1, keepdims=True)
    return np.concatenate([clarity, logs - clarity], axis=-1)


def folds_of_people(of_person: NDArray[np.intp], rng: np.random.RandomState) -> NDArray[np.intp]:
    """Deal each group's people to folds, (people,), without an empty fold."""
    n_folds = min(FOLDS, int(np.bincount(of_person).min()))
    fold = np.empty(len(of_person), dtype=np.intp)
    for group in range(of_person.max() + 1):
        members = rng.permutation(np.flatnonzero(of_person == group))
        fold[members] = np.arange(len(members)) % n_folds
    return fold


def _fitted(spaces: IndividualSpaces, answers: Judgments) -> Floats:
    """Return the space of these rows, along the axes in which their groups differ."""
    with quiet():
        points: Floats = clone(spaces).fit(answers).embedding_
    return points


def _matched(points: Floats, spaces: IndividualSpaces) -> Floats:
    """Match the dimensions of a space to those of the shared one, (n, d).

    Dimensions without a match have positions of 0; left-over ones come last.
    """
    named = spaces.embedding_
    inner = spaces.choice_.reads == "inner"
    x, y = (p if inner else p - p.mean(axis=0) for p in (named, points))
    sizes = np.linalg.norm(x, axis=0)[:, None] * np.linalg.norm(y, axis=0)
    alike = np.abs(x.T @ y) / np.where(sizes > 0, sizes, 1.0)
    rows, columns = linear_sum_assignment(-alike)
    ordered = np.zeros_like(named)
    ordered[:, rows] = points[:, columns]
    return np.hstack([ordered, np.delete(points, columns, axis=1)])


def _curvature(objective: Objective, at: Floats) -> Floats:
    """Return the second derivatives of an objective, by differences of slopes."""
    H = np.empty((at.size, at.size))
    for i in range(at.size):
        step = np.zeros(at.size)
        step[i] = SLOPE_STEP
        ahead, behind = (objective(at + s * step.reshape(at.shape))[1] for s in (1, -1))
        H[i] = (ahead - behind).ravel() / (2 * SLOPE_STEP)
    return (H + H.T) / 2


def contrasts_of_parts(n_groups: int, d: int, n_columns: int) -> Floats:
    """Return the linear map from parameters to parts, (G, 1 + d, parameters)."""
    unit = np.zeros((n_groups * d, n_groups, d))
    unit.reshape(n_groups * d, -1)[:] = np.eye(n_groups * d)
    parts = parts_of_logs(unit - unit.mean(axis=1, keepdims=True))  # (G d, G, 1 + d)
    wide = np.zeros((n_groups, 1 + d, 1 + n_groups, n_columns))
    wide[:, :, 1:, :d] = np.moveaxis(parts, 0, -1).reshape(n_groups, 1 + d, n_groups, d)
    return wide.reshape(n_groups, 1 + d, -1)
