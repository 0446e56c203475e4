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
from resemblance.fitting.people.weighing import MAX_ITER, TOL, seen_by
from resemblance.forms import InFolds, Stretched
from resemblance.judgments import Judgments

FOLDS = 5
MOST_LEFT = 0.4  # most of the pull's standard deviation left where answers inform
STEP = 1e-3  # step of log weights in differences of slopes


@dataclass(frozen=True)
class CrossedWeights:
    """People, each in a space and along axes that the answers of others made.

    Attributes
    ----------
    points : array (n_folds, n_items, d)
        The spaces.
    code : array (m,)
        Fold and group of whoever answered a row: fold times the number of groups, and the group.
    n_groups : int
        How many groups there are.
    spaces : IndividualSpaces
        Fitted to all people: what the dimensions are called after, and the strength of the pull of
        the groups' weights to the crowd's.
    answers : Judgments
        The answers.
    """

    points: Floats
    code: NDArray[np.intp]
    n_groups: int
    spaces: IndividualSpaces
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
        """Fit a space to all folds of people but one, for each; a space that is kept serves all."""
        groups, code = len(spaces.people_), of_person[who]
        if spaces.keep_space:
            return cls(spaces.embedding_[None], code, groups, spaces, answers)
        fold = folds_of_people(of_person, rng)[who]
        points = [_matched(_fitted(spaces, answers[fold != k]), spaces) for k in np.unique(fold)]
        wide = below(points).reshape(len(points), len(spaces.embedding_), -1)
        return cls(wide, groups * fold + code, groups, spaces, answers)

    def logs(self, times: Floats | float = 1.0) -> Floats:
        """Return the log weights of the groups, (G, d), 0 in the mean over groups.

        Rows count so many times.
        """
        form, objective = self._objective(times)
        start = np.zeros((1 + self.n_groups, self.points.shape[2]))
        solution = descend(objective, start, MAX_ITER, TOL, None)
        if solution.interrupted:
            raise KeyboardInterrupt
        v = form.parts(solution.x)[1]
        return np.asarray(v - v.mean(axis=0))[:, : self.spaces.embedding_.shape[1]]

    def resolved(self, logs: Floats) -> NDArray[np.bool_]:
        r"""Return of which parts of the log weights the answers know more than the pull does.

        .. math:: c' H^{-1} c \le s^2 \, c' P^{-1} c

        with H the curvature of the whole objective at the weights, P that of the pull alone, and c
        the contrast that makes a part, as :func:`parts_of_logs` has them: where the answers leave
        at most the share s of the standard deviation that the pull alone would.

        Returns
        -------
        bool array (G, 1 + d)
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
        """Return the form of stretched spaces and weights, and the loss of the answers in it."""
        n_spaces, n_items, d = self.points.shape
        crowd = Stretched(self.points.reshape(-1, d))
        shape, strength = (n_spaces, n_items, self.n_groups), self.spaces.strength_
        form = InFolds(crowd, shape, strength, CLARITY * strength)
        reweighted = self.answers.reweighted(self.answers.weights * times)
        return form, Objective(seen_by(form, reweighted, self.code), self.spaces.choice_, form, 1.0)


def parts_of_logs(logs: Floats) -> Floats:
    """Divide log weights (..., d) into their mean and what each is above it, (..., 1 + d)."""
    clarity = logs.mean(axis=-1, keepdims=True)
    return np.concatenate([clarity, logs - clarity], axis=-1)


def folds_of_people(of_person: NDArray[np.intp], rng: np.random.RandomState) -> NDArray[np.intp]:
    """Deal the people of each group to folds, (people,); at most one fold for each of a group."""
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
    """Put the dimensions of a space into the order of those that they are most like, (n, d).

    Where a space has none that is like one, its positions there are 0; those left over come last.
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
    """Return the second derivatives of an objective, by differences of its slopes."""
    H = np.empty((at.size, at.size))
    for i in range(at.size):
        step = np.zeros(at.size)
        step[i] = STEP
        ahead, behind = (objective(at + s * step.reshape(at.shape))[1] for s in (1, -1))
        H[i] = (ahead - behind).ravel() / (2 * STEP)
    return (H + H.T) / 2


def contrasts_of_parts(n_groups: int, d: int, n_columns: int) -> Floats:
    """Return what makes the parts from the parameters, (G, 1 + d, parameters)."""
    unit = np.zeros((n_groups * d, n_groups, d))
    unit.reshape(n_groups * d, -1)[:] = np.eye(n_groups * d)
    parts = parts_of_logs(unit - unit.mean(axis=1, keepdims=True))  # (G d, G, 1 + d)
    wide = np.zeros((n_groups, 1 + d, 1 + n_groups, n_columns))
    wide[:, :, 1:, :d] = np.moveaxis(parts, 0, -1).reshape(n_groups, 1 + d, n_groups, d)
    return wide.reshape(n_groups, 1 + d, -1)
