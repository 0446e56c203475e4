"""Trials of difference scaling: their design matrix, and the regression that scales them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError
from resemblance.judgments import Judgments, Quadruplets, Triplets, of_kind
from resemblance.judgments.checks import first_few, refuse

MOST_STEPS = 100
PRIOR = 9.0  # prior of lapses Beta(1, 10): mean .09, 95th percentile .26
FIRST_LAPSE, MOST_LAPSES = 0.02, 0.9
FAR = 25.0  # decision variables are clipped here, where probabilities no longer change
_HALF_LOG_2PI = 0.5 * np.log(2.0 * np.pi)
_SETTLED = 1e-11  # nats that a step gains
_SMALL_STEP = 1e-2  # first step of a scale value, in units of sigma


@dataclass(frozen=True)
class Scaled:
    """A regression's scale, lapses and log-likelihood, and whether its maximum is finite."""

    values: Floats
    lapse: float
    log_likelihood: float = np.nan
    converged: bool = True


class Trials:
    """Comparisons of two intervals of ordered stimuli, equal ones counted together.

    An interval is (lower, upper), and the lower interval of a trial comes first. The design has a
    row z for each distinct trial, so that z @ psi is the decision variable

        (psi_d - psi_c) - (psi_b - psi_a)

    of trial (a, b; c, d), and a column for each stimulus but the lowest, whose psi is 0.

    Shapes: order (n_items,).
    """

    def __init__(self, judgments: Judgments, order: NDArray[np.intp], nested: bool) -> None:
        near, far = intervals(judgments, order)
        if not nested:
            refuse(_within(near, far) | _within(far, near), lambda r: _nesting(judgments, r))
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
    def answer_weights(self) -> Floats:
        """The weights of the answers for the upper interval, and of those for the lower: (2, G)."""
        return self._counted(self.of_row, self.upper, self.weight)

    @cached_property
    def repeats(self) -> NDArray[np.int64]:
        """Number of times that each row was shown: its weight, which must be whole."""
        refuse(
            self.weight != np.floor(self.weight),
            lambda r: (
                f"weight is {self.weight[r]:g}: answers are drawn anew for each repeat of a row, "
                "so give weights that are whole numbers"
            ),
        )
        return self.weight.astype(np.int64)

    @cached_property
    def distinct(self) -> NDArray[np.intp]:
        """Number of the distinct trial of each single trial."""
        return np.repeat(self.of_row, self.repeats)

    @cached_property
    def answers(self) -> NDArray[np.bool_]:
        return np.repeat(self.upper, self.repeats)

    def counts(self, answers: NDArray[np.bool_]) -> Floats:
        """Count answers to the single trials for the upper interval, and for the lower: (2, G)."""
        return self._counted(self.distinct, answers)

    def _counted(
        self, of: NDArray[np.intp], upper: NDArray[np.bool_], weight: Floats | None = None
    ) -> Floats:
        n = len(self.quads)
        return np.bincount(of + n * ~upper, weight, minlength=2 * n).reshape(2, n).astype(float)

    @cached_property
    def design(self) -> Floats:
        Z = np.zeros((len(self.quads), len(self.order)))
        at = np.arange(len(Z))
        for column, sign in enumerate((1.0, -1.0, -1.0, 1.0)):
            np.add.at(Z, (at, self.quads[:, column]), sign)
        return Z[:, 1:]

    def refuse_undetermined(self) -> None:
        seen = self.answer_weights.sum(axis=0) > 0
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


def _within(inner: NDArray[np.intp], outer: NDArray[np.intp]) -> NDArray[np.bool_]:
    return np.asarray((outer[:, 0] <= inner[:, 0]) & (inner[:, 1] <= outer[:, 1]))


def _nesting(judgments: Judgments, row: int) -> str:
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


def fit_scale(
    Z: Floats, counts: Floats, lapse: float | None = None, start: Scaled | None = None
) -> Scaled:
    r"""Maximise the likelihood of a probit regression without intercept, with a share of lapses.

    .. math:: \sum_g k_g \log P(z_g \psi) + l_g \log P(-z_g \psi) + 9 \log(1 - \lambda), \qquad
       P(\eta) = \tfrac\lambda2 + (1 - \lambda) \Phi(\eta)

    By Newton's method, upwards in all directions; a step is halved until it gains. The last term is
    of the prior Beta(1, 10). Answers that some direction separates have no finite maximum: steps
    stay large where the likelihood has stopped rising.

    Shapes: Z (G, p), counts (2, G).
    """
    at = np.append(np.zeros(Z.shape[1]), FIRST_LAPSE if lapse is None else lapse)
    at = at if start is None else np.append(start.values, start.lapse)
    value = _objective(Z, counts, at, lapse)
    for _ in range(MOST_STEPS):
        step = _newton(Z, counts, at, lapse)
        small, length = bool(np.abs(step).max() < _SMALL_STEP), 1.0
        while (better := _objective(Z, counts, _moved(at, length * step), lapse)) < value:
            length *= 0.5
        at, gain, value = _moved(at, length * step), better - value, better
        if gain < _SETTLED:
            return Scaled(at[:-1], float(at[-1]), _log_likelihood(Z, counts, at), small)
    return Scaled(at[:-1], float(at[-1]), _log_likelihood(Z, counts, at), False)


def _moved(at: Floats, step: Floats) -> Floats:
    """Take a step; the lapse rate stays below one."""
    moved = at + step
    moved[-1] = min(max(moved[-1], 0.0), MOST_LAPSES) if step[-1] else at[-1]
    return np.asarray(moved)


def _newton(Z: Floats, counts: Floats, at: Floats, lapse: float | None) -> Floats:
    """Return Newton's step with absolute curvatures, so that it ascends everywhere."""
    J, (p, q) = slopes(Z, at[:-1], at[-1])
    k, l = counts
    eta = np.clip(Z @ at[:-1], -FAR, FAR)
    density, rest = np.exp(-0.5 * eta**2 - _HALF_LOG_2PI), k / p - l / q
    bend = (J.T * (k / p**2)) @ J + (J.T * (l / q**2)) @ J
    bend[:-1, :-1] += (Z.T * (rest * (1.0 - at[-1]) * eta * density)) @ Z
    bend[-1, :-1] += (rest * density) @ Z
    bend[:-1, -1] = bend[-1, :-1]
    gradient = J.T @ rest
    gradient[-1] -= PRIOR / (1.0 - at[-1])
    bend[-1, -1] += PRIOR / (1.0 - at[-1]) ** 2
    free = len(at) - (lapse is not None or (at[-1] == 0.0 and gradient[-1] <= 0.0))
    sizes, axes = np.linalg.eigh(bend[:free, :free])
    sizes = np.abs(sizes)
    curved = sizes > 1e-14 * sizes.max(initial=0.0)
    step = np.zeros(len(at))
    step[:free] = axes[:, curved] @ (axes[:, curved].T @ gradient[:free] / sizes[curved])
    return step


def probabilities(eta: Floats, lapse: float) -> Floats:
    """Return the probabilities of the upper and of the lower interval, (2, G)."""
    return np.asarray(0.5 * lapse + (1.0 - lapse) * ndtr(np.clip([eta, -eta], -FAR, FAR)))


def slopes(Z: Floats, psi: Floats, lapse: float) -> tuple[Floats, Floats]:
    """Return dP/dpsi and, last, dP/dlapse, (G, p + 1), and the probabilities (2, G)."""
    eta = np.clip(Z @ psi, -FAR, FAR)
    density = (1.0 - lapse) * np.exp(-0.5 * eta**2 - _HALF_LOG_2PI)
    J = np.column_stack([density[:, None] * Z, 0.5 - ndtr(eta)])
    return J, probabilities(eta, lapse)


def _log_likelihood(Z: Floats, counts: Floats, at: Floats) -> float:
    return float((counts * np.log(probabilities(Z @ at[:-1], at[-1]))).sum())


def _objective(Z: Floats, counts: Floats, at: Floats, lapse: float | None) -> float:
    prior = PRIOR * np.log1p(-at[-1]) if lapse is None else 0.0
    return _log_likelihood(Z, counts, at) + float(prior)
