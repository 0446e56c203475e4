"""Maximum likelihood difference scaling: its trials, their regression, and the scale."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.choice import Probit
from resemblance.errors import JudgmentError, NotConvergedWarning, SettingError
from resemblance.fitting import JudgmentsLike
from resemblance.fitting.answers import most_probable
from resemblance.fitting.estimator import Estimator, by_class, in_classes, learn_classes
from resemblance.fitting.objective import checks
from resemblance.judgments import Items, Judgments, Quadruplets, Triplets, as_judgments, of_kind
from resemblance.judgments.checks import first_few, refuse
from resemblance.ranges import BELOW_ONE, setting
from resemblance.scores import log_loss, weighted_mean

MOST_STEPS = 100
PRIOR = 9.0  # exponent of the lapse rate's prior Beta(1, 10), with mean .09 and 95th percentile .26
FIRST_LAPSE, MOST_LAPSES = 0.02, 0.9
FAR = 25.0  # Decision variables are clipped to this value; beyond it probabilities do not change.
_HALF_LOG_2PI = 0.5 * np.log(2.0 * np.pi)
_SETTLED = 1e-11  # Iteration ends if a step gains less than this, in nats.
_SMALL_STEP = 1e-2  # size of the first step of a scale value, in units of sigma


@dataclass(frozen=True)
class Scaled:
    """Scale, lapse rate and log-likelihood of a regression; whether the maximum is finite."""

    values: Floats
    lapse: float
    log_likelihood: float = np.nan
    converged: bool = True


class Trials:
    """Comparisons of two intervals of ordered stimuli; equal comparisons are one trial.

    An interval is (lower, upper), and the lower interval of a trial comes first. A row z of the
    design is a distinct trial (a, b; c, d), with z @ psi = (psi_d - psi_c) - (psi_b - psi_a).
    Columns are all stimuli except the lowest, whose psi is 0. ``order`` (n_items,) lists the items
    from the lowest level to the highest.
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
        # whether the far pair, which is the larger interval, is the upper interval
        self.upper = ~flip
        self.weight = judgments.weights
        self.order = order
        self.items = judgments.items

    @cached_property
    def answer_weights(self) -> Floats:
        """Total weights of answers that chose the upper and the lower interval, (2, G)."""
        return self._counted(self.of_row, self.upper, self.weight)

    @cached_property
    def repeats(self) -> NDArray[np.int64]:
        """Number of times that each row was shown, which is its weight and must be whole."""
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
        return np.repeat(self.of_row, self.repeats)

    @cached_property
    def answers(self) -> NDArray[np.bool_]:
        return np.repeat(self.upper, self.repeats)

    def counts(self, answers: NDArray[np.bool_]) -> Floats:
        """Count the answers that chose the upper interval and the lower interval, (2, G)."""
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
    """Return the smaller and the larger interval of each row as ranks (lower, upper), (m, 2)."""
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

    Here z_g is a row of Z, and k_g and l_g are its two counts. Newton's method uses absolute
    curvatures, so that every step ascends; a step is halved until it gains. The last term is the
    prior Beta(1, 10). If answers are separable along a direction, there is no finite maximum: steps
    stay large although the likelihood has stopped rising.

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
    moved = at + step
    moved[-1] = min(max(moved[-1], 0.0), MOST_LAPSES) if step[-1] else at[-1]
    return np.asarray(moved)


def _newton(Z: Floats, counts: Floats, at: Floats, lapse: float | None) -> Floats:
    """Return Newton's step with absolute curvatures, which ascends along all directions."""
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
    """Return the probabilities of choosing the upper and the lower interval, (2, G)."""
    return np.asarray(0.5 * lapse + (1.0 - lapse) * ndtr(np.clip([eta, -eta], -FAR, FAR)))


def slopes(Z: Floats, psi: Floats, lapse: float) -> tuple[Floats, Floats]:
    """Return dP/dpsi with dP/dlapse as last column, (G, p + 1), and the probabilities, (2, G)."""
    eta = np.clip(Z @ psi, -FAR, FAR)
    density = (1.0 - lapse) * np.exp(-0.5 * eta**2 - _HALF_LOG_2PI)
    J = np.column_stack([density[:, None] * Z, 0.5 - ndtr(eta)])
    return J, probabilities(eta, lapse)


def _log_likelihood(Z: Floats, counts: Floats, at: Floats) -> float:
    return float((counts * np.log(probabilities(Z @ at[:-1], at[-1]))).sum())


def _objective(Z: Floats, counts: Floats, at: Floats, lapse: float | None) -> float:
    prior = PRIOR * np.log1p(-at[-1]) if lapse is None else 0.0
    return _log_likelihood(Z, counts, at) + float(prior)


class MLDS(Estimator):
    r"""Maximum likelihood difference scaling: a perceptual scale of ordered stimuli.

    .. math:: \max_{\psi, \lambda} \sum_r w_r \log \Big(\tfrac\lambda2 + (1 - \lambda)
       \Phi\big((\psi_{d_r} - \psi_{c_r}) - (\psi_{b_r} - \psi_{a_r})\big)\Big)
       + \log \mathrm{Beta}(\lambda; 1, 10), \qquad \psi_{\text{lowest}} = 0

    where the interval from c to d was judged larger than the interval from a to b; a and c are the
    lower ends. The noise of a judgment is normal with standard deviation 1, which is the unit of
    the scale. A share lambda of judgments are lapses, answered by chance. Without lapses this is a
    concave binomial regression with probit link, solved by Newton's method; it is also the choice
    model :class:`~resemblance.choice.Probit` for plain distances on a line with a given order of
    items. The scale need not be monotone.

    Source: Maloney & Yang 2003; as a generalised linear model, Knoblauch & Maloney 2008; lapses,
    Wichmann & Hill 2001, and their prior, Schuett, Harmeling, Macke & Wichmann 2016.

    Parameters
    ----------
    levels : array (n_items,), optional
        The physical level of each item. Default: the feature of the items if they have only one
        feature, else 0, 1, 2, ...
    nested : bool
        Whether to accept rows in which one interval is within the other, such as a triad whose head
        is its lowest stimulus. The order of the stimuli already answers such questions, so studies
        leave them out or test them separately (the three-point test). Predictions always accept
        such rows.
    lapse : "auto" or float
        The share of judgments that are lapses, 0 or more and below 1; "auto" estimates it. With 0,
        lapses count as noise, so that the scale in units of the noise is too small.

    Attributes
    ----------
    scale_ : array (n_items,)
        psi of each item, in units of the noise; 0 at the lowest level. See :meth:`normalised`.
    sigma_ : float
        The noise of the normalised scale, 1 / psi of the highest level; NaN if psi is not above 0.
    levels_ : array (n_items,)
        The physical levels.
    order_ : array (n_items,) of int
        The items from the lowest level to the highest.
    lapse_ : float
        The share of lapses.
    log_likelihood_ : float
        The log-likelihood in nats, without the prior of lapses.
    deviance_ : float
        -2 log-likelihood.
    deviance_accounted_for_ : float
        1 - deviance / deviance of guessing.
    aic_ : float
        Deviance + 2 (n_items - 1), plus 2 if lapses were estimated.
    converged_ : bool
        Whether the likelihood has a finite maximum.
    embedding_ : array (n_items, 1)
        The scale as positions on a line.
    choice_ : ChoiceModel
        The choice model, Probit.
    items_ : Items
        The items, in the order of ``scale_``.

    Raises
    ------
    JudgmentError
        For judgments that are neither triads nor quadruples, rows with nested intervals, or items
        whose scale values the judgments do not determine.
    SettingError
        If levels are not a distinct finite number for each item, or if lapses are out of range.

    Examples
    --------
    >>> import resemblance as rs
    >>> observer = rs.MLDS().set_scale([0.0, 1.0, 2.0, 4.0])
    >>> asked = [[1, 0, 2], [2, 1, 3], [1, 0, 3], [2, 0, 3]] * 100
    >>> larger = np.random.default_rng(0).random(400) < observer.predict_proba(asked)[:, 0]
    >>> rs.MLDS().fit(asked, larger).scale_.round()
    array([0., 1., 2., 4.])
    """

    levels: ArrayLike | None = field(default=None, kw_only=False)
    nested: bool = False
    lapse: float | Literal["auto"] = setting(BELOW_ONE.besides("auto"), default="auto")

    # Models saved by older versions have no lapse rate.
    lapse_: float = field(default=0.0, init=False)

    def fit(self, X: JudgmentsLike, y: ArrayLike | None = None) -> Self:
        """Fit the scale.

        Parameters
        ----------
        X : Triplets, Quadruplets, or array (m, 3 or 4)
            Triads (head, near, far), with the head as the middle stimulus and the larger interval
            from head to far; or quadruples (a, b, c, d), with the larger interval from c to d. A
            weight is a number of repeats.
        y : array (m,) or (m, 2), optional
            The responses, if the columns of X are not ordered by the answer: see
            :func:`~resemblance.judgments.as_judgments`.
        """
        self._check_settings()
        judgments = as_judgments(X, y)
        learn_classes(self, y)
        self._place(judgments.items)
        trials = Trials(judgments, self.order_, self.nested)
        trials.refuse_undetermined()
        estimate = fit_scale(trials.design, trials.answer_weights, self.given_lapse)
        self._keep(on_items(estimate.values, self.order_), estimate.lapse)
        self.log_likelihood_, self.converged_ = estimate.log_likelihood, estimate.converged
        self.deviance_ = -2.0 * self.log_likelihood_
        self.deviance_accounted_for_ = 1.0 - self.deviance_ / (
            2.0 * np.log(2.0) * trials.answer_weights.sum()
        )
        self.aic_ = self.deviance_ + 2.0 * (len(self.scale_) - (self.given_lapse is not None))
        if not estimate.converged:
            warnings.warn(
                "some differences of the scale are unbounded, as no answer to trials about "
                "them contradicts the others: the scale is where the fit stopped. Ask more "
                "trials with similar intervals.",
                NotConvergedWarning,
                stacklevel=2,
            )
        return self

    def set_scale(self, scale: ArrayLike, items: Items | None = None) -> Self:
        """Make a fitted model from a given scale, for predictions, scores and simulations.

        The lapse rate is the setting ``lapse``; with "auto" it is 0.

        Parameters
        ----------
        scale : array (n_items,)
            psi of each item, in units of the noise; it is shifted to 0 at the lowest level.
        items : Items, optional
            The items. Default: "0", "1", ....

        Raises
        ------
        SettingError
            If the scale is not one finite number for each item.

        Examples
        --------
        >>> model = MLDS().set_scale([0.0, 1.0, 3.0])
        >>> model.predict_proba([[1, 0, 2]]).round(3)
        array([[0.841, 0.159]])
        """
        psi = np.asarray(scale, float)
        taken = Items(len(psi)) if items is None else items
        if psi.shape != (len(taken),) or not np.isfinite(psi).all():
            raise SettingError(
                f"scale has shape {psi.shape} for {len(taken)} items: give one finite number for "
                "each",
                setting="scale",
            )
        self._place(taken)
        self._keep(psi - psi[self.order_[0]], self.given_lapse or 0.0)
        for name in ("log_likelihood_", "deviance_", "deviance_accounted_for_", "aic_"):
            self.__dict__.pop(name, None)  # Attributes of an earlier fit are deleted.
        return self

    def normalised(self) -> Floats:
        """Return the scale (n_items,) from 0 at the lowest level to 1 at the highest.

        Raises JudgmentError if the highest level is not above the lowest.
        """
        check_is_fitted(self, "scale_")
        if not self.scale_[self.order_[-1]] > 0:
            raise JudgmentError(
                "the scale does not rise from the lowest level to the highest, so it cannot be "
                "normalised from 0 to 1: see scale_, and check the direction of the answers"
            )
        return np.asarray(self.scale_ / self.scale_[self.order_[-1]])

    def predict_proba(self, X: JudgmentsLike) -> Floats:
        """Return the probabilities of the given answer and of the other answer, (m, 2).

        For an array, after a fit with responses, the columns are ``classes_``.
        """
        check_is_fitted(self, "scale_")
        judgments = as_judgments(X)
        checks.check_same_items(judgments, self.items_)
        rising = self.scale_[self.order_]
        near, far = (rising[i[:, 1]] - rising[i[:, 0]] for i in intervals(judgments, self.order_))
        p, other = self.choice_.probability(near, far), self.choice_.probability(far, near)
        given = 0.5 * self.lapse_ + (1.0 - self.lapse_) * np.column_stack([p, other])
        return by_class(self, X, given)

    def predict(self, X: JudgmentsLike) -> NDArray[np.int64]:
        """Return 0 if the scale agrees with the answer, 1 if not, -1 for ties, (m,)."""
        check_is_fitted(self, "scale_")
        best, ties = most_probable(self.predict_proba(as_judgments(X)))
        return in_classes(self, X, np.where(ties > 1, -1, best))

    def row_losses(self, X: JudgmentsLike) -> Floats:
        """Return 0 if the scale agrees with the answer, 1 if not, one half for ties, (m,)."""
        best, ties = most_probable(self.predict_proba(as_judgments(X)))
        return np.asarray(1.0 - (best == 0) / ties)

    def score(self, X: JudgmentsLike, y: ArrayLike | None = None) -> float:
        """Return the share of judgments that agree with the scale; ties count one half."""
        judgments = as_judgments(X, y)
        return 1.0 - weighted_mean(self.row_losses(judgments), judgments.weights)

    def log_loss(self, X: JudgmentsLike) -> float:
        """Return the mean of -log p(answer), in nats; guessing has 0.693."""
        judgments = as_judgments(X)
        return log_loss(self.predict_proba(judgments)[:, 0], judgments.weights)

    @property
    def given_lapse(self) -> float | None:
        """The given lapse rate; None if it is estimated."""
        if self.lapse == "auto":
            return None
        return self.lapse

    @property
    def estimate(self) -> Scaled:
        """The lapse rate, and the scale in order of levels without its first value."""
        return Scaled(self.scale_[self.order_[1:]], self.lapse_)

    def _place(self, items: Items) -> None:
        self.items_, self.choice_ = items, Probit()
        self.levels_ = _levels(self.levels, items)
        self.order_ = np.argsort(self.levels_)

    def _keep(self, scale: Floats, lapse: float) -> None:
        self.scale_, self.embedding_, self.lapse_ = scale, scale[:, None], lapse
        top = scale[self.order_[-1]]
        self.sigma_ = float(1.0 / top) if top > 0 else np.nan


def on_items(values: Floats, order: NDArray[np.intp]) -> Floats:
    scale = np.zeros(len(order))
    scale[order[1:]] = values
    return scale


def _levels(given: ArrayLike | None, items: Items) -> Floats:
    levels = items.features if given is None else given
    if levels is None:
        return np.arange(len(items), dtype=float)
    if given is None and isinstance(levels, dict):
        raise SettingError(
            f"the items have several views, {', '.join(levels)}, none of which is the physical "
            "level: give levels, one number for each item",
            setting="levels",
        )
    try:
        taken = np.asarray(levels, float)
    except (TypeError, ValueError):
        raise SettingError(
            f"levels are {levels!r}: give one number for each item", setting="levels"
        ) from None
    taken = taken[:, 0] if taken.ndim == 2 and taken.shape[1] == 1 else taken
    if taken.shape != (len(items),) or not np.isfinite(taken).all():
        raise SettingError(
            f"levels has shape {taken.shape} for {len(items)} items: give one finite number for "
            "each item" + (", the feature that is the physical level" if given is None else ""),
            setting="levels",
        )
    distinct, times = np.unique(taken, return_counts=True)
    if (times > 1).any():
        same = np.flatnonzero(taken == distinct[times.argmax()])[:2]
        raise SettingError(
            f"items {items.names[same[0]]} and {items.names[same[1]]} have the same level, "
            f"{taken[same[0]]:g}: give each its own, or make them one item",
            setting="levels",
        )
    return taken
