"""Trials of difference scaling: their design, and the probit regression that scales them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import log_ndtr

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError
from resemblance.judgments import Judgments, Quadruplets, Triplets, of_kind
from resemblance.judgments.checks import first_few, refuse

MOST_STEPS = 100
_HALF_LOG_2PI = 0.5 * np.log(2.0 * np.pi)
_SETTLED = 1e-12  # of half the Newton decrement, in nats
_SMALL_STEP = 1e-2  # of a scale value, in units of sigma: a larger one where nothing stops it


@dataclass(frozen=True)
class Scaled:
    """A scale that a regression found: values, log-likelihood, whether it has a finite maximum."""

    values: Floats
    log_likelihood: float
    converged: bool


class Trials:
    """Comparisons of two intervals of ordered stimuli, equal ones counted together.

    An interval is (lower, upper), and the lower interval of a trial comes first. The design has a
    row z for each distinct trial, so that z @ psi is the decision variable

        (psi_d - psi_c) - (psi_b - psi_a)

    of trial (a, b; c, d), and a column for each stimulus but the lowest, whose psi is 0.

    Parameters
    ----------
    judgments : Triplets or Quadruplets
        What was judged; the intervals judged the smaller one first.
    order : array (n_items,) of int
        The items from the lowest level to the highest.
    nested : bool
        Whether a row may have an interval that lies within the other.

    Raises
    ------
    JudgmentError
        If the judgments are of another kind, or a row has nested intervals and may not.
    """

    def __init__(self, judgments: Judgments, order: NDArray[np.intp], nested: bool) -> None:
        near, far = intervals(judgments, order)
        if not nested:
            refuse(_within(near, far) | _within(far, near), lambda r: _told(judgments, r))
        flip = (far[:, 0] < near[:, 0]) | ((far[:, 0] == near[:, 0]) & (far[:, 1] < near[:, 1]))
        swap = flip[:, None]
        rows = np.hstack([np.where(swap, far, near), np.where(swap, near, far)])
        self.quads, self.of_row = np.unique(rows, axis=0, return_inverse=True)
        self.of_row = self.of_row.ravel()
        self.upper = ~flip  # the far pair is the larger interval
        self.weight = judgments.weights
        self.order = order
        self.items = judgments.items

    @cached_property
    def told(self) -> Floats:
        """The weights of the answers for the upper interval, and of those for the lower: (2, G)."""
        return self._counted(self.of_row, self.upper, self.weight)

    @cached_property
    def repeats(self) -> NDArray[np.int64]:
        """How often each row was shown: its weight, which is refused if it is no whole number."""
        refuse(
            self.weight != np.floor(self.weight),
            lambda r: (
                f"weight is {self.weight[r]:g}: answers are drawn anew for each repeat of a row, "
                "so give weights that are whole numbers"
            ),
        )
        return self.weight.astype(np.int64)

    @cached_property
    def shown(self) -> NDArray[np.intp]:
        """The distinct trial of each single one."""
        return np.repeat(self.of_row, self.repeats)

    @cached_property
    def answers(self) -> NDArray[np.bool_]:
        """Whether each single trial was answered with the upper interval."""
        return np.repeat(self.upper, self.repeats)

    def counts(self, answers: NDArray[np.bool_]) -> Floats:
        """Count answers to the single trials for the upper interval, and for the lower: (2, G)."""
        return self._counted(self.shown, answers)

    def _counted(
        self, of: NDArray[np.intp], upper: NDArray[np.bool_], weight: Floats | None = None
    ) -> Floats:
        n = len(self.quads)
        return np.bincount(of + n * ~upper, weight, minlength=2 * n).reshape(2, n).astype(float)

    @cached_property
    def design(self) -> Floats:
        """The matrix (G, n_items - 1) of the regression."""
        Z = np.zeros((len(self.quads), len(self.order)))
        at = np.arange(len(Z))
        for column, sign in enumerate((1.0, -1.0, -1.0, 1.0)):
            np.add.at(Z, (at, self.quads[:, column]), sign)
        return Z[:, 1:]

    def refuse_undetermined(self) -> None:
        """Refuse trials that leave values of the scale open."""
        seen = self.told.sum(axis=0) > 0
        _, sizes, rows = np.linalg.svd(self.design[seen])
        rank = int((sizes > 1e-9 * max(1.0, sizes.max(initial=0.0))).sum())
        if rank == len(self.order) - 1:
            return
        open_ = np.abs(rows[rank:]).max(axis=0) > 1e-9
        names = [self.items.names[i] for i in self.order[1:][open_]]
        raise JudgmentError(
            f"these judgments do not determine the scale values of {first_few(names)}: ask "
            "triads or quadruples that compare their intervals with others, or leave these items "
            "out"
        )


def intervals(
    judgments: Judgments, order: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the smaller and the larger interval of each row as (lower, upper) ranks, (m, 2)."""
    remedy = "give Triplets, whose head is the middle stimulus, or Quadruplets"
    of_kind(judgments, (Triplets, Quadruplets), "difference scaling", remedy)
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    (compared,) = judgments.comparisons()
    near, far = (np.sort(rank[np.column_stack(pair)], axis=1) for pair in compared.pairs)
    return near, far


def _within(one: NDArray[np.intp], other: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Say of each row whether one interval lies within the other."""
    return np.asarray((other[:, 0] <= one[:, 0]) & (one[:, 1] <= other[:, 1]))


def _told(judgments: Judgments, row: int) -> str:
    names = [judgments.items.names[i] for i in judgments.index[row]]
    what = (
        f"the head {names[0]} does not lie between {names[1]} and {names[2]}"
        if len(names) == 3
        else f"one of the intervals {names[0]} to {names[1]} and {names[2]} to {names[3]} lies "
        "within the other"
    )
    return (
        f"{what}, so that the order of the stimuli answers it without a look at differences: "
        "correct levels (or the order of the items), remove the row, or take such rows with "
        "nested=True"
    )


def probit_scale(Z: Floats, counts: Floats, start: Floats | None = None) -> Scaled:
    r"""Maximise the likelihood of a probit regression without intercept by Newton's method.

    .. math:: \sum_g k_g \log \Phi(z_g \psi) + l_g \log \Phi(-z_g \psi)

    It is concave, so a step is halved until it gains. Answers that some direction separates have
    no finite maximum: steps stay large where the likelihood has stopped to rise.

    Parameters
    ----------
    Z : array (G, p)
        The design.
    counts : array (2, G)
        k and l.
    start : array (p,), optional
        Where to begin; default: 0.
    """
    psi = np.zeros(Z.shape[1]) if start is None else start
    at = _log_likelihood(Z @ psi, counts)
    for _ in range(MOST_STEPS):
        slope, bend = _derivatives(Z @ psi, counts)
        gradient = Z.T @ slope
        step = np.linalg.lstsq(Z.T @ (bend[:, None] * Z), gradient, rcond=1e-14)[0]
        if not 0.5 * gradient @ step > _SETTLED:
            return Scaled(psi, at, bool(np.abs(step).max(initial=0.0) < _SMALL_STEP))
        length = 1.0
        while (better := _log_likelihood(Z @ (psi + length * step), counts)) < at:
            length *= 0.5
            if length < 1e-10:
                return Scaled(psi, at, bool(np.abs(step).max() < _SMALL_STEP))
        psi, at = psi + length * step, better
    return Scaled(psi, at, False)


def _log_likelihood(eta: Floats, counts: Floats) -> float:
    return float(counts[0] @ log_ndtr(eta) + counts[1] @ log_ndtr(-eta))


def _derivatives(eta: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return the slope of the log-likelihood in each z psi, and minus its second derivative."""
    log_density = -0.5 * eta**2 - _HALF_LOG_2PI
    up, down = np.exp(log_density - log_ndtr(eta)), np.exp(log_density - log_ndtr(-eta))
    slope = counts[0] * up - counts[1] * down
    bend = counts[0] * up * (up + eta) + counts[1] * down * (down - eta)
    return slope, np.maximum(bend, 0.0)


def information(Z: Floats, psi: Floats, n: Floats) -> Floats:
    """Return the expected information about psi: sum_g n_g phi^2 / (Phi (1 - Phi)) z_g z_g'."""
    eta = Z @ psi
    log_weight = -(eta**2) - 2.0 * _HALF_LOG_2PI - log_ndtr(eta) - log_ndtr(-eta)
    return np.asarray(Z.T @ ((n * np.exp(log_weight))[:, None] * Z))


def six_point_uses(quads: NDArray[np.intp]) -> NDArray[np.int64]:
    """Count the six-point conditions that each distinct trial is in.

    Trials (a, b; a', b'), (b, c; b', c') and (a, c; a', c') form one, with a < b < c and
    a' < b' < c'.
    """
    columns = ["a", "b", "c", "d"]
    trials = pd.DataFrame(quads, columns=columns).assign(trial=np.arange(len(quads)))
    turned = trials.rename(columns=dict(zip(columns, ["c", "d", "a", "b"], strict=True)))
    both = pd.concat([trials, turned[[*columns, "trial"]]], ignore_index=True)
    pairs = both.merge(both, left_on=["b", "d"], right_on=["a", "c"], suffixes=("", "_next"))
    whole = pairs.merge(
        both,
        left_on=["a", "b_next", "c", "d_next"],
        right_on=columns,
        suffixes=("", "_whole"),
    )
    used = whole[["trial", "trial_next", "trial_whole"]].to_numpy()
    # each condition is found in both orders of its intervals
    return np.asarray(np.bincount(used.ravel(), minlength=len(quads)) // 2)
